"""`check(state)` names every invariant of a record that does not hold.

It is written to be obviously right, not fast: it checks the building rules by flood fill over the
whole grid, independently of the local rules in `city` that games are played by.
"""

from enum import IntFlag
from typing import Final

import numpy as np

from .action_ranges import N_ACTIONS
from .arrays import Array
from .city import find_closed, find_fits, find_removable
from .editions import EDITION_NAMES
from .flood import has_matching_sides, is_reached_on_foot, is_within_extent, is_without_hole
from .grid import FOUNTAIN_CELL, N_CELLS
from .jit import jit
from .legal import write_mask
from .material import (
    DIRK,
    FOUNTAIN,
    MAX_PLAYERS,
    MIN_PLAYERS,
    N_BUILDINGS,
    N_COPIES,
    N_COPIES_TWO_PLAYERS,
    N_CURRENCIES,
    N_MONEY,
    N_ROUNDS,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    PRIZES,
    SCORE_1,
    SCORE_1_PILE,
    SCORE_2,
    SCORE_2_PILE,
    TILE_BUILDING,
    TILES,
)
from .outline import longest_wall
from .setup import pile_bottom
from .state import OVER, PHASES, PLACE, PUT, REBUILD, TURN, State
from .tileset import TILE_BIT


class Broken(IntFlag):
    """Invariants that a record can break. `MEANINGS` says what each of them is."""

    RANGE = 1
    TILES = 2
    MONEY = 4
    SCORING_CARDS = 8
    CITY = 16
    SIDES = 32
    ON_FOOT = 64
    HOLE = 128
    EXTENT = 256
    DERIVED = 512
    PHASE = 1024
    REFILL = 2048
    EMPTY_SEATS = 4096
    SCORES = 8192


MEANINGS: Final = {
    Broken.RANGE: "A field holds a value that has no meaning; nothing else was checked.",
    Broken.TILES: "A tile is not in exactly one place.",
    Broken.MONEY: "There are not as many of each money card as the rules say (R2).",
    Broken.SCORING_CARDS: "A scoring card is outside its pile, or there after its round (R7, R20).",
    Broken.CITY: "A city and the table of its tiles disagree, or its fountain is misplaced (R3).",
    Broken.SIDES: "Touching sides do not match (R15).",
    Broken.ON_FOOT: "A tile cannot be reached on foot from the fountain (R16).",
    Broken.HOLE: "A city encloses empty cells (R18).",
    Broken.EXTENT: "A city is too wide or too high (E2).",
    Broken.DERIVED: "A derived field does not follow from the others.",
    Broken.PHASE: "The phase does not fit what is picked, bought, won or counted, or is stuck.",
    Broken.REFILL: "A turn begins, but the market or the display was not refilled (R19, R21).",
    Broken.EMPTY_SEATS: "A seat that nobody plays, or an absent Dirk, holds something.",
    Broken.SCORES: "A score is more than the rounds scored so far can bring (R22-R24).",
}

# As plain numbers, for compiled code
_RANGE, _TILES, _MONEY, _SCORING_CARDS, _CITY, _SIDES, _ON_FOOT = map(int, list(Broken)[:7])
_HOLE, _EXTENT, _DERIVED, _PHASE, _REFILL, _EMPTY_SEATS, _SCORES = map(int, list(Broken)[7:])
_N_BOOKS = len(EDITION_NAMES)
_N_PHASES = len(PHASES)

# The most is to be first in every type; sharing a place never brings more (R22, R23).
_MOST_PRIZES = PRIZES[:, 0].sum(axis=1)
# Every part of an outer wall is a wall of a tile, and there is only one of each tile (R1, R24).
_MOST_WALLS = sum(len(tile.walls) for tile in TILES)


def check(state: State) -> Broken:
    """Return the broken invariants of a record; false if there are none."""
    return Broken(find_broken(state))


def explain(broken: Broken) -> str:
    """Return what is broken as one or more sentences."""
    return " ".join(f"{MEANINGS[flag]} [{flag.name}]" for flag in broken)


