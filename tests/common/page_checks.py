"""Checks for every page that trnsim writes."""

import browser as chromium


def check_page(browser, page, check):
    """Calls `check(text, truth)`: no complaint, no scrolling sideways on a phone, a heading, a printable
    page.
    """
    for name, size, scheme in (
        ("desktop", chromium.DESKTOP, "light"),
        ("phone", chromium.PHONE, "light"),
        ("dark", chromium.DESKTOP, "dark"),
    ):
        browser.resize(size)
        browser.prefer(scheme)
        browser.open(page)
        width = browser.run("document.documentElement.scrollWidth")
        check(f"{name}: {width} pixels wide, expected at most {size[0]}", width <= size[0])
        check(f"{name}: {browser.complaints()}", not browser.complaints())
        check(
            f"{name}: heading",
            browser.run(
                "document.querySelectorAll('h1').length === 1 && !!document.querySelector('h1').textContent"
            ),
        )
        light = browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        check(f"{name}: background", light == (scheme == "light"))
    unnamed = browser.run(
        "[...document.querySelectorAll('button, select, input')].filter(e => !e.textContent.trim() && "
        "!e.ariaLabel && "
        "!e.labels?.length).map(e => e.outerHTML)"
    )
    check(f"controls without a name: {unnamed}", not unnamed)
    browser.resize(chromium.PAPER)
    browser.prefer("dark", media="print")
    width = browser.run("document.documentElement.scrollWidth")
    check(f"paper: {width} wide", width <= chromium.PAPER[0])
    check(
        "paper: white", browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    check(
        "paper: no controls",
        browser.run("[...document.querySelectorAll('select, input')].every(e => e.offsetParent === null)"),
    )
    check(
        "paper: headings",
        browser.run("[...document.querySelectorAll('th')].every(e => e.offsetParent !== null)"),
    )
    pdf = browser.pdf()
    check("printed", pdf.startswith(b"%PDF") and len(pdf) > 10_000)
    browser.prefer("light")
    browser.resize(chromium.DESKTOP)


class Checks:
    """Collects checks: it is called with a text and whether it holds; `status` is the exit status."""

    def __init__(self):
        self.count, self.status = 0, 0

    def __call__(self, what, holds):
        self.count += 1
        if not holds:
            print(f"wrong: {what}")
            self.status = 1

    def equal(self, what, found, expected):
        self(f"{what}: found {found!r}, expected {expected!r}", found == expected)
