"""Every rule has a test that cites it."""

import re
import tokenize
from pathlib import Path

TESTS = Path(__file__).parent
RULES = TESTS.parent / "docs" / "rules.md"
FEWEST_RULES = 34


def numbered_rules() -> list[str]:
    """The numbers that the rules define, in bold: `R1`, `E4`."""
    text = RULES.read_text(encoding="utf-8")
    return list(dict.fromkeys(re.findall(r"\*\*([RE]\d+)", text)))


def cited_rules() -> set[str]:
    """The numbers that the comments of the tests name."""
    cited: set[str] = set()
    for path in sorted(TESTS.glob("test_*.py")):
        with path.open("rb") as file:
            comments = [
                token.string
                for token in tokenize.tokenize(file.readline)
                if token.type == tokenize.COMMENT
            ]
        cited.update(re.findall(r"\b[RE]\d+\b", " ".join(comments)))
    return cited


def test_the_rules_are_numbered() -> None:
    assert len(numbered_rules()) >= FEWEST_RULES


def test_every_rule_is_cited_by_a_test() -> None:
    cited = cited_rules()
    missing = [rule for rule in numbered_rules() if rule not in cited]
    assert not missing, f"no comment in tests/test_*.py cites {', '.join(missing)}"
