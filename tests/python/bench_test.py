"""The benchmarks of python -m trnsim.bench."""

import re
import subprocess
import sys

import pytest

from trnsim.bench.silicon import command


def run(*names):
    return subprocess.run(
        [sys.executable, "-m", "trnsim.bench", *names],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_overhead():
    done = run("nki-overhead")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\w+ [\dx ]+?((?: +[\d.]+ %){5}) +[\d.]+ s +[\d.]+ s$", done.stdout, re.MULTILINE)
    assert len(rows) == 3, done.stdout
    for row in rows:
        assert sum(map(float, re.findall(r"[\d.]+", row))) == pytest.approx(100, abs=0.3)
    assert float(re.search(r"attention 4096 .* together ([\d.]+) s", done.stdout)[1]) > 0


# This runs in a process of its own, which simulates trn1 from then on.
COST = """import sys
from trnsim.bench import latencies
print(latencies.cost(next(row for row in latencies._rows() if row.name == sys.argv[1])))"""


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("nc_matmul, bf16, 512 columns", 589, 620),
        ("tensor_tensor, fp32", 1024, 1150),
        ("activation", 512, 600),
    ],
)
def test_cost_of_an_instruction(name, least, most):
    done = subprocess.run(
        [sys.executable, "-c", COST, name], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    assert least <= float(done.stdout) <= most


def test_a_name_that_is_not_there():
    done = run("nki-overhead", "nothing")
    assert done.returncode == 1 and done.stdout == ""
    assert (
        done.stderr.strip() == "python -m trnsim.bench: no benchmark 'nothing', expected one of "
        "nki-overhead, nki-simulation, nki-latencies, silicon"
    )
    done = run("nki-overhead", "silicon")
    assert done.returncode == 1 and done.stdout == ""
    assert (
        done.stderr.strip()
        == "python -m trnsim.bench: silicon beside others, expected it alone, with its options"
    )


def test_the_program_names_them(program):
    done = subprocess.run([program, "bench", "--help"], capture_output=True, text=True, check=True)
    listed = done.stdout.split("as by python -m trnsim.bench NAME:\n")[1].split("\n\n")[0]
    assert re.findall(r"^  (\S+)", listed, re.MULTILINE) == [
        "nki-overhead",
        "nki-simulation",
        "nki-latencies",
        "silicon",
    ]


def test_the_program_has_the_options_of_silicon(program):
    """The program hands options on; it declares those of the package's command, apart from its own."""
    shown = subprocess.run([program, "bench", "--help"], capture_output=True, text=True, check=True).stdout
    declared = re.findall(r"^  +(--[\w-]+).*silicon:", shown, re.MULTILINE)
    parser = command._parser()
    own = {"--help", "--json", "--quiet"}
    assert (
        set(declared)
        == {name for action in parser._actions for name in action.option_strings if name[:2] == "--"} - own
    )
