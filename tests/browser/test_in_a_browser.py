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

PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

# A busy machine may take long, and fails for nothing else.
pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDTHS = (360, 1280, 2560)
EXAMPLES = Path(__file__).parents[2] / "examples"

TREE = branching_program(6)

# The run stands still after its first split, and again before it ends, each time until somebody makes a file: a page
# has the time to see both, however fast or slow the machine is.
STANDING = """\
import time
from pathlib import Path
from cleave.engines.coordination import Received
from cleave.engines.inline.messages import SendPartition, from_worker
from cleave.journal.journal import Journal
append, finish = Journal.append, Journal.finish
def wait_for(file):
    while not Path(file).exists():
        time.sleep(0.05)
def append_and_wait(journal, events, stage=0):
    append(journal, events, stage)
    messages = [from_worker(event.message) for event in events if isinstance(event, Received)]
    if any(isinstance(message, SendPartition) for message in messages):
        wait_for("grow")
def wait_and_finish(journal, result):
    wait_for("finish")
    finish(journal, result)
Journal.append, Journal.finish = append_and_wait, wait_and_finish
"""
LONG = SPLITTING.replace("timelimit=120.0", "timelimit=380.0")  # the run waits for the browser
assert LONG != SPLITTING
FIRST_PARTS = 3  # the whole search, and the two that it was split into


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
    process.wait(PATIENCE / 1000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
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


def picture(page: Page, name: str, *, whole: bool = False, at: str = "body") -> None:
    if os.environ.get("PICTURES"):
        place = Path(os.environ["PICTURES"])
        place.mkdir(parents=True, exist_ok=True)
        page.evaluate("document.activeElement.blur()")
        page.set_viewport_size({"width": 1000, "height": 850 if at != "body" else 700})
        page.wait_for_function("innerWidth === 1000")
        page.locator(at).first.evaluate("(one) => one.scrollIntoView()")
        page.screenshot(path=place / f"{name}.png", full_page=whole)
        page.set_viewport_size({"width": 1280, "height": 900})


_FITS = "(width) => innerWidth === width && document.documentElement.scrollWidth <= width"
_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll"))
  .slice(0, 5).map((one) => one.outerHTML.slice(0, 200))"""


def fits(page: Page) -> None:
    """Nothing sticks out, at any width."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        try:  # the new width reaches the page a little later
            page.wait_for_function(_FITS, arg=width)
        except playwright.TimeoutError:
            raise AssertionError((page.url, width, page.evaluate(_WIDE))) from None
    page.set_viewport_size({"width": 1280, "height": 900})


def folding_by_keyboard(page: Page) -> None:
    """The steps inside of a call go away and come again."""
    page.wait_for_load_state()
    steps = page.locator("[data-steps] > li")
    shown = steps.locator("visible=true")
    number = shown.count()
    page.keyboard.press("Home")
    page.locator("[data-steps]").focus()
    for _ in range(number):
        if "call withdraw" in (page.locator("[data-steps] > li.now").text_content() or ""):
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(shown).not_to_have_count(number)
    page.keyboard.press("Enter")
    expect(shown).to_have_count(number)
    page.keyboard.press("End")


def sorting_by_keyboard(page: Page) -> None:
    page.wait_for_load_state()  # a key that is pressed before the script runs does nothing
    head = page.locator("th[tabindex]").first
    head.focus()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")


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
    page.wait_for_selector("body:not([data-live]) [data-trace]")
    expect(page.locator("h1")).to_have_text(name)
    position = page.locator("[data-position]")
    last = position.text_content()
    page.keyboard.press("Home")
    expect(position).to_contain_text("step 1 of")
    page.keyboard.press("ArrowDown")
    expect(position).not_to_contain_text("step 1 of")
    second = position.text_content()
    assert second != last
    page.keyboard.press("ArrowUp")
    expect(position).to_contain_text("step 1 of")
    page.keyboard.press("End")
    expect(position).to_have_text(last or "")
    assert page.locator(".source li.now").count() == 1
    folding_by_keyboard(page)
    fits(page)
    picture(page, "counterexample", at="[data-trace]")
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
    words = ["-P", "-c", STANDING + LONG, file.name, "runs"]
    run = subprocess.Popen([sys.executable, *words], cwd=folder)
    parts = page.locator("svg[aria-label='Split tree'] svg.part")
    try:
        page.goto(server)
        page.click("table a:text('tree.bpl')")
        expect(parts).to_have_count(FIRST_PARTS)
        page.wait_for_selector(".headline:has(.v-running) ~ .progress")
        expect(page.locator("figure.now tbody tr").first).to_contain_text("worker")
        (folder / "grow").touch()
        parts.nth(FIRST_PARTS + 3).wait_for()
        parts.first.click()
        expect(page.locator(".chosen").first).to_contain_text("whole search")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".chosen b").first).not_to_contain_text("whole search")
        fits(page)
        picture(page, "run", whole=True)
        (folder / "finish").touch()
        page.wait_for_selector(".badge.v-safe")
        expect(page.locator("progress")).to_have_count(0)
        assert page.locator("svg[aria-label='Split tree'] svg.s-closed").count() > FIRST_PARTS
        page.wait_for_selector("body:not([data-live])")
        moment = page.locator("figure.tree input[data-moment]").first
        moment.press("Home")
        expect(page.locator("svg.part.later").first).to_be_hidden()
        moment.press("End")
        expect(page.locator("svg.part.later")).to_have_count(0)
        page.emulate_media(color_scheme="dark")
        picture(page, "run-dark", whole=True)
    finally:
        run.kill()
        run.wait()


