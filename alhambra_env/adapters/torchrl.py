"""TorchRL: many games in compiled code as one batched `EnvBase`.

There are two, because an algorithm needs the decisions of one seat after another:

- `OpponentsEnv`: one learner in each game, opponents on the other seats. A step goes from one
  decision of the learner to its next, and the reward is all that its seat earned meanwhile. Losses
  and value estimators of TorchRL work as they are.
- `SelfPlayEnv`: you decide for all seats. A step is one decision of the seat to play in each game,
  and the reward has one number for each seat. `seat_trajectories` turns a rollout into one
  trajectory for each seat, for the value estimator.

>>> env = OpponentsEnv(64, opponents=["builder", "random"], dtype="float32")  # doctest: +SKIP
>>> env.rollout(100, break_when_any_done=False)  # doctest: +SKIP
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np

from ..batch import GameBatch
from ..engine.action_ranges import N_ACTIONS
from ..envs.opponents import Opponent
from ..envs.vector import VectorSingleEnv
from ..extras import extras_explained
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_TYPE,
    Hands,
    ObservationForm,
    ObservationType,
)
from ..validation import as_list, whole_number

with extras_explained():
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torch import Tensor
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase

_Device = torch.device | str | int | None


class _GamesEnv(EnvBase):
    """What both environments share: specs, and TorchRL's masks of games to reset and to step."""

    def __init__(
        self, num_games: int, space: gymnasium.spaces.Space[Any], rewards: int, device: _Device
    ) -> None:
        """Make the specs; `rewards` is how many numbers a reward has."""
        size = whole_number(num_games, "num_games", 1)
        super().__init__(device=device, batch_size=torch.Size([size]))
        boxes = (
            dict(space.spaces)
            if isinstance(space, gymnasium.spaces.Dict)
            else {DEFAULT_OBSERVATION_KEY: space}
        )
        seen = {name: _bounded(box, size) for name, box in boxes.items()}
        mask = Binary(N_ACTIONS, shape=(size, N_ACTIONS), dtype=torch.bool)
        self.observation_spec = Composite(seen, action_mask=mask, shape=(size,), device=device)
        self.action_spec = Categorical(N_ACTIONS, shape=(size,), device=device)
        self.reward_spec = Unbounded(shape=(size, rewards), device=device)
        flag = Categorical(2, shape=(size, 1), dtype=torch.bool)
        self.full_done_spec = Composite(
            done=flag.clone(), terminated=flag.clone(), shape=(size,), device=device
        )
        self._next_seed: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        """Keep the seed for the next reset of all games."""
        self._next_seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDict:
        """Reset all games, or those where `"_reset"` is true."""
        where = self._read_mask(tensordict, "_reset")
        seed, self._next_seed = (self._next_seed, None) if where.all() else (None, self._next_seed)
        return self._show(self._reset_games(where, seed), np.zeros(self.numel(), np.bool_))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Play an action in all games, or in those where `"_step"` is true."""
        where = self._read_mask(tensordict, "_step")
        actions = tensordict.get(self.action_key).reshape(-1).cpu().numpy()
        seen, rewards, done = self._play(actions, where)
        shown = self._show(seen, done)
        shown.set("reward", torch.tensor(rewards, dtype=torch.float32, device=self.device))
        if where.all():
            return shown
        moved: TensorDictBase = torch.where(
            torch.as_tensor(where, device=self.device), shown, self._skip_tensordict(tensordict)
        )
        return moved

    def _read_mask(self, tensordict: TensorDictBase | None, key: str) -> np.ndarray:
        given = None if tensordict is None else tensordict.get(key, None)
        if given is None:
            return np.ones(self.numel(), np.bool_)
        where: np.ndarray = given.reshape(-1).cpu().numpy()
        return where

    def _show(self, seen: dict[str, np.ndarray], done: np.ndarray) -> TensorDict:
        """Return observations, whose arrays may be changed later, and `done`."""
        flags = torch.tensor(done)[:, None]
        parts = {name: torch.tensor(array) for name, array in seen.items()}
        # No action is legal after the end, and probabilities of no action at all are nan.
        parts["action_mask"] = parts["action_mask"].bool() | flags
        self.action_spec.update_mask(parts["action_mask"].to(self.device or "cpu"))
        return TensorDict(
            {**parts, "done": flags, "terminated": flags.clone()},
            batch_size=self.batch_size,
            device=self.device,
        )

    @abstractmethod
    def _reset_games(self, where: np.ndarray, seed: int | None) -> dict[str, np.ndarray]:
        """Restart these games; return what is observed in all games."""

    @abstractmethod
    def _play(
        self, actions: np.ndarray, where: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Play in these games; return observations, rewards `[game, number]` and done."""