@jit
def find_broken(state: State) -> int:
    """Return `check`'s answer as a number."""
    if not has_meaning(state):
        return _RANGE
    broken = 0
    if not has_each_tile_once(state):
        broken |= _TILES
    if not has_all_money(state):
        broken |= _MONEY
    if not has_scoring_cards_in_place(state):
        broken |= _SCORING_CARDS
    for seat in range(int(state.num_players)):
        broken |= find_broken_city(state, seat)
    if broken & _CITY == 0 and not has_correct_derived(state):
        broken |= _DERIVED
    if not has_fitting_phase(state):
        broken |= _PHASE
    if state.phase == TURN and not is_refilled(state):
        broken |= _REFILL
    if not has_clean_empty_seats(state):
        broken |= _EMPTY_SEATS
    if not has_possible_scores(state):
        broken |= _SCORES
    if broken == 0 and state.phase != OVER and not has_legal_action(state):
        broken |= _PHASE
    return broken


# --- fields -----------------------------------------------------------------------------------


@jit
def is_within(values: Array, low: int, high: int) -> bool:
    """Are all values from `low` to `high`?"""
    return values.min() >= low and values.max() <= high


@jit
def is_list(items: Array, size: int, high: int) -> bool:
    """Are the first `size` items from 0 to `high`, and the others NONE?"""
    for i in range(items.size):
        if i < size and (items[i] < 0 or items[i] > high):
            return False
        if i >= size and items[i] != NONE:
            return False
    return True


@jit
def has_meaning(state: State) -> bool:
    """Is every field within its range, so that the other checks can rely on it?"""
    players = int(state.num_players)
    return (
        has_meaningful_rules(state)
        and 0 <= state.phase < _N_PHASES
        and 0 <= state.to_play < players
        and 0 <= state.first_seat < players
        and 0 <= state.actions <= N_SLOTS
        and NONE <= state.exact_slot < N_SLOTS
        and 0 <= state.rounds_scored <= N_ROUNDS
        and 0 <= state.ending <= 1
        and 0 <= state.truncated <= 1
        and 0 <= state.turn <= state.max_turns
        and state.scores.min() >= 0
        and state.dirk_score >= 0
        and not state.spare.any()
        and bool(state.rng.any())  # from four zeros the generator draws only zeros
        and has_meaningful_tiles(state)
        and has_meaningful_money(state)
    )


@jit
def has_meaningful_rules(state: State) -> bool:
    """`has_meaning` for the settings."""
    return (
        0 <= state.book < _N_BOOKS
        and MIN_PLAYERS <= state.min_players <= state.num_players <= MAX_PLAYERS
        and 0 <= state.scoring_card_on_top <= 1
        and 0 <= state.leftovers_by_cards <= 1
        and 0 <= state.may_decline <= 1
        and state.max_turns >= 1
    )


@jit
def has_meaningful_tiles(state: State) -> bool:
    """`has_meaning` for the fields with tiles."""
    last = N_TILES - 1
    return (
        is_within(state.market, NONE, last)
        and NONE <= state.picked <= last
        and is_within(state.bought, 0, 1)
        and is_within(state.reserves, 0, 1)
        and is_within(state.dirk, 0, 1)
        and is_within(state.award_tiles, NONE, last)
        and is_within(state.award_seats, NONE, int(state.num_players) - 1)
        and 0 <= state.bag_size <= N_TILES
        and is_list(state.bag, state.bag_size, last)
        and is_within(state.city, NONE, FOUNTAIN)
        and is_within(state.cell, NONE, N_CELLS - 1)
        and state.cell[FOUNTAIN] == FOUNTAIN_CELL
    )


@jit
def has_meaningful_money(state: State) -> bool:
    """`has_meaning` for the fields with money."""
    return (
        is_within(state.display, NONE, N_MONEY - 1)
        and is_within(state.discards, 0, N_COPIES)
        and is_within(state.hands, 0, N_COPIES)
        and 0 <= state.deck_size <= state.deck.size
        and is_list(state.deck, state.deck_size, SCORE_2)
        and 0 <= state.pile_cards <= state.deck.size - 2
    )


