"""The environment in which the learner trains against bots and frozen policies."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch")

import torch
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from alhambra_env import Game, IllegalAction
from alhambra_env.agents.network import default_pieces
from alhambra_env.bots import make
from alhambra_env.loops.learners import FIRST_EXTERNAL, LEARNER
from alhambra_env.observation.layout import Layout
from alhambra_env.options import Hands
from tests.learner_games import LearnerGame, ask_bot, assert_begun
from training.frozen import FrozenPolicy
from training.networks import ChoiceNetwork
from training.run import use_threads
from training.vec_env import SelfPlayEnv

GAMES = 6
WORTH = {"outcome_weight": 0.5, "margin_weight": 0.03}
BOTS = ("builder", "random")


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    use_threads(1)
    yield
    use_threads(threads)


class LastLegal(FrozenPolicy):
    """A policy that is easy to replay: always the last legal action."""

    def __init__(self) -> None:
        pass

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        return np.array([last_legal(mask) for mask in masks])


def last_legal(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


def make_env(num_players: int = 3, **settings: Any) -> SelfPlayEnv:
    opponents = dict.fromkeys((*BOTS, "pool"), 1.0)
    env = SelfPlayEnv(GAMES, num_players, opponents, seed=3, **WORTH | settings)
    env.set_policies([LastLegal(), LastLegal()])
    return env


RANDOM = BOTS.index("random")


class Replay(LearnerGame):
    """A replay of a game of the environment, from the learner's first decision on."""

    def __init__(self, env: SelfPlayEnv, number: int) -> None:
        saved = env.save()
        self.occupants = saved["occupants"][number].tolist()
        self.layout = env.layout
        batch, seat = env.batch, int(saved["seats"][number])
        start = Game(batch.num_players, seed=int(batch.seeds[number]))
        self.is_from_the_start = RANDOM not in self.occupants
        if self.is_from_the_start:
            super().__init__(start, seat, self._ask_occupant)
            self.play_on()
        else:
            now = Game.from_state(batch.states[number : number + 1].copy())
            super().__init__(now, seat, self._ask_occupant)
            assert_begun(now, start, seat)
            assert not any(now.scores)  # so nothing was earned before the first decision

    def _ask_occupant(self, game: Game, words: np.ndarray) -> int:
        legal, occupant = game.legal_actions(), self.occupants[game.to_play]
        if len(legal) == 1 or occupant <= FIRST_EXTERNAL:
            return legal[-1]
        return ask_bot(make(BOTS[occupant]), game, words)

    def reward(self) -> float:
        """Return what the learner's last decision earned."""
        margin, outcome = self.earned["margin"], self.earned["outcome"]
        return WORTH["margin_weight"] * margin + WORTH["outcome_weight"] * outcome

    def observation(self) -> np.ndarray:
        return self.layout.observe(self.game.states, 0, self.seat)


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_learner_sees_and_earns_what_a_replay_of_its_game_says(num_players: int) -> None:
    env = make_env(num_players)
    seen = env.reset()
    replays = [Replay(env, number) for number in range(GAMES)]
    rng = np.random.default_rng(5)
    ended = from_the_start = 0
    kinds: set[int] = set()
    while ended < 2 * GAMES:
        masks, words = env.action_masks().copy(), env.save()["words"]
        for number, replay in enumerate(replays):
            assert (seen[number] == replay.observation()).all()
            assert (masks[number] == replay.game.action_mask()).all()
            assert masks[number].sum() > 1  # forced moves are played for it
        actions = (masks * rng.random(masks.shape)).argmax(axis=1)
        env.step_async(actions)
        seen, rewards, dones, infos = env.step_wait()  # type: ignore[assignment]
        for number, replay in enumerate(replays):
            replay.words = words[number]
            replay.decide(int(actions[number]))
            assert rewards[number] == pytest.approx(replay.reward(), abs=1e-5)
            assert dones[number] == replay.game.over
            if dones[number]:
                info = infos[number]
                assert (info["terminal_observation"] == replay.observation()).all()
                assert not info["TimeLimit.truncated"]
                assert "truncated_by" not in info
                assert info["score"] == replay.game.scores[replay.seat]
                assert info["won"] == (
                    (replay.seat in replay.game.winners) / len(replay.game.winners)
                )
                kinds |= set(replay.occupants)
                from_the_start += replay.is_from_the_start
                replays[number] = Replay(env, number)
                ended += 1
    assert kinds == {LEARNER, 0, 1, FIRST_EXTERNAL, FIRST_EXTERNAL - 1}
    assert from_the_start


