"""The action space: numbers, names, payments and sentences."""

import random
import re
from itertools import chain, combinations_with_replacement
from typing import Any

import pytest

from alhambra_env import Game, actions
from alhambra_env.actions import ACTIONS, N_ACTIONS
from alhambra_env.engine.action_ranges import BUY, GIVE, PASS, PICK, PUT, REMOVE, STORE, TAKE
from alhambra_env.engine.editions import EditionName
from alhambra_env.engine.material import CURRENCIES, TILES
from alhambra_env.engine.payments import PAYMENTS
from alhambra_env.notation import from_text
from alhambra_env.render.shapes import CELL

ALL_ACTIONS = range(1955)


# --- the layout, which checkpoints and records rely on ----------------------------------------


def test_the_action_space_is_laid_out_as_designed() -> None:
    assert [(kind.name, kind.start, kind.size, kind.end) for kind in ACTIONS] == [
        ("take", 0, 15, 15),
        ("buy", 15, 1152, 1167),
        ("pick", 1167, 54, 1221),
        ("remove", 1221, 361, 1582),
        ("put", 1582, 361, 1943),
        ("store", 1943, 1, 1944),
        ("give", 1944, 1, 1945),
        ("pass", 1945, 1, 1946),
        ("overpay", 1946, 9, 1955),
    ]
    assert N_ACTIONS == 1955
    assert (TAKE, BUY, PICK, REMOVE, PUT) == (0, 15, 1167, 1221, 1582)
    assert (STORE, GIVE, PASS) == (1943, 1944, 1945)


@pytest.mark.parametrize(
    ("number", "name", "kind", "args"),
    [
        (0, "take:0", "take", (0,)),
        (4, "take:0,2", "take", (0, 2)),
        (14, "take:0,1,2,3", "take", (0, 1, 2, 3)),
        (15, "buy:0:2", "buy", (0, (2,))),
        (16, "buy:0:1+1", "buy", (0, (1, 1))),
        (303, "buy:1:2", "buy", (1, (2,))),
        (1166, "buy:3:6+6+6", "buy", (3, (6, 6, 6))),
        (1167, "pick:0", "pick", (0,)),
        (1208, "pick:41", "pick", (41,)),
        (1220, "pick:53", "pick", (53,)),
        (1221, "remove:-9,-9", "remove", (-9, -9)),
        (1401, "remove:0,0", "remove", (0, 0)),
        (1402, "remove:0,1", "remove", (0, 1)),
        (1581, "remove:9,9", "remove", (9, 9)),
        (1582, "put:-9,-9", "put", (-9, -9)),
        (1743, "put:-1,0", "put", (-1, 0)),
        (1942, "put:9,9", "put", (9, 9)),
        (1943, "store", "store", ()),
        (1944, "give", "give", ()),
        (1945, "pass", "pass", ()),
        (1946, "overpay:1", "overpay", (1,)),
        (1954, "overpay:9", "overpay", (9,)),
    ],
)
def test_an_action_keeps_its_number(
    number: int, name: str, kind: str, args: tuple[Any, ...]
) -> None:
    assert actions.name(number) == name
    assert actions.parse(name) == number
    assert actions.decode(number) == (kind, args)
    assert actions.encode(kind, *args) == number


def test_every_action_has_a_name_and_back() -> None:
    assert [actions.parse(actions.name(action)) for action in ALL_ACTIONS] == list(ALL_ACTIONS)


def test_every_action_has_a_meaning_and_back() -> None:
    moves = [actions.decode(action) for action in ALL_ACTIONS]
    assert [actions.encode(move.kind, *move.args) for move in moves] == list(ALL_ACTIONS)
    assert len(set(moves)) == 1955


def test_no_two_actions_share_a_name() -> None:
    assert len({actions.name(action) for action in ALL_ACTIONS}) == 1955


def test_every_action_is_of_the_kind_whose_range_it_is_in() -> None:
    for action in ALL_ACTIONS:
        kind = actions.kind_of(action)
        assert kind.start <= action < kind.end
        assert actions.decode(action).kind == kind.name == actions.name(action).partition(":")[0]


def test_names_are_written_as_documented() -> None:
    number = r"-?\d"
    pattern = re.compile(
        rf"take:[0-3](,[0-3])*|buy:[0-3]:[1-9](\+[1-9])*|pick:\d\d?|"
        rf"(remove|put):{number},{number}|store|give|pass|overpay:[1-9]"
    )
    assert all(pattern.fullmatch(actions.name(action)) for action in ALL_ACTIONS)


# --- payments (E1) ----------------------------------------------------------------------------


