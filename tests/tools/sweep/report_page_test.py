"""The report of a sweep in headless Chromium: plots are drawn, the table sorts, controls work, links lead to files, nothing is
loaded.

usage: report_page_test.py TRNSIM CONFIGS. Exit status 77 (skipped) without Chromium.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SWEEP = """
base: small16
trace: true
wave: true
axes:
  - hbm.bandwidth: [25 GB/s, 50 GB/s, 100 GB/s]
  - dma.engines: [1, 2]
kernels:
  - matmul: { M: 16, K: 16, N: [16, 32] }
"""

# Appended to the page: what a user does and what is seen then, as text in the document.
ACTIONS = """
<script>
const seen = [];
const look = what => seen.push(what);
const first = () => byId('points').tBodies[0].rows[0].cells;
const title = name => [...byId('points').tHead.rows[0].cells].find(c => c.textContent === name);
look('points ' + document.querySelectorAll('#line circle').length);
look('cells ' + document.querySelectorAll('#heat rect').length);
look('pareto ' + document.querySelectorAll('#pareto circle').length);
title('cycles').click();
look('least first ' + (first()[0].textContent !== '0'));
title('cycles').click();
look('most first ' + (+first()[0].textContent === points.reduce((a, b) => b.metrics.cycles > a.metrics.cycles ? b : a).point));
const before = byId('line').innerHTML;
byId('line-form').elements.y.value = 'time';
byId('line-form').dispatchEvent(new Event('change'));
look('redrawn ' + (byId('line').innerHTML !== before));
const anchors = [...document.querySelectorAll('#points a')];
look('links ' + anchors.length);
document.body.dataset.links = anchors.map(a => a.getAttribute('href')).join(' ');
look('loaded ' + performance.getEntriesByType('resource').length);
document.body.dataset.seen = seen.join('; ');
</script>
"""


def main():
    program, configs = sys.argv[1:]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("skipped: no Chromium")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        sweep = os.path.join(folder, "s.yaml")
        with open(sweep, "w") as file:
            file.write(SWEEP)
        out = os.path.join(folder, "out")
        environment = dict(os.environ, TRNSIM_CONFIG_PATH=configs, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        subprocess.run([program, "sweep", sweep, "-o", out], check=True, env=environment, stdout=subprocess.DEVNULL)
        page = os.path.join(out, "report.html")
        with open(page, "a") as file:
            file.write(ACTIONS)
        dom = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}/chromium", "--virtual-time-budget=5000", "--dump-dom", f"file://{page}"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, text=True).stdout
        links = re.search(r'data-links="([^"]*)"', dom)
        missing = [link for link in links.group(1).split() if not os.path.isfile(os.path.join(out, link))] if links else []
    if missing:
        print(f"links to files that are not there: {' '.join(missing)}")
        return 1
    found = re.search(r'data-seen="([^"]*)"', dom)
    seen = found.group(1) if found else "nothing: a script of the page failed"
    # 3 bandwidths x 2 engine counts x 2 widths; 6 cells of the heat map and 6 of its legend; legends have 2 to 3 circles.
    expected = ("points 14; cells 12; pareto 15; least first true; most first true; redrawn true; links 24; loaded 0")
    if seen != expected:
        print(f"expected: {expected}\nfound:    {seen}")
        return 1
    print(seen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
