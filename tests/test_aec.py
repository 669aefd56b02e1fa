"""The PettingZoo environments `env()` and `raw_env()`."""

import copy
import pickle
import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from alhambra_env import Game, IllegalAction, actions, alhambra_v0
from alhambra_env.actions import N_ACTIONS
from alhambra_env.engine.editions import EDITION_NAMES, EDITIONS, EditionName
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import Hands
from tests.positions import position

ENV_ID: Final = "alhambra_env/Alhambra-v0"
NUMBERS_OF_PLAYERS: Final = range(2, 7)
REWARDS: Final = ("outcome", "score", "margin")
KINDS: Final = [actions.kind_of(action).name for action in range(actions.N_ACTIONS)]

Maker = Callable[..., Any]

both: Final = pytest.mark.parametrize("make", [alhambra_v0.env, alhambra_v0.raw_env])

# What `api_test` says of every environment with action masks that is not on its list of them.
with_masks: Final = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)
# And of every one whose players are done.
to_the_end: Final = pytest.mark.filterwarnings(
    "ignore:Action mask numpy array is all zeros:UserWarning"
)
needs_registry: Final = pytest.mark.skipif(
    not hasattr(pettingzoo, "aec_registry"), reason="PettingZoo has a registry since 1.27"
)


# --- playing ----------------------------------------------------------------------------------


def is_done(env: Any) -> bool:
    """Is the agent whose step it is done?"""
    agent = env.agent_selection
    return bool(env.terminations[agent] or env.truncations[agent])


def choose(env: Any, chooser: random.Random) -> int | None:
    """Return a legal action, of a random kind, of the agent whose step it is."""
    if is_done(env):
        return None
    by_kind: dict[str, list[int]] = {}
    for action in np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist():
        by_kind.setdefault(KINDS[action], []).append(action)
    return chooser.choice(by_kind[chooser.choice(sorted(by_kind))])


def play_some(env: Any, steps: int, seed: int = 0) -> Any:
    """Play random actions, and return the environment."""
    chooser = random.Random(seed)
    for _ in range(steps):
        env.step(choose(env, chooser))
    return env


def started(make: Maker, seed: int = 0, steps: int = 0, **settings: Any) -> Any:
    """Return an environment in which so many random actions were played."""
    env = make(**settings)
    env.reset(seed=seed)
    return play_some(env, steps, seed)


def ended(make: Maker, seed: int = 0, **settings: Any) -> Any:
    """Return an environment in which a game was just finished, and no agent has left yet."""
    env = started(make, seed, **settings)
    chooser = random.Random(seed)
    while not is_done(env):
        env.step(choose(env, chooser))
    return env


def plain(value: Any) -> Any:
    """Return arrays, also inside dictionaries and tuples, as something that `==` compares."""
    match value:
        case np.ndarray():
            return value.dtype.str, value.shape, value.tobytes()
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
    return value


def picture(env: Any) -> dict[str, Any]:
    """Return all that an environment shows."""
    return {
        "agents": plain(env.agents),
        "agent_selection": env.agent_selection,
        "rewards": plain(env.rewards),
        "cumulative rewards": plain(env._cumulative_rewards),
        "terminations": plain(env.terminations),
        "truncations": plain(env.truncations),
        "infos": plain(env.infos),
        "observations": [plain(env.observe(agent)) for agent in env.possible_agents],
        "last": plain(env.last()) if env.agents else None,
        "num_agents": env.num_agents,
    }


# --- PettingZoo's own tests -------------------------------------------------------------------

SETTINGS: Final = [
    {"num_players": players, "observation": form, "hands": hands, "reward": reward}
    for players, form, hands, reward in product(
        NUMBERS_OF_PLAYERS, ("flat", "dict"), ("secret", "open"), REWARDS
    )
]


def seeded(env: Any) -> Any:
    """Return the environment; the actions that a test samples are the same each time."""
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)
    return env


@with_masks
@both
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
def test_pettingzoos_api_test_passes(make: Maker, settings: dict[str, Any]) -> None:
    api_test(seeded(make(**settings)), num_cycles=5)


@with_masks
@to_the_end
@both
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_pettingzoos_api_test_passes_in_games_to_the_end(make: Maker, num_players: int) -> None:
    form = ("flat", "dict")[num_players % 2]
    env = make(num_players=num_players, reward=REWARDS[num_players % 3], observation=form)
    api_test(seeded(env), num_cycles=1000)


@with_masks
@to_the_end
@both
@pytest.mark.parametrize("edition", EDITION_NAMES)
def test_pettingzoos_api_test_passes_in_truncated_games(make: Maker, edition: EditionName) -> None:
    env = make(num_players=4, edition=edition, max_turns=9)
    api_test(seeded(env), num_cycles=1000)


