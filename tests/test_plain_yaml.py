"""YAML from untrusted files: what is read, and as which type."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from training.config_file import make_config
from training.plain_yaml import BadYaml, read_yaml


@pytest.mark.parametrize(
    "text",
    [
        'seed: !!int "5"',
        "name: !!binary YWJj",
        "opponents: !!set {builder, planner}",
        "seed: ! 5",
        "!!map {seed: 5}",
        "seed: !!python/name:os.getcwd",
        "seed: !own 5",
    ],
)
def test_tags_are_refused(text: str) -> None:
    with pytest.raises(BadYaml, match=r"tag.*line 1") as caught:
        read_yaml(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["<<: {seed: 5}", "ppo: {<<: {epochs: 3}}", "<<: [{seed: 5}]"])
def test_merge_keys_are_refused(text: str) -> None:
    with pytest.raises(BadYaml, match="the key << is not read"):
        read_yaml(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-5", -5),
        ("+5", 5),
        ("2_000_000", 2_000_000),
        ("1.5", 1.5),
        ("1.0e-4", 1e-4),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("010", "010"),
        ("1:1", "1:1"),
        ("1:1.5", "1:1.5"),
        ("0x10", "0x10"),
        ("0b11", "0b11"),
        ("1_", "1_"),
        ("'5'", "5"),
        ("true", True),
        ("~", None),
    ],
)
def test_numbers_are_decimal(text: str, value: Any) -> None:
    read = read_yaml(f"key: {text}")["key"]
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize("text", ["1:1", "0x10", "0b11", "1_"])
def test_other_numbers_are_refused_as_settings(text: str) -> None:
    with pytest.raises(ValueError, match=f"threads: must be a whole number, not '{text}'"):
        make_config({}, [f"threads={text}"])
