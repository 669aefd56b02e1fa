"""Formats of observations in all environments: dtype, where the mask is, and names of keys."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict

from alhambra_env import ENV_ID, alhambra_v0
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.observation.layout import Layout

FORMS = ("flat", "dict")
KEYS: Any = {"observation_key": "observations", "mask_key": "legal"}


def last_of(env: Any) -> tuple[Any, np.ndarray]:
    """Return what the agent to play observes, and its mask."""
    env.reset(seed=3)
    observation, _, _, _, info = env.last()
    return observation, info["action_mask"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("mask", ["info", "observation"])
def test_observations_are_in_their_space(form: Any, dtype: Any, mask: Any) -> None:
    settings: dict[str, Any] = {"observation": form, "dtype": dtype, "mask": mask, **KEYS}
    single = SingleEnv(**settings)
    observation, info = single.reset(seed=1)
    assert single.observation_space.contains(observation)
    assert single.observation_space.contains(single.step(info["action_mask"].argmax())[0])
    vector = VectorSingleEnv(3, **settings)
    observations, infos = vector.reset(seed=1)
    assert vector.observation_space.contains(observations)
    assert vector.observation_space.contains(vector.step(infos["action_mask"].argmax(axis=1))[0])
    env = alhambra_v0.env(**settings)
    seen, _ = last_of(env)
    assert env.observation_space("player_0").contains(seen)


@pytest.mark.parametrize("mask", ["info", "observation"])
def test_keys_are_named_as_asked(mask: Any) -> None:
    flat = SingleEnv(mask=mask, **KEYS)
    observation, info = flat.reset(seed=1)
    if mask == "info":
        assert isinstance(flat.observation_space, Box)
        return
    assert isinstance(flat.observation_space, Dict)
    assert set(observation) == {"observations", "legal"}
    assert (observation["legal"] == info["action_mask"]).all()
    pieces = SingleEnv(mask=mask, observation="dict", pieces=["hand", "walls"], **KEYS)
    assert set(pieces.reset(seed=1)[0]) == {"hand", "walls", "legal"}


def test_numbers_are_scaled_by_the_largest_value_of_each_piece() -> None:
    bytes_, info = SingleEnv(observation="dict").reset(seed=2)
    numbers, _ = SingleEnv(observation="dict", dtype="float32").reset(seed=2)
    layout = Layout(3)
    assert set(numbers) == set(bytes_) == set(layout.pieces)
    for name, piece in numbers.items():
        assert piece.dtype == np.float32
        assert np.allclose(piece * layout.highs[name], bytes_[name], atol=1e-4)
        assert 0 <= piece.min() <= piece.max() <= 1
    assert info["action_mask"].any()


def test_gymnasiums_rescaling_keeps_what_is_there() -> None:
    env = gymnasium.make(ENV_ID, dtype="float32")
    wrapped = gymnasium.wrappers.RescaleObservation(env, np.float32(-1), np.float32(1))
    observation, _ = wrapped.reset(seed=0)
    assert len(np.unique(observation)) > 5


def test_the_default_of_pettingzoo_has_the_mask_in_observation_and_info() -> None:
    seen, mask = last_of(alhambra_v0.env())
    assert set(seen) == {"observation", "action_mask"}
    assert (seen["action_mask"] == mask).all()
    bare, mask = last_of(alhambra_v0.env(mask="info"))
    assert isinstance(bare, np.ndarray)
    assert mask.any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dtype": "float16"}, "unknown dtype 'float16'; .*there are: uint8, float32"),
        ({"mask": "both"}, "unknown place of the mask 'both'; there are: info, observation"),
        ({"mask": "observation", "mask_key": "observation"}, "mask_key must differ"),
        (
            {"mask": "observation", "observation": "dict", "mask_key": "hand"},
            "mask_key must differ from the other keys: city",
        ),
        ({"mask_key": ""}, "mask_key must be 1 to 200 printable characters"),
        ({"observation_key": 3}, "observation_key must be 1 to 200 printable characters"),
    ],
)
def test_formats_that_do_not_exist_are_refused(settings: Any, message: str) -> None:
    for make in (SingleEnv, VectorSingleEnv, alhambra_v0.env):
        with pytest.raises(ValueError, match=message):
            make(**settings)


def test_functions_as_opponents_get_the_format_of_the_learner() -> None:
    met = set()

    def first(observation: Any, mask: np.ndarray) -> int:
        met.add((observation["obs"].dtype.name, tuple(observation)))
        return int(mask.argmax())

    settings: Any = {"mask": "observation", "observation_key": "obs", "dtype": "float32"}
    SingleEnv(opponents=[first, first], seat=2, **settings).reset(seed=1)
    VectorSingleEnv(2, opponents=[first, first], seat=2, **settings).reset(seed=1)
    assert met <= {("float32", ("obs", "action_mask"))}