@both
@pytest.mark.parametrize("settings", SETTINGS[::7], ids=lambda s: "-".join(map(str, s.values())))
def test_pettingzoos_seed_test_passes(make: Maker, settings: dict[str, Any]) -> None:
    seed_test(lambda: make(**settings), num_cycles=200)


@both
@pytest.mark.parametrize("settings", SETTINGS[::7], ids=lambda s: "-".join(map(str, s.values())))
def test_pettingzoos_parallel_api_test_passes(make: Maker, settings: dict[str, Any]) -> None:
    parallel_api_test(turn_based_aec_to_parallel(seeded(make(**settings))), num_cycles=1000)


# --- whole games ------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_loop_over_agents_plays_games_to_their_end(num_players: int) -> None:
    env = alhambra_v0.env(num_players=num_players)
    chooser = random.Random(num_players)
    for seed in range(20):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        left = []
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            totals[agent] += reward
            if termination or truncation:
                assert (termination, truncation) == (True, False)
                left.append(agent)
                env.step(None)
            else:
                assert observation is not None
                assert np.array_equal(observation["action_mask"], info["action_mask"])
                env.step(chooser.choice(np.flatnonzero(info["action_mask"]).tolist()))
        assert env.agents == []
        assert left == env.possible_agents
        assert env.game.over
        assert not env.game.truncated
        winners = [env.possible_agents[seat] for seat in env.game.winners]
        assert [agent for agent in totals if totals[agent] == max(totals.values())] == winners


# --- copies -----------------------------------------------------------------------------------

copies: Final = pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deep", "pickle"]
)


@copies
@both
@pytest.mark.parametrize(
    "settings", [{"num_players": 2, "reward": "score"}, {"num_players": 5, "observation": "dict"}]
)
def test_copies_in_mid_game_go_on_alike(
    make: Maker, copied: Callable[[Any], Any], settings: dict[str, Any]
) -> None:
    env = started(make, seed=4, steps=120, **settings)
    before = picture(env)
    twin = copied(env)
    assert picture(twin) == before
    one, other = random.Random(1), random.Random(1)
    while twin.agents:
        twin.step(choose(twin, one))
    assert picture(env) == before  # the game itself was left alone
    replayed = copied(env)
    while env.agents:
        action = choose(env, other)
        env.step(action)
        replayed.step(action)
        assert picture(replayed) == picture(env)
        assert replayed.game.to_bytes() == env.game.to_bytes()
    assert picture(twin) == picture(env)


@copies
@both
def test_copies_draw_the_same_next_games(make: Maker, copied: Callable[[Any], Any]) -> None:
    env = started(make, seed=4, steps=30)
    twin = copied(env)
    for _ in range(3):
        env.reset()
        twin.reset()
        assert picture(twin) == picture(env)
        assert twin.game.to_bytes() == env.game.to_bytes()


@copies
@both
def test_copies_keep_points_that_were_not_yet_fetched(
    make: Maker, copied: Callable[[Any], Any]
) -> None:
    env = started(make, seed=2, reward="margin")
    chooser = random.Random(2)
    while not any(env.rewards.values()):
        env.step(choose(env, chooser))
    assert sum(map(bool, env._cumulative_rewards.values())) > 1
    assert picture(copied(env)) == picture(env)


@copies
@both
def test_copies_are_made_while_agents_leave(make: Maker, copied: Callable[[Any], Any]) -> None:
    env = ended(make, num_players=4, reward="margin")
    while env.agents:
        twin = copied(env)
        assert picture(twin) == picture(env)
        env.step(None)
        twin.step(None)
        assert picture(twin) == picture(env)


@copies
def test_copies_before_reset_still_ask_for_it(copied: Callable[[Any], Any]) -> None:
    twin = copied(alhambra_v0.env(num_players=4, reward="score", hands="open"))
    with pytest.raises(AssertionError, match="reset"):
        twin.step(0)
    twin.reset(seed=3)
    env = started(alhambra_v0.env, seed=3, num_players=4, reward="score", hands="open")
    assert picture(twin) == picture(env)


# --- rewards ----------------------------------------------------------------------------------


def worth(reward: str, scores: list[int]) -> list[float]:
    """Return what points are worth to each seat, for rewards that follow the points."""
    if reward == "score":
        return [float(score) for score in scores]
    others = len(scores) - 1
    return [score - (sum(scores) - score) / others for score in scores]


def outcome(scores: list[int]) -> list[float]:
    """Return what the end of a game is worth to each seat."""
    players, winners = len(scores), scores.count(max(scores))
    won = (players / winners - 1) / (players - 1)
    return [won if score == max(scores) else -1 / (players - 1) for score in scores]