class OpponentsEnv(_GamesEnv):
    """Games with one learner and opponents, stepped together: batch size `[num_games]`.

    | key | |
    |---|---|
    | `observation` | what the learner observes; with `observation="dict"`, the pieces instead |
    | `action_mask` | bool `[game, action]`; all true after the end of a game |
    | `action` | int64 `[game]`; an illegal one raises `IllegalAction`, and no game has moved |
    | `reward` | float32 `[game, 1]`: of the learner, since its last decision |
    | `done`, `terminated` | bool `[game, 1]`; a game is never truncated |

    Games that ended wait for a reset, as collectors and `rollout` do it. Random actions, as of
    `rollout()` without a policy, are legal; behind transforms, add `ActionMask` for that.
    """

    def __init__(
        self,
        num_games: int,
        opponents: Sequence[Opponent] | None = None,
        *,
        device: _Device = None,
        **settings: Any,
    ) -> None:
        """Choose the games.

        Args:
            num_games: how many games.
            opponents: as in `SingleEnv`; None: random bots.
            device: where tensors are returned; the games run on the CPU.
            settings: the others of `gymnasium.make("alhambra_env/Alhambra-v0", ...)`, except those
                of masks, illegal actions and resets.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        self.games = VectorSingleEnv(
            num_games, opponents=opponents, autoreset_mode="disabled", copy=False, **settings
        )
        super().__init__(num_games, self.games.single_observation_space, 1, device)

    def _reset_games(self, where: np.ndarray, seed: int | None) -> dict[str, np.ndarray]:
        options = None if where.all() else {"reset_mask": where}
        return self._seen(*self.games.reset(seed=seed, options=options))

    def _play(
        self, actions: np.ndarray, where: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        observations, rewards, done, _, infos = self.games.step(actions, where=where)
        return self._seen(observations, infos), rewards[:, None], done

    def _seen(self, observations: Any, infos: dict[str, Any]) -> dict[str, np.ndarray]:
        return _named(observations) | {"action_mask": infos["action_mask"]}


class SelfPlayEnv(_GamesEnv):
    """A `GameBatch` in which you decide for every seat: batch size `[num_games]`.

    | key | |
    |---|---|
    | `observation` | what the seat to play observes; with `observation="dict"`, the pieces |
    | `action_mask` | bool `[game, action]`; all true after the end of a game |
    | `seat` | int64 `[game, 1]`: the seat to play; after the end, the one that played last |
    | `action` | int64 `[game]`; an illegal one raises `IllegalAction`, and no game has moved |
    | `reward` | float32 `[game, seat]`: of all seats, in this step |
    | `done`, `terminated` | bool `[game, 1]`; a game is never truncated |

    The next step of a game is another seat's, and points are often scored while others play. So do
    not give a rollout to a value estimator as it is: use `seat_trajectories`.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int = DEFAULT_NUM_PLAYERS,
        *,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        observation: ObservationForm = DEFAULT_FORM,
        dtype: ObservationType = DEFAULT_TYPE,
        device: _Device = None,
        **settings: Any,
    ) -> None:
        """Choose the games.

        Args:
            num_games: how many games.
            num_players: 2 to 6.
            hands: `"secret"` or `"open"` (E4).
            pieces: names of observation pieces; None for the default.
            observation: `"flat"` or `"dict"`.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
            device: where tensors are returned; the games run on the CPU.
            settings: the others of `GameBatch`, except `seed`: use `set_seed`.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        wanted = pieces if pieces is None else as_list(pieces, "pieces")
        self._format = ObservationFormat(
            Layout(num_players, hands, wanted, observation), dtype=dtype
        )
        self._settings = {"hands": hands, "pieces": wanted, **settings}
        self.batch = GameBatch(num_games, num_players, **self._settings)
        """The games; read only."""
        super().__init__(num_games, self._format.space(), num_players, device)
        seat = Categorical(num_players, shape=(num_games, 1), device=device)
        self.observation_spec = Composite(
            {**self.observation_spec, "seat": seat}, shape=(num_games,), device=device
        )
        self._is_new = np.ones(num_games, np.bool_)
        """Games that the batch restarted itself, and nobody has seen yet."""

    def _reset_games(self, where: np.ndarray, seed: int | None) -> dict[str, np.ndarray]:
        if seed is not None:
            batch = self.batch
            self.batch = GameBatch(batch.num_games, batch.num_players, seed=seed, **self._settings)
        elif (where & ~self._is_new).any():
            self.batch.reset(where & ~self._is_new)
        self._is_new &= ~where
        return self._seen(self.batch.observations, self.batch.masks, self.batch.to_play)

    def _play(
        self, actions: np.ndarray, where: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        if (self._is_new & where).any():
            ended = np.flatnonzero(self._is_new & where).tolist()
            raise gymnasium.error.ResetNeeded(f"games {ended} are over or not started: reset them")
        batch = self.batch
        before = batch.to_play.copy()
        if where.all():
            rewards, done = batch.step(actions)
        else:
            rewards, done = self._play_some(actions, where)
        self._is_new |= done
        observations, to_play = batch.observations, batch.to_play
        if done.any():  # the batch shows the next games already
            observations = observations.copy()
            for game in np.flatnonzero(done).tolist():
                observations[game] = batch.final_observation(game, int(before[game]))
            to_play = np.where(done, before, to_play)
        return self._seen(observations, batch.masks, to_play), rewards, done

    def _play_some(self, actions: np.ndarray, where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play in some games. A batch plays in all of them, so the others are then put back."""
        batch = self.batch
        saved = batch.save()
        batch.step(np.where(where, actions, batch.masks.argmax(axis=1)))
        rewards, done = batch.rewards * where[:, None], batch.done & where
        played = batch.save()
        for name, array in played.items():
            if isinstance(array, np.ndarray):
                array[~where] = saved[name][~where]
        batch.load(played)
        return rewards, done

    def _seen(
        self, observations: np.ndarray, masks: np.ndarray, to_play: np.ndarray
    ) -> dict[str, np.ndarray]:
        seats = to_play.astype(np.int64)[:, None]
        return _named(self._format.show(observations, masks)) | {
            "action_mask": masks,
            "seat": seats,
        }


