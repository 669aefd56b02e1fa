"""The compiled loops of training: learners among bots and frozen policies, and games of a teacher.

In each game one seat is the learner's; every other seat has an occupant: a bot, whose moves are
played here, or a frozen policy, which is asked from Python for all games at once. Moves without a
choice are played for everybody.
"""

from typing import Final

import numba
import numpy as np

from ..bots.choose import choose_action
from ..bots.kinds import bot_number
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import write_mask
from ..engine.random_play import count_legal
from ..engine.rewards import note_scores, write_outcome, write_rewards
from ..engine.rng import draw_below, next_word
from ..engine.setup import set_up
from ..engine.state import OVER
from ..engine.step import step
from ..observation.buffer import write_observation
from ..options import reward_number

AT_LEARNER, AT_POLICY, ENDED = range(3)
"""What a game waits for: a decision of the learner, one of a frozen policy, or a new game."""

LEARNER: Final = -1
"""The occupant of the learner's seat. Bots are numbered from 0 in the order of their table."""

FIRST_POLICY: Final = -2
"""The occupant that stands for the first frozen policy; the next ones count down."""

NOISE_RANGE: Final = 1 << 16
"""The chance of a random move is given in parts of this."""

_MARGIN: Final = reward_number("margin")
_RANDOM: Final = bot_number("random")


@jit_parallel
def play_choices(where, actions, arrays, table, bounds, pay):
    """Play an action in each of the chosen games, and go on to the next decision from Python.

    `table` holds, by game, the learner's seat, the occupants of all seats, random words for the
    bots, what the learner has earned since it was last paid, and what the game waits for; then the
    numbers of the bots and their settings. `pay` is the worth of the outcome and of a point of
    margin. Games do not touch each other, so the threads do not either.
    """
    for game in numba.prange(where.size):
        if where[game]:
            play_action(game, actions[game], arrays, table, pay)
            play_on(game, arrays, table, bounds, pay)


@jit
def begin_games_of_learners(where, settings, arrays, table, bounds, pay):
    """Begin the chosen games anew from their next words, up to the first decision from Python."""
    states, _, next_words, _, _, _, _, _ = arrays
    num_players, edition, max_turns = settings
    for game in range(where.size):
        if where[game]:
            set_up(states[game], num_players, edition, max_turns, next_words[game])
            play_on(game, arrays, table, bounds, pay)


@jit
def show_games_of_learners(arrays, table, bounds):
    """Write what follows from the records: mask and observation of whoever has to decide."""
    states, _, _, observations, masks, to_play, _, _ = arrays
    for game in range(states.size):
        state = states[game]
        write_mask(state, borrow(masks)[game])
        to_play[game] = state.to_play
        write_observation(state, int(state.to_play), bounds, borrow(observations)[game])


@jit
def play_action(game, action, arrays, table, pay):
    """Play an action of anybody, and note what it earns the learner."""
    states, _, _, _, _, _, rewards, _ = arrays
    seats, _, _, earned, _, _, _ = table
    outcome_worth, margin_worth = pay
    state = states[game]
    rounds = state.rounds_scored
    out_rewards = borrow(rewards)[game]
    note_scores(state, out_rewards)
    step(state, action)
    if state.rounds_scored != rounds:
        write_rewards(state, _MARGIN, out_rewards)
        earned[game] += margin_worth * float(out_rewards[seats[game]])
    if state.phase == OVER:
        write_outcome(state, out_rewards)
        earned[game] += outcome_worth * float(out_rewards[seats[game]])


@jit
def play_on(game, arrays, table, bounds, pay):
    """Play the bots' moves and those without a choice, until Python has to decide something.

    Then mask and observation are those of the seat to play, or the learner's if the game is over.
    """
    states, _, _, observations, masks, to_play, _, _ = arrays
    seats, occupants, words, _, waits_for, bots, settings = table
    state = states[game]
    mask = borrow(masks)[game]
    waits_for[game] = ENDED
    observer = int(seats[game])
    while state.phase != OVER:
        write_mask(state, mask)
        occupant = occupants[game, state.to_play]
        if count_legal(mask) == 1:
            action = mask.argmax()
        elif occupant >= 0:
            action = choose_action(bots[occupant], settings[occupant], state, mask, words[game])
        else:
            waits_for[game] = AT_LEARNER if occupant == LEARNER else AT_POLICY
            observer = int(state.to_play)
            break
        play_action(game, action, arrays, table, pay)
    to_play[game] = state.to_play
    write_observation(state, observer, bounds, borrow(observations)[game])


# --- games of a teacher --------------------------------------------------------------------------


@jit_parallel
def record_games(teacher, settings, noise, rules, words, states, bounds, pay, out):
    """Let a bot play all seats of whole games, and write down its decisions.

    Each worker, in a thread of its own if there is one, has random words, a record to play in and
    an equal part of the rows of `out`: observations, masks, actions and returns, which are all that
    the seat earned from there on. Returns how many rows of each part are filled.
    """
    counts = np.zeros(states.size, np.int64)
    for worker in numba.prange(states.size):
        counts[worker] = record_part(
            worker, teacher, settings, noise, rules, words[worker], states, bounds, pay, out
        )
    return counts


@jit
def record_part(worker, teacher, settings, noise, rules, words, states, bounds, pay, out):
    """Fill a worker's part of the rows with whole games; return how many rows that took."""
    _, _, out_actions, _ = out
    room = out_actions.size // states.size
    start = worker * room
    count = 0
    while True:
        added = record_game(
            states[worker],
            teacher,
            settings,
            noise,
            rules,
            words,
            bounds,
            pay,
            start + count,
            start + room,
            out,
        )
        if added == 0:
            return count
        count += added


@jit
def record_game(state, teacher, settings, noise, rules, words, bounds, pay, start, end, out):
    """Write the decisions of one game; return how many there were, 0 if they did not fit.

    With a chance of `noise` a random move is played in place of the teacher's, which is written
    down all the same: so it is seen to mend mistakes.
    """
    out_observations, out_masks, out_actions, out_returns = out
    num_players, edition, max_turns = rules
    outcome_worth, margin_worth = pay
    seeds = np.zeros(4, np.uint32)
    for i in range(seeds.size):
        seeds[i] = next_word(words)
    set_up(state, num_players, edition, max_turns, seeds)
    paid = np.zeros(num_players)
    earned = np.zeros(num_players)
    seats = np.zeros(end - start, np.int8)
    row = start
    while state.phase != OVER:
        if row == end:
            return 0
        mask = borrow(out_masks)[row]
        write_mask(state, mask)
        action = mask.argmax()
        if count_legal(mask) > 1:
            seat = int(state.to_play)
            action = choose_action(teacher, settings, state, mask, words)
            write_observation(state, seat, bounds, borrow(out_observations)[row])
            out_actions[row] = action
            out_returns[row] = -earned[seat]
            seats[row - start] = seat
            row += 1
            if draw_below(words, NOISE_RANGE) < noise:
                action = choose_action(_RANDOM, settings, state, mask, words)
        rounds = state.rounds_scored
        note_scores(state, paid)
        step(state, action)
        if state.rounds_scored != rounds:
            write_rewards(state, _MARGIN, paid)
            for seat in range(num_players):
                earned[seat] += margin_worth * paid[seat]
    write_outcome(state, paid)
    for i in range(row - start):
        out_returns[start + i] += earned[seats[i]] + outcome_worth * paid[seats[i]]
    return row - start