@both
@pytest.mark.parametrize("reward", ["score", "margin"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_last_returns_all_reward_since_the_agents_last_step(
    make: Maker, num_players: int, reward: str
) -> None:
    met = dict.fromkeys(("points", "points to fetch", "extra action"), 0)
    for seed in range(2):
        env = started(make, seed, num_players=num_players, reward=reward)
        chooser = random.Random(seed)
        seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
        fetched = worth(reward, [0] * num_players)  # of each seat, before its last step
        stepped = ""
        while env.agents:
            agent = env.agent_selection
            seat, now = seats[agent], worth(reward, env.game.snapshot()["scores"])
            assert env.last(observe=False)[1] == pytest.approx(now[seat] - fetched[seat])
            for other in env.agents:
                owed = now[seats[other]] - fetched[seats[other]]
                assert env._cumulative_rewards[other] == pytest.approx(owed)
            met["points to fetch"] += now[seat] != fetched[seat]
            met["extra action"] += stepped == agent and env.game.phase == "turn"
            fetched[seat], stepped = now[seat], agent
            env.step(choose(env, chooser))
            after = worth(reward, env.game.snapshot()["scores"])
            gains = {a: pytest.approx(after[seats[a]] - now[seats[a]]) for a in env.agents}
            assert env.rewards == gains
            met["points"] += any(env.rewards.values())
    assert min(met.values()) > 0


@both
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_outcome_is_paid_at_the_end_and_nothing_before(make: Maker, num_players: int) -> None:
    for seed in range(3):
        env = started(make, seed, num_players=num_players, reward="outcome")
        chooser = random.Random(seed)
        while not is_done(env):
            assert not any(env.rewards.values())
            assert not any(env._cumulative_rewards.values())
            env.step(choose(env, chooser))
        wanted = outcome(env.game.snapshot()["scores"])
        assert list(env.rewards.values()) == pytest.approx(wanted)
        assert sum(wanted) == pytest.approx(0)
        for seat in range(num_players):
            assert env.agent_selection == env.possible_agents[seat]
            assert env.last()[1] == pytest.approx(wanted[seat])
            env.step(None)
            assert not any(env.rewards.values())


def one_step_before_the_end(scores: list[int]) -> Game:
    """Return a game in which `store` is the last action and brings no points to anybody."""
    return position(
        f"players: {len(scores)}",
        f"scores: {' '.join(map(str, scores))}",
        *("rounds: 2", "phase: put", "picked: 0", "market: - - - -", "bag:", "reserve 0: rest"),
        "dirk_score: 84" if len(scores) == 2 else "",
    )


@both
@pytest.mark.parametrize(
    ("players", "winners", "won", "lost"),
    [
        *((2, 1, 1, -1), (2, 2, 0, None)),
        *((3, 1, 1, -1 / 2), (3, 2, 1 / 4, -1 / 2), (3, 3, 0, None)),
        *((4, 1, 1, -1 / 3), (4, 2, 1 / 3, -1 / 3), (4, 3, 1 / 9, -1 / 3), (4, 4, 0, None)),
        *((5, 1, 1, -1 / 4), (5, 2, 3 / 8, -1 / 4), (5, 4, 1 / 16, -1 / 4), (5, 5, 0, None)),
        *((6, 1, 1, -1 / 5), (6, 3, 1 / 5, -1 / 5), (6, 5, 1 / 25, -1 / 5), (6, 6, 0, None)),
    ],
)
def test_tied_winners_share_the_outcome(
    make: Maker,
    players: int,
    winners: int,
    won: float,
    lost: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = [40] * winners + [39, 0, 38, 39, 7][: players - winners]
    random.Random(players).shuffle(scores)
    env = make(num_players=players)
    monkeypatch.setattr("alhambra_env.envs.aec.Game", lambda **_: one_step_before_the_end(scores))
    env.reset(seed=1)
    env.step(actions.parse("store"))
    assert set(env.terminations.values()) == {True}
    assert env.game.scores == scores
    rewards = list(env.rewards.values())
    assert rewards == pytest.approx([won if score == 40 else lost for score in scores])
    assert rewards == pytest.approx(outcome(scores))
    assert sum(rewards) == pytest.approx(0)
    for reward in rewards:
        assert env.last()[1] == reward
        env.step(None)


@pytest.mark.parametrize("num_players", [2, 3])
def test_a_tie_in_a_whole_game_is_shared_too(num_players: int) -> None:
    for seed in range(1000):
        game = Game(num_players, seed=seed)
        chooser = random.Random(seed)
        while not game.over:
            game.step(chooser.choice(game.legal_actions()))
        if len(game.winners) == 2:
            break
    env = started(alhambra_v0.env, seed, num_players=num_players)
    for action in game.history:
        env.step(action)
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx(outcome(game.scores))
    assert sorted(env.rewards.values()) == pytest.approx(
        [0, 0] if num_players == 2 else [-0.5, 0.25, 0.25]
    )


@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_these_rewards_sum_to_nothing(num_players: int, reward: str) -> None:
    env = started(alhambra_v0.env, seed=8, num_players=num_players, reward=reward)
    chooser = random.Random(8)
    while not is_done(env):
        env.step(choose(env, chooser))
        assert sum(env.rewards.values()) == pytest.approx(0)


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_plain_numbers(reward: str) -> None:
    env = ended(alhambra_v0.env, reward=reward)
    for value in (*env.rewards.values(), *env._cumulative_rewards.values()):
        assert type(value) in (int, float)


# --- like PettingZoo's three wrappers -----------------------------------------------------------


def wrapped(**settings: Any) -> Any:
    """Return `raw_env` in the three wrappers whose behaviour `env` has."""
    env = TerminateIllegalWrapper(alhambra_v0.raw_env(**settings), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))


def together(seed: int | None = None, **settings: Any) -> tuple[Any, Any]:
    """Return `env` and what it has to behave like, after a reset unless there is no seed."""
    pair = alhambra_v0.env(**settings), wrapped(**settings)
    if seed is not None:
        for env in pair:
            env.reset(seed=seed)
    return pair


def without_masks(shown: dict[str, Any], agent: str, number: int) -> dict[str, Any]:
    """Return a picture less the masks of an agent."""
    shown = copy.deepcopy(shown)
    shown["infos"].pop(agent, None)
    shown["observations"][number].pop("action_mask")
    shown.pop("last")
    return shown


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_game_goes_as_in_the_wrappers(num_players: int, reward: str) -> None:
    env, like = together(5, num_players=num_players, reward=reward)
    chooser = random.Random(num_players)
    while env.agents:
        assert picture(env) == picture(like)
        action = choose(env, chooser)
        env.step(action)
        like.step(action)
    assert picture(env) == picture(like)


@pytest.mark.parametrize("seed", range(12))
def test_an_illegal_action_ends_the_game_as_in_the_wrappers(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chooser = random.Random(seed)
    settings = {
        "num_players": 2 + seed % 5,
        "reward": REWARDS[seed % 3],
        "observation": ("flat", "dict")[seed % 2],
    }
    env, like = together(seed, **settings)
    for _ in range(chooser.randrange(250) if seed else 0):
        action = choose(env, chooser)
        if action is None:
            break
        env.step(action)
        like.step(action)
    if is_done(env):  # the game was short: all the better, begin another
        env.reset(seed=seed)
        like.reset(seed=seed)
    mover = env.agent_selection
    number = env.possible_agents.index(mover)
    action = chooser.choice(np.flatnonzero(env.last()[4]["action_mask"] == 0).tolist())
    position = env.game.to_bytes()
    for each in (env, like):
        caplog.clear()
        each.step(action)
        assert ["Illegal move made" in message for message in caplog.messages] == [True]
    assert env.game.to_bytes() == position
    assert env.rewards == {agent: -1.0 if agent == mover else 0 for agent in env.agents}
    assert env._cumulative_rewards[mover] == -1
    assert set(env.terminations.values()) == set(env.truncations.values()) == {True}
    assert env.agents == env.possible_agents
    while env.agents:
        # The wrappers leave the mover's mask as it was; here nobody has a legal action any more.
        assert not any(info["action_mask"].any() for info in env.infos.values())
        assert not env.observe(mover)["action_mask"].any()
        assert without_masks(picture(env), mover, number) == without_masks(
            picture(like), mover, number
        )
        assert env.last(observe=False)[:4] == like.last(observe=False)[:4]
        env.step(None)
        like.step(None)
    assert picture(env) == picture(like)
    env.reset(seed=seed)
    like.reset(seed=seed)
    assert picture(env) == picture(like)


def test_points_are_not_lost_to_others_by_an_illegal_action() -> None:
    env, like = together(2, reward="score")
    chooser = random.Random(2)
    while not any(env.rewards.values()):
        action = choose(env, chooser)
        env.step(action)
        like.step(action)
    owed = dict(env._cumulative_rewards)
    mover = env.agent_selection
    assert owed[mover] > 0
    for each in (env, like):
        each.step(actions.parse("give"))
        assert each._cumulative_rewards == {**owed, mover: -1}


OUTSIDE: Final = [-1, N_ACTIONS, 10**9, None, "take:0", 1.5, np.int64(N_ACTIONS), [0], (0,)]


@pytest.mark.parametrize("action", OUTSIDE, ids=repr)
def test_an_action_outside_the_space_is_refused_as_in_the_wrappers(action: Any) -> None:
    for env in together(1):
        before = picture(env)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)
        assert picture(env) == before


@pytest.mark.parametrize("action", [True, False, np.True_])
def test_a_truth_value_is_no_action(action: Any) -> None:
    # The wrappers refuse only NumPy's: Python counts True as 1.
    for env in (started(alhambra_v0.env, seed=1), ended(alhambra_v0.env)):
        before = picture(env)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)
        assert picture(env) == before
    env = started(alhambra_v0.raw_env, seed=1)
    with pytest.raises(IllegalAction, match=f"a whole number, not {action!r}"):
        env.step(action)


@pytest.mark.parametrize("action", [a for a in OUTSIDE if a is not None], ids=repr)
def test_an_agent_that_is_done_is_refused_actions_outside_the_space(action: Any) -> None:
    for env in (ended(alhambra_v0.env), ended(wrapped)):
        before = picture(env)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)
        assert picture(env) == before


