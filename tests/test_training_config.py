from pathlib import Path
from typing import Any

import pytest
import yaml

from training.config import Config, dump_config, load_config, make_config

CONFIGS = sorted(Path("configs").glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_file_of_settings_is_valid_and_named_after_its_run(path: Path) -> None:
    assert load_config(path).name == path.stem


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_file_of_settings_lists_only_what_differs_from_the_defaults(path: Path) -> None:
    def check(given: dict[str, Any], defaults: dict[str, Any]) -> None:
        for key, value in given.items():
            if isinstance(defaults[key], dict) and key != "opponents":
                check(value, defaults[key])
            else:
                assert value != defaults[key], key

    check(yaml.safe_load(path.read_text()), Config().model_dump(mode="json"))


def test_there_are_files_for_a_quick_start_and_for_two_to_four_players() -> None:
    assert {"quickstart", "ppo_2p", "ppo_3p", "ppo_4p"} <= {path.stem for path in CONFIGS}


def test_settings_on_the_command_line_come_before_those_of_the_file() -> None:
    config = make_config(
        {"ppo": {"epochs": 7}, "seed": 1},
        ["seed=5", "ppo.steps=2_000", "ppo.learning_rate=1e-4", "opponents={pool: 1, saver: 2}"],
    )
    assert (config.seed, config.ppo.epochs, config.ppo.steps) == (5, 7, 2000)
    assert config.ppo.learning_rate == 1e-4
    assert config.opponents == {"pool": 1, "saver": 2}


def test_all_settings_can_be_written_and_read_again(tmp_path: Path) -> None:
    config = make_config({}, ["game.hands=open", "evaluation.opponents=[saver]"])
    (tmp_path / "all.yaml").write_text(dump_config(config))
    assert load_config(tmp_path / "all.yaml") == config


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("sed=1", "unknown setting 'sed'; did you mean 'seed'"),
        ("ppo.learning_rat=1", "setting of ppo 'learning_rat'; did you mean 'learning_rate'"),
        ("ppo.epochs=0", "ppo.epochs: .* greater than or equal to 1, not 0"),
        ("ppo.epochs=many", "ppo.epochs: .* integer.*, not 'many'"),
        ("ppo.gamma=.nan", "ppo.gamma: .* finite"),
        ("ppo=3", "ppo: "),
        ("seed.x=3", "seed has no settings of its own"),
        ("seed", "'seed' is no setting"),
        ("seed=[", "cannot be read"),
        ("name=../up", "name: "),
        ("game.num_players=7", "2 to 6"),
        ("game.edition=italien", "did you mean 'italian'"),
        ("game.pieces=[city]", "also needs the pieces market"),
        ("game.hands=opened", "hands must be one of"),
        ("imitation.teacher=bilder", "unknown bot 'bilder'; did you mean 'builder'"),
        ("opponents={pol: 1}", "unknown bot 'pol'"),
        ("opponents={pool: -1}", "shares of opponents"),
        ("opponents={}", "shares of opponents"),
    ],
)
def test_a_setting_that_is_not_allowed_is_explained(override: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_config({"seed": 3} if override == "seed.x=3" else {}, [override])


@pytest.mark.parametrize("text", ["[1, 2]", "a: b: c", "just words"])
def test_a_file_without_settings_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"bad\.yaml"):
        load_config(path)
    with pytest.raises(ValueError, match="cannot be read"):
        load_config(tmp_path / "missing.yaml")


def test_the_defaults_are_valid() -> None:
    assert Config() == make_config({})