def test_there_are_288_payments_in_order() -> None:
    assert len(PAYMENTS) == 288
    assert [tuple(sorted(payment)) for payment in PAYMENTS] == list(PAYMENTS)  # values rising
    keys = [(sum(payment), len(payment), payment) for payment in PAYMENTS]
    assert keys == sorted(keys)
    assert len(set(PAYMENTS)) == 288


def test_payments_are_those_that_need_every_card_for_some_price() -> None:
    # For each value there are three cards, so eight of the smallest are worth 15 already.
    sets = chain.from_iterable(
        combinations_with_replacement(range(1, 10), size) for size in range(1, 9)
    )
    useful = {
        cards
        for cards in sets
        if max(map(cards.count, cards)) <= 3
        and any(sum(cards) - min(cards) < price <= sum(cards) for price in range(2, 14))
    }
    assert useful == set(PAYMENTS)
    assert max(map(len, PAYMENTS)) < 8  # so larger sets need not be looked at


def test_the_payments_of_a_slot_follow_one_another() -> None:
    for slot in range(4):
        for number, payment in enumerate(PAYMENTS):
            assert actions.encode("buy", slot, payment) == 15 + 288 * slot + number


def test_the_values_of_a_payment_may_be_given_in_any_order() -> None:
    assert actions.parse("buy:2:3+7") == actions.parse("buy:2:7+3")
    assert actions.encode("buy", 2, [7, 3]) == actions.encode("buy", 2, (3, 7))


# --- invalid actions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "take, buy, pick, remove, put, store, give, pass"),
        ("sell:1", "take, buy, pick, remove, put, store, give, pass"),
        ("tke:0", "did you mean 'take'"),
        ("stor", "did you mean 'store'"),
        ("Take:0", "did you mean 'take'"),
        ("take", "different open cards of 0 to 3"),
        ("take:", "take:0"),
        ("take:4", "0 to 3"),
        ("take:-1", "0 to 3"),
        ("take:1,1", "different"),
        ("take:x", "'x'"),
        ("take:0;1", "'0;1'"),
        ("buy", "buy:0:2"),
        ("buy:1", "buy:0:2"),
        ("buy:1:", "buy:0:2"),
        ("buy:4:2", "0 to 3"),
        ("buy:-1:2", "0 to 3"),
        ("buy:0:1", "is not a payment"),
        ("buy:0:10", "is not a payment"),
        ("buy:0:9+9+9", "is not a payment"),
        ("buy:0:1+1+1+1", "is not a payment"),
        ("buy:0:9,9", "buy:0:2"),
        ("buy:0:9:9", "buy:0:2"),
        ("buy:0:a+b", "'a'"),
        ("pick", "pick:0"),
        ("pick:54", "0 to 53"),
        ("pick:-1", "0 to 53"),
        ("pick:1,2", "pick:0"),
        ("pick:1.5", "1.5"),
        ("remove", "remove:-9,-9"),
        ("remove:1", "remove:-9,-9"),
        ("remove:0,10", "-9 to 9"),
        ("put:-10,0", "-9 to 9"),
        ("put:0,1,2", "put:-9,-9"),
        ("put:north", "'north'"),
        ("store:1", "store"),
        ("give:Dirk", "give"),
        ("pass:0", "pass"),
    ],
)
def test_text_that_is_no_action_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(hint)) as caught:
        actions.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("number", [-1, 1955, 10**9])
def test_a_number_that_is_no_action_is_refused(number: int) -> None:
    for use in (actions.name, actions.decode, actions.kind_of):
        with pytest.raises(ValueError, match=f"{number}; they are 0 to 1954"):
            use(number)


@pytest.mark.parametrize(
    ("kind", "args", "hint"),
    [
        ("sell", (0,), "take, buy"),
        ("take", (), "0 to 3"),
        ("take", (0, 0), "different"),
        ("buy", (0,), "arguments"),
        ("buy", (0, (1,)), "is not a payment"),
        ("buy", (0, ()), "is not a payment"),
        ("pick", (54,), "0 to 53"),
        ("put", (0,), "arguments"),
        ("put", (0, 10), "-9 to 9"),
        ("store", (1,), "arguments"),
    ],
)
def test_arguments_that_make_no_action_are_refused(
    kind: str, args: tuple[Any, ...], hint: str
) -> None:
    with pytest.raises(ValueError, match=hint):
        actions.encode(kind, *args)


@pytest.mark.parametrize("text", [" take:0,2 ", "take: 0, 2", "take:2,0"])
def test_spaces_and_order_do_not_matter(text: str) -> None:
    assert actions.parse(text) == 4


