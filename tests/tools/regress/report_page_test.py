"""The pages of a regression and its history in headless Chromium.

It has states and words to choose tests by, sorting, and links to the files of a failure. usage:
report_page_test.py TRNSIM CONFIGS. The exit status is 77 (skipped) without Chromium.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))
from browser import Browser, find
from lacking import end_without
from page_checks import Checks, check_page

# Two tests end too early, one without the error that it is to have.
LIST = """
name: sample
config: small16
coverage: {configs}/coverage/plan.yaml
tests:
  - {{ kernel: matmul, arguments: {{ M: [1, 37], K: 33, N: 70 }}, seed: [1, 2] }}
  - {{ kernel: softmax, arguments: {{ rows: 40, cols: [60, 96] }}, max_time: 1 us }}
  - {{ kernel: gelu, arguments: {{ rows: 5, cols: 7 }}, expect: trouble }}
"""
SHOWN = (
    "[...document.getElementById('tests').tBodies[0].rows].filter(r => r.offsetParent !== null).map(r => "
    "r.dataset.state)"
)
CYCLES = "[...document.getElementById('tests').tBodies[0].rows].map(r => +r.cells[2].textContent)"


def look_at_commands(browser, page, check):
    """Each failure has the commands of its result; a phone shows them without scrolling sideways."""
    results = json.loads((page.parent / "results.json").read_text())["results"]
    commands = [
        result["rerun"][what] for result in results if "rerun" in result for what in ("reproduce", "show")
    ]
    shown = browser.run("[...document.querySelectorAll('pre.command')].map(p => p.innerText)")
    check.equal("commands", shown, [command for command in commands if command])
    check(
        "a command each to repeat and to look",
        len(shown) >= 3 and all(" trnsim " in f" {command}" for command in shown),
    )


def look(browser, page, check):
    check_page(browser, page, check)
    browser.open(page)
    check.equal("all", browser.run(SHOWN), ["pass"] * 4 + ["timeout"] * 2 + ["no error"])
    states = browser.run("[...document.querySelectorAll('#filter fieldset label')].map(l => l.textContent)")
    check.equal("states", states, ["all 7", "failed 3", "pass 4", "no error 1", "timeout 2"])
    browser.run("document.querySelector('#filter [value=failed]').click()")
    check.equal("failed", browser.run(SHOWN), ["timeout", "timeout", "no error"])
    check.equal("address", browser.run("location.hash"), "#state=failed")
    check.equal("count", browser.run("document.getElementById('count').textContent"), "3 of 7 tests")
    browser.open(page, "state=timeout&find=cols=96")
    check.equal("from the address", browser.run(SHOWN), ["timeout"])
    browser.open(page, "failure-4")
    check.equal("a link to a failure leaves the choice", len(browser.run(SHOWN)), 7)
    browser.run("document.getElementById('tests').tHead.rows[0].cells[2].querySelector('button').focus()")
    browser.press("Enter")
    check("sorted", browser.run(CYCLES) == sorted(browser.run(CYCLES)))
    browser.press("Enter")
    check("the other way", browser.run(CYCLES) == sorted(browser.run(CYCLES), reverse=True))
    links = browser.run("[...document.querySelectorAll('#tests a')].map(a => a.getAttribute('href'))")
    kept = [link for link in links if not link.startswith("#")]
    check.equal("links", (len(links) - len(kept), len(kept)), (3, 9))
    check("links lead to files", all((page.parent / link).is_file() for link in kept))
    check(
        "links lead to failures",
        browser.run(
            f"{[link for link in links if link.startswith('#')]}.every(l => document.querySelector(l))"
        ),
    )
    look_at_commands(browser, page, check)
    check("coverage", browser.run("document.querySelectorAll('#coverage .bar').length") > 10)
    check.equal("complaints", browser.complaints(), [])


def look_at_history(browser, page, check):
    check_page(browser, page, check)
    browser.open(page)
    failed = "[...document.getElementById('runs').tBodies[0].rows].map(r => +r.cells[3].textContent)"
    check.equal("failed tests of the runs", browser.run(failed), [3])
    check.equal(
        "tests that failed", browser.run("document.getElementById('tests').tBodies[0].rows.length"), 3
    )
    check.equal("complaints of the history", browser.complaints(), [])


def main():
    program, configs = sys.argv[1:]
    if not find():
        end_without("Chromium")
    check = Checks()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        Path(folder, "l.yaml").write_text(LIST.format(configs=configs))
        result = subprocess.run(
            [
                program,
                "regress",
                Path(folder, "l.yaml"),
                "-o",
                Path(folder, "out"),
                "--coverage",
                "--history",
                Path(folder, "history.jsonl"),
            ],
            env=dict(os.environ, TRNSIM_CONFIG_PATH=configs),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        check.equal("exit status", result.returncode, 1)
        look(browser, Path(folder, "out/report.html"), check)
        look_at_history(browser, Path(folder, "out/history.html"), check)
    print(f"{check.count} checks")
    return check.status


if __name__ == "__main__":
    sys.exit(main())
