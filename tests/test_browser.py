"""The browser of the tests works, and axe-core finds what it should."""

from typing import TYPE_CHECKING

import pytest

from tests import browser as browser_tools
from tests.browser import grave_faults, require_browser

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_axe_finds_a_fault_and_passes_a_sound_page(page: "Page") -> None:
    sound = "<html lang='en'><title>t</title><main><h1>h</h1>{}</main></html>"
    page.set_content(sound.format("<button>press</button>"))
    assert grave_faults(page) == []
    page.set_content(sound.format("<button></button>"))
    assert any("button-name" in fault for fault in grave_faults(page))


def test_without_a_browser_tests_are_skipped_but_fail_in_ci(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(browser_tools, "find_browser", lambda: None)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"need .*Chromium"):
        require_browser()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"need .*Chromium"):
        require_browser()