# --- sentences --------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "edition"), [(2, "polish"), (3, "italian"), (5, "german")])
def test_every_legal_action_of_every_phase_has_its_own_sentence(
    num_players: int, edition: EditionName
) -> None:
    chooser = random.Random(num_players)
    met: set[tuple[str, str]] = set()
    for seed in range(6):
        game = Game(num_players, edition, seed=seed)
        while not game.over:
            legal = game.legal_actions()
            sentences = [actions.describe(action, game) for action in legal]
            for action, sentence in zip(legal, sentences, strict=True):
                assert re.fullmatch(r"[A-Z].*[\w)]", sentence)
                assert "nothing " not in sentence
                met.add((game.phase, actions.kind_of(action).name))
            different = {
                actions.name(action) for action in legal if actions.kind_of(action).name != "take"
            }
            taking = [s for s in sentences if s.startswith("Take ")]
            assert len(set(sentences) - set(taking)) == len(different)
            game.step(chooser.choice(legal))
    expected = {
        *(("turn", kind) for kind in ("take", "buy", "pick", "remove", "overpay")),
        *(("rebuild", "put"), ("place", "pick"), ("put", "put"), ("put", "store")),
    }
    expected |= {("put", "give")} if num_players == 2 else set()
    expected |= {("turn", "pass")} if edition != "german" else set()
    assert expected <= met <= expected | {("turn", "pass")}


def test_sentences_say_what_happens() -> None:
    game = from_text(
        """
        players: 2
        market: 41 3 0 17
        display: b3 g2 y9 y8
        hand 0: b9 b2 g3 g2 o3
        city 0: 4@-1,0 30@0,1
        reserve 0: 28 6
        """
    )

    def say(name: str) -> str:
        action = actions.parse(name)
        assert action in game.legal_actions()
        return actions.describe(action, game)

    assert say("take:0,1") == "Take denar 3 and dirham 2"
    assert say("take:2") == "Take guilder 9"
    assert say("buy:0:9+2") == (
        "Buy garden 11 (no walls) for denar 9 + 2: exact, so another action follows"
    )
    assert say("buy:2:3") == "Buy pavilion 2 (walls NEW) for ducat 3: 1 too much"
    assert say("pick:28") == "Rebuild with chambers 9 (walls S) from the reserve"
    assert say("remove:0,1") == "Move chambers 10 (no walls) from 1 east to the reserve"
    game.step(actions.parse("pick:6"))
    assert say("put:0,1") == "Swap pavilion 8 (no walls) for chambers 10 (no walls) at 1 east"
    assert say("put:1,1") == "Put pavilion 8 (no walls) at 1 south, 1 east"


def test_a_tile_in_words_says_type_price_and_walls() -> None:
    for tile in TILES:
        text = actions.tile_text(tile.number)
        assert text.startswith(f"{tile.building} {tile.price} (")
        assert (f"walls {tile.walls}" if tile.walls else "no walls") in text


def test_a_card_in_words_says_currency_and_value() -> None:
    texts = {actions.card_text(currency, value) for currency in range(4) for value in range(1, 10)}
    assert texts == {f"{currency} {value}" for currency in CURRENCIES for value in range(1, 10)}


@pytest.mark.parametrize(
    ("offset", "text"),
    [((-1, 2), "1 north, 2 east"), ((3, -4), "3 south, 4 west"), ((0, 0), "the fountain")],
)
def test_an_offset_in_words_gives_directions(offset: tuple[int, int], text: str) -> None:
    assert actions.offset_text(*offset) == text


def test_sentences_and_drawings_have_true_offsets_where_names_wrap_around() -> None:
    # A street of tiles without walls, straight to the north: row -10 has the name 9.
    *street, last = [tile.number for tile in TILES if not tile.walls]
    city = " ".join(f"{tile}@{-row},0" for row, tile in enumerate(street, start=1))
    game = from_text(f"players: 3\nto_play: 0\nphase: put\npicked: {last}\ncity 0: {city}")
    action = actions.parse("put:9,0")
    assert actions.describe(action, game).endswith("at 10 north")
    game.step(action)
    (frame,) = re.findall(r'<rect[^>]*class="last"[^>]*>', game.svg())
    (top,) = re.findall(r' y="([^"]*)"', frame)
    assert float(top) // CELL == -10
    whole = from_text(f"players: 3\nto_play: 0\ncity 0: {city} {last}@-10,0")
    sentence = actions.describe(actions.parse("remove:9,0"), whole)
    assert sentence.endswith("from 10 north to the reserve")
