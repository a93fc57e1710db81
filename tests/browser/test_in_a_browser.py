"""The pages in a real browser: Debian's Chromium, without a network. Run by ``make test-browser``.

Pictures of the pages go to the folder PICTURES, if that is set: `docs/pictures` holds those of the guide.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.web import SPLITTING, branching_program

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("there is no Chromium here: apt-get install chromium", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="there is no playwright here")

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright  # noqa: E402

pytestmark = pytest.mark.browser

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDTHS = (360, 1280, 2560)
EXAMPLES = Path(__file__).parents[2] / "examples"

TREE = branching_program(6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    words = ["serve", "--port=0", f"--journal={folder / 'runs'}", "--jobs=1", "--workers=2"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-P", "-m", "cleave.cli.main", *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    yield found[0].rstrip("/")
    process.send_signal(signal.SIGINT)
    process.wait(30)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """What the console says is an error of the test."""
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    assert said == []


def picture(page: Page, name: str, *, whole: bool = False) -> None:
    if os.environ.get("PICTURES"):
        place = Path(os.environ["PICTURES"])
        place.mkdir(parents=True, exist_ok=True)
        page.set_viewport_size({"width": 1000, "height": 700})
        page.screenshot(path=place / f"{name}.png", full_page=whole)
        page.set_viewport_size({"width": 1280, "height": 900})


_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll"))
  .slice(0, 5).map((one) => one.outerHTML.slice(0, 200))"""


def fits(page: Page) -> None:
    """Nothing sticks out, at any width."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for _ in range(20):  # the new width reaches the page a little later
            beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if beyond <= 0:
                break
            page.wait_for_timeout(50)
        assert beyond <= 0, (page.url, width, page.evaluate(_WIDE))
    page.set_viewport_size({"width": 1280, "height": 900})


def submit(page: Page, server: str, file: Path, **options: str) -> None:
    page.goto(f"{server}/submit")
    page.set_input_files("input[type=file]", file)
    for name, value in options.items():
        page.select_option(f"[name={name}]", value) if name == "engine" else page.fill(f"[name={name}]", value)
    page.click("button.main")
    page.wait_for_url("**/runs/**")


def test_a_submitted_file_its_counterexample_and_its_report(
    page: Page, context: BrowserContext, server: str, folder: Path
) -> None:
    name = "<script>alert(1)<b>.bpl"
    file = folder / name
    file.write_text((EXAMPLES / "withdraw.bpl").read_text())
    page.goto(f"{server}/submit")
    fits(page)
    picture(page, "submit")
    submit(page, server, file)
    page.wait_for_selector(".badge.v-unsafe")
    page.wait_for_selector("[data-trace]")
    expect(page.locator("h1")).to_have_text(name)
    position = page.locator("[data-position]")
    last = position.text_content()
    page.keyboard.press("Home")
    expect(position).to_contain_text("step 1 of")
    page.keyboard.press("ArrowDown")
    second = position.text_content()
    assert second != last
    assert "step 1 of" not in (second or "")
    page.keyboard.press("ArrowUp")
    expect(position).to_contain_text("step 1 of")
    page.keyboard.press("End")
    expect(position).to_have_text(last or "")
    assert page.locator(".source li.now").count() == 1
    fits(page)
    page.locator("section[aria-label=Counterexample]").scroll_into_view_if_needed()
    picture(page, "counterexample")
    with page.expect_download() as download:
        page.click("text=report")
    report = folder / "report.html"
    download.value.save_as(report)
    context.set_offline(True)
    page.goto(report.as_uri())
    expect(page.locator("h1")).to_have_text(name)
    page.keyboard.press("Home")
    expect(page.locator("[data-position]")).to_contain_text("step 1 of")
    fits(page)


def test_the_split_tree_of_a_run_that_was_started_elsewhere_grows(page: Page, server: str, folder: Path) -> None:
    file = folder / "tree.bpl"
    file.write_text(TREE)
    run = subprocess.Popen([sys.executable, "-P", "-c", SPLITTING, file.name, "runs"], cwd=folder)
    try:
        page.goto(server)
        page.click("table a:text('tree.bpl')")
        page.wait_for_selector("svg.part")
        first = page.locator("svg.part").count()
        page.locator("svg.part").nth(first + 3).wait_for()
        page.locator("svg.part").first.click()
        expect(page.locator(".chosen").first).to_contain_text("whole search")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".chosen").first).not_to_contain_text("Choose")
        fits(page)
        picture(page, "run", whole=True)
        page.wait_for_selector(".badge.v-safe", timeout=45_000)
        expect(page.locator("progress")).to_have_count(0)
        assert page.locator("svg.part.s-closed").count() > 2
        page.emulate_media(color_scheme="dark")
        picture(page, "run-dark", whole=True)
    finally:
        run.kill()
        run.wait()


def test_stop_and_resume(page: Page, server: str, folder: Path) -> None:
    file = folder / "long.bpl"
    file.write_text(TREE)
    submit(page, server, file, engine="pdr", timelimit="50")
    page.wait_for_selector(".badge.v-going-on")
    page.click("button:text('stop')")
    page.wait_for_selector("button:text('resume')")
    expect(page.locator(".badge").first).to_contain_text(re.compile("unknown|stopped"))
    page.click("button:text('resume')")
    page.wait_for_selector(".badge.v-going-on")
    page.click("button:text('stop')")
    page.wait_for_selector("button:text('resume')")


def test_many_files_at_once_and_two_runs_compared(page: Page, server: str, folder: Path) -> None:
    for engine in ("auto", "pdr"):
        page.goto(f"{server}/submit")
        page.set_input_files("input[type=file]", [EXAMPLES / name for name in ("chain.bpl", "lock.bpl")])
        page.select_option("[name=engine]", engine)
        page.fill("[name=timelimit]", "10")
        page.click("button.main")
        page.wait_for_url("**/results**")
        expect(page.locator(".v-waiting, .v-running")).to_have_count(0, timeout=30_000)
    page.goto(f"{server}/jobs")
    fits(page)
    picture(page, "jobs")
    for box in page.locator("input[name=batch]").all()[:2]:
        box.check()
    page.click("button:text('results')")
    page.wait_for_selector(".scatter circle")
    fits(page)
    picture(page, "results", whole=True)
    page.goto(server)
    fits(page)
    picture(page, "runs")
    page.select_option("[name=verdict]", "unsafe")
    page.click("button:text('filter')")
    assert page.locator("tbody tr").count() >= 1
    assert page.locator(".v-safe").count() == 0
    page.goto(server)
    for box in page.locator("input[name=run]").all()[:2]:
        box.check()
    page.click("button:text('compare')")
    expect(page.locator("h1")).to_have_text("Two runs")
    fits(page)
    picture(page, "compare")
