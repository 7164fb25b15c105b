"""The report of a sweep in headless Chromium.

Checks the plots, the points that are never joined or averaged, the readers' choices, and downloads. usage:
report_page_test.py TRNSIM CONFIGS. The exit status is 77 (skipped) without Chromium.
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common"))
from browser import PHONE, Browser, find
from lacking import end_without
from page_checks import Checks, check_page

# 3 bandwidths x 2 engine counts; the points with little memory fail.
SWEEP = """
base: small16
trace: true
wave: true
axes:
  - hbm.bandwidth: [25 GB/s, 50 GB/s, 820 GB/s]
  - dma.engines: [1, 4]
  - hbm.capacity: [1 GiB, 64 KiB]
kernels:
  - matmul: { M: 128, K: 128, N: [64, 96] }
  - gelu: { rows: 16, cols: 32 }
filter: hbm.capacity == 1 GiB or kernel == 'matmul'
metrics: [cycles, time, dma_busy, hbm_bytes]
"""
# Only the kernels' operations differ.
SHAPES = """
base: small16
kernels:
  - gelu: { rows: 16, cols: [16, 32, 64] }
"""
# Points that differ only in ranks, and clocks.
RANKS = """
base: small16
server: trn1-4
fidelity: fast
kernels:
  - all_gather_matmul: { M: 64, K: 128, N: 64, pieces: [1, 4], ranks: [2, 4] }
"""
CLOCKS = """
base: small16
fidelity: fast
axes:
  - core.clock: [2.8 GHz, 3.2 GHz]
kernels:
  - gelu: { rows: 16, cols: 32 }