@pytest.mark.parametrize("action", [0, 7, np.int64(7), N_ACTIONS - 1])
def test_an_agent_that_is_done_is_refused_actions(action: Any) -> None:
    for env in (ended(alhambra_v0.env), ended(wrapped), ended(alhambra_v0.raw_env)):
        before = picture(env)
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action"):
            env.step(action)
        assert picture(env) == before
    for env in together(1):
        env.step(actions.parse("give"))  # illegal: it ends the game
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action"):
            env.step(action)


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(0),
        lambda env: env.step(None),
        lambda env: env.step(-1),
        lambda env: env.observe("player_0"),
        lambda env: env.render(),
        lambda env: env.agent_iter(),
        lambda env: env.last(),
        lambda env: env.state(),
    ],
    ids=["step", "step None", "step -1", "observe", "render", "agent_iter", "last", "state"],
)
def test_use_before_reset_is_refused_as_in_the_wrappers(use: Callable[[Any], Any]) -> None:
    errors = []
    for env in together(render_mode="ansi"):
        with pytest.raises((AssertionError, AttributeError), match="reset") as error:
            use(env)
        errors.append((error.type, str(error.value)))
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "name",
    [
        *("rewards", "terminations", "truncations", "infos"),
        *("agent_selection", "num_agents", "agents"),
    ],
)
def test_attributes_before_reset_are_refused_as_in_the_wrappers(name: str) -> None:
    for env in together():
        with pytest.raises(AttributeError, match=f"^{name} cannot be accessed before reset$"):
            getattr(env, name)
        assert not hasattr(env, name)
        env.reset(seed=1)
        assert hasattr(env, name)


