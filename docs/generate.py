"""Writes the tables of the documentation from the code: `make docs`.

A table is between `<!-- table: name -->` and `<!-- end of table -->`. A test checks that all tables
are up to date.
"""

import ast
import random
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from alhambra_env import Game
from alhambra_env.actions import ACTIONS, N_ACTIONS, kind_of, name
from alhambra_env.agents.shipped import AGENT_NAMES, shipped_agent
from alhambra_env.arena.ladder import read_ladder
from alhambra_env.arena.tables import as_markdown, ladder_table
from alhambra_env.bots import BOTS
from alhambra_env.bots.kinds import SETTINGS
from alhambra_env.bots.weights import WEIGHTS
from alhambra_env.engine.check import MEANINGS, Broken
from alhambra_env.engine.editions import EDITIONS
from alhambra_env.engine.material import MAX_PLAYERS
from alhambra_env.engine.rewards import REWARDS
from alhambra_env.engine.state import FIELDS, STATE_BYTES
from alhambra_env.explanation import UNITS
from alhambra_env.observation.pieces import PIECES, Piece
from alhambra_env.render.aid import aid_headings, aid_rows
from alhambra_env.turns.feature_groups import CHOICE_GROUPS, STARTS, TABLE_GROUPS
from tests.libraries import pin_of, read_table

ROOT = Path(__file__).resolve().parent.parent
LADDER = ROOT / "docs" / "ladder.json"
PACKAGE = "alhambra_env"
LAYERS_WIDTH = 60
PAGES = (
    ROOT / "README.md",
    ROOT / "checkpoints" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
)