"""
MATMUL, N96 = "matmul", "M=128 K=128 N=96 dtype=bf16"


def at(**choice):
    return urlencode({name.replace("__", "."): value for name, value in choice.items()})


def counts(browser, figure):
    return browser.run(
        f"[{', '.join(repr(s) for s in ('.panel', '.mark', '.join'))}]"
        f".map(s => document.querySelectorAll('#{figure} ' + s).length)"
    )


def rows(browser, figure):
    return list(csv.DictReader(io.StringIO(browser.run(f"csvOf(rows.{figure})"))))


def check_sweep(browser, page, check):
    check_page(browser, page, check)
    browser.open(page)
    check.equal(
        "kernel", browser.run("[get('kernel'), get('shape')]"), [MATMUL, "M=128 K=128 N=64 dtype=bf16"]
    )
    check.equal(
        "base of the sweep",
        browser.run("get('against')"),
        "hbm.bandwidth 820 GB/s, dma.engines 4, hbm.capacity 1 GiB",
    )
    # There is a panel for each capacity: one with two lines of three points, one with six that failed.
    check.equal("lines", counts(browser, "line"), [2, 12, 2])
    check.equal("failed points", browser.run("document.querySelectorAll('#line .failed').length"), 6)
    check.equal("cells", counts(browser, "heat"), [2, 12, 0])
    check.equal(
        "cells without a figure", browser.run("document.querySelectorAll('#heat .missing').length"), 6
    )
    check(
        "the failed points are listed",
        "12 of 30 points are not ok" in browser.run("byId('problems').innerText"),
    )
    check(
        "units and source in words",
        "in B/s; a key of the configuration"
        in browser.run("document.querySelector('#line figcaption').innerText"),
    )
    check.equal("explained", browser.run("document.querySelectorAll('#meanings dt').length"), 5 + 4)

    # The lines of each kernel and shape are its own; none has a point of another.
    browser.open(page, at(kernel="(all)", **{"hbm.capacity": "1 GiB"}))
    check.equal("lines of all work", counts(browser, "line")[1:], [18, 6])
    check.equal("Pareto fronts", browser.run("document.querySelectorAll('#pareto .front').length"), 3)
    browser.open(page, at(kernel="(all)", **{"hbm.capacity": "1 GiB", "heat.facet": "", "heat.of": "mean"}))
    check.equal("cells of all work", counts(browser, "heat")[:2], [3, 18])
    browser.open(
        page,
        at(kernel=MATMUL, shape="(all)", line__x="kernel.N", line__facet="", **{"hbm.capacity": "1 GiB"}),
    )
    check.equal("shapes are not joined", counts(browser, "line"), [1, 12, 0])

    # The speed-up is relative to the sweep's base by default, then to another.
    for base in ("", "hbm.bandwidth 25 GB/s, dma.engines 1, hbm.capacity 1 GiB"):
        choice = {
            "shape": N96,
            "hbm.capacity": "1 GiB",
            "line.show": "speed-up",
            **({"against": base} if base else {}),
        }
        browser.open(page, urlencode(choice))
        shown = rows(browser, "line")
        cycles = browser.run("Object.fromEntries(points.map(p => [p.point, p.metrics.cycles]))")
        settings = (25e9, 1) if base else (820e9, 4)
        first = next(r for r in shown if (float(r["hbm.bandwidth (B/s)"]), int(r["dma.engines"])) == settings)
        check.equal("rows", len(shown), 6)
        for row in shown:
            expected = cycles[first["point"]] / cycles[row["point"]]
            check("speed-up", abs(float(row["cycles: times better than the base"]) - expected) < 1e-9)
        check.equal("base line", browser.run("document.querySelectorAll('#line .base').length"), 1)
    browser.open(page, urlencode({"hbm.capacity": "64 KiB", "line.show": "speed-up"}))
    check("nothing to draw is said", "No point" in browser.run("byId('line').innerText"))

    # Controls, the address, the table.
    browser.open(page)
    browser.run(
        "{const c = controls.get('line.y').input; c.value = 'time'; c.dispatchEvent(new Event('change'));}"
    )
    check("the address has the choice", "line.y=time" in browser.run("location.hash"))
    check("redrawn", "time (s)" in browser.run("document.querySelector('#line svg').textContent"))
    browser.run("location.hash = 'kernel=gelu'; new Promise(done => setTimeout(done, 100))")
    check.equal("the table has what is chosen", browser.run("byId('points').tBodies[0].rows.length"), 6)
    column = browser.run("columns.findIndex(c => c.name === 'cycles')")
    order = "[...byId('points').tBodies[0].rows].map(r => pointOf.get(r).metrics.cycles)"
    browser.run(f"byId('points').tHead.rows[0].cells[{column}].firstChild.focus()")
    browser.press("Enter")
    check("sorted", browser.run(order) == sorted(browser.run(order)))
    browser.press("Enter")
    check("the other way", browser.run(order) == sorted(browser.run(order), reverse=True))
    browser.run("document.querySelector('#line svg').focus()")
    browser.press("ArrowRight")
    check(
        "a mark says what it is", "gelu" in browser.run("document.querySelector('#line output').textContent")
    )
    links = browser.run("[...document.querySelectorAll('#points a')].map(a => a.getAttribute('href'))")
    check.equal("links", len(links), 12)
    check("links lead to files", all((page.parent / link).is_file() for link in links))

    # Downloads.
    for figure in ("line", "heat", "pareto"):
        size = browser.run(
            f"pngOf(document.querySelector('#{figure} svg')).then(async b => [b.type, b.size, (await "
            "createImageBitmap(b)).width])"
        )
        check(f"PNG of {figure}: {size}", size[0] == "image/png" and size[1] > 5000 and size[2] > 1000)
    check.equal("complaints", browser.complaints(), [])
    browser.resize(PHONE)
    browser.open(page, at(line__show="speed-up", kernel="(all)"))
    check.equal("width on a phone", browser.run("document.documentElement.scrollWidth"), PHONE[0])


def check_shapes(browser, page, check):
    check_page(browser, page, check)
    browser.open(page)
    check.equal("only shapes differ", counts(browser, "line"), [1, 3, 0])
    check("no heat map", browser.run("byId('heat').hidden"))
    check("no base to choose", browser.run("controls.get('against').wrapper.hidden"))


def check_ranks(browser, page, check):
    check_page(browser, page, check)
    browser.open(page)
    check.equal("x and y", browser.run("[get('line.x'), get('line.y')]"), ["kernel.ranks", "speed_up"])
    check.equal("a line over ranks for each number of pieces", counts(browser, "line"), [1, 4, 2])
    first = [row for row in rows(browser, "line") if row["kernel.ranks"] == "2"]
    check.equal("the fewest ranks are the base", [float(row["speed_up"]) for row in first], [1, 1])
    browser.open(page, at(line__y="efficiency"))
    check.equal("efficiency", counts(browser, "line"), [1, 4, 2])
    check.equal(
        "fronts are of one work", browser.run("document.querySelectorAll('#pareto .front').length"), 4
    )


def check_clocks(browser, page, check):
    browser.open(page)
    chosen = browser.run("['line.y', 'pareto.x'].map(get)")
    check.equal("times, as the clock varies", chosen, ["time", "time"])


def main():
    program, configs = sys.argv[1:]
    if not find():
        end_without("Chromium")
    check = Checks()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        environment = dict(os.environ, TRNSIM_CONFIG_PATH=configs, XDG_CACHE_HOME=str(Path(folder, "cache")))
        for name, text, status, look in (
            ("s", SWEEP, 1, check_sweep),
            ("shapes", SHAPES, 0, check_shapes),
            ("ranks", RANKS, 0, check_ranks),
            ("clocks", CLOCKS, 0, check_clocks),
        ):
            sweep = Path(folder, name + ".yaml")
            sweep.write_text(text)
            out = Path(folder, name)
            result = subprocess.run(
                [program, "sweep", sweep, "-o", out],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            check.equal(f"{name}: exit status", result.returncode, status)
            look(browser, out / "report.html", check)
    print(f"{check.count} checks")
    return check.status


if __name__ == "__main__":
    sys.exit(main())