def test_what_does_not_need_a_game_is_there_before_reset() -> None:
    for env in together():
        assert env.possible_agents == ["player_0", "player_1", "player_2"]
        assert env.max_num_agents == 3
        assert env.action_space("player_1").n == N_ACTIONS
        assert env.observation_space("player_1").contains(
            env.observation_space("player_1").sample()
        )
        assert env.metadata["name"] == "alhambra_v0"
        assert env.render_mode is None
        assert str(env) == "alhambra_v0"
        env.close()


def test_an_attribute_that_does_not_exist_is_missing() -> None:
    for env in together(1):
        with pytest.raises(AttributeError, match="no attribute 'colour'"):
            _ = env.colour


def test_a_step_after_all_agents_left_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    for env in (ended(alhambra_v0.env), ended(wrapped)):
        while env.agents:
            env.step(None)
        for action in (None, 0, -1):
            caplog.clear()
            env.step(action)
            assert ["step() called after all agents" in m for m in caplog.messages] == [True]
            assert env.agents == []
        env.reset(seed=1)
        assert env.agents == env.possible_agents


def test_a_loop_over_agents_without_a_step_is_refused() -> None:
    for env in together(1):
        agents = iter(env.agent_iter())
        next(agents)
        with pytest.raises(AssertionError, match="need to call step"):
            next(agents)
        for seed in (1, 2):  # a reset will do
            env.reset(seed=seed)
            assert next(agents) == env.agent_selection


def test_a_loop_over_agents_that_was_refused_a_step_goes_on_as_in_the_wrappers() -> None:
    for env in together(1):
        for number, _ in enumerate(env.agent_iter(3)):
            if number == 1:
                with pytest.raises(AssertionError, match="action space"):
                    env.step(-1)
            else:
                env.step(0)


def test_a_loop_over_agents_ends_after_so_many_steps() -> None:
    for env in together(1):
        chooser = random.Random(1)
        met = []
        for agent in env.agent_iter(max_iter=7):
            met.append(agent)
            assert agent == env.agent_selection
            env.step(choose(env, chooser))
        assert len(met) == 7
        assert not env.game.over


# --- conventions --------------------------------------------------------------------------------


def random_games(make: Maker, **settings: Any) -> Iterator[Any]:
    """Yield an environment before each step of a game, also while the agents leave it."""
    env = started(make, seed=6, **settings)
    chooser = random.Random(6)
    while env.agents:
        yield env
        env.step(choose(env, chooser))


