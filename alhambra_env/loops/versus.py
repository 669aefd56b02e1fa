"""The compiled loops of the vector environment: learners, one in each game, among bots.

Where an opponent is no bot, a game waits until its action comes from Python.
"""

from ..bots.choose import choose_action
from ..engine.jit import borrow, jit
from ..engine.legal import write_mask
from ..engine.material import NONE
from ..engine.random_play import count_flags_of
from ..engine.rewards import note_scores, write_rewards
from ..engine.setup import set_up
from ..engine.state import OVER
from ..engine.step import step
from ..observation.buffer import (
    changed_cell,
    update_city_cell,
    write_observation,
    write_small_pieces,
)


@jit
def play_actions(where, actions, arrays, table, bounds, reward, skip_forced):
    """Play an action in each of the chosen games, and go on to the next one from Python.

    That is the learner's, or that of an opponent who is no bot, unless the game is over. `table`
    holds the learners' seats, the bots by place after the learner, with NONE for who is no bot, and
    their settings; by game, random words for the bots, what the learner has earned, and whether an
    opponent is asked now. Games that end are left as they are; `begin_learners` begins them anew.
    """
    states, _, _, observations, _, _, _, done = arrays
    seats, _, _, _, earned, is_asked = table
    for game in range(actions.size):
        if where[game]:
            earned[game] += play_action(game, actions[game], arrays, seats[game], bounds, reward)
            earned[game] += play_others(game, arrays, table, bounds, reward, skip_forced)
            state = states[game]
            done[game] = state.phase == OVER
            if not is_asked[game]:
                write_small_pieces(state, seats[game], bounds, borrow(observations)[game])


@jit
def play_action(game, action, arrays, learner, bounds, reward):
    """Play an action of anybody and keep the learner's view of the cities. Return its reward."""
    states, _, _, observations, _, _, rewards, _ = arrays
    state = states[game]
    seat = int(state.to_play)
    rounds = state.rounds_scored
    out_rewards = borrow(rewards)[game]
    note_scores(state, out_rewards)
    step(state, action)
    cell = changed_cell(action)
    if cell != NONE:
        update_city_cell(state, learner, seat, cell, bounds, borrow(observations)[game])
    if state.rounds_scored == rounds:
        return 0.0
    write_rewards(state, reward, out_rewards)
    return float(out_rewards[learner])


@jit
def play_others(game, arrays, table, bounds, reward, skip_forced):
    """Play until Python has to decide or the game is over, and write the mask of who decides.

    Returns the learner's reward.
    """
    states, _, _, _, masks, _, _, _ = arrays
    seats, bots, settings, words, _, is_asked = table
    state = states[game]
    mask = borrow(masks)[game]
    learner = seats[game]
    players = int(state.num_players)
    earned = 0.0
    is_asked[game] = False
    while state.phase != OVER:
        write_mask(state, mask)
        if state.to_play == learner:
            if not skip_forced or count_flags_of(mask) > 1:
                break
            action = mask.argmax()
        else:
            place = (int(state.to_play) - learner - 1) % players
            if bots[place] == NONE:
                is_asked[game] = True
                break
            action = choose_action(bots[place], settings[place], state, mask, words[game])
        earned += play_action(game, action, arrays, learner, bounds, reward)
    if state.phase == OVER:
        write_mask(state, mask)
    return earned


@jit
def begin_learners(where, settings, arrays, table, bounds, skip_forced):
    """Begin the chosen games anew from their next words, up to the first action from Python."""
    states, _, next_words, observations, _, _, _, _ = arrays
    seats, _, _, _, _, _ = table
    num_players, edition, max_turns = settings
    for game in range(where.size):
        if where[game]:
            state = states[game]
            set_up(state, num_players, edition, max_turns, next_words[game])
            play_others(game, arrays, table, bounds, 0, skip_forced)
            write_observation(state, seats[game], bounds, observations[game])
