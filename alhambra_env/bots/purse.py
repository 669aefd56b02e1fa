"""Simple choices about money: the most money, exact payments, the least overpaid."""

from ..engine.action_ranges import BUY, TAKE
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import N_SLOTS, N_VALUES, NONE, TILE_PRICE
from ..engine.payments import N_PAYMENTS, PAYMENT_TOTAL
from ..engine.state import State


@jit
def take_total(state: State, subset: int) -> int:
    """Return the total of some open cards, as bits by slot."""
    total = 0
    for slot in range(N_SLOTS):
        if subset >> slot & 1:
            total += state.display[slot] % N_VALUES + 1
    return total


@jit
def take_most(state: State, mask: Array) -> int:
    """Return the action that takes the most money, the last one if several do; or NONE."""
    best = NONE
    most = 0
    for subset in range(1, 1 << N_SLOTS):
        if mask[TAKE + subset - 1]:
            worth = take_total(state, subset)
            if worth >= most:
                most = worth
                best = TAKE + subset - 1
    return best


@jit
def overpayment(state: State, action: int) -> int:
    """Return how much more than its price a purchase pays."""
    slot = (action - BUY) // N_PAYMENTS
    return PAYMENT_TOTAL[(action - BUY) % N_PAYMENTS] - TILE_PRICE[state.market[slot]]


@jit
def buy_dearest_exactly(state: State, mask: Array) -> int:
    """Return the purchase of the dearest tile that can be paid exactly, or NONE."""
    best = NONE
    dearest = 0
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        if tile == NONE or TILE_PRICE[tile] <= dearest:
            continue
        start = BUY + slot * N_PAYMENTS
        for action in range(start, start + N_PAYMENTS):
            if mask[action] and overpayment(state, action) == 0:
                best = action
                dearest = TILE_PRICE[tile]
                break
    return best


@jit
def buy_least_overpaid(state: State, mask: Array) -> int:
    """Return the purchase that overpays least, of these the dearest tile; or NONE."""
    best = NONE
    least = 0
    price = 0
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        if tile == NONE:
            continue
        start = BUY + slot * N_PAYMENTS
        for action in range(start, start + N_PAYMENTS):
            if mask[action]:
                over = overpayment(state, action)
                is_better = over < least or (over == least and TILE_PRICE[tile] > price)
                if best == NONE or is_better:
                    best = action
                    least = over
                    price = TILE_PRICE[tile]
    return best