@both
@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_masks_are_in_observations_and_infos_and_all_zero_off_turn(
    make: Maker, num_players: int, observation: str
) -> None:
    for env in random_games(make, num_players=num_players, observation=observation):
        assert set(env.infos) == set(env.agents)
        for agent in env.agents:
            mask = env.infos[agent]["action_mask"]
            assert mask.dtype == np.int8
            assert mask.shape == (N_ACTIONS,)
            assert np.array_equal(env.observe(agent)["action_mask"], mask)
            if agent == env.agent_selection and not env.game.over:
                assert np.flatnonzero(mask).tolist() == env.game.legal_actions()
                assert mask.any()
            else:
                assert not mask.any()


@both
@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_observations_of_all_agents_lie_in_their_spaces(
    make: Maker, observation: str, hands: Hands
) -> None:
    settings = {"num_players": 4, "observation": observation, "hands": hands}
    for number, env in enumerate(random_games(make, **settings)):
        if number % 5 == 0 or env.game.over:
            for agent in env.possible_agents:
                assert env.observation_space(agent).contains(env.observe(agent))


@both
@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_agents_observe_the_game_from_their_seats(
    make: Maker, num_players: int, hands: Hands
) -> None:
    settings = {"num_players": num_players, "hands": hands, "pieces": None}
    flat = started(make, seed=3, steps=70, observation="flat", **settings)
    by_name = started(make, seed=3, steps=70, observation="dict", **settings)
    for seat, agent in enumerate(flat.possible_agents):
        pieces = flat.game.observe(seat, hands)
        buffer = np.concatenate([piece.reshape(-1) for piece in pieces.values()])
        assert list(flat.observe(agent)) == ["observation", "action_mask"]
        assert np.array_equal(flat.observe(agent)["observation"], buffer)
        seen = by_name.observe(agent)
        assert list(seen) == [*pieces, "action_mask"]
        assert all(np.array_equal(seen[name], pieces[name]) for name in pieces)


@both
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_spaces_are_the_same_objects_each_time(make: Maker, observation: str) -> None:
    env = started(make, seed=1, observation=observation)
    spaces = [(env.observation_space(a), env.action_space(a)) for a in env.possible_agents]
    env.reset(seed=2)
    for agent, (observations, moves) in zip(env.possible_agents, spaces, strict=True):
        assert env.observation_space(agent) is observations
        assert env.action_space(agent) is moves
        assert isinstance(moves, gymnasium.spaces.Discrete)
        assert (moves.n, moves.start) == (N_ACTIONS, 0)
        assert isinstance(observations, gymnasium.spaces.Dict)
        assert all(isinstance(space, gymnasium.spaces.Box) for space in observations.values())
        assert observations["action_mask"].dtype == np.int8
    assert len({id(moves) for _, moves in spaces}) == 3  # each agent draws for itself


@both
def test_ends_are_plain_bools(make: Maker) -> None:
    for max_turns in (1000, 5):
        for env in random_games(make, max_turns=max_turns):
            for value in (*env.terminations.values(), *env.truncations.values()):
                assert type(value) is bool
            assert all(type(value) is bool for value in env.last(observe=False)[2:4])


@both
def test_a_finished_game_is_terminated_and_not_truncated(make: Maker) -> None:
    env = ended(make)
    assert env.game.over
    assert not env.game.truncated
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}


@both
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("max_turns", [1, 2, 7, 30])
def test_a_game_cut_short_is_truncated_and_not_terminated(
    make: Maker, max_turns: int, reward: str
) -> None:
    env = started(make, seed=3, max_turns=max_turns, reward=reward)
    chooser = random.Random(3)
    while not is_done(env):
        assert env.game.snapshot()["turn"] < max_turns
        before = env.game.snapshot()["scores"]
        env.step(choose(env, chooser))
    assert env.game.truncated
    assert env.game.snapshot()["turn"] == max_turns
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    assert env.agents == env.possible_agents
    assert env.agent_selection == "player_0"
    after = env.game.snapshot()["scores"]
    gains = [b - a for a, b in zip(worth("margin", before), worth("margin", after), strict=True)]
    wanted = {
        "outcome": outcome(after),
        "score": [b - a for a, b in zip(before, after, strict=True)],
        "margin": gains,
    }
    assert list(env.rewards.values()) == pytest.approx(wanted[reward])


@both
def test_done_agents_are_still_observed_until_and_after_they_left(make: Maker) -> None:
    env = ended(make)
    while env.agents:
        agent = env.agent_selection
        here = env.observe(agent)
        env.step(None)
        assert agent not in env.agents
        gone = env.observe(agent)
        assert plain(gone) == plain(here)
        assert not gone["action_mask"].any()


