"""The web table in the process of a test."""

from collections.abc import Iterator

import pytest

PAGES = pytest.StashKey[object]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test in a browser shows what was on its pages, and what the server said."""
    report = yield
    if report.when == "call" and report.failed and PAGES in item.stash:
        report.sections.append(("pages and server", item.stash[PAGES].shown(item.name)))
    return report


@pytest.fixture
def client(tmp_path) -> Iterator[object]:
    pytest.importorskip("starlette", reason="needs the extra 'play'")
    from tests.table.web.visitors import serving

    with serving(tmp_path) as client:
        yield client


@pytest.fixture
def server(tmp_path, request) -> Iterator[object]:
    """`play.py` as a process of its own; its parameter has other arguments of `Server`."""
    from tests.table.web.browser.pages import Server

    server = Server(tmp_path / "tables", **getattr(request, "param", {}))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra 'test'")

    from tests.table.web.browser.pages import CHROMIUM

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium, server, request) -> Iterator[object]:
    """Opens pages, each in a browser profile of its own, which do not dwell on what happens unless `staging` says so.
    An error in a page fails the test.
    """
    from tests.table.web.browser.pages import OpenPages

    contexts, pages = [], OpenPages(server)
    request.node.stash[PAGES] = pages

    def open_page(staging="off", **settings):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en", **settings})
        context.add_init_script(  # about:blank has no storage
            f"if (origin !== 'null') localStorage['w51.staging'] ??= '\"{staging}\"'"
        )
        contexts.append(context)
        page = context.new_page()
        pages.add(page)
        page.goto(server.address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not pages.errors