@jit
def has_clean_empty_seats(state: State) -> bool:
    """Do unused seats hold nothing, and does Dirk own things only in a game for two?"""
    for seat in range(int(state.num_players), MAX_PLAYERS):
        if (
            state.reserves[seat].any()
            or state.hands[seat].any()
            or state.buildings[seat].any()
            or (state.city[seat] != NONE).any()
            or state.scores[seat] != 0
            or state.walls[seat] != 0
            or state.fits[seat] != 0
            or state.built[seat] != 0
            or state.removable[seat] != 0
            or state.closed_rows[seat] != 0
            or state.closed_columns[seat] != 0
        ):
            return False
    return state.num_players == 2 or not (state.dirk.any() or state.dirk_score != 0)


@jit
def has_possible_scores(state: State) -> bool:
    """Can the rounds scored so far give each player, and Dirk, their points?"""
    players = int(state.num_players)
    # The final round, which has no card, may come before that of a card (R27).
    by_card = int(state.rounds_scored) - (1 if state.phase == OVER else 0)
    prizes = _MOST_PRIZES[N_ROUNDS - 1] if state.phase == OVER else 0
    for scoring in range(by_card):
        prizes += _MOST_PRIZES[scoring]
    walls = _MOST_WALLS * int(state.rounds_scored)
    if state.scores[:players].max() > prizes + walls:
        return False
    return players > 2 or state.dirk_score <= prizes


# --- material ---------------------------------------------------------------------------------


@jit
def has_each_tile_once(state: State) -> bool:
    """Is each of the 54 tiles in exactly one place? (R1)"""
    places = np.zeros(N_TILES + 1, np.int64)
    for slot in range(N_SLOTS):
        places[tile_or_spare(state.market[slot])] += 1
        places[tile_or_spare(state.award_tiles[slot])] += 1
        if (state.award_tiles[slot] == NONE) != (state.award_seats[slot] == NONE):
            return False
    places[tile_or_spare(state.picked)] += 1
    for i in range(int(state.bag_size)):
        places[state.bag[i]] += 1
    for tile in range(N_TILES):
        places[tile] += state.bought[tile] + state.dirk[tile]
        for seat in range(MAX_PLAYERS):
            places[tile] += state.reserves[seat, tile]
    for seat in range(MAX_PLAYERS):
        for cell in range(N_CELLS):
            tile = int(state.city[seat, cell])
            if tile != NONE:
                places[tile] += 1
    return (places[:N_TILES] == 1).all()


@jit
def tile_or_spare(tile: int) -> int:
    """Return the tile, or the number after the last for the fountain and NONE."""
    return N_TILES if tile == NONE else int(tile)