@both
def test_observations_are_the_callers_own(make: Maker) -> None:
    env = started(make, seed=2, steps=40)
    before, legal = picture(env), env.game.legal_actions()
    for agent in env.possible_agents:
        for array in env.observe(agent).values():
            array[:] = 1
    assert picture(env) == before
    assert env.game.legal_actions() == legal
    kept = plain(env.last()[0])
    seen = env.last()[0]
    env.step(legal[0])
    assert plain(seen) == kept


@both
def test_reset_takes_any_options(make: Maker) -> None:
    env = make()
    env.reset(seed=5, options={"nobody": "knows", "this": [1]})
    assert env.game.to_bytes() == Game(seed=5).to_bytes()
    env.reset(options={})
    env.reset(options=None)


@both
def test_reset_begins_anew_at_any_time(make: Maker) -> None:
    fresh = picture(started(make, seed=5))
    for env in (
        started(make, seed=1, steps=33),
        ended(make, seed=1),
        play_some(ended(make, seed=1), 2),
    ):
        env.reset(seed=5)
        assert picture(env) == fresh
        assert not any(env.rewards.values())
        assert set(env.terminations.values()) == set(env.truncations.values()) == {False}
        assert env.agents == env.possible_agents == ["player_0", "player_1", "player_2"]
        assert env.agents is not env.possible_agents


def test_metadata_says_what_the_environment_is() -> None:
    for make in (alhambra_v0.env, alhambra_v0.raw_env):
        metadata = make(num_players=4).metadata
        assert metadata["name"] == "alhambra_v0"
        assert {"ansi", "human"} <= set(metadata["render_modes"])
        assert metadata["is_parallelizable"] is False
        assert metadata["render_fps"] > 0


@pytest.mark.parametrize(
    ("edition", "num_players"),
    [(e.name, n) for e in EDITIONS for n in NUMBERS_OF_PLAYERS if n >= e.min_players],
)
def test_a_seed_plays_the_same_game_as_in_game(edition: EditionName, num_players: int) -> None:
    env = alhambra_v0.raw_env(num_players=num_players, edition=edition)
    for seed in (0, 7, 2**40):
        env.reset(seed=seed)
        game = Game(num_players, edition, seed=seed)
        chooser = random.Random(seed)
        while env.agents:
            assert env.game.to_bytes() == game.to_bytes()
            action = choose(env, chooser)
            if action is not None:
                assert env.agent_selection == f"player_{game.to_play}"
                game.step(action)
            env.step(action)
        assert game.over


@both
def test_games_without_a_seed_differ_and_follow_from_an_earlier_seed(make: Maker) -> None:
    def begin(env: Any, seed: int | None) -> bytes:
        env.reset(seed=seed)
        began: bytes = env.game.to_bytes()
        return began

    env, other = make(), make()
    games = [begin(env, seed) for seed in (11, None, None, None)]
    assert len(set(games)) == 4
    assert [begin(other, seed) for seed in (11, None, None, None)] == games
    assert [begin(env, seed) for seed in (11, None)] == games[:2]
    assert begin(env, 12) != games[0]
    assert begin(env, None) not in games
    # Without any seed, two environments do not play the same games.
    assert begin(make(), None) != begin(make(), None)


def test_what_was_played_does_not_change_the_next_game() -> None:
    env, other = started(alhambra_v0.env, seed=9), ended(alhambra_v0.env, seed=9)
    env.reset()
    other.reset()
    assert env.game.to_bytes() == other.game.to_bytes()


@pytest.mark.parametrize("seed", range(4))
def test_raw_env_raises_on_illegal_actions_and_is_unchanged(seed: int) -> None:
    env = started(alhambra_v0.raw_env, seed, steps=40 * seed, reward="score")
    before, position = picture(env), env.game.to_bytes()
    illegal = np.flatnonzero(env.last()[4]["action_mask"] == 0).tolist()
    for action in (*random.Random(seed).sample(illegal, 20), -1, N_ACTIONS, None, "take:0", 1.5):
        with pytest.raises(IllegalAction):
            env.step(action)
        assert picture(env) == before
        assert env.game.to_bytes() == position
    play_some(env, 20)


def test_env_and_raw_env_are_both_pettingzoo_environments() -> None:
    for make in (alhambra_v0.env, alhambra_v0.raw_env):
        assert isinstance(make(), pettingzoo.AECEnv)
        assert isinstance(make().unwrapped, alhambra_v0.raw_env)


@needs_registry
def test_the_environment_is_registered() -> None:
    assert ENV_ID in pettingzoo.aec_registry
    env = pettingzoo.make("aec", ENV_ID, num_players=4, reward="score")
    env.reset(seed=3)
    assert picture(env) == picture(started(alhambra_v0.env, seed=3, num_players=4, reward="score"))
    with pytest.raises(AssertionError):
        env.step(-1)


