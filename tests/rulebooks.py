"""Which rulebooks an example is from, for the tests of the books' own examples."""

import pytest

# The Italian book is a summary: it gives no table of prices and pictures no tiles, but it alone
# says how several ties are shared out.
IN_FOUR = ("german", "portuguese", "czech", "polish")
IN_ALL = (*IN_FOUR, "italian")

in_four_books = pytest.mark.parametrize("edition", IN_FOUR)
"""Runs a test for each edition whose book has the example: all but the Italian."""

in_all_books = pytest.mark.parametrize("edition", IN_ALL)
"""Runs a test for each edition: all five books have the example."""