def test_returns_and_lengths_of_episodes_add_up() -> None:
    env = make_env()
    env.reset()
    sums, lengths, ended = np.zeros(GAMES), np.zeros(GAMES, int), 0
    while ended < 40:
        actions = np.array([last_legal(mask) for mask in env.action_masks()])
        env.step_async(actions)
        _, rewards, dones, infos = env.step_wait()
        sums += rewards
        lengths += 1
        for game in np.flatnonzero(dones):
            assert infos[game]["episode"]["r"] == pytest.approx(sums[game], abs=1e-4)
            assert infos[game]["episode"]["l"] == lengths[game]
            sums[game], lengths[game] = 0, 0
            ended += 1


def test_a_truncated_game_is_paid_and_not_valued_beyond_its_end() -> None:
    env = make_env(max_turns=7)
    env.reset()
    ended, shares = 0, set()
    while ended < 40:
        env.step_async(np.array([last_legal(mask) for mask in env.action_masks()]))
        _, rewards, dones, infos = env.step_wait()
        for game in np.flatnonzero(dones):
            info = infos[game]
            assert info["TimeLimit.truncated"] is False
            assert info["truncated_by"] == "max_turns"
            assert rewards[game] != 0
            outcome = (3 * info["won"] - 1) / 2
            earned = WORTH["outcome_weight"] * outcome + WORTH["margin_weight"] * info["margin"]
            assert info["episode"]["r"] == pytest.approx(earned, abs=1e-4)
            shares.add(info["won"])
            ended += 1
    assert {0, 1} <= shares


def test_masks_come_as_one_array() -> None:
    env = make_env()
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (GAMES, 1955)
    assert env.env_method("action_masks") is env.batch.masks


def test_an_illegal_action_is_refused() -> None:
    env = make_env()
    env.reset()
    with pytest.raises(IllegalAction, match="No game has moved"):
        env.step_async(env.action_masks().argmin(axis=1))


class CheckedPolicy(FrozenPolicy):
    """Asserts that its actions are legal, because compiled code does not check them."""

    chosen = 0

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        actions = super().choose(observations, masks, rng)
        assert masks[np.arange(len(masks)), actions].all()
        self.chosen += len(actions)
        return actions


@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("deterministic", [True, False])
def test_frozen_policies_play_legally(hands: Hands, deterministic: bool) -> None:
    env = SelfPlayEnv(8, 2, {"pool": 1.0}, hands=hands, seed=1)
    network = ChoiceNetwork(env.layout, 16, 8)
    policy = CheckedPolicy(network, deterministic)
    env.set_policies([policy])
    seen = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(60):
        env.step_async(policy.choose(seen, env.action_masks(), rng))
        seen, _, _, _ = env.step_wait()  # type: ignore[assignment]
    assert policy.chosen > 60 * 8 + 300  # the learners' actions, and those of their opponents


def test_games_go_on_from_a_save_as_if_there_had_been_no_break() -> None:
    def play(env: SelfPlayEnv, steps: int) -> list[Any]:
        rows = []
        for _ in range(steps):
            env.step_async(np.array([last_legal(mask) for mask in env.action_masks()]))
            seen, rewards, dones, _ = env.step_wait()
            rows.append((np.asarray(seen).tobytes(), rewards.tolist(), dones.tolist()))
        return rows

    env, other = make_env(), make_env(edition="german")
    env.reset()
    play(env, 30)
    other.reset()
    other.load(env.save())
    assert play(env, 120) == play(other, 120)


def test_seats_and_opponents_are_drawn_by_their_shares() -> None:
    env = SelfPlayEnv(2000, 3, {"builder": 3.0, "random": 1.0}, seed=0)
    env.reset()
    saved = env.save()
    occupants = saved["occupants"][saved["occupants"] != LEARNER]
    # 4000 draws of 3/4 and 2000 of 1/3 have standard deviations of 0.007 and 21.
    assert abs((occupants == 0).mean() - 0.75) < 0.03
    assert np.bincount(saved["seats"], minlength=3).min() > 580


@pytest.mark.parametrize("opponents", [{}, {"random": 0.0}, {"random": -1.0, "builder": 2.0}])
def test_shares_that_make_no_sense_are_refused(opponents: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="shares of the opponents"):
        SelfPlayEnv(2, 3, opponents)


def test_the_network_is_told_which_pieces_it_lacks() -> None:
    pieces = [name for name in default_pieces("secret") if name not in ("city", "offers")]
    layout = Layout(3, "secret", pieces)
    with pytest.raises(ValueError, match="also needs the pieces city, offers"):
        ChoiceNetwork(layout, 8, 8)
