"""The settings of a training run: types, defaults and documentation."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from alhambra_env.agents.checkpoint import LARGEST_COUNT, LARGEST_REWARD
from alhambra_env.agents.network import LARGEST_WIDTH, check_pieces, default_pieces
from alhambra_env.agents.turn_network import LARGEST_SCALE
from alhambra_env.bots import make
from alhambra_env.engine.material import MAX_PLAYERS, MIN_PLAYERS
from alhambra_env.observation.layout import Layout
from alhambra_env.options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    LARGEST_MAX_TURNS,
    GameRules,
    hands_name,
    read_edition,
)
from alhambra_env.validation import shown, whole_number

from .turns.env import LINE_UPS
from .vec_env import POOL

LONGEST_NAME: Final = 100

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(10))]
)


def check_name(name: str) -> str:
    """Return the name of a run if it is a valid folder name on every system.

    Raises:
        ValueError: it starts with a dot, contains a path, or is reserved on Windows.
    """
    if not _NAME.fullmatch(name) or name.endswith(".") or len(name) > LONGEST_NAME:
        raise ValueError(
            f"a run's name has up to {LONGEST_NAME} letters, digits, dots, - and _; it starts with "
            f"a letter or a digit and does not end with a dot; not {shown(name)}"
        )
    if name.partition(".")[0].lower() in _RESERVED:
        raise ValueError(f"{name!r} is a reserved name on Windows; choose another one")
    return name


class Section(BaseModel):
    """A group of settings: unknown ones are refused, and none can be changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_flags(cls, given: Any) -> Any:
        """Refuse true and false, which Python would accept as numbers."""
        for key, value in given.items() if isinstance(given, dict) else ():
            if isinstance(value, bool):
                raise ValueError(f"{shown(key)} cannot be {str(value).lower()}")
        return given


Count = Annotated[int, Field(ge=1, le=LARGEST_COUNT)]
_CountOrNone = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
_Width = Annotated[int, Field(ge=1, le=LARGEST_WIDTH)]
_Weight = Annotated[float, Field(ge=0, le=1e6)]
_Reward = Annotated[float, Field(ge=-LARGEST_REWARD, le=LARGEST_REWARD)]
_Share = Annotated[float, Field(gt=0, le=1e6)]
_Rate = Annotated[float, Field(gt=0, le=1)]


class GameSettings(Section):
    """The game to learn."""

    num_players: int = 3
    edition: str = DEFAULT_EDITION
    """A rulebook, or one with points changed: "german:may_decline=yes"."""
    hands: str = DEFAULT_HANDS
    pieces: tuple[str, ...] | None = None
    """Pieces of the observation. Default: all except the other players' cities."""
    max_turns: Annotated[int, Field(ge=1, le=LARGEST_MAX_TURNS)] = DEFAULT_MAX_TURNS

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.rules()
        check_pieces(self.layout().pieces)
        return self

    def rules(self) -> GameRules:
        """Return the rules; `ValueError` if they are not allowed."""
        return GameRules(self.num_players, self.edition, self.max_turns)

    def layout(self) -> Layout:
        """Return the layout of the observation."""
        pieces = default_pieces(hands_name(self.hands)) if self.pieces is None else self.pieces
        return Layout(self.num_players, hands_name(self.hands), pieces)


class NetworkSettings(Section):
    """The widths of the layers."""

    table_width: _Width = 128
    choice_width: _Width = 64


class RewardSettings(Section):
    """Weights of the rewards: `outcome` at the end, `margin` at each of the three scorings."""

    outcome: _Reward = 1.0
    margin: _Reward = 0.01


class ImitationSettings(Section):
    """Imitation learning from a bot, before reinforcement learning."""

    teacher: str = "planner"
    decisions: _CountOrNone = 200_000
    """Decisions of the teacher to learn from; 0 starts from random weights."""
    chunk: Annotated[int, Field(ge=2048, le=262_144)] = 16_384
    """Decisions in memory at a time."""
    passes: Annotated[int, Field(ge=1, le=1000)] = 1
    """Epochs over each chunk; more than one is only useful for slow teachers."""
    batch_size: Annotated[int, Field(ge=2, le=262_144)] = 512
    learning_rate: _Rate = 2e-3
    """Decays linearly to a tenth."""
    noise: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Probability of a random action, so that the teacher also shows how to recover from one."""
    value_weight: _Weight = 0.25


class PpoSettings(Section):
    """Settings of PPO; a value changes linearly to its `_end`."""

    steps: _CountOrNone = 8_000_000
    """Decisions of the learner in the whole run."""
    num_envs: Annotated[int, Field(ge=1, le=65_536)] = 128
    rollout: Annotated[int, Field(ge=2, le=65_536)] = 64
    """Decisions per environment between updates (`n_steps` in Stable-Baselines3)."""
    batch_size: Annotated[int, Field(ge=2, le=2**24)] = 1024
    epochs: Annotated[int, Field(ge=1, le=1000)] = 3
    learning_rate: _Rate = 1.5e-3
    learning_rate_end: Annotated[float, Field(ge=0, le=1)] = 5e-5
    entropy: _Weight = 0.03
    entropy_end: _Weight = 0.003
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
    gae_lambda: Annotated[float, Field(ge=0, le=1)] = 0.95
    clip_range: Annotated[float, Field(gt=0, le=1e6)] = 0.2
    value_weight: _Weight = 0.5
    max_grad_norm: Annotated[float, Field(gt=0, le=1e6)] = 0.5
    target_kl: Annotated[float | None, Field(gt=0, le=1e6)] = None
    """An update stops early if the KL divergence exceeds 1.5 times this."""
    averaged: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The agent is the mean of the learner's weights over about this share of the updates so far,
    as in `torch.optim.swa_utils`; 0: the learner as it is."""


