"""The record, and the class that describes it to type checkers."""

from alhambra_env.engine.arrays import Array
from alhambra_env.engine.state import FIELDS, State


def test_type_checkers_know_each_field_of_a_record() -> None:
    expected = {field.name: Array if field.shape else int for field in FIELDS}
    assert State.__annotations__ == expected
    assert list(State.__annotations__) == list(expected)
