"""One step of a game: an action, and all that follows until the next decision."""

from .action_ranges import BUY, GIVE, OVERPAY, PASS, PICK, PUT, REMOVE, STORE
from .apply import (
    apply_buy,
    apply_give,
    apply_overpay,
    apply_pick,
    apply_pick_bought,
    apply_put,
    apply_remove,
    apply_store,
    apply_take,
)
from .arrays import Array
from .ending import award_leftovers, claim_awards, finish
from .jit import jit
from .legal import write_mask
from .material import N_TILES, NONE
from .payments import N_PAYMENTS
from .refill import refill_display, refill_market
from .scoring import score_card
from .state import PLACE, TURN, State


@jit
def step(state: State, action: int) -> None:
    """Play a legal action. An illegal one is undefined behaviour: see `try_step`."""
    if not apply_action(state, action):
        end_actions(state)


@jit
def apply_action(state: State, action: int) -> bool:
    """Play an action without what follows. Return whether the same seat decides again at once.

    It does after an exact payment (R10) and after picking a tile.
    """
    goes_on = False
    exact_slot = int(state.exact_slot)
    state.exact_slot = NONE
    if action < BUY:
        apply_take(state, action + 1)
    elif action < PICK:
        goes_on = apply_buy(state, (action - BUY) // N_PAYMENTS, (action - BUY) % N_PAYMENTS)
        state.actions += 1
    elif action < REMOVE:
        apply_pick(state, action - PICK)
        goes_on = True
    elif action < PUT:
        apply_remove(state, action - REMOVE)
    elif action < STORE:
        apply_put(state, action - PUT)
    elif action < GIVE:
        apply_store(state)
    elif action < PASS:
        apply_give(state)
    elif action >= OVERPAY:
        apply_overpay(state, exact_slot, action - OVERPAY)
    return goes_on


@jit
def try_step(states: Array, game: int, action: int, masks: Array) -> bool:
    """Play an action in one game if it is legal, and write its next mask. Was it legal?

    `masks[game]` is the mask of `states[game]`. An illegal action changes nothing. The arguments
    are whole arrays, because Numba recognises the type of an array from Python at once, while it
    looks through all fields of a record at every call.
    """
    if action < 0 or action >= masks.shape[1] or masks[game, action] == 0:
        return False
    step(states[game], action)
    write_mask(states[game], masks[game])
    return True


@jit
def end_actions(state: State) -> None:
    """After the last action: the seat places what it bought, or the turn is over (R12)."""
    if offer_bought(state):
        return
    if not state.ending:
        end_turn(state)
    if state.ending:
        continue_ending(state)


@jit
def offer_bought(state: State) -> bool:
    """Let the seat place its bought tiles; a single one is picked. Return whether there are any."""
    tile = NONE
    count = 0
    for bought in range(N_TILES):
        if state.bought[bought]:
            tile = bought
            count += 1
    if count == 1:
        apply_pick_bought(state, tile)
    elif count > 1:
        state.phase = PLACE
    return count > 0


@jit
def end_turn(state: State) -> None:
    """Refill and score; then the next seat's turn or the end starts (R19-R21, E3)."""
    state.turn += 1
    state.actions = 0
    scorings = refill_display(state)
    is_full = refill_market(state)
    for _ in range(scorings):
        score_card(state)
    if not is_full:
        state.ending = 1
        award_leftovers(state)
    elif state.turn >= state.max_turns:
        state.truncated = 1
        finish(state)
    else:
        state.to_play = (state.to_play + 1) % state.num_players
        state.phase = TURN


@jit
def continue_ending(state: State) -> None:
    """Let the next seat that won leftover tiles place them; after the last, finish (R26, R27)."""
    for later in range(1, int(state.num_players) + 1):
        seat = (int(state.to_play) + later) % int(state.num_players)
        if claim_awards(state, seat):
            state.to_play = seat
            offer_bought(state)
            return
    finish(state)
