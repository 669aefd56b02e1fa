import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

import yaml

from training.config import Config
from training.config_file import dump_config, kind_of, load_config, make_config

CONFIGS = sorted(Path("configs").glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_file_of_settings_is_valid_and_named_after_its_run(path: Path) -> None:
    assert load_config(path).name.removeprefix("my_") == path.stem


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_no_file_of_settings_names_an_agent_that_comes_with_the_project(path: Path) -> None:
    shipped = {agent.parent.name for agent in Path("checkpoints").glob("*/meta.json")}
    assert len(shipped) >= 3
    assert load_config(path).name not in shipped


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_file_of_settings_lists_only_what_differs_from_the_defaults(path: Path) -> None:
    def check(given: dict[str, Any], defaults: dict[str, Any]) -> None:
        for key, value in given.items():
            if isinstance(defaults[key], dict) and key != "opponents":
                check(value, defaults[key])
            else:
                assert value != defaults[key], key

    given = yaml.safe_load(path.read_text())
    defaults = kind_of(given)().model_dump(mode="json")
    check({key: value for key, value in given.items() if key != "level"}, defaults)


def test_there_are_files_for_a_quick_start_and_for_two_to_four_players() -> None:
    assert {"quickstart", "quickstart_actions", "turns", "ppo_2p", "ppo_3p", "ppo_4p"} <= {
        path.stem for path in CONFIGS
    }


def test_settings_on_the_command_line_come_before_those_of_the_file() -> None:
    config = make_config(
        {"ppo": {"epochs": 7}, "seed": 1},
        ["seed=5", "ppo.steps=2_000", "ppo.learning_rate=1e-4", "opponents={pool: 1, saver: 2}"],
    )
    assert (config.seed, config.ppo.epochs, config.ppo.steps) == (5, 7, 2000)
    assert config.ppo.learning_rate == 1e-4
    assert config.model_dump()["opponents"] == {"pool": 1, "saver": 2}


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
        ("ppo.epochs=many", "ppo.epochs: must be a whole number, not 'many'"),
        ("ppo.epochs=1.5", "ppo.epochs: must be a whole number, not 1.5"),
        ("ppo.epochs=true", "'epochs' cannot be true"),
        ("ppo.gamma=.nan", "ppo.gamma: must be a finite number"),
        ("ppo.gamma=[1]", r"ppo.gamma: must be a number, not \[1\]"),
        ("ppo=3", "ppo: must be a section, whose settings are written ppo.key=value, not 3"),
        ("opponents=3", "opponents: must be names with numbers, such as"),
        ("evaluation.opponents=planner", "must be a list, such as .*, not 'planner'"),
        ("network.table_width=1000000", "less than or equal to 4096"),
        ("seed=5000000000", "less than 4294967296"),
        ("seed.x=3", "seed is not a section"),
        ("seed", "'seed' is not a setting"),
        ("seed=[", "cannot be read"),
        ("name=../up", "name: "),
        ("game.num_players=7", "2 to 6"),
        ("game.edition=italien", "did you mean 'italian'"),
        ("game.pieces=[city]", "also needs the pieces market"),
        ("game.hands=opened", "unknown hands"),
        ("imitation.teacher=bilder", "unknown bot 'bilder'; did you mean 'builder'"),
        ("opponents={pol: 1}", "unknown bot 'pol'"),
        ("opponents={pool: -1}", "opponents.pool: .* greater than or equal to 0"),
        ("opponents={pool: 0}", "shares of the opponents"),
        ("ppo.batch_size=8191", "leaves a batch of one decision"),
        ("opponents={}", "shares of the opponents"),
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


NO_NAMES = (".", "..", "...", "../up", "a/b", "a\\b", "", " ", "-a", "_a", ".a", "a.", "a b", "ä")
WINDOWS_NAMES = ("con", "CON", "nul", "aux.txt", "Com1", "LPT9.a.b")


@pytest.mark.parametrize("name", [*NO_NAMES, "a" * 101, "a\n", "a\0"])
def test_a_name_that_is_no_folder_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="a run's name has"):
        make_config({"name": name})
    with pytest.raises(ValueError, match="a run's name has"):
        make_config({}, [f"name={name}"])


@pytest.mark.parametrize("name", WINDOWS_NAMES)
def test_a_name_that_windows_reserves_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="a reserved name on Windows"):
        make_config({}, [f"name={name}"])


@pytest.mark.parametrize("name", ["a", "1", "007", "1e3", "a.b-c_d", "console", "a" * 100])
def test_other_names_are_taken_as_they_are_written(name: str) -> None:
    assert make_config({}, [f"name={name}"]).name == name


BOMB = "\n".join(
    ["a: &a [x, x, x, x, x, x, x, x, x]"]
    + [
        f"{key}: &{key} [{', '.join([f'*{before}'] * 9)}]"
        for before, key in zip("abcdefgh", "bcdefghi", strict=True)
    ]
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BOMB, "anchors and aliases are not read"),
        ("[" * 60_000, "nested more than"),
        ("- " * 30_000, "nested more than"),
        ("{a: " * 15_000, "nested more than"),
        ("x" * 70_000, "more than 65,536 bytes"),
        ("seed: 1\nseed: 2", "'seed' is given twice"),
        ("seed: " + "9" * 10_000, "cannot be read"),
        ('seed: !!int ""', "cannot be read"),
        ("seed: 2026-99-99", "cannot be read"),
        ("seed: !!bool x", "cannot be read"),
        ("seed: !!timestamp x", "cannot be read"),
        ("!!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("name: " + "a" * 60_000, "a run's name has"),
        ("1: 2", "Keys should be strings"),
    ],
)
def test_a_hostile_file_is_refused_quickly_and_in_few_words(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    begin = time.process_time()
    with pytest.raises(ValueError, match=says) as caught:
        load_config(path)
    assert len(str(caught.value)) < 1000
    assert time.process_time() - begin < 5  # it took minutes, and gigabytes


def test_one_opponent_is_changed_among_the_others() -> None:
    config = make_config({}, ["opponents.rollout=0.5", "opponents.planner=0"])
    assert config.model_dump()["opponents"] == Config().opponents | {"rollout": 0.5, "planner": 0}
    given = make_config({"opponents": {"saver": 1}}, ["opponents.random=1"])
    assert given.model_dump()["opponents"] == {"saver": 1, "random": 1}


def test_a_message_names_some_problems_and_counts_the_others() -> None:
    with pytest.raises(ValueError, match="and 15 more") as caught:
        make_config({f"x{i}": 1 for i in range(20)})
    assert len(str(caught.value)) < 2000


def test_the_defaults_are_valid() -> None:
    assert Config() == make_config({})
