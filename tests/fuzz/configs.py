"""Names of runs, files of settings, and settings on the command line."""

import random
import tempfile
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath

import yaml

from tests.fuzz import nasty
from tests.fuzz.attack import ACCEPTED, REFUSED, Broken, refuses
from training.config import Config
from training.config_file import dump_config, load_config, make_config

_LETTERS = 'aA0._-/\\:*?"<>|~ \0\n\u202e\u00e9%$'


def attack_name(rng: random.Random) -> str:
    """Name a run. A name that is accepted must be one folder within `checkpoints`, everywhere."""
    if rng.random() < 0.5:
        name = "".join(rng.choice(_LETTERS) for _ in range(rng.randrange(8)))
    else:
        name = rng.choice(nasty.WORDS) + rng.choice(("", ".", ".txt", "/", "x", ".old", " "))
    if refuses(lambda: make_config({"name": name}), ValueError) == REFUSED:
        return REFUSED
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.name != name or path.is_absolute() or path.is_reserved() or name.startswith("."):
            raise Broken(f"{name!r} is accepted as a name")
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "checkpoints" / name
        folder.mkdir(parents=True)
        if [each.name for each in (Path(root) / "checkpoints").iterdir()] != [name]:
            raise Broken(f"{name!r} is another folder than it says")
    return ACCEPTED


@cache
def _texts() -> list[str]:
    configs = Path(__file__).resolve().parent.parent.parent / "configs"
    files = [path.read_text(encoding="utf-8") for path in sorted(configs.glob("*.yaml"))]
    return [dump_config(Config()), *files]


_BOMBS = (
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    "[" * 30_000,
    "{a: " * 10_000,
    "- " * 20_000,
    "? " * 20_000,
    "seed: " + "9" * 5_000,
    "&a [*a]",
    "<<: {seed: 1}\n",
    "!!python/object/apply:os.system [exit]\n",
    "%YAML 9.9\n---\nseed: 1\n",
    "seed: |\n" + "  x\n" * 5_000,
    "--- 1\n--- 2\n",
)


def attack_file(rng: random.Random) -> str:
    """Read a file of settings after it was changed."""
    kind = rng.random()
    if kind < 0.1:
        data = rng.choice(_BOMBS).encode()
    elif kind < 0.5:
        data = nasty.damaged_bytes(rng.choice(_texts()).encode(), rng)
    elif kind < 0.7:
        text = nasty.damaged_text(rng.choice(_texts()), rng)
        data = text.encode("utf-8", "surrogatepass")
    else:
        tree = nasty.damaged_tree(yaml.safe_load(_texts()[0]), rng)
        try:
            data = yaml.safe_dump(tree).encode("utf-8", "surrogatepass")
        except yaml.YAMLError:  # something that YAML cannot hold
            data = str(tree).encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.yaml"
        path.write_bytes(data)
        return refuses(lambda: load_config(path), ValueError, what="settings")


def attack_override(rng: random.Random) -> str:
    """Give settings as on the command line, and as a dictionary."""
    if rng.random() < 0.3:
        tree = nasty.damaged_tree(Config().model_dump(mode="json"), rng)
        given = tree if isinstance(tree, dict) else {"seed": tree}
        return refuses(lambda: make_config(given), ValueError, what="dictionary")
    sections = Config().model_dump()
    key = rng.choice(list(sections))
    if isinstance(sections[key], dict) and rng.random() < 0.9:
        key = f"{key}.{rng.choice([*sections[key], rng.choice(nasty.WORDS)])}"
    text = f"{key}={nasty.value(rng)}"
    if rng.random() < 0.1:
        text = nasty.damaged_text(text, rng)
    return refuses(lambda: make_config({}, [text]), ValueError, what=text[:80])
