"""The settings of a training run. The fields are their documentation."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from alhambra_env.agents.checkpoint import LARGEST_COUNT
from alhambra_env.agents.network import LARGEST_WIDTH, check_pieces, default_pieces
from alhambra_env.bots import make
from alhambra_env.observation.layout import Layout
from alhambra_env.options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    LARGEST_MAX_TURNS,
    GameRules,
    hands_name,
)
from alhambra_env.validation import one_of, shortened, shown

from .plain_yaml import BadYaml, read_yaml
from .vec_env import POOL

LARGEST_FILE: Final = 1 << 16
"""Bytes of a file of settings: fifty times what all of them take."""

LONGEST_NAME: Final = 100

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(10))]
)


def check_name(name: str) -> str:
    """Return the name of a run if it can be the name of a folder on every system.

    Raises:
        ValueError: it begins with a dot, has parts of a path, or is reserved on Windows.
    """
    if not _NAME.fullmatch(name) or name.endswith(".") or len(name) > LONGEST_NAME:
        raise ValueError(
            f"a run's name has up to {LONGEST_NAME} letters, digits, dots, - and _; it begins with "
            f"a letter or a digit and does not end with a dot; not {shown(name)}"
        )
    if name.partition(".")[0].lower() in _RESERVED:
        raise ValueError(f"{name!r} is a name that Windows keeps for itself; choose another one")
    return name


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_flags(cls, given: Any) -> Any:
        """Python counts true and false as numbers, and no setting is either of them."""
        for key, value in given.items() if isinstance(given, dict) else ():
            if isinstance(value, bool):
                raise ValueError(f"{shown(key)} cannot be {str(value).lower()}")
        return given


_Count = Annotated[int, Field(ge=1, le=LARGEST_COUNT)]
_CountOrNone = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
_Width = Annotated[int, Field(ge=1, le=LARGEST_WIDTH)]
_Weight = Annotated[float, Field(ge=0, le=1e6)]
_Rate = Annotated[float, Field(gt=0, le=1)]


class GameSettings(_Section):
    """The game that is learnt."""

    num_players: int = 3
    edition: str = DEFAULT_EDITION
    """A rulebook, or one with points changed: "german:may_decline=yes"."""
    hands: str = DEFAULT_HANDS
    pieces: tuple[str, ...] | None = None
    """What is observed; none named: all but the others' cities."""
    max_turns: Annotated[int, Field(ge=1, le=LARGEST_MAX_TURNS)] = DEFAULT_MAX_TURNS

    @model_validator(mode="after")
    def _check(self) -> "GameSettings":
        self.rules()
        check_pieces(self.layout().pieces)
        return self

    def rules(self) -> GameRules:
        """Return the rules, checked."""
        return GameRules(self.num_players, self.edition, self.max_turns)

    def layout(self) -> Layout:
        """Return what is observed."""
        pieces = default_pieces(hands_name(self.hands)) if self.pieces is None else self.pieces
        return Layout(self.num_players, hands_name(self.hands), pieces)


class NetworkSettings(_Section):
    """The widths of the layers."""

    table_width: _Width = 128
    choice_width: _Width = 64


class RewardSettings(_Section):
    """What is paid: the outcome at the end, and the margin of points whenever they are scored."""

    outcome: Annotated[float, Field(ge=-1e6, le=1e6)] = 1.0
    margin: Annotated[float, Field(ge=-1e6, le=1e6)] = 0.01


class ImitationSettings(_Section):
    """The warm start: copying a bot, before any game is played by the learner itself."""

    teacher: str = "planner"
    decisions: _CountOrNone = 200_000
    """How many decisions of the teacher are looked at; 0 begins without a warm start."""
    chunk: Annotated[int, Field(ge=2048, le=262_144)] = 16_384
    """How many of them are in memory at a time."""
    passes: Annotated[int, Field(ge=1, le=1000)] = 1
    """How often each chunk is looked at; more than once only pays for teachers that are slow."""
    batch_size: Annotated[int, Field(ge=2, le=262_144)] = 512
    learning_rate: _Rate = 2e-3
    """Falls to a tenth at the end."""
    noise: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of moves that are random, so that the teacher is seen to mend mistakes."""
    value_weight: _Weight = 0.25


class PpoSettings(_Section):
    """Proximal policy optimisation; what ends in `_end` is reached evenly at the end."""

    steps: _CountOrNone = 8_000_000
    """Decisions of the learner."""
    num_envs: Annotated[int, Field(ge=1, le=65_536)] = 128
    rollout: Annotated[int, Field(ge=2, le=65_536)] = 64
    """Decisions in each game between updates."""
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
    """An update is broken off where the policy has changed by more than 1.5 times this."""


class PoolSettings(_Section):
    """Earlier selves to play against."""

    every: _Count = 400_000
    """Decisions between snapshots."""
    size: Annotated[int, Field(ge=1, le=1000)] = 20
    active: Annotated[int, Field(ge=1, le=100)] = 2
    """How many of them play at a time: the newest, and others drawn at every snapshot."""


class EvaluationSettings(_Section):
    """Games of the likeliest actions against bots, in the arena."""

    every: _Count = 1_000_000
    deals: Annotated[int, Field(ge=2, le=1_000_000)] = 100
    """Each is played once from every seat."""
    opponents: Annotated[tuple[str, ...], Field(max_length=30)] = (
        *("builder", "planner", "lookahead"),
    )
    """Each takes all other seats."""


class Config(_Section):
    """A training run."""

    name: Annotated[str, AfterValidator(check_name)] = "run"
    """The checkpoint is `checkpoints/NAME`, the log for TensorBoard `runs/NAME`."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    """On one thread the same seed gives the same weights. Two are faster on an idle machine."""
    save_every: _Count = 500_000
    """Decisions between checkpoints."""
    opponents: Annotated[dict[str, _Weight], Field(max_length=100)] = {
        POOL: 0.6,
        "planner": 0.2,
        "lookahead": 0.1,
        "builder": 0.1,
    }
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
        if not sum(self.opponents.values()):
            raise ValueError("the shares of opponents must not all be 0: give one of them more")
        decisions = self.ppo.num_envs * self.ppo.rollout
        if decisions % self.ppo.batch_size == 1:  # whose advantages have no spread
            raise ValueError(
                f"ppo.batch_size of {self.ppo.batch_size} leaves a batch of one decision: choose "
                f"one that divides ppo.num_envs x ppo.rollout = {decisions} otherwise"
            )
        return self


# --- reading ---------------------------------------------------------------------------------


_HOW: Final = "settings are written key=value or section.key=value"

_MOST_PROBLEMS: Final = 5
"""Problems that an error message names at most."""

_LONGEST: Final = 600
"""Characters of one problem, as our own checks explain it."""

_EXPECTED: Final = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "a word",
    "tuple": "a list, such as [a, b]",
    "dict": "names with numbers, such as {a: 1, b: 2}",
    "model": "a section, whose settings are written SECTION.key=value",
}
"""What should have been given, by the first word of pydantic's name of a problem."""


