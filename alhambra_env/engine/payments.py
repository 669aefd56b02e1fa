"""All useful payments: 288 sets of cards of one currency (E1).

A payment never contains a card that it does not need. For prices of 2 to 13 that leaves the sets of
values 1 to 9, each at most three times, with a total of at least 2 and, without their smallest
card, at most 12. They are ordered by total, then by number of cards, then lexicographically (values
rising).
"""

from itertools import combinations_with_replacement, count
from typing import Final

import numpy as np

from .arrays import Array
from .material import N_COPIES, N_VALUES, TILE_PRICE

MIN_PRICE: Final = int(TILE_PRICE.min())
MAX_PRICE: Final = int(TILE_PRICE.max())


def is_payment_for(payment: tuple[int, ...], price: int) -> bool:
    """Does this payment reach the price, and would it fall short without any one card? (E1)"""
    return sum(payment) - min(payment) < price <= sum(payment)


def _payments_of(size: int) -> list[tuple[int, ...]]:
    return [
        cards
        for cards in combinations_with_replacement(range(1, N_VALUES + 1), size)
        if sum(cards) >= MIN_PRICE
        and sum(cards) - cards[0] < MAX_PRICE
        and max(map(cards.count, cards)) <= N_COPIES
    ]


def _list_payments() -> tuple[tuple[int, ...], ...]:
    # Dropping a card from a payment leaves one (or nothing): after a size
    # without payments there are no larger ones.
    payments: list[tuple[int, ...]] = []
    for size in count(1):
        new = _payments_of(size)
        payments += new
        if not new:
            break
    return tuple(sorted(payments, key=lambda cards: (sum(cards), len(cards), cards)))


PAYMENTS: Final = _list_payments()
"""The payments, each as its values rising."""

N_PAYMENTS: Final = len(PAYMENTS)

PAYMENT_NUMBER: Final = {payment: number for number, payment in enumerate(PAYMENTS)}

PAYMENT_TOTAL: Final = np.array([sum(p) for p in PAYMENTS], dtype=np.int64)

PAYMENT_COUNTS: Final = np.array(
    [[p.count(value) for value in range(1, N_VALUES + 1)] for p in PAYMENTS], dtype=np.uint8
)
"""Cards of each value in each payment: [payment, value - 1]."""

# --- is a payment in a hand? ------------------------------------------------------------------
#
# A hand of one currency is packed into a number, three bits for each value: two for the count
# (0 to 3) and above them a guard bit that is set. Subtracting a packed payment clears a guard bit
# exactly where the hand has too few cards, and leaves the other values alone.

VALUE_SHIFT: Final = 3 * np.arange(N_VALUES, dtype=np.int64)
GUARDS: Final = int((4 << VALUE_SHIFT).sum())
PAYMENT_PACKED: Final = (PAYMENT_COUNTS.astype(np.int64) << VALUE_SHIFT).sum(axis=1)


def _payable() -> Array:
    prices = range(MAX_PRICE + 1)
    return np.array([[is_payment_for(p, price) for p in PAYMENTS] for price in prices])


PAYABLE: Final = _payable()
"""May this payment be made for this price? [price, payment]"""

FIRST_PAYABLE: Final = PAYABLE.argmax(axis=1)
END_PAYABLE: Final = N_PAYMENTS - PAYABLE[:, ::-1].argmax(axis=1)
"""The payments for a price all lie in `FIRST_PAYABLE[price] : END_PAYABLE[price]`."""

FIRST_EXACT: Final = np.searchsorted(PAYMENT_TOTAL, np.arange(MAX_PRICE + 2))
"""The payments of exactly a price lie in `FIRST_EXACT[price] : FIRST_EXACT[price + 1]`."""

PAYMENT_CARDS: Final = PAYMENT_COUNTS.sum(axis=1, dtype=np.int64)
"""How many cards a payment has."""