def _rows(heading: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    heading = list(heading)
    lines = [heading, ["---"] * len(heading), *(list(map(str, row)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def table_of_actions() -> str:
    """The ranges of the action space."""
    return (
        _rows(
            ("numbers", "kind", "meaning", "example"),
            (
                (
                    f"{k.start} to {k.end - 1}" if k.size > 1 else k.start,
                    f"`{k.name}`",
                    k.meaning,
                    f"`{name(k.end - 1)}`",
                )
                for k in ACTIONS
            ),
        )
        + f"\n{N_ACTIONS} actions in all.\n"
    )


def table_of_fields() -> str:
    """The record."""
    return (
        _rows(
            ("field", "type", "seen by", "meaning"),
            (
                (
                    f"`{f.name}`",
                    f"`{f.dtype.lstrip('<')}{list(f.shape) if f.shape else ''}`",
                    f.seen_by,
                    f.meaning,
                )
                for f in FIELDS
            ),
        )
        + f"\n{STATE_BYTES:,} bytes in all.\n"
    )


def table_of_checks() -> str:
    """What `check` can find."""
    return _rows(("flag", "what is broken"), ((f"`{f.name}`", MEANINGS[f]) for f in Broken))


def table_of_editions() -> str:
    """Where the rulebooks differ."""
    columns: tuple[tuple[str, Callable[..., str]], ...] = (
        (
            "scoring card in its pile (R7)",
            lambda e: "on top" if e.scoring_card_on_top else "anywhere",
        ),
        (
            "leftover tiles are won by (R25)",
            lambda e: "number of cards" if e.leftovers_by_cards else "money",
        ),
        ("the extra action (R10) may be declined", lambda e: "yes" if e.may_decline else "no"),
        ("players", lambda e: f"{e.min_players} to {MAX_PLAYERS}"),
    )
    heading = ("setting", f"{EDITIONS[0].book} (default)", *(e.book for e in EDITIONS[1:]))
    return _rows(heading, ((title, *(say(e) for e in EDITIONS)) for title, say in columns))


def table_of_aid() -> str:
    """The player's aid: tiles, prices and points for majorities."""
    return _rows(aid_headings(), aid_rows())


def table_of_pieces() -> str:
    """The pieces of an observation, from the docstrings of their writers."""
    return _rows(
        ("piece", "shape for P players", "largest", "default", "meaning"),
        (
            (
                f"`{p.name}`",
                _shape(p),
                p.high,
                "open hands" if p.needs_open_hands else "yes" if p.is_default else "no",
                " ".join((p.writer.__doc__ or "").split()),
            )
            for p in PIECES
        ),
    )


def _shape(piece: Piece) -> str:
    """Return a shape in terms of P, from the shapes for 3 and 4 players."""
    three, four = piece.shape(3), piece.shape(4)
    sizes = (str(a) if a == b else _with_offset(a - 3) for a, b in zip(three, four, strict=True))
    return f"({', '.join(sizes)})"


def _with_offset(offset: int) -> str:
    return f"P{offset:+d}" if offset else "P"


def table_of_rewards() -> str:
    """The kinds of reward."""
    return _rows(("reward", "value"), ((f"`{k}`", v) for k, v in REWARDS.items()))


def table_of_bots() -> str:
    """The scripted players."""
    return _rows(("bot", "what it does"), ((f"`{kind.name}`", kind.does) for kind in BOTS))


def table_of_bot_settings() -> str:
    """The settings of the bots."""
    rows = (
        (
            f"`{setting.name}`",
            f"`{setting.default}`",
            ", ".join(f"`{kind.name}`" for kind in BOTS if setting.name in kind.settings),
            setting.meaning,
        )
        for setting in SETTINGS
    )
    return _rows(("setting", "default", "bots", "meaning"), rows)


def table_of_units() -> str:
    """What the values of candidates are measured in."""
    return _rows(("unit", "the value is"), ((f"`{k}`", v.meaning) for k, v in UNITS.items()))


def table_of_weights() -> str:
    """The weights of the bots; a dash if a bot does not use a weight."""
    columns = ("planner", "lookahead", "rollout")
    rows = (
        (f"`{w.name}`", *(getattr(w, column) or "-" for column in columns), w.meaning)
        for w in WEIGHTS
    )
    return _rows(("weight", *columns, "meaning"), rows)


def table_of_ladder() -> str:
    """The ladder as `make ladder` played it last."""
    return as_markdown(ladder_table(read_ladder(LADDER)), 2)


def table_of_checkpoints() -> str:
    """Win rates of the shipped agents against bots."""
    files = [shipped_agent(name) / "evaluation.json" for name in AGENT_NAMES]
    return as_markdown(ladder_table([rung for path in files for rung in read_ladder(path)]), 2)


def picture_of_game() -> str:
    """A position as `print(game)` shows it, from players that buy and build when they can."""
    game = Game(num_players=3, seed=11)
    chooser = random.Random(4)
    while game.state.turn < 70 or game.phase != "turn":
        legal = game.legal_actions()
        eager = [a for a in legal if kind_of(a).name in ("buy", "put")]
        game.step(chooser.choice(eager or [a for a in legal if kind_of(a).name != "remove"]))
    return f"```text\n{game}\n```\n"


def layers_of_package() -> list[list[str]]:
    """Return the layers of `alhambra_env` in `pyproject.toml`, the highest first."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contracts = tools["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c.get("containers") == [PACKAGE])
    return [re.split(r"\s*[|:]\s*", layer) for layer in layers]


def picture_of_layers() -> str:
    """The layers, each over those that it may import."""
    rule = f"+{'-' * (LAYERS_WIDTH - 2)}+"
    rows = [rule]
    for names in [["training"], *layers_of_package()]:
        rows += [f"| {'   '.join(names):<{LAYERS_WIDTH - 4}} |", rule]
    return "```text\n" + "\n".join(rows) + "\n```\n"


def table_of_rooms() -> str:
    """Every module with the first paragraph of its docstring, in the order of the layers."""
    order = [name for names in layers_of_package() for name in names]
    package = ROOT / PACKAGE
    rooms = [path for name in order for path in (package / name, package / f"{name}.py")]
    rooms = [path for path in rooms if path.exists()]
    return _rows(
        ("module", "content"),
        (
            row
            for room in [package / "__init__.py", *rooms, ROOT / "training"]
            for row in _modules_of(room)
        ),
    )


def _modules_of(room: Path) -> list[tuple[str, str]]:
    """Return a row for a module; for a package, one for itself and one for each of its modules."""
    if room.is_file():
        return [(f"`{room.relative_to(ROOT).as_posix()}`", _summary(room))]
    name = room.relative_to(ROOT).as_posix()
    files = sorted(path for path in room.rglob("*.py") if path.name != "__init__.py")
    modules = [(f"`{path.relative_to(room).as_posix()}`", _summary(path)) for path in files]
    return [(f"**`{name}/`**", f"**{_summary(room / '__init__.py')}**"), *modules]


def _summary(path: Path) -> str:
    """Return the first paragraph of a module's docstring, without importing the module."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split()).replace("|", "\\|")


def table_of_dataset_games() -> str:
    """The columns of the games of a data set."""
    from alhambra_env.datasets.tables import GAMES  # needs the extra `data`

    return _table_of_columns(GAMES)


def table_of_dataset_decisions() -> str:
    """The columns of the decisions of a data set."""
    from alhambra_env.datasets.tables import DECISIONS, OBSERVATION, OBSERVATION_MEANING

    stored = {OBSERVATION: ("fixed_size_binary", OBSERVATION_MEANING)}
    return _table_of_columns(DECISIONS | stored)


def _table_of_columns(columns: Mapping[str, tuple[object, str]]) -> str:
    return _rows(
        ("column", "type", "meaning"),
        (
            (f"`{name}`", f"`{kind}`".replace("item: ", "").replace("element: ", ""), meaning)
            for name, (kind, meaning) in columns.items()
        ),
    )


def table_of_libraries() -> str:
    """The libraries that `make test-libraries` runs."""
    return _rows(
        ("library", "version", "works", "decisions a second", "example", "what it does"),
        (
            (
                each.title,
                pin_of(each),
                "yes",  # otherwise `make test-libraries` fails
                f"{each.speed:,}" if each.speed else "-",
                f"`{each.example}`".replace("`-m", "`python -m"),
                each.use,
            )
            for each in read_table().values()
        ),
    )


def table_of_turn_features() -> str:
    """Return the features of a choice."""
    rows = []
    for groups, of in ((CHOICE_GROUPS, "the choice"), (TABLE_GROUPS, "the table")):
        for group in groups:
            start = STARTS[group.name]
            rows.append(
                (f"`{group.name}`", of, f"{start} to {start + group.size - 1}", group.meaning)
            )
    return _rows(("group", "of", "columns", "meaning"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "turn_features": table_of_turn_features,
    "layers": picture_of_layers,
    "rooms": table_of_rooms,
    "actions": table_of_actions,
    "fields": table_of_fields,
    "checks": table_of_checks,
    "editions": table_of_editions,
    "aid": table_of_aid,
    "picture": picture_of_game,
    "pieces": table_of_pieces,
    "rewards": table_of_rewards,
    "bots": table_of_bots,
    "bot_settings": table_of_bot_settings,
    "units": table_of_units,
    "weights": table_of_weights,
    "ladder": table_of_ladder,
    "checkpoints": table_of_checkpoints,
    "libraries": table_of_libraries,
    "dataset_games": table_of_dataset_games,
    "dataset_decisions": table_of_dataset_decisions,
}


def fill_in(page: str) -> str:
    """Return the text of a page with up-to-date tables."""
    pattern = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
    return pattern.sub(lambda m: m[1] + TABLES[m[2]]() + m[3], page)


def main() -> None:
    """Update all pages."""
    for path in PAGES:
        path.write_text(fill_in(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