# --- rendering ----------------------------------------------------------------------------------


@both
def test_ansi_returns_the_table_as_text(make: Maker, capsys: pytest.CaptureFixture[str]) -> None:
    env = started(make, seed=2, steps=30, render_mode="ansi")
    assert env.render_mode == "ansi"
    assert env.render() == str(env.game)
    assert "Market" in env.render()
    assert capsys.readouterr().out == ""


@both
def test_human_prints_the_table_after_each_step(
    make: Maker, capsys: pytest.CaptureFixture[str]
) -> None:
    env = started(make, seed=2, render_mode="human")
    capsys.readouterr()
    play_some(env, 1)
    assert capsys.readouterr().out == f"{env.game}\n"
    assert env.render() is None
    assert capsys.readouterr().out == f"{env.game}\n"


@both
def test_nothing_is_rendered_without_a_mode(
    make: Maker, capsys: pytest.CaptureFixture[str]
) -> None:
    env = started(make, seed=2, steps=3)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    assert capsys.readouterr().out == ""


@both
def test_every_render_mode_in_the_metadata_works(make: Maker) -> None:
    for mode in make().metadata["render_modes"]:
        env = ended(make, seed=2, render_mode=mode, max_turns=3)
        env.render()
        env.close()


# --- bad settings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        alhambra_v0.env,
        alhambra_v0.raw_env,
        pytest.param(
            lambda **settings: pettingzoo.make("aec", ENV_ID, **settings), marks=needs_registry
        ),
    ],
    ids=["env", "raw_env", "registered"],
)
@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({"num_players": 1}, ["num_players", "2 to 6", "1"]),
        ({"num_players": 7}, ["num_players", "2 to 6", "7"]),
        ({"num_players": "3"}, ["num_players", "2 to 6", "'3'"]),
        ({"num_players": 2.5}, ["num_players", "2 to 6", "2.5"]),
        ({"num_players": None}, ["num_players", "2 to 6", "None"]),
        ({"num_players": True}, ["num_players", "2 to 6", "True"]),
        ({"edition": "klingon"}, ["'klingon'", *EDITION_NAMES]),
        ({"edition": None}, ["None", *EDITION_NAMES]),
        (
            {"edition": "italian", "num_players": 2},
            ["italian", "3 to 6", "german", "portuguese", "czech", "polish"],
        ),
        ({"hands": "closed"}, ["hands", "'closed'", "secret", "open"]),
        ({"hands": None}, ["hands", "None", "secret", "open"]),
        ({"reward": "money"}, ["reward", "'money'", *REWARDS]),
        ({"reward": None}, ["reward", "None", *REWARDS]),
        ({"observation": "image"}, ["observation", "'image'", "flat", "dict"]),
        ({"observation": None}, ["observation", "None", "flat", "dict"]),
        ({"pieces": ["cities"]}, ["'cities'", *PIECE_NAMES]),
        ({"pieces": []}, [*PIECE_NAMES]),
        ({"pieces": ["other_hands"]}, ["'other_hands'", 'hands="open"']),
        ({"max_turns": 0}, ["max_turns", "1 to", "0"]),
        ({"max_turns": -3}, ["max_turns", "1 to", "-3"]),
        ({"max_turns": 1.5}, ["max_turns", "whole number", "1.5"]),
        ({"max_turns": None}, ["max_turns", "whole number", "None"]),
        ({"render_mode": "rgb"}, ["render_mode", "'rgb'", "ansi", "human", "None"]),
    ],
    ids=str,
)
def test_bad_settings_are_refused_with_what_is_allowed(
    make: Maker, settings: dict[str, Any], allowed: list[str]
) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        make(**settings)
    for word in allowed:
        assert word in str(refusal.value)


@both
def test_unknown_settings_are_refused(make: Maker) -> None:
    with pytest.raises(TypeError, match="players"):
        make(players=3)


@both
@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_that_is_no_seed_is_refused_and_the_game_goes_on(make: Maker, seed: Any) -> None:
    env = started(make, seed=1, steps=10)
    before = picture(env)
    with pytest.raises(ValueError, match="seed must be"):
        env.reset(seed=seed)
    assert picture(env) == before


@both
def test_numbers_may_be_numpys(make: Maker) -> None:
    env = make(num_players=np.int64(4), max_turns=np.int32(50))
    env.reset(seed=np.int64(3))
    assert env.game.to_bytes() == Game(4, seed=3, max_turns=50).to_bytes()
    for kind in (np.int8, np.uint16, np.int32, np.int64):
        env.step(kind(np.flatnonzero(env.last()[4]["action_mask"])[0]))
