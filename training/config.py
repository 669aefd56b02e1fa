"""The settings of a training run. The fields are their documentation."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from alhambra_env.bots import make
from alhambra_env.editions import DEFAULT_EDITION, check_num_players
from alhambra_env.game import DEFAULT_MAX_TURNS
from alhambra_env.observation import HANDS, Layout
from alhambra_env.settings import one_of

from .networks import check_pieces, default_pieces
from .vec_env import POOL


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class GameSettings(_Section):
    """The game that is learnt."""

    num_players: int = 3
    edition: str = DEFAULT_EDITION
    hands: str = HANDS[0]
    pieces: tuple[str, ...] | None = None
    """What is observed; none named: all but the others' cities."""
    max_turns: Annotated[int, Field(ge=1)] = DEFAULT_MAX_TURNS

    @model_validator(mode="after")
    def _check(self) -> "GameSettings":
        check_num_players(self.num_players, self.edition)
        check_pieces(self.layout().pieces)
        return self

    def layout(self) -> Layout:
        """Return what is observed."""
        pieces = default_pieces(self.hands) if self.pieces is None else self.pieces
        return Layout(self.num_players, self.hands, pieces)


class NetworkSettings(_Section):
    """The widths of the layers."""

    table_width: Annotated[int, Field(ge=1)] = 128
    choice_width: Annotated[int, Field(ge=1)] = 64


class RewardSettings(_Section):
    """What is paid: the outcome at the end, and the margin of points whenever they are scored."""

    outcome: float = 1.0
    margin: float = 0.01


class ImitationSettings(_Section):
    """The warm start: copying a bot, before any game is played by the learner itself."""

    teacher: str = "planner"
    decisions: Annotated[int, Field(ge=0)] = 200_000
    """How many decisions of the teacher are looked at; 0 begins without a warm start."""
    chunk: Annotated[int, Field(ge=2048)] = 16_384
    """How many of them are in memory at a time."""
    passes: Annotated[int, Field(ge=1)] = 1
    """How often each chunk is looked at; more than once only pays for teachers that are slow."""
    batch_size: Annotated[int, Field(ge=2)] = 512
    learning_rate: Annotated[float, Field(gt=0)] = 2e-3
    """Falls to a tenth at the end."""
    noise: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of moves that are random, so that the teacher is seen to mend mistakes."""
    value_weight: Annotated[float, Field(ge=0)] = 0.25


class PpoSettings(_Section):
    """Proximal policy optimisation; what ends in `_end` is reached evenly at the end."""

    steps: Annotated[int, Field(ge=0)] = 8_000_000
    """Decisions of the learner."""
    num_envs: Annotated[int, Field(ge=1)] = 128
    rollout: Annotated[int, Field(ge=2)] = 64
    """Decisions in each game between updates."""
    batch_size: Annotated[int, Field(ge=2)] = 1024
    epochs: Annotated[int, Field(ge=1)] = 3
    learning_rate: Annotated[float, Field(gt=0)] = 1.5e-3
    learning_rate_end: Annotated[float, Field(ge=0)] = 5e-5
    entropy: Annotated[float, Field(ge=0)] = 0.03
    entropy_end: Annotated[float, Field(ge=0)] = 0.003
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
    gae_lambda: Annotated[float, Field(ge=0, le=1)] = 0.95
    clip_range: Annotated[float, Field(gt=0)] = 0.2
    value_weight: Annotated[float, Field(ge=0)] = 0.5
    max_grad_norm: Annotated[float, Field(gt=0)] = 0.5
    target_kl: Annotated[float | None, Field(gt=0)] = None
    """An update is broken off where the policy has changed by more than 1.5 times this."""


class PoolSettings(_Section):
    """Earlier selves to play against."""

    every: Annotated[int, Field(ge=1)] = 400_000
    """Decisions between snapshots."""
    size: Annotated[int, Field(ge=1)] = 20
    active: Annotated[int, Field(ge=1)] = 2
    """How many of them play at a time: the newest, and others drawn at every snapshot."""


class EvaluationSettings(_Section):
    """Games of the likeliest actions against bots, in the arena."""

    every: Annotated[int, Field(ge=1)] = 1_000_000
    deals: Annotated[int, Field(ge=2)] = 100
    """Each is played once from every seat."""
    opponents: tuple[str, ...] = ("builder", "planner", "lookahead")
    """Each takes all other seats."""


class Config(_Section):
    """A training run."""

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")] = "run"
    """The checkpoint is `checkpoints/NAME`, the log for TensorBoard `runs/NAME`."""
    seed: Annotated[int, Field(ge=0)] = 0
    threads: Annotated[int, Field(ge=1)] = 1
    """On one thread the same seed gives the same weights. Two are faster on an idle machine."""
    save_every: Annotated[int, Field(ge=1)] = 500_000
    """Decisions between checkpoints."""
    opponents: dict[str, float] = {POOL: 0.6, "planner": 0.2, "lookahead": 0.1, "builder": 0.1}
    """Shares of the seats: bots by name, and `pool` for earlier selves."""
    game: GameSettings = GameSettings()
    network: NetworkSettings = NetworkSettings()
    reward: RewardSettings = RewardSettings()
    imitation: ImitationSettings = ImitationSettings()
    ppo: PpoSettings = PpoSettings()
    pool: PoolSettings = PoolSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    @model_validator(mode="after")
    def _check(self) -> "Config":
        bots = [name for name in self.opponents if name != POOL]
        for name in (*bots, *self.evaluation.opponents, self.imitation.teacher):
            make(name)
        if min(self.opponents.values(), default=0) < 0 or not sum(self.opponents.values()):
            raise ValueError(f"the shares of opponents are 0 or more, not {self.opponents}")
        return self


_HOW: Final = "settings are written key=value or section.key=value"


def load_config(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Return the settings of a file, with some of them given as `key=value` or `section.key=value`.

    Raises:
        ValueError: the file cannot be read, or a setting is not allowed; the message says which.
    """
    try:
        given = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"the settings in {path} cannot be read: {error}") from None
    if given is not None and not isinstance(given, dict):
        raise ValueError(f"{path} has no settings: {_HOW.replace('=', ': ')}")
    return make_config(given or {}, overrides)


