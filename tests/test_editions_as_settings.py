"""Editions of the user's own: a rulebook with some points changed."""

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import alhambra_env
from alhambra_env import Edition, Game, GameBatch, alhambra_v0
from alhambra_env.engine.editions import EDITION_NAMES, EDITIONS
from alhambra_env.notation import from_text, to_text
from alhambra_env.options import GameRules, read_edition
from alhambra_env.record import load_record, save_record
from tests.positions import legal, play, play_randomly

DECLINING = Edition("german", may_decline=True)
BY_VALUE = Edition("polish", leftovers_by_cards=False)
TEXT = "german:may_decline=yes"


def test_a_rulebook_by_name_is_the_edition_without_changes() -> None:
    assert [read_edition(name) for name in EDITION_NAMES] == list(EDITIONS)
    assert [edition.text for edition in EDITIONS] == list(EDITION_NAMES)


@pytest.mark.parametrize(
    ("edition", "text"),
    [
        (DECLINING, TEXT),
        (BY_VALUE, "polish:leftovers_by_cards=no"),
        (Edition("german", may_decline=False), "german"),
        (
            Edition("italian", scoring_card_on_top=False, min_players=2),
            "italian:scoring_card_on_top=no,min_players=2",
        ),
    ],
)
def test_an_edition_as_text_names_its_book_and_what_differs(edition: Edition, text: str) -> None:
    assert edition.text == text
    assert read_edition(text) == edition


def test_points_that_are_not_given_are_as_in_the_book() -> None:
    assert BY_VALUE.may_decline
    assert not BY_VALUE.leftovers_by_cards
    assert Edition("italian").min_players == 3


@pytest.mark.parametrize("edition", [DECLINING, TEXT], ids=["Edition", "text"])
def test_the_german_edition_with_declining(edition: Any) -> None:
    # R10
    lines = ("rounds: 2", "market: 0 7 14 23", "hand 0: b2 g3")
    game = play(from_text("\n".join([f"edition: {TEXT}", *lines])), "buy:0:2")
    assert "pass" in legal(game)
    game = play(from_text("\n".join(lines)), "buy:0:2")
    assert "pass" not in legal(game)
    assert Game(edition=edition, seed=0).edition == TEXT


def test_the_polish_edition_by_value() -> None:
    # R25
    lines = ("rounds: 2", "phase: put", "picked: 0", "bag:", "market: 7 - - -", "reserve 2: rest")
    hands = ("hand 1: g9", "hand 2: g1 g1", "discards: rest", "deck: -")
    for edition, winner in ((BY_VALUE, 1), (Edition("polish"), 2)):
        text = "\n".join([f"edition: {edition.text}", *lines, *hands])
        text = text.replace("market: 7 - - -", "market: - 7 - -")
        game = play(from_text(text), "store")
        assert (game.to_play, game.phase) == (winner, "put")


def test_an_italian_game_for_two_when_that_is_asked_for() -> None:
    game = Game(num_players=2, edition="italian:min_players=2", seed=0)
    assert game.edition == "italian:min_players=2"
    play_randomly(game)
    assert game.over


def test_copies_bytes_and_text_keep_the_edition(tmp_path: Path) -> None:
    game = play_randomly(Game(edition=DECLINING, seed=4), steps=60)
    assert Game.from_bytes(game.to_bytes()).edition == TEXT
    assert from_text(to_text(game)).to_bytes() == game.to_bytes()
    assert game.clone().rules == GameRules(3, TEXT)
    save_record(game, tmp_path / "game.json")
    assert json.loads((tmp_path / "game.json").read_text())["edition"] == TEXT
    assert load_record(tmp_path / "game.json").to_bytes() == game.to_bytes()


def test_environments_and_batches_take_an_edition() -> None:
    env = alhambra_v0.raw_env(edition=DECLINING)
    env.reset(seed=1)
    assert env.game.edition == TEXT
    single = gymnasium.make(alhambra_env.ENV_ID, edition=DECLINING)
    single.reset(seed=1)
    inside: Any = single.unwrapped
    assert inside.game.edition == TEXT
    batch = GameBatch(2, edition=DECLINING, seed=1)
    assert batch.edition == TEXT
    assert Game.from_state(batch.states[:1]).edition == TEXT
    twin = GameBatch(2, edition=TEXT, seed=2)
    twin.load(batch.save())
    with pytest.raises(ValueError, match="may_decline is 1 in the saved batch, 0"):
        GameBatch(2, seed=1).load(batch.save())


@pytest.mark.parametrize(
    ("edition", "message"),
    [
        ("french", "unknown edition 'french'; there are: german"),
        ("german:", "unknown setting of the edition 'german'"),
        ("german:may_decide=yes", "did you mean 'may_decline'"),
        ("german:may_decline", "may_decline must be yes or no, not ''"),
        ("german:may_decline=maybe", "may_decline must be yes or no, not 'maybe'"),
        ("german:may_decline=yes,may_decline=no", "says may_decline twice"),
        ("italian:min_players=1", "min_players must be 2 to 6, not 1"),
        ("italian:min_players=x", "min_players must be a whole number"),
        (7, "unknown edition 7"),
        (None, "unknown edition None"),
    ],
)
def test_an_edition_that_cannot_be_read_is_refused(edition: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Game(edition=edition)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"book": "french"}, "book must be one of german"),
        ({"book": ["german"]}, "book must be one of german"),
        ({"may_decline": 1}, "may_decline must be true or false, not 1"),
        ({"min_players": True}, "min_players must be a whole number, not True"),
        ({"min_players": 7}, "min_players must be 2 to 6, not 7"),
    ],
)
def test_an_edition_with_a_value_that_does_not_exist_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Edition(**settings)
