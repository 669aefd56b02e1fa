"""Settings have the same names, types and defaults wherever users give them."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import pytest

from alhambra_env import Game, GameBatch, alhambra_v0
from alhambra_env.arena import duel, match
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.options import GameRules

ENVIRONMENTS = [alhambra_v0.env, alhambra_v0.raw_env, SingleEnv, VectorSingleEnv]
OWN = {
    alhambra_v0.env: set(),
    SingleEnv: {"opponents", "seat", "skip_forced", "illegal"},
    VectorSingleEnv: {
        *("num_envs", "opponents", "seat", "skip_forced", "illegal", "autoreset_mode", "copy"),
    },
}
"""Settings that `raw_env` does not have."""


def settings_of(made: Callable[..., Any]) -> dict[str, Parameter]:
    return dict(signature(made).parameters)


def test_env_takes_what_raw_env_takes() -> None:
    assert settings_of(alhambra_v0.env) == settings_of(alhambra_v0.raw_env)


@pytest.mark.parametrize("made", OWN, ids=lambda made: made.__name__)
def test_the_environments_have_the_settings_of_raw_env_and_their_own(
    made: Callable[..., Any],
) -> None:
    shared = settings_of(alhambra_v0.raw_env)
    without = {"render_mode"} if made is VectorSingleEnv else set()
    assert set(settings_of(made)) == set(shared) - without | OWN[made]


@pytest.mark.parametrize("made", ENVIRONMENTS, ids=lambda made: made.__name__)
def test_settings_of_environments_are_given_by_name(made: Callable[..., Any]) -> None:
    kinds = {name: parameter.kind for name, parameter in settings_of(made).items()}
    kinds.pop("num_envs", None)
    assert set(kinds.values()) == {Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize(
    "made",
    [alhambra_v0.env, SingleEnv, VectorSingleEnv, Game, GameBatch, GameRules, match, duel],
    ids=lambda made: made.__name__,
)
def test_shared_settings_have_the_same_types_and_defaults(made: Callable[..., Any]) -> None:
    expected = settings_of(SingleEnv)
    shared = {name: given for name, given in settings_of(made).items() if name in expected}
    assert {"num_players", "edition", "max_turns"} <= set(shared)
    for name, given in shared.items():
        if name == "mask":  # PettingZoo has it in the observation, Gymnasium does not
            assert given.default == ("observation" if made is alhambra_v0.env else "info")
        else:
            assert given.default == expected[name].default, name
        assert given.annotation == expected[name].annotation, name
