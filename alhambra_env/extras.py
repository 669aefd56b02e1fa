"""Optional packages, and the command that installs them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

EXTRAS: Final = {
    "arena": ("filelock", "matplotlib", "openskill", "rich", "scipy", "typer"),
    "data": ("h5py", "minari", "pyarrow"),
    "openspiel": ("pyspiel",),
    "play": ("starlette", "uvicorn"),
    "ray": ("ray", "lz4", "ormsgpack", "pandas", "pyarrow", "tensorboardX", "tree"),
    "render": ("PIL", "imageio_ffmpeg", "reportlab", "resvg_py", "svglib"),
    "torchrl": ("torchrl",),
    "train": (
        "pydantic",
        "sb3_contrib",
        "stable_baselines3",
        "tensorboard",
        "torch",
        "yaml",
    ),
    "window": ("pygame",),
}
"""The modules that each extra of `pyproject.toml` installs; the others include `arena`."""


class MissingExtra(ModuleNotFoundError):
    """A package of an extra is not installed; the message says how to install it."""

    def __init__(self, package: str, extra: str) -> None:
        """Take a package and the extra that it belongs to."""
        super().__init__(
            f'{package} is not installed; it needs: pip install "alhambra-env[{extra}]"',
            name=package,
        )


@contextmanager
def extras_explained() -> Iterator[None]:
    """Raise `MissingExtra` if an import within fails because an extra is not installed."""
    try:
        yield
    except MissingExtra:
        raise
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        for extra, packages in EXTRAS.items():
            if package in packages:
                raise MissingExtra(package, extra) from None
        raise


def check_installed(extra: str) -> None:
    """Raise `MissingExtra` if a package of an extra, or of `arena`, is not installed."""
    for package in dict.fromkeys((*EXTRAS[extra], *EXTRAS["arena"])):
        try:
            is_there = find_spec(package) is not None
        except ImportError:
            is_there = False
        if not is_there:
            raise MissingExtra(package, extra)


def check_command(extra: str) -> None:
    """End `python -m PACKAGE.NAME` with one line if an extra is missing.

    The package calls it before the imports of the command would fail. It does nothing when the
    package is only imported.
    """
    if sys.argv[:1] != ["-m"]:  # what it is while Python looks for the command
        return
    try:
        check_installed(extra)
    except MissingExtra as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