def seat_trajectories(rollout: TensorDictBase) -> TensorDictBase:
    """Return the decisions in a rollout of `SelfPlayEnv`, one seat's after another's.

    The result has one dimension: all decisions of a seat in a game, in order, then those of the
    next seat or game. The reward of a decision, now one number, is all that its seat earned up to
    its next decision, whose observation is the next one. `done` is true at the end of each such
    stretch and `terminated` only where the game ended, so that TorchRL's value estimators
    bootstrap where they should. The last decision of a seat in a game that goes on is left out: its
    reward and next observation are not known yet.

    Args:
        rollout: of shape `[game, time]`, as collectors and `rollout` return it.

    Raises:
        ValueError: it has another shape, or no whole trajectory.
    """
    if rollout.ndim != 2:
        raise ValueError(f"a rollout has the shape [game, time], not {list(rollout.shape)}")
    games, steps = rollout.shape
    seats, rewards = rollout["seat"].squeeze(-1), rollout["next", "reward"].double()
    done = rollout["next", "done"].squeeze(-1)
    times = torch.arange(steps, device=seats.device).expand(games, steps)
    # The step at which the present episode ends, or `steps` if it goes on.
    ends = torch.where(done, times, steps).flip(1).cummin(1).values.flip(1)
    earned = torch.cat([torch.zeros_like(rewards[:, :1]), rewards.cumsum(1)], dim=1)

    # Sorted by seat, a decision and the next one of its seat are neighbours.
    game = torch.arange(games, device=seats.device)[:, None].expand(games, steps)
    time = seats.argsort(dim=1, stable=True)
    seat, end = seats[game, time], ends[game, time]
    goes_on = torch.zeros_like(done)
    goes_on[:, :-1] = (seat[:, :-1] == seat[:, 1:]) & (end[:, :-1] == end[:, 1:])
    is_last = ~goes_on & (end < steps)
    is_kept = goes_on | is_last
    if not is_kept.any():
        raise ValueError("no seat decides twice, and no game ends: the rollout is too short")
    following = torch.where(goes_on, time.roll(-1, 1), (end + 1).clamp(max=steps))
    gained = earned[game, following, seat] - earned[game, time, seat]
    is_cut = goes_on & ~is_kept.roll(-1, 1)  # what follows is left out

    rows, at = game[is_kept], time[is_kept]
    result = rollout.exclude("next")[rows, at]
    after = _next_observations(rollout, rows, following[is_kept], is_last[is_kept])
    after.update(
        {
            "reward": gained[is_kept][:, None].float(),
            "done": (is_last | is_cut)[is_kept][:, None],
            "terminated": is_last[is_kept][:, None],
        }
    )
    return result.set("next", after)


def _next_observations(
    rollout: TensorDictBase, rows: Tensor, following: Tensor, is_last: Tensor
) -> TensorDictBase:
    """Return what is observed at these steps, or at the end of the game before them."""
    names = set(rollout.keys()) & set(rollout["next"].keys()) - {"done", "terminated", "truncated"}
    after = rollout.select(*names)[rows, following.clamp(max=rollout.shape[1] - 1)]
    after[is_last] = rollout["next"].select(*names)[rows[is_last], following[is_last] - 1]
    return after


def _named(observations: Any) -> dict[str, np.ndarray]:
    if isinstance(observations, dict):
        return dict(observations)
    return {DEFAULT_OBSERVATION_KEY: observations}


def _bounded(box: gymnasium.spaces.Space[Any], num_games: int) -> Bounded:
    assert isinstance(box, gymnasium.spaces.Box)
    low, high = (
        torch.as_tensor(limit).expand(num_games, *box.shape) for limit in (box.low, box.high)
    )
    return Bounded(low, high, shape=low.shape, dtype=low.dtype)