def make_config(given: dict[str, Any], overrides: Iterable[str] = ()) -> Config:
    """Return the settings of a dictionary, with some of them given as text.

    Raises:
        ValueError: a setting is not allowed; the message says which, and suggests the nearest.
    """
    for text in overrides:
        key, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"{text!r} is no setting: {_HOW}")
        try:
            given = _with(given, key.split("."), yaml.safe_load(value))
        except yaml.YAMLError:
            raise ValueError(f"the value in {text!r} cannot be read") from None
    try:
        return Config.model_validate(given)
    except ValidationError as error:
        raise ValueError("; ".join(_explain(dict(problem)) for problem in error.errors())) from None


def _with(given: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """Return settings with one of them changed."""
    key, *rest = path
    if not rest:
        return {**given, key: value}
    inner = given.get(key) or {}
    if not isinstance(inner, dict):
        raise ValueError(f"{key} has no settings of its own, so not {'.'.join(rest)!r} either")
    return {**given, key: _with(inner, rest, value)}


def _explain(problem: dict[str, Any]) -> str:
    """Return a problem that pydantic found in a sentence."""
    path = [str(part) for part in problem["loc"]]
    if problem["type"] == "extra_forbidden":
        section: Any = Config
        for part in path[:-1]:
            section = section.model_fields[part].annotation
        where = f"setting of {'.'.join(path[:-1])}" if path[:-1] else "setting"
        try:
            one_of(path[-1], section.model_fields, where)
        except ValueError as error:
            return str(error)
    message = str(problem["msg"]).removeprefix("Value error, ")
    given = "" if problem["type"] == "value_error" else f", not {problem['input']!r}"
    return f"{'.'.join(path)}: {message}{given}" if path else message


def dump_config(config: Config) -> str:
    """Return all settings as YAML."""
    text: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
    return text