class PoolSettings(Section):
    """The opponent pool: frozen snapshots of the learner."""

    every: Count = 400_000
    """Decisions between snapshots."""
    size: Annotated[int, Field(ge=1, le=1000)] = 20
    active: Annotated[int, Field(ge=1, le=100)] = 2
    """Snapshots that play at a time: the newest, and others drawn at each new snapshot."""


class EvaluationSettings(Section):
    """Evaluation against bots in the arena, with the most likely actions."""

    every: Count = 1_000_000
    deals: Annotated[int, Field(ge=2, le=1_000_000)] = 100
    """Each deal is played once from every seat."""
    opponents: Annotated[tuple[str, ...], Field(max_length=30)] = (
        *("builder", "planner", "lookahead"),
    )
    """The learner meets copies of each bot in turn."""


class RunConfig(Section):
    """What all training runs have."""

    name: Annotated[str, AfterValidator(check_name)] = "run"
    """The checkpoint is written to `checkpoints/NAME`, the TensorBoard log to `runs/NAME`."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    """With one thread, the same seed gives the same weights. Two are faster on an idle machine."""
    save_every: Count = 500_000
    """Decisions between checkpoints."""
    reward: RewardSettings = RewardSettings()
    ppo: PpoSettings = PpoSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players that the agent is trained for."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _check_run(self) -> Self:
        for name in self.evaluation.opponents:
            make(name)
        decisions = self.ppo.num_envs * self.ppo.rollout
        if decisions % self.ppo.batch_size == 1:  # its advantages cannot be normalised
            raise ValueError(
                f"ppo.batch_size of {self.ppo.batch_size} leaves a batch of one decision, since "
                f"ppo.num_envs x ppo.rollout is {decisions}; choose another ppo.batch_size"
            )
        return self


class Config(RunConfig):
    """A training run of an agent that chooses single actions."""

    level: Literal["actions"] = "actions"
    """What the agent chooses: single actions, or whole turns."""
    opponents: Annotated[dict[str, _Weight], Field(max_length=100)] = {
        POOL: 0.6,
        "planner": 0.2,
        "lookahead": 0.1,
        "builder": 0.1,
    }
    """Share of each opponent: bots by name, and `pool` for the opponent pool."""
    game: GameSettings = GameSettings()
    network: NetworkSettings = NetworkSettings()
    imitation: ImitationSettings = ImitationSettings()
    pool: PoolSettings = PoolSettings()

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players that the agent is trained for."""
        return (self.game.num_players,)

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name in (*(name for name in self.opponents if name != POOL), self.imitation.teacher):
            make(name)
        if not sum(self.opponents.values()):
            raise ValueError("the shares of the opponents must not all be 0")
        return self


class TurnGameSettings(Section):
    """The games to learn: tables of all these numbers of players and editions."""

    num_players: Annotated[tuple[int, ...], Field(min_length=1, max_length=5)] = (2, 3, 4, 5, 6)
    player_shares: Annotated[tuple[_Share, ...], Field(max_length=5)] = ()
    """Share of the tables with each number of players, in the same order; none: all the same."""
    editions: Annotated[tuple[str, ...], Field(min_length=1, max_length=20)] = (DEFAULT_EDITION,)
    """Rulebooks, or some with points changed."""
    edition_shares: Annotated[tuple[_Share, ...], Field(max_length=20)] = ()
    """Share of the tables with each edition, in the same order; none: all the same."""
    hands: str = DEFAULT_HANDS
    max_turns: Annotated[int, Field(ge=1, le=LARGEST_MAX_TURNS)] = DEFAULT_MAX_TURNS

    @model_validator(mode="after")
    def _check(self) -> Self:
        hands_name(self.hands)
        for players in self.num_players:
            whole_number(players, "num_players", MIN_PLAYERS, MAX_PLAYERS)
        if len(set(self.num_players)) < len(self.num_players):
            raise ValueError("num_players has the same number twice")
        for shares, of in (("player_shares", "num_players"), ("edition_shares", "editions")):
            given, wanted = len(getattr(self, shares)), len(getattr(self, of))
            if given not in (0, wanted):
                raise ValueError(f"{shares} must have {wanted} numbers, as {of} has, not {given}")
        self.tables()
        return self

    def tables(self) -> dict[GameRules, float]:
        """Return the rules of each kind of table, and its share; `ValueError` if there are none."""
        found = {}
        for edition, of_edition in _with_shares(self.editions, self.edition_shares):
            least = read_edition(edition).min_players
            for players, of_players in _with_shares(self.num_players, self.player_shares):
                if players >= least:
                    rules = GameRules(players, edition, self.max_turns)
                    found[rules] = of_edition * of_players
        if not found:
            raise ValueError("no edition is for these numbers of players")
        return found


