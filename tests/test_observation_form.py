"""The form of an observation: one array, or one array for each piece."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import Game
from alhambra_env.observation.layout import Layout


def test_a_flat_layout_shows_the_buffer_itself_in_a_box() -> None:
    layout = Layout(3, form="flat")
    buffer = layout.observe(Game(3, seed=1).states, 0, 0)
    assert layout.view(buffer) is buffer
    assert layout.space() == layout.box()
    assert layout.space().contains(layout.view(buffer))


def test_a_layout_of_pieces_shows_views_of_the_buffer_in_a_space_of_pieces() -> None:
    layout = Layout(3, "open", ["walls", "hand", "other_hands"], form="dict")
    buffers = np.array([layout.observe(Game(3, seed=seed).states, 0, 0) for seed in range(4)])
    pieces = layout.view(buffers)
    assert isinstance(pieces, dict)
    assert tuple(pieces) == layout.pieces == ("hand", "other_hands", "walls")
    assert all(np.shares_memory(piece, buffers) for piece in pieces.values())
    assert pieces["other_hands"].shape == (4, 2, 4, 9)
    space = layout.space()
    assert space == gymnasium.spaces.Dict(layout.boxes())
    assert all(space.contains(layout.view(buffer)) for buffer in buffers)


def test_the_form_changes_nothing_about_the_buffer() -> None:
    flat, split = Layout(4), Layout(4, form="dict")
    assert (flat.form, split.form) == ("flat", "dict")
    assert flat.slices == split.slices
    assert np.array_equal(flat.bounds, split.bounds)
    assert flat.box() == split.box()


@pytest.mark.parametrize("form", ["", "Flat", "array", None, 1, True])
def test_an_unknown_form_is_refused_with_the_names_there_are(form: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown form of observation .*there are: flat, dict"):
        Layout(3, form=form)