@jit
def has_all_money(state: State) -> bool:
    """Are there 3 (with two players 2) of each money card? (R2)"""
    counts = np.zeros((N_CURRENCIES, N_VALUES), np.int64)
    for seat in range(MAX_PLAYERS):
        counts += state.hands[seat]
    counts += state.discards
    for slot in range(N_SLOTS):
        card = int(state.display[slot])
        if card != NONE:
            counts[card // N_VALUES, card % N_VALUES] += 1
    for i in range(int(state.deck_size)):
        card = int(state.deck[i])
        if card < N_MONEY:
            counts[card // N_VALUES, card % N_VALUES] += 1
    copies = N_COPIES_TWO_PLAYERS if state.num_players == 2 else N_COPIES
    return (counts == copies).all()


@jit
def has_scoring_cards_in_place(state: State) -> bool:
    """Is each scoring card in its pile until its round is scored? (R7, R20)"""
    positions = np.full(2, NONE, np.int64)
    for i in range(int(state.deck_size)):
        card = int(state.deck[i]) - SCORE_1
        if card >= 0:
            if positions[card] != NONE:
                return False
            positions[card] = i
    # The final round, which has no card, may come before that of a card (R27).
    by_card = int(state.rounds_scored) - (1 if state.phase == OVER else 0)
    for card in range(2):
        position = positions[card]
        if (position == NONE) != (by_card > card):
            return False
        if position != NONE:
            pile = SCORE_1_PILE if card == 0 else SCORE_2_PILE
            lowest = pile_bottom(int(state.pile_cards), pile)
            highest = pile_bottom(int(state.pile_cards), pile - 1) - 1
            if state.scoring_card_on_top:
                lowest = highest
            if not lowest <= position <= highest:
                return False
    return True


# --- cities -----------------------------------------------------------------------------------


@jit
def find_broken_city(state: State, seat: int) -> int:
    """Return which building rules a city breaks."""
    city = state.city[seat]
    if not agrees_with_tables(state, seat):
        return _CITY
    broken = 0
    for cell in range(N_CELLS):
        if city[cell] != NONE and not has_matching_sides(city, cell):
            broken |= _SIDES
    if not is_reached_on_foot(city):
        broken |= _ON_FOOT
    if not is_within_extent(city):
        broken |= _EXTENT
    elif not is_without_hole(city):
        broken |= _HOLE
    return broken


@jit
def agrees_with_tables(state: State, seat: int) -> bool:
    """Do `city`, `cell` and `built` agree, and is the fountain in its place?"""
    built = np.int64(0)
    for cell in range(N_CELLS):
        tile = int(state.city[seat, cell])
        if (tile == FOUNTAIN) != (cell == FOUNTAIN_CELL):
            return False
        if tile != NONE:
            if state.cell[tile] != cell:
                return False
            built |= TILE_BIT[tile]
    return built == state.built[seat]


@jit
def has_correct_derived(state: State) -> bool:
    """Does each derived field equal what follows from the other fields?"""
    buildings = np.zeros((MAX_PLAYERS + 1, N_BUILDINGS), np.int64)
    for tile in range(N_TILES):
        if state.dirk[tile]:
            buildings[DIRK, TILE_BUILDING[tile]] += 1
        is_built = False
        for seat in range(int(state.num_players)):
            if state.built[seat] & TILE_BIT[tile]:
                buildings[seat, TILE_BUILDING[tile]] += 1
                is_built = True
        if is_built != (state.cell[tile] != NONE):
            return False
    for seat in range(int(state.num_players)):
        rows, columns = find_closed(state, seat)
        if (
            rows != state.closed_rows[seat]
            or columns != state.closed_columns[seat]
            or find_fits(state, seat) != state.fits[seat]
            or longest_wall(state.city[seat]) != state.walls[seat]
            or find_removable(state, seat) != state.removable[seat]
        ):
            return False
    return (state.buildings == buildings).all()


# --- the turn ---------------------------------------------------------------------------------


@jit
def has_fitting_phase(state: State) -> bool:
    """Does the phase fit what is picked, bought, won and counted?"""
    bought = int(state.bought.sum())
    has_picked = state.picked != NONE
    has_awards = (state.award_tiles != NONE).any()
    if has_picked != (state.phase == REBUILD or state.phase == PUT):
        return False
    if state.phase == TURN and (bought != state.actions or state.ending):
        return False
    # Only an exact purchase lets a turn go on, and it empties its slot (R10).
    has_exact = state.exact_slot != NONE
    if has_exact != (state.phase == TURN and state.actions > 0):
        return False
    if has_exact and state.market[state.exact_slot] != NONE:
        return False
    if state.phase == REBUILD and (bought != state.actions or state.ending):
        return False
    if state.phase == PLACE and bought < 2:
        return False
    if bought + (state.phase == PUT) > N_SLOTS:  # a turn empties each slot once at most
        return False
    if state.phase == OVER and (bought > 0 or has_awards or state.rounds_scored == 0):
        return False
    if state.phase != OVER and (state.truncated or state.rounds_scored == N_ROUNDS):
        return False
    if state.phase != OVER and not state.ending and state.turn == state.max_turns:
        return False
    return bool(state.ending) or not has_awards


@jit
def has_legal_action(state: State) -> bool:
    """Is any action legal? A tile that was picked to rebuild must fit somewhere (R11)."""
    mask = np.zeros(N_ACTIONS, np.int8)
    write_mask(state, mask)
    return bool(mask.any())


@jit
def is_refilled(state: State) -> bool:
    """At the start of a turn: is the market full, and the display if there are cards left?"""
    if state.actions == 0:
        if (state.market == NONE).any():
            return False
        cards_left = state.deck_size > 0 or state.discards.any()
        return not cards_left or not (state.display == NONE).any()
    return True