def _with_shares(values: tuple[Any, ...], shares: tuple[float, ...]) -> Iterable[tuple[Any, float]]:
    """Return each value with its share: 1 for all if there are no shares."""
    return zip(values, shares or [1.0] * len(values), strict=True)


class TurnNetworkSettings(Section):
    """The network that scores turns."""

    width: _Width = 64
    """Of the layers."""
    scale: Annotated[float, Field(ge=0, le=LARGEST_SCALE)] = 0.7
    """What a point of lookahead's judgement adds to the logit of a turn."""


class LineUpSettings(Section):
    """Who sits at a table: shares of the line-ups."""

    self_play: _Weight = 1.0
    """Learners on all seats."""
    one_bot: _Weight = 0.0
    """A bot on one seat, and learners on the others."""
    one_learner: _Weight = 0.0
    """Bots on all seats but one."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not sum(self.shares().values()):
            raise ValueError("the shares of the line-ups must not all be 0")
        return self

    def shares(self) -> dict[str, float]:
        """Return the shares by name."""
        return self.model_dump()


assert tuple(LineUpSettings.model_fields) == tuple(LINE_UPS)


class TurnPpoSettings(PpoSettings):
    """Settings of PPO for turns; a decision is a turn."""

    steps: _CountOrNone = 2_000_000
    """Turns of the learners in the whole run."""
    num_envs: Annotated[int, Field(ge=1, le=65_536)] = 200
    rollout: Annotated[int, Field(ge=2, le=65_536)] = 100
    batch_size: Annotated[int, Field(ge=2, le=2**24)] = 2000
    epochs: Annotated[int, Field(ge=1, le=1000)] = 4
    learning_rate: _Rate = 1e-3
    learning_rate_end: Annotated[float, Field(ge=0, le=1)] = 2e-5
    gae_lambda: Annotated[float, Field(ge=0, le=1)] = 0.7
    """Lower than for single actions: the critic knows a turn's end better than luck shows it."""
    entropy: _Weight = 0.04
    """High: with 0.003, the policy is nearly certain after a million turns and stops improving."""
    entropy_end: _Weight = 0.01
    averaged: Annotated[float, Field(ge=0, le=1)] = 0.12
    critic_updates: Annotated[int, Field(ge=0, le=1000)] = 1
    """So many updates at the start train only the value function."""


class TurnEvaluationSettings(EvaluationSettings):
    """Evaluation against bots in the arena, at tables of each number of players."""

    every: Count = 500_000
    deals: Annotated[int, Field(ge=2, le=1_000_000)] = 20
    """Each deal is played once from every seat, at tables of each size."""
    opponents: Annotated[tuple[str, ...], Field(max_length=30)] = ("planner", "lookahead")


class TurnConfig(RunConfig):
    """A training run of an agent that chooses whole turns."""

    level: Literal["turns"] = "turns"
    """What the agent chooses: single actions, or whole turns."""
    bots: Annotated[tuple[str, ...], Field(min_length=1, max_length=30)] = ("lookahead",)
    """The bots of the line-ups; each seat draws one."""
    line_ups: LineUpSettings = LineUpSettings()
    game: TurnGameSettings = TurnGameSettings()
    network: TurnNetworkSettings = TurnNetworkSettings()
    reward: RewardSettings = RewardSettings(margin=0.02)
    ppo: TurnPpoSettings = TurnPpoSettings()
    evaluation: TurnEvaluationSettings = TurnEvaluationSettings()

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players that the agent is trained for."""
        return self.game.num_players

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name in self.bots:
            make(name)
        kinds = len(self.game.tables())
        if kinds > self.ppo.num_envs:
            raise ValueError(
                f"ppo.num_envs must be at least {kinds}, since there are {kinds} kinds of tables "
                f"(num_players x editions), not {self.ppo.num_envs}"
            )
        return self