def load_config(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Return the settings of a file, with some of them given as `key=value` or `section.key=value`.

    Raises:
        ValueError: the file cannot be read, or a setting is not allowed; the message says which.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"the settings in {path} cannot be read: {error.strerror}") from None
    return parse_config(data, str(path), overrides)


def parse_config(data: bytes, where: str, overrides: Iterable[str] = ()) -> Config:
    """Return the settings of a file's content; `where` is what messages call it.

    Raises:
        ValueError: it cannot be read, or a setting is not allowed; the message says which.
    """
    if len(data) > LARGEST_FILE:
        raise ValueError(f"{where} holds no settings: it has more than {LARGEST_FILE:,} bytes")
    try:
        given = read_yaml(data.decode("utf-8"))
    except (UnicodeDecodeError, BadYaml) as error:
        raise ValueError(f"the settings in {where} cannot be read: {error}") from None
    if given is not None and not isinstance(given, dict):
        raise ValueError(f"{where} has no settings: {_HOW.replace('=', ': ')}")
    return make_config(given or {}, overrides)


def make_config(given: dict[str, Any], overrides: Iterable[str] = ()) -> Config:
    """Return the settings of a dictionary, with some of them given as text.

    Raises:
        ValueError: a setting is not allowed; the message says which, and suggests the nearest.
    """
    for text in overrides:
        key, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"{shown(text)} is no setting: {_HOW}")
        path = key.split(".")
        try:
            # A name may look like a number.
            given = _with(given, path, value if _is_text(path) else read_yaml(value))
        except BadYaml as error:
            raise ValueError(f"the value in {shown(text)} cannot be read: {error}") from None
    try:
        return Config.model_validate(given)
    except ValidationError as error:
        problems = [_explain(dict(problem)) for problem in error.errors(include_url=False)]
        more = len(problems) - _MOST_PROBLEMS
        rest = [f"and {more} more"] if more > 0 else []
        raise ValueError("; ".join(problems[:_MOST_PROBLEMS] + rest)) from None


def _is_text(path: list[str]) -> bool:
    """Is this a setting whose value is a text, whatever it looks like?"""
    section: Any = Config
    for key in path[:-1]:
        field = getattr(section, "model_fields", {}).get(key)
        section = field.annotation if field else None
    field = getattr(section, "model_fields", {}).get(path[-1])
    return field is not None and field.annotation is str


_DEFAULTS: Final = {"opponents": Config().opponents}
"""What one entry of it is changed in if nothing is given: others would be lost."""


def _with(given: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """Return settings with one of them changed."""
    key, *rest = path
    if not rest:
        return {**given, key: value}
    inner = given.get(key) or (_DEFAULTS.get(key, {}) if key not in given else {})
    if not isinstance(inner, dict):
        raise ValueError(f"{key} has no settings of its own, so not {shown('.'.join(rest))} either")
    return {**given, key: _with(inner, rest, value)}


def _explain(problem: dict[str, Any]) -> str:
    """Return a problem that pydantic found in a sentence."""
    path = [str(part) for part in problem["loc"]]
    name = shortened(".".join(path))
    if problem["type"] == "extra_forbidden":
        section: Any = Config
        for part in path[:-1]:
            section = section.model_fields[part].annotation
        where = f"setting of {'.'.join(path[:-1])}" if path[:-1] else "setting"
        try:
            one_of(path[-1], section.model_fields, where)
        except ValueError as error:
            return str(error)
    if problem["type"] == "value_error":
        message = shortened(str(problem["msg"]).removeprefix("Value error, "), _LONGEST)
        return f"{name}: {message}" if path else message
    kind = str(problem["type"]).partition("_")[0]
    if kind in _EXPECTED:
        message = f"must be {_EXPECTED[kind].replace('SECTION', name)}"
    else:
        message = shortened(str(problem["msg"]))
    return f"{name}: {message}, not {shown(problem['input'])}"


def dump_config(config: Config) -> str:
    """Return all settings as YAML."""
    text: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
    return text