def test_the_schedule_of_threads_leads_to_its_steps(page: Page, server: str) -> None:
    submit(page, server, EXAMPLES / "bounded_buffer.c", timelimit="60")
    page.wait_for_selector("body:not([data-live]) [data-trace]")
    position, cursor = page.locator("[data-position]"), page.locator("[data-cursor]")
    at_the_end = float((cursor.get_attribute("x") or "").rstrip("%"))
    page.locator(".lanes-frame.tall svg.chart").click(position={"x": 3, "y": 10})
    expect(position).to_contain_text("step 1 of")
    assert float((cursor.get_attribute("x") or "").rstrip("%")) < at_the_end
    expect(page.locator(".source li.now")).to_have_count(1)
    page.keyboard.press("End")
    fits(page)
    picture(page, "schedule", at="figure.lanes")


def test_stop_and_resume(page: Page, server: str, folder: Path) -> None:
    file = folder / "long.bpl"
    file.write_text(TREE)
    submit(page, server, file, engine="pdr", timelimit="50")
    page.wait_for_selector(".headline:has(.v-running) ~ .progress")
    page.click("button:text('stop')")
    page.wait_for_selector("button:text('resume')")
    expect(page.locator(".badge").first).to_contain_text(re.compile("unknown|stopped"))
    page.click("button:text('resume')")
    page.wait_for_selector(".headline:has(.v-running) ~ .progress")
    page.click("button:text('stop')")
    page.wait_for_selector("button:text('resume')")


def test_many_files_at_once_and_two_runs_compared(page: Page, server: str, folder: Path) -> None:
    for engine in ("auto", "pdr"):
        page.goto(f"{server}/submit")
        page.set_input_files(
            "input[type=file]", [EXAMPLES / name for name in ("chain.bpl", "lock.bpl", "withdraw.bpl")]
        )
        page.select_option("[name=engine]", engine)
        page.fill("[name=timelimit]", "60")
        page.click("button.main")
        page.wait_for_url("**/results**")
        expect(page.locator(".v-waiting, .v-running")).to_have_count(0, timeout=3 * PATIENCE)
    page.goto(f"{server}/jobs")
    fits(page)
    picture(page, "jobs")
    for box in page.locator("input[name=batch]").all()[:2]:
        box.check()
    page.click("button:text('show results')")
    page.wait_for_selector(".scatter circle")
    rows = page.locator("#table tbody tr")
    expect(rows).to_have_count(3)
    page.select_option("[data-filter-status]", "unsafe")
    expect(rows.locator("visible=true")).to_have_count(1)
    page.select_option("[data-filter-status]", "")
    sorting_by_keyboard(page)
    fits(page)
    picture(page, "results", whole=True)
    page.goto(server)
    fits(page)
    picture(page, "runs")
    page.select_option("[name=verdict]", "unsafe")
    page.click("button:text('filter')")
    page.wait_for_url("**verdict=unsafe**")
    page.wait_for_selector("tbody tr")
    assert page.locator("tbody tr").count() >= 1
    assert page.locator(".v-safe").count() == 0
    page.goto(server)
    expect(page.locator("button:text('compare')")).to_be_disabled()
    for box in page.locator("input[name=run]").all()[:2]:
        box.check()
    page.click("button:text('compare')")
    expect(page.locator("h1")).to_have_text("Two runs")
    fits(page)
    picture(page, "compare")
