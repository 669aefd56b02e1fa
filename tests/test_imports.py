"""What `import alhambra_env` does without."""

import subprocess
import sys

import pytest

HEAVY = (
    *("torch", "stable_baselines3", "matplotlib", "scipy", "pandas", "rich", "typer", "training"),
    *("pyarrow", "minari", "h5py", "resvg_py", "svglib", "reportlab", "PIL"),
)
STEP = """
import alhambra_env
game = alhambra_env.Game(seed=0)
game.step(game.legal_actions()[0])
env = alhambra_env.alhambra_v0.env()
env.reset(seed=0)
env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
alhambra_env.GameBatch(2, seed=0)
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_plays_where_heavy_packages_cannot_be_imported() -> None:
    run(f"import sys\nsys.modules.update(dict.fromkeys({HEAVY!r}))\n{STEP}")


@pytest.mark.parametrize("module", ["alhambra_env", "alhambra_env.players"])
def test_an_import_does_not_load_heavy_packages_that_are_there(module: str) -> None:
    loaded = run(f"import sys\nimport {module}\nprint(*sys.modules)").split()
    # Numba looks at the version of SciPy, which loads little of it.
    heavy = {*HEAVY, "scipy.stats", "scipy.linalg"} - {"scipy"}
    assert not heavy & set(loaded)
