"""Matches: line-ups, results files, and results that depend only on players and seed."""

import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from alhambra_env import Game, IllegalAction
from alhambra_env.arena import duel, load, match, standings
from alhambra_env.arena.deal import Dealer, deal_seed, player_seed
from alhambra_env.arena.results import DealResult
from alhambra_env.arena.seating import all_line_ups, circular_orders, rotations
from alhambra_env.bots import Bot
from alhambra_env.errors import DamagedRecord

PLAYERS = ["builder", "random", "saver", "uniform"]


class PlainBot(Bot):
    """A bot that is asked from Python."""


class PlainRandom(PlainBot):
    def __init__(self) -> None:
        super().__init__("random")


class PlainBuilder(PlainBot):
    def __init__(self) -> None:
        super().__init__("builder")


class Stubborn:
    """Plays the first legal action, and after a while always the same one."""

    name = "stubborn"

    def __init__(self, patience: int = 400) -> None:
        self.left = patience

    def begin(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> int:
        self.left -= 1
        return game.legal_actions()[0] if self.left > 0 else 1945


class Unique(Stubborn):
    """Holds something that cannot be copied, as a lock cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class Broken(Stubborn):
    name = "broken"

    def choose(self, game: Game) -> int:
        raise ValueError("out of ideas")


def first_legal(observation: Any, mask: Any) -> int:
    return int(mask.argmax())


# --- seating ----------------------------------------------------------------------------------


def test_with_as_many_players_as_seats_all_of_them_meet() -> None:
    assert all_line_ups(3, 3) == ((0, 1, 2),)


def test_with_more_players_than_seats_all_combinations_meet() -> None:
    assert all_line_ups(4, 2) == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def test_with_fewer_players_than_seats_they_sit_there_several_times() -> None:
    assert all_line_ups(2, 4) == ((0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1))


def test_the_circular_orders_of_a_line_up_and_their_rotations_are_all_seatings() -> None:
    for line_up in [(0, 1, 2, 3), (0, 0, 1, 1), (0, 1, 1)]:
        seatings = {seats for order in circular_orders(line_up) for seats in rotations(order)}
        assert seatings == set(permutations(line_up))


def test_everybody_sits_on_every_seat_of_every_deal_equally_often() -> None:
    results = match(PLAYERS, num_players=3, deals=3, workers=1)
    for deal in results.deals:
        sat = Counter((seat, who) for game in deal.games for seat, who in enumerate(game.seats))
        assert len(sat) == 3 * len(PLAYERS)
        assert len(set(sat.values())) == 1


def test_neighbours_change_from_deal_to_deal() -> None:
    results = match(PLAYERS[:3], num_players=3, deals=2, workers=1)
    assert [deal.games[0].seats for deal in results.deals] == [(0, 1, 2), (0, 2, 1)]


def test_in_a_duel_one_player_sits_once_on_every_seat_among_copies_of_the_other() -> None:
    results = duel("saver", "builder", num_players=4, deals=1, workers=1)
    saver = results.match.names.index("saver")
    seats = [game.seats for game in results.deals[0].games]
    assert sorted(who.index(saver) for who in seats) == [0, 1, 2, 3]
    assert all(who.count(saver) == 1 for who in seats)
    row = standings(results).row("saver")
    assert row.games == 4


# --- the same results, whatever should not matter ---------------------------------------------


def test_all_games_of_a_deal_are_dealt_alike_and_deals_differ() -> None:
    results = match(PLAYERS, num_players=3, deals=20, seed=5, workers=1)
    assert [deal.seed for deal in results.deals] == [deal_seed(5, deal) for deal in range(20)]
    assert len({deal.seed for deal in results.deals}) == 20
    seeds = {player_seed(5, d, r, s) for d in range(9) for r in range(3) for s in range(3)}
    assert len(seeds) == 81


@pytest.mark.parametrize(("players", "seats"), [(PLAYERS[:3], 3), (PLAYERS, 3), (PLAYERS[:2], 4)])
def test_the_order_of_the_players_changes_nothing(
    players: list[str], seats: int, tmp_path: Path
) -> None:
    for name, order in [("a", players), ("b", players[::-1])]:
        match(order, seats, deals=3, workers=1, out=tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_same_seed_gives_the_same_bytes_with_one_and_two_workers(tmp_path: Path) -> None:
    for name, workers in [("a", 1), ("b", 2)]:
        match(PLAYERS, 3, deals=8, seed=3, workers=workers, out=tmp_path / name)
    match(PLAYERS, 3, deals=8, seed=4, workers=1, out=tmp_path / "c")
    data = [(tmp_path / name).read_bytes() for name in "abc"]
    assert data[0] == data[1] != data[2]


def test_a_long_match_is_spread_over_the_cores_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spread: list[tuple[range, int]] = []

    def note(settings: Any, entrants: Any, deals: range, workers: int) -> list[DealResult]:
        spread.append((deals, workers))
        return []

    monkeypatch.setattr("alhambra_env.arena.matches._play_in_processes", note)
    monkeypatch.setattr("alhambra_env.arena.processes.SECONDS_BEFORE_WORKERS", -1.0)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    match(PLAYERS[:2], 2, deals=9)
    match(PLAYERS[:2], 2, deals=3)
    match(PLAYERS[:2], 2, deals=9, workers=1)
    match(["random", PlainBuilder], 2, deals=2)
    assert spread == [(range(9), 4), (range(3), 3)]


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_bots_play_the_same_games_compiled_and_from_python(num_players: int) -> None:
    compiled = match(["random", "builder"], num_players, deals=3, workers=1)
    plain = match([PlainRandom, PlainBuilder], num_players, deals=3, workers=1)
    assert compiled.deals == plain.deals


@pytest.mark.parametrize("progress", [False, True])
def test_a_match_without_a_terminal_prints_nothing(
    progress: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    match(["saver", "random"], 2, 1, workers=1, progress=progress)
    assert capsys.readouterr() == ("", "")


def test_a_game_of_a_match_can_be_played_again() -> None:
    results = match(["random", "uniform"], 2, deals=2, seed=9, workers=1)
    deal = results.deals[1]
    for rotation, played in enumerate(deal.games):
        game = Game(num_players=2, seed=deal.seed)
        bots = [Bot(results.match.names[who]) for who in played.seats]
        for seat, bot in enumerate(bots):
            bot.begin(player_seed(9, 1, rotation, seat))
        while not game.over:
            game.step(bots[game.to_play].choose(game))
        assert tuple(game.scores) == played.scores
        assert len(game.history) == sum(played.decisions)


# --- files ------------------------------------------------------------------------------------


def count_deals(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which every deal that is played is added."""
    played: list[int] = []
    play = Dealer.play

    def count(self: Dealer, deal: int) -> DealResult:
        played.append(deal)
        return play(self, deal)

    monkeypatch.setattr(Dealer, "play", count)
    return played


@pytest.mark.parametrize("cut", [-1, -20, -300, 1, 40])
def test_a_match_that_was_cut_goes_on_and_gives_the_same_file(
    cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "results.jsonl"
    whole = match(PLAYERS[:3], 3, deals=5, workers=1, out=file)
    data = file.read_bytes()
    file.write_bytes(data[:cut])
    kept = max(0, data[:cut].count(b"\n") - 1)
    played = count_deals(monkeypatch)
    assert match(PLAYERS[:3], 3, deals=5, workers=1, out=file) == whole
    assert file.read_bytes() == data
    assert played == list(range(kept, 5))


def test_a_match_can_be_made_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match(PLAYERS[:2], 2, deals=2, workers=1, out=tmp_path / "a")
    played = count_deals(monkeypatch)
    match(PLAYERS[:2], 2, deals=4, workers=1, out=tmp_path / "a")
    assert played == [2, 3]
    match(PLAYERS[:2], 2, deals=4, workers=1, out=tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    shorter = match(PLAYERS[:2], 2, deals=1, workers=1, out=tmp_path / "a")
    assert len(shorter.deals) == 1
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_says_all_that_the_results_do(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    results = match(PLAYERS, 3, deals=2, workers=1, out=file)
    assert load(file) == results
    header, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert header["format"] == "alhambra match"
    assert [player["name"] for player in header["players"]] == PLAYERS
    assert [line["deal"] for line in lines] == [0, 1]
    assert not {"time", "seconds", "workers"} & {*header, *lines[0]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"edition": "polish"}, "edition is german there and polish here"),
        ({"players": ["builder", "saver"]}, "players is builder, random there"),
        ({"num_players": 3}, "line_ups is"),
    ],
)
def test_a_file_of_another_match_is_refused(
    change: dict[str, Any], says: str, tmp_path: Path
) -> None:
    file = tmp_path / "results.jsonl"
    settings: dict[str, Any] = {"players": ["builder", "random"], "num_players": 2, "deals": 1}
    match(**settings, out=file, workers=1)
    before = file.read_bytes()
    with pytest.raises(ValueError, match="choose another file") as error:
        match(**settings | change, out=file, workers=1)
    assert says in str(error.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", ["hello", "hello\n", "[]\n", "{}\n", '{"format": "x"}\nhi\n'])
def test_a_file_of_something_else_is_left_alone(text: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match="is not a file of results"):
        match(PLAYERS[:2], 2, deals=1, out=file, workers=1)
    with pytest.raises(DamagedRecord):
        load(file)
    assert file.read_text() == text


def test_a_damaged_line_is_not_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    match(PLAYERS[:2], 2, deals=3, out=file, workers=1)
    header, first, second, third = file.read_bytes().splitlines(keepends=True)
    for lines in [(header, first, third), (header, first, b"{}\n"), (header, first, second[5:])]:
        file.write_bytes(b"".join(lines))
        with pytest.raises(DamagedRecord):
            match(PLAYERS[:2], 2, deals=3, out=file, workers=1)


def test_results_of_other_code_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "results.jsonl"
    match(PLAYERS[:2], 2, deals=1, out=file, workers=1)
    monkeypatch.setattr("alhambra_env.arena.results.CODE", "0" * 16)
    with pytest.raises(ValueError, match="other code"):
        match(PLAYERS[:2], 2, deals=2, out=file, workers=1)


def test_two_matches_do_not_write_to_one_file(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"

    class Nosy(Stubborn):
        def begin(self, seed: int) -> None:
            with pytest.raises(ValueError, match="another match is writing"):
                match(["random", "uniform"], 2, deals=1, out=file, workers=1)

    match(["random", Nosy()], 2, deals=1, out=file, workers=1)
    assert list(tmp_path.iterdir()) == [file], "a lock file would be in the way"


HOLDS_A_FILE = """
import sys, time
from pathlib import Path
from alhambra_env.arena import match
from tests.test_arena import Stubborn

class Asleep(Stubborn):
    def begin(self, seed):
        print("sleeps", flush=True)
        time.sleep(600)

match(["random", Asleep()], 2, deals=1, out=sys.argv[1], workers=1)
"""


def test_a_process_that_was_killed_does_not_block_the_next_match(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDS_A_FILE, str(file)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)},
        text=True,
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "sleeps\n"
        with pytest.raises(ValueError, match=f"another match is writing to {re.escape(str(file))}"):
            match(["random", Stubborn()], 2, deals=1, out=file, workers=1)
    finally:
        other.kill()
        other.communicate()
    match(["random", Stubborn()], 2, deals=1, out=file, workers=1)
    assert len(load(file).deals) == 1
    assert list(tmp_path.iterdir()) == [file]


# --- players of all kinds ---------------------------------------------------------------------


def test_functions_classes_and_objects_can_play() -> None:
    players = [first_legal, PlainRandom, Stubborn(10**9), "tests.test_arena:PlainBuilder"]
    results = match(players, 4, deals=1, max_turns=50, workers=2)
    assert results.match.names == ("builder", "first_legal", "random", "stubborn")
    specs = [player["spec"] for player in results.match.players]
    assert specs == ["tests.test_arena:PlainBuilder", None, None, None]


def test_a_player_can_be_given_another_name() -> None:
    results = match(["other=random", "random"], 2, deals=1, workers=1)
    assert results.match.names == ("other", "random")


def test_copies_of_a_player_do_not_share_their_randomness() -> None:
    shared = PlainRandom()
    plain = duel("uniform", shared, 3, deals=2, workers=1)
    assert plain.deals == duel("uniform", "random", 3, deals=2, workers=1).deals


def test_a_player_that_cannot_be_copied_does_not_sit_twice_at_a_table() -> None:
    with pytest.raises(ValueError, match="cannot be copied"):
        duel("random", Unique(), 3, deals=1, workers=1)


def test_an_illegal_action_stops_the_match_and_the_deals_before_it_are_kept(
    tmp_path: Path,
) -> None:
    file = tmp_path / "results.jsonl"
    with pytest.raises(IllegalAction) as error:
        match(["saver", Stubborn()], 2, deals=50, out=file, workers=1)
    kept = len(load(file).deals)
    assert 0 < kept < 50
    for part in [
        "stubborn on seat",
        f"in deal {kept}, rotation",
        "pass (action 1945)",
        "not legal",
    ]:
        assert part in str(error.value)


def test_an_illegal_action_in_another_process_stops_the_match_as_well(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    with pytest.raises(IllegalAction, match="stubborn on seat"):
        match(["saver", "tests.test_arena:Stubborn"], 2, deals=50, out=file, workers=2)
    assert 0 < len(load(file).deals) < 50


def test_an_error_within_a_player_says_where_it_was() -> None:
    with pytest.raises(ValueError, match="out of ideas") as error:
        match(["random", Broken], 2, deals=1, workers=1)
    assert error.value.__notes__ == ["This was broken on seat 0 in deal 0, rotation 0."]


def test_an_error_of_a_player_that_begins_says_where_it_was() -> None:
    class Late(Stubborn):
        def begin(self, seed: int) -> None:
            raise ValueError("still asleep")

    with pytest.raises(ValueError, match="still asleep") as error:
        match(["random", Late], 2, deals=1, workers=1)
    assert error.value.__notes__ == ["This was stubborn on seat 1 in deal 0, rotation 0."]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"players": ["random"]}, "two players or more"),
        ({"players": ["random", "random"]}, "two players are called 'random'"),
        ({"players": "random"}, "must be a list"),
        ({"players": ["random", "nobody"]}, "there are: random"),
        ({"players": ["random", 7]}, "7 is not a player"),
        ({"num_players": 1}, "num_players must be 2 to 6"),
        ({"num_players": 2, "edition": "italian"}, "does not describe a game for 2"),
        ({"edition": "klingon"}, "unknown edition"),
        ({"deals": 0}, "deals must be 1 to 1000000000"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"workers": 0}, "workers must be 1 to 1024"),
        ({"max_turns": 0}, "max_turns must be"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], says: str) -> None:
    allowed: dict[str, Any] = {"players": PLAYERS, "num_players": 3, "deals": 1}
    with pytest.raises(ValueError, match=says):
        match(**allowed | settings)


def test_a_duel_needs_two_different_players() -> None:
    with pytest.raises(ValueError, match="two players are called"):
        duel("random", "random", deals=1)


def test_a_match_that_is_interrupted_keeps_its_deals(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"

    class Impatient(Stubborn):
        def choose(self, game: Game) -> int:
            if game.seed == deal_seed(0, 3):
                raise KeyboardInterrupt
            return game.legal_actions()[0]

    with pytest.raises(KeyboardInterrupt):
        match(["saver", Impatient], 2, deals=9, workers=1, out=file)
    assert len(load(file).deals) == 3
