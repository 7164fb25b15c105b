"""trnsim bench silicon: measurements, kernels, the table, refits, and the command."""

import collections
import dataclasses
import json
import os
import random as randomness
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from trnsim import load_config, nki
from trnsim.bench.silicon import (
    baseline,
    calibrate,
    cases,
    command,
    keys,
    measurements,
    page,
    processes,
    public,
    scatter,
    search,
    table,
    worker,
)

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = measurements.public()
BY_NAME = {one.name: one for one in PUBLIC}
LIMITS = processes.Limits(seconds=600)


# Measurements


def test_the_public_measurements():
    assert len(PUBLIC) == 65
    assert sum(one.comparable for one in PUBLIC) == 20
    assert sum(one.part == measurements.HELD_OUT for one in PUBLIC) == 9
    names = [kernel.measurement for kernel in public.KERNELS]
    assert len(names) == len(set(names)) and set(names) <= set(BY_NAME)
    own = {case.measurement for case in cases.CASES}
    assert own <= set(BY_NAME) == set(names) | own
    silu = BY_NAME["NKIBench/silu"]
    assert (silu.ms, silu.vector_ms, silu.scalar_ms, silu.write_mb) == (1.333, 0.985, 0.420, 117.441)
    assert (silu.profile_ms, BY_NAME["NKIBench/bmm_optimized"].profile_ms) == (None, 4.492)
    assert BY_NAME["Autocomp/gemm_5"].array_percent is None


@pytest.mark.parametrize("one", PUBLIC, ids=lambda one: one.name)
def test_a_measurement_is_possible(one):
    """No engine is active for longer than the kernel, and no profile has more bytes than HBM moves."""
    assert (one.vector_ms or 0) <= one.ms and (one.scalar_ms or 0) <= one.ms
    assert ((one.read_mb or 0) + (one.write_mb or 0)) / one.ms <= 410  # GB/s, half of the chip's HBM
    if one.name.startswith("NKIBench"):
        assert one.resolution_ms == pytest.approx(1 / 18, abs=5e-4)


IDLE = "no engine is active for four fifths of the time"
ARRAY, DMA = 86.9, 289.4  # the most that profiles show of the array, %, and 16 engines sustained, GB/s


@pytest.mark.parametrize(
    "one", [one for one in PUBLIC if one.vector_ms is not None], ids=lambda one: one.name
)
def test_the_rule_of_comparable_kernels(one):
    """It takes the chip's profile alone: the busiest of Tensor, Vector, Scalar and DMA."""
    busiest = max(
        (one.array_percent or 0) / ARRAY,
        one.vector_ms / one.ms,
        one.scalar_ms / one.ms,
        (one.read_mb + one.write_mb) / one.ms / DMA,
    )
    if one.comparable:
        assert busiest >= 0.8
    elif one.why_not == IDLE:
        assert busiest < 0.8


HEAD = f"{','.join(measurements._PUBLIC_COLUMNS)}\n"
GOOD = "A,k,8x8,fp32,1.5,0.1,,,,,,,trn1,2.26,yes,fit,somewhere\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + GOOD.replace("1.5", "-1.5"), ":2: ms is '-1.5', expected milliseconds above 0"),
        (HEAD + GOOD.replace("1.5", "nan"), ":2: ms is 'nan', expected milliseconds above 0"),
        (HEAD + GOOD.replace("1.5", "0"), ":2: ms is '0', expected milliseconds above 0"),
        (
            HEAD + GOOD.replace("0.1,,", "0.1,0,"),
            ":2: profile_ms is '0', expected milliseconds above 0, or nothing",
        ),
        (HEAD + GOOD + GOOD, ":3: A/k again, expected each kernel once"),
        (HEAD + GOOD.replace(",fit,", ",some,"), ":2: set is 'some', expected fit, held-out or nothing"),
        (
            HEAD + GOOD.replace(",yes,", ",spills,"),
            ":2: A/k is of set 'fit' and comparable: spills, expected a set of ",
        ),
        (HEAD + "A,k\n", ":2: 2 values, expected 17"),
        (HEAD.replace(",chip", ""), ":1: no column 'chip', expected suite, kernel, "),
        (HEAD.replace("chip", "chips"), ":1: column 'chips', expected suite, kernel, "),
    ],
)
def test_wrong_public_measurements(tmp_path, text, message):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(measurements.MeasurementError) as error:
        measurements.public(path)
    assert str(error.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernel,ms\na,1\nx,2\n", ":3: kernel 'x', expected one of a, b, c"),
        ("kernel,ms\na,1\n\nb,one\n", ":4: ms is 'one', expected milliseconds above 0"),
        ("kernel,ms\na,1\na,2\n", ":3: a again, after line 2, expected each kernel once"),
        ("kernel,ms,set\na,1,out\n", ":2: set is 'out', expected fit, held-out or nothing"),
        ("kernel,ms\na\n", ":2: 1 values, expected 2"),
        (
            "kernel,ms,ms\na,1,1\n",
            ":1: column 'ms', expected kernel, ms and if wanted set, chip, sdk, each once",
        ),
        ("kernel\na\n", ":1: no column 'ms', expected kernel, ms"),
        ("kernel,ms\n", ": no measurements, expected a row for each kernel"),
        ("", ":1: no column 'kernel', expected kernel, ms"),
    ],
)
def test_wrong_measurements_of_a_user(tmp_path, text, message):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(measurements.MeasurementError) as error:
        measurements.timed(path, ["a", "b", "c"])
    assert str(error.value) == f"{path}{message}"


def test_a_file_of_measurements_that_is_no_text(tmp_path):
    path = tmp_path / "m.csv"
    with pytest.raises(
        measurements.MeasurementError, match=r"No such file or directory, expected a CSV file"
    ):
        measurements.timed(path, ["a"])
    path.write_bytes(b"kernel,ms\n\xff\xfe,1\n")
    with pytest.raises(measurements.MeasurementError, match=r"expected CSV in UTF-8"):
        measurements.timed(path, ["a"])


def test_sets_of_a_user(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("ms,kernel\n1,d\n2,a\n3,c\n4,b\n5,f\n6,e\n")
    rows = measurements.timed(path, "abcdef")
    assert [row.kernel for row in rows if row.part == measurements.HELD_OUT] == ["c", "f"]
    assert [row.ms for row in rows] == [1, 2, 3, 4, 5, 6]
    path.write_text("kernel,ms,set\na,1,held-out\nb,2,\n")
    assert [row.part for row in measurements.timed(path, "ab")] == [measurements.HELD_OUT, measurements.FIT]


# Kernels


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.measurement)
def test_kernels_against_numpy(case):
    arguments = case.arguments(np.random.default_rng(2), **case.sizes("small"))
    found, expected = nki.simulate_kernel(case.kernel, *arguments), case.expected(*arguments)
    assert worker.distance(found, expected) <= case.tolerance
    wrong = np.array(found)
    wrong[-1, ..., -1] += 100 * case.tolerance * np.abs(expected).max() * np.sqrt(wrong.size)
    assert worker.distance(wrong, expected) > case.tolerance


def test_distance():
    a = np.arange(6.0).reshape(2, 3)
    assert worker.distance(a, a) == 0
    assert worker.distance(a * 1.01, a) == pytest.approx(0.01)
    assert worker.distance(a.T, a) == float("inf")
    a[0, 0] = np.nan
    assert worker.distance(a, np.ones((2, 3))) == float("inf")


#: Instructions of the kernels at small sizes, from the loops of the measured ones by hand: of each 128 x 512
#: elements 2 activations, a reciprocal and a product in silu, and so on.
COUNTS = {
    "NKIBench/silu": {"Activation": 16, "Reciprocal": 8, "TensorTensor": 8, "DmaCopy": 8},
    "NKIBench/adamw": {"Activation": 64, "Reciprocal": 8, "TensorTensor": 32, "DmaCopy": 20},
    "NKIBench/rope": {"TensorTensor": 48, "DmaCopy": 40},
    "NKIBench/rope_optimized": {"TensorTensor": 24, "DmaCopy": 24},
    "NKIBench/transpose_matmul": {"Matmul": 8 * 3 * 2, "Transpose": 0},
    "NKIBench/matmul": {"Matmul": 2 * 2 * 8, "Transpose": 2 * 8, "DmaCopy": 2 * (1 + 8 + 1) + 8},
    "NKIBench/bmm_optimized": {"Matmul": 2 * 2 * 2, "Transpose": 4},
    "NKIBench/rmsnorm_matmul": {"Matmul": 6 * 2 * 4, "Transpose": 6 * 4, "DmaCopy": 4 + 6 + 1 + 6},
    "NKIBench/rmsnorm_matmul_optimized": {"TensorReduce": 6 * 2, "Transpose": 6 * 4, "DmaCopy": 4 + 6 + 6},
    "NKIBench/add_rmsnorm_matmul": {"Matmul": 2 * 8, "Transpose": 2 * 8, "TensorTensor": 2},
    "NKIBench/add_rmsnorm_matmul_optimized": {"Matmul": 2 * 8, "Transpose": 8, "TensorTensor": 2},
    "NKIBench/matmul_add_rmsnorm": {"Matmul": 6 * 4, "Transpose": 6 * 4, "DmaCopy": 2 + 1 + 18 + 2},
    "NKIBench/mamba_optimized": {
        "Activation": 8,
        "TensorTensor": 4 + 24,
        "TensorTensorScan": 8,
        "Matmul": 16,
    },
    "Autocomp/gemm_5": {"Matmul": 4 * 4 * 8, "DmaCopy": 2 * 8 * 2 + 16},
    "Autocomp/attention_10": {"Activation": 64, "TensorReduce": 64 + 8 + 3, "Transpose": 64 + 8},
    "Autocomp/sd_attention_6": {"TensorReduce": 64 + 8, "Matmul": 128},
    "Autocomp/conv1d_0": {"TensorTensor": 256, "TensorReduce": 256},
    "Autocomp/mamba_0": {"TensorTensor": 16, "TensorTensorScan": 4, "Matmul": 0},
    "Autocomp/mamba_6": {"TensorTensor": 2 + 24, "TensorTensorScan": 8, "Matmul": 16},
    "AWS/mamba_v1_256": {"TensorTensor": 16, "TensorTensorScan": 4},
    "AWS/mamba_v2_4096": {"TensorTensor": 1 + 12, "TensorTensorScan": 4, "Matmul": 8},
    "AWS/matmul_4": {"Matmul": 16 * 2 * 8, "TensorTensor": 32, "DmaCopy": 32},
}


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.measurement)
def test_instructions_of_kernels(case):
    arguments = case.arguments(np.random.default_rng(2), **case.sizes("small"))
    operations, _ = nki.record(case.kernel, *arguments)
    counts = collections.Counter(type(operation).__name__ for operation in operations)
    assert {name: counts[name] for name in COUNTS[case.measurement]} == COUNTS[case.measurement]


def test_shares_of_the_published_work():
    shares = {case.measurement: case.share("table") for case in cases.CASES}
    assert shares["NKIBench/matmul"] == Fraction(1, 96)
    assert shares["NKIBench/adamw"] == Fraction(1, 9)
    assert shares["AWS/matmul_4"] == shares["Autocomp/gemm_5"] == Fraction(1, 16)
    assert all(case.share("full") == 1 for case in cases.CASES)
    assert all(case.share("small") < 1 for case in cases.CASES)


# Public files


KERNEL = """import time

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x) * 2.0)
    return out
"""
REFERENCE = """import numpy as np


def get_inputs():
    return [np.random.normal(size=(64, 256)).astype(np.float32)]


def forward(x):
    return 2 * x


def transform_to_nki_inputs(inputs):
    return [inputs[0].reshape(128, 128)]


def transform_nki_outputs(result, expected):
    return [result.reshape(expected.shape)]
"""
TRACE = """CodeCandidate(parent=CodeCandidate(parent=CodeCandidate(parent=None,
plan=None,
code='''@nki.jit
def test(q, k, v):
    return first
''',
score=3.0),
plan='''code and score''',
code='''
@nki.jit
def test(q, k, v):
    out = nl.ndarray((4096, 128), dtype=q.dtype, buffer=nl.shared_hbm)
    tile = nl.load(q)
    return nl.load(tile)
''',
score=2.0,
stdout='text'),
plan=None,
code='broken(',
score=1.0)
"""


@pytest.fixture
def checkouts(tmp_path):
    """A folder with a small kernel in the place of a public one, and a trace of three steps."""

    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    write("AccelOpt/NKIBench/kernels/silu_M4096_N7168_0.py", KERNEL)
    write("AccelOpt/NKIBench/kernels/rope_single_freq_apply_B1_H64_N4096_D128_0.py", KERNEL)
    write("AccelOpt/NKIBench/reference/silu_M4096_N7168_numpy_0.py", REFERENCE)
    write("autocomp/examples/trn-tutorial/4_attention_trace.py", TRACE)
    return tmp_path


def public_run(folder, name, config="trn1", **limits):
    return processes.simulate(
        processes.Job(name, str(folder)), config, processes.Limits(**{"seconds": 120} | limits)
    )


def test_a_public_kernel_runs_unmodified(checkouts):
    outcome = public_run(checkouts, "NKIBench/silu")
    assert outcome.error == "" and outcome.right
    assert outcome.write_mb == pytest.approx(128 * 128 * 4 / 1e6)
    assert outcome.read_mb == pytest.approx(128 * 128 * 4 / 1e6, rel=3e-3)
    assert 0 < outcome.ms == pytest.approx(outcome.cycles / 2.8e6)


def test_a_wrong_result_of_a_public_kernel(checkouts):
    path = checkouts / "AccelOpt/NKIBench/kernels/silu_M4096_N7168_0.py"
    path.write_text(KERNEL.replace("* 2.0", "* 2.001"))
    outcome = public_run(checkouts, "NKIBench/silu")
    assert not outcome.right and outcome.result_error == pytest.approx(0.0005, rel=1e-3)
    line = table.markdown([table.Row(BY_NAME["NKIBench/silu"], outcome)]).splitlines()[2]
    assert line.endswith("| wrong by 5.0e-04 |")


def test_a_public_kernel_without_imports(checkouts):
    """Some files rely on what their harness imports."""
    path = checkouts / "AccelOpt/NKIBench/kernels/silu_M4096_N7168_0.py"
    path.write_text(KERNEL.partition("import numpy as np")[2])
    assert public_run(checkouts, "NKIBench/silu").right


def test_steps_of_a_trace(checkouts):
    path = checkouts / "autocomp/examples/trn-tutorial/4_attention_trace.py"
    steps = public.steps_of(path)
    assert [line for _, line in steps] == [3, 9, 19]
    assert [code.count("\n") for code, _ in steps] == [3, 6, 0]
    with pytest.raises(public.MissingError, match="has 3 steps, no step 3"):
        public.step_kernel(path, 3)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("Autocomp/attention_0", "NameError: name 'first' is not defined"),
        ("Autocomp/attention_1", "4_attention_trace.py:14: err_"),  # the line of the file
        ("Autocomp/attention_2", "SyntaxError: "),
        ("Autocomp/attention_3", "4_attention_trace.py has 3 steps, no step 3"),
        (
            "AWS/mamba_v1_256",
            "mamba_nki_kernels.py, expected https://github.com/aws-neuron/nki-samples there",
        ),
        ("NKIBench/rope", "rope_single_freq_apply_B1_H64_N4096_D128_numpy_1.py"),
    ],
)
def test_refusals_are_outcomes(checkouts, name, error):
    outcome = public_run(checkouts, name)
    assert error in outcome.error and "\n" not in outcome.error
    row = table.Row(BY_NAME[name], outcome)
    assert f"not run: {outcome.error}" in table.markdown([row])
    assert table.as_json([row])["rows"][0]["refused"] == outcome.error


def test_limits(checkouts):
    path = checkouts / "AccelOpt/NKIBench/kernels/silu_M4096_N7168_0.py"
    path.write_text(KERNEL.replace("    out =", "    time.sleep(600)\n    out ="))
    assert public_run(checkouts, "NKIBench/silu", seconds=3).error == (
        "stopped after 3 s, expected an end before (--timeout)"
    )
    path.write_text(
        KERNEL.replace("    out =", "    np.ones(1 << 27)\n    time.sleep(600)\n    out =").replace(
            "np.ones", "kept = np.ones"
        )
    )
    assert public_run(checkouts, "NKIBench/silu", gib=0.75).error == (
        "stopped at 0.75 GiB of the host's memory, expected fewer (--memory)"
    )
    path.write_text(KERNEL.replace("    out =", "    import os\n    os._exit(3)\n    out ="))
    assert public_run(checkouts, "NKIBench/silu").error == "ended with 3: no text"


def test_jobs_at_once(checkouts):
    folder, said = str(checkouts), []
    jobs = [processes.Job(name, folder) for name in ("NKIBench/silu", "NKIBench/rope", "NKIBench/silu")]
    outcomes = processes.run(jobs, "trn1", LIMITS, 2, lambda number, job: said.append((number, job.kernel)))
    assert [outcome.job for outcome in outcomes] == jobs
    assert [bool(outcome.error) for outcome in outcomes] == [False, True, False]
    assert said == [(number, job.kernel) for number, job in enumerate(jobs, start=1)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_everything(checkouts, number):
    path = checkouts / "AccelOpt/NKIBench/kernels/silu_M4096_N7168_0.py"
    begun = checkouts / "begun"
    path.write_text(
        KERNEL.replace(
            "    out =",
            f"    open({str(begun)!r}, 'w').write(str(os.getpid()))\n    time.sleep(600)\n    out =",
        ).replace("import time", "import os\nimport time")
    )
    command_line = [sys.executable, "-m", "trnsim.bench", "silicon", "--kernels", str(checkouts)]
    process = subprocess.Popen(
        [*command_line, "--only", "Autocomp/attention_1*,NKIBench/silu,NKIBench/mamba", "--jobs", "4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not begun.exists() or not begun.read_text():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "trnsim bench silicon: interrupted\n")
    assert not Path(f"/proc/{begun.read_text()}").exists()


def test_checkouts(checkouts):
    assert public.checkout_of(checkouts, "NKIBench") == checkouts / "AccelOpt"
    assert public.checkout_of(checkouts / "AccelOpt", "NKIBench") == checkouts / "AccelOpt"
    assert len(public.KERNELS) == len({kernel.measurement for kernel in public.KERNELS})


# Simulated figures


def test_figures_of_statistics():
    statistics = {
        "simulated_seconds": 0.002,
        "cycles": 1000,
        "engines": {"vector": {"busy_cycles": 250}, "scalar": {"busy_cycles": 500}},
        "array": {"matmul_cycles": 869},
        "dma": [{"descriptor_bytes": 1_000_000}, {"descriptor_bytes": 500_000}],
        "core_manager": {"bytes_read": 250_000},
        "core_tables": {"bytes_read": 250_000},
        "hbm": [
            {"bytes_read": 3_000_000, "bytes_written": 1_000_000},
            {"bytes_read": 0, "bytes_written": 500_000},
        ],
    }
    assert worker.figures(statistics) == pytest.approx(
        {
            "ms": 2.0,
            "cycles": 1000,
            "array_percent": 86.9,
            "vector_ms": 0.5,
            "scalar_ms": 1.0,
            "read_mb": 1.0,
            "write_mb": 1.5,
        }
    )


@pytest.fixture(scope="module")
def small_runs():
    jobs = [processes.Job(case.measurement, sizes="small") for case in cases.CASES]
    return processes.run(jobs, "trn1", LIMITS, at_once=1)


def test_cycles_are_those_of_the_baseline(small_runs):
    assert [outcome.error for outcome in small_runs if outcome.error] == []
    assert [outcome.job.kernel for outcome in small_runs if not outcome.right] == []
    assert baseline.moved(small_runs, baseline.read()) == []


def test_a_cycle_more_is_seen(small_runs, tmp_path):
    baseline.write(tmp_path / "b.json", small_runs)
    cycles = baseline.read(tmp_path / "b.json")
    assert baseline.moved(small_runs, cycles) == []
    other = cycles | {"NKIBench/silu": cycles["NKIBench/silu"] + 1, "A/none": 5}
    assert baseline.moved(small_runs, other) == [
        "A/none: no cycles, 5 in the baseline",
        f"NKIBench/silu: {cycles['NKIBench/silu']} cycles, {cycles['NKIBench/silu'] + 1} in the baseline",
    ]


def test_small_runs_move_the_bytes_of_their_tensors(small_runs):
    """Reads and writes are what the loops of the kernels say, without descriptors and instructions."""
    found = {outcome.job.kernel: (outcome.read_mb * 1e6, outcome.write_mb * 1e6) for outcome in small_runs}
    tile = 128 * 512 * 4
    assert found["NKIBench/silu"] == pytest.approx((8 * tile, 8 * tile), rel=1e-3)
    # half of the engines have no partition in some transfers and move four bytes for each piece of the others
    assert found["NKIBench/adamw"] == pytest.approx((4 * 192 * 2048 * 4, 192 * 2048 * 4), rel=2e-3)
    assert found["NKIBench/rope"] == pytest.approx((2 * 128 * 4096 * 4, 128 * 4096 * 4), rel=5e-3)
    identity = 128 * 128 * 4  # of the transposes
    assert found["NKIBench/bmm_optimized"] == pytest.approx(
        (2 * (256 * 64 + 64 * 1024) * 4 + identity, 2 * 256 * 1024 * 4), rel=2e-3
    )


# The table


def row(
    name="A/k",
    ms=1.0,
    model=1.1,
    share=Fraction(1),
    comparable=True,
    part="fit",
    folder=None,
    start_ms=0.0,
    **figures,
):
    """A row with chosen figures; those of the model are of the share."""
    why_not, part = ("", part) if comparable else ("spills", "")
    unknown = dict.fromkeys(("profile_ms", "array_percent", "vector_ms", "scalar_ms", "read_mb", "write_mb"))
    measured = measurements.Measurement(
        name=name,
        shapes="8x8",
        dtype="fp32",
        ms=ms,
        resolution_ms=0.05,
        chip="trn1",
        sdk="-",
        why_not=why_not,
        part=part,
        source="-",
        **unknown,
    )
    silicon = {key.removeprefix("chip_"): value for key, value in figures.items() if key.startswith("chip_")}
    mine = {key: value for key, value in figures.items() if not key.startswith("chip_")}
    outcome = processes.Outcome(processes.Job(name, folder), ms=model, share=share, **mine)
    return table.Row(dataclasses.replace(measured, **silicon), outcome, start_ms)


def test_errors_are_of_the_published_size():
    one = row(ms=8.0, model=0.45, share=Fraction(1, 16), vector_ms=0.25, read_mb=2.0, chip_read_mb=31.0)
    assert one.error == pytest.approx(-10)
    assert one.worth == pytest.approx(0.625)
    assert one.scaled("vector_ms") == pytest.approx(4.0)
    assert one.difference("read_mb") == pytest.approx(100 / 31)
    assert one.difference("write_mb") is None


def test_the_start_of_a_kernel_is_in_published_times():
    """It is added once, whatever the share of the work."""
    one = row(ms=8.0, model=0.5, share=Fraction(1, 16), start_ms=0.4, chip_profile_ms=7.0)
    assert one.ms == pytest.approx(8.4) and one.scaled("ms") == pytest.approx(8.0)
    assert one.error == pytest.approx(5) and one.profile_error == pytest.approx(20)
    assert row(model=1.2).profile_error == pytest.approx(20)  # there is no other time
    assert table.Row(one.measured, one.outcome).ms == pytest.approx(8.014)
    assert table.summary([one, row(model=0.9)]).profile_mean == pytest.approx(15)


def test_summaries():
    rows = [
        row("a", model=1.05),
        row("b", model=0.8, part="held-out"),
        row("c", model=2.0, comparable=False),
        table.Row(row().measured, processes.Outcome(processes.Job("A/k"), error="no")),
    ]
    found = table.summaries(rows)
    assert found["comparable"].mean == pytest.approx(12.5) and found["comparable"].count == 2
    assert (found["comparable"].worst, found["comparable"].worst_name) == (pytest.approx(-20), "b")
    assert found["fit"].mean == pytest.approx(5) and found["held-out"].mean == pytest.approx(20)
    assert found["all"].mean == pytest.approx(125 / 3) and found["all"].worst == pytest.approx(100)
    assert table.summaries([]) == {} and table.summary([]) is None


@pytest.mark.parametrize(("found", "good"), [(103.0, 1), (97.0, 1), (103.1, 0), (96.9, 0)])
def test_bytes_are_within_a_bound(found, good):
    rows = [row(read_mb=found, chip_read_mb=100.0), row(read_mb=1.0)]
    assert table.within(rows, "read_mb", table.READS) == (good, 1)
    text = table.markdown(rows)
    assert f"Bytes read within 3 % for {good} of 1." in text
    assert (f"100.0 / {found:.1f} |" in text) == bool(good)
    assert (f"100.0 / {found:.1f} ({found - 100:+.0f} %) |" in text) == (not good)


def test_markdown():
    rows = [
        row(
            "A/one",
            ms=2.0,
            model=1.0,
            array_percent=86.9,
            vector_ms=0.5,
            chip_vector_ms=0.625,
            chip_profile_ms=1.25,
            tolerance=1.0,
        ),
        row("A/two", comparable=False),
        table.Row(row("A/three").measured, processes.Outcome(processes.Job("x"), error="k.py:3: a | b")),
    ]
    lines = table.markdown(rows).splitlines()
    assert lines[2] == (
        "| A/one | 1 | 2 | 2.5 | 1 | -50.0 | 1.25 | -20.0 "
        "| - / 87 | 0.625 / 0.500 | - / 0.000 | - / 0.0 | - / 0.0 | right |"
    )
    assert lines[3].startswith("| A/two * | 1 | 1 | 5.0 | 1.1 | +10.0 |")
    assert lines[4] == "| A/three | | 1 | 5.0 | not run: k.py:3: a \\| b | | | | | | | | | |"
    assert "| comparable | 1 kernel | 50.0 | -50.0, A/one | 20.0 |" in lines
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines[:5]}) == 1


def test_json():
    found = json.loads(json.dumps(table.as_json([row(model=1.2, read_mb=5.0, chip_read_mb=4.0)])))
    (one,) = found["rows"]
    assert (
        one["error_percent"] == pytest.approx(20) and one["silicon"]["read_mb"] == 4 and one["read_mb"] == 5
    )
    assert found["sets"]["comparable"]["mean_absolute_error_percent"] == pytest.approx(20)
    assert found["checks"] == {"write_mb": {"within": 0, "of": 0}, "read_mb": {"within": 0, "of": 1}}


def test_scatter():
    rows = [
        row("NKIBench/a", ms=1.0, model=1.0),
        row("NKIBench/<b>", ms=0.01, model=10.0, comparable=False),
        row("AWS/c", ms=5.0, model=2.0, folder="/public"),
    ]
    root = ET.fromstring(scatter.scatter(rows).svg)
    tag = "{http://www.w3.org/2000/svg}"
    discs = root.findall(f"{tag}circle")
    assert [disc.get("fill") == "none" for disc in discs] == [False, True]
    squares = [rect for rect in root.findall(f"{tag}rect") if rect.get("width") == "8"]
    assert len(squares) == 1 and squares[0].find(f"{tag}title").text == "AWS/c: 5 ms measured, 2 simulated"
    # 1 ms lies where the grid's lines of 1 ms cross, on the diagonal; 10 ms above 0.01 in the other corner
    lines = {(e.get("x1"), e.get("x2"), e.get("y1"), e.get("y2")) for e in root.findall(f"{tag}line")}
    x, y = discs[0].get("cx"), discs[0].get("cy")
    assert any(a == b == x for a, b, _, _ in lines) and any(a == b == y for _, _, a, b in lines)
    left, bottom = 70.0, 28.0 + 520
    assert float(x) - left == pytest.approx(bottom - float(y), abs=0.11)
    assert float(discs[1].get("cx")) == pytest.approx(left) and float(discs[1].get("cy")) == pytest.approx(28)
    with pytest.raises(ValueError, match="without a kernel that ran"):
        scatter.scatter([table.Row(rows[0].measured, processes.Outcome(processes.Job("x"), error="no"))])


def test_page(tmp_path):
    path = tmp_path / "silicon.md"
    path.write_text(f"# Page\n\nabove\n\n{page.BEGIN}\nold\n{page.END}\n\nbelow\n")
    parts = page.Parts([row("A/one")], [])
    page.rewrite(path, parts)
    text = path.read_text()
    assert text.startswith(f"# Page\n\nabove\n\n{page.BEGIN}\n\n### Kernels of this tree\n\n| kernel |")
    assert text.endswith(f"\n{page.END}\n\nbelow\n") and "old" not in text and "Public files" not in text
    assert (tmp_path / "images/silicon.svg").read_text().startswith("<svg")
    page.rewrite(path, parts)
    assert path.read_text() == text
    page.rewrite(path, page.Parts([], [row("A/two", folder="x")]))  # what did not run stays
    both = path.read_text()
    assert both.index("| A/one |") < both.index("### Public files, unmodified") < both.index("| A/two |")
    page.rewrite(path, page.Parts([row("A/three")], []))
    assert "| A/two |" in path.read_text() and "| A/one |" not in path.read_text()
    path.write_text("# Page\n")
    with pytest.raises(page.PageError, match="no two marks"):
        page.rewrite(path, parts)


# Refits


def test_minimise():
    seed = int(os.environ.get("TRNSIM_TEST_SEED", "1"))
    print(f"seed {seed}")
    rng = randomness.Random(seed)
    for _ in range(50):
        ranges = [search.Range(rng.randint(0, 100), rng.randint(200, 900)) for _ in range(3)]
        best = tuple(rng.randint(r.low, r.high) for r in ranges)
        weights = [rng.uniform(0.1, 10) for _ in ranges]
        asked = []

        def cost(point, best=best, weights=weights, asked=asked):
            asked.append(point)
            return sum(w * (a - b) ** 2 for w, a, b in zip(weights, point, best))

        start = tuple(rng.randint(r.low, r.high) for r in ranges)
        found = search.minimise(start, ranges, cost, 1000)
        assert found.point == best and found.cost == 0 and found.complete
        assert found.evaluations == len(asked) == len(set(asked))  # none twice
        assert all(r.low <= value <= r.high for point in asked for r, value in zip(ranges, point))


def test_minimise_within_a_limit():
    found = search.minimise((0,), [search.Range(0, 1000)], lambda point: (point[0] - 999) ** 2, 4)
    assert not found.complete and found.evaluations == 4 and found.point == (375,)
    coarse = search.minimise((0,), [search.Range(0, 1000, 50)], lambda point: abs(point[0] - 60), 1000)
    assert coarse.complete and abs(coarse.point[0] - 60) <= 50


@pytest.mark.parametrize("key", keys.KEYS.values(), ids=lambda key: key.name)
def test_keys_are_those_of_the_configuration(key, tmp_path):
    values = load_config("trn1").keys()
    now = keys.value_of(values, key.name)
    middle = (key.range.low + key.range.high) // 2
    for coordinate in (key.range.low, middle, key.range.high, key.coordinate(now)):
        assert key.coordinate(str(key.text(coordinate))) == coordinate
        path = tmp_path / "one.yaml"
        keys.write(path, "trn1", {key.name: key.text(coordinate)})
        other = keys.value_of(load_config(path).keys(), key.name)
        assert key.coordinate(other) == coordinate
        changed = {k: v for k, v in flat(load_config(path).keys()).items() if flat(values).get(k) != v}
        assert set(changed) <= {key.name, "name"}
    assert key.coordinate(now) == key.coordinate(str(key.text(key.coordinate(now))))


def flat(values, before=""):
    found = {}
    for name, value in values.items():
        found |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value}
    return found


def test_a_configuration_for_a_reader(tmp_path):
    text = keys.yaml("trn1", {"core.tensor.utilisation": 860, "core.vector.reciprocal_rate": "4/11"})
    assert text == (
        "extends: trn1\nname: measured\ncore:\n  tensor:\n    utilisation: 860\n"
        "  vector:\n    reciprocal_rate: 4/11\n"
    )
    path = tmp_path / "measured.yaml"
    path.write_text(text)
    assert keys.value_of(load_config(path).keys(), "core.tensor.utilisation") == "860"


VALUES = {"core": {"tensor": {"utilisation": 1000}, "vector": {"reciprocal_rate": "1/8"}}}
NAMED = [keys.KEYS[name] for name in keys.USUAL]


def fake(kernels, config):
    """A chip on which a takes 8 / u, b 5 / r and c a share of both, with a third of the work simulated."""
    core = json.loads(Path(config).read_text())["core"]
    u, r = core["tensor"]["utilisation"] / 1000, float(Fraction(core["vector"]["reciprocal_rate"]))
    times = {"a": 8 / u, "b": 5 / r, "c": 2 / u + 1 / r, "d": 1.0}
    return [
        processes.Outcome(processes.Job(kernel), ms=times[kernel] / 3, share=Fraction(1, 3))
        for kernel in kernels
    ]


def timed(*rows):
    return [
        measurements.Timed(kernel, ms, part, line) for line, (kernel, ms, part) in enumerate(rows, start=2)
    ]


def test_a_refit_finds_what_the_chip_has():
    u, r = 0.812, 8 / 21
    rows = timed(
        ("a", 8 / u, "fit"), ("b", 5 / r, "fit"), ("c", 2 / u + 1 / r, "held-out"), ("d", 1.25, "held-out")
    )
    said = []
    found = calibrate.fit(Path("m.csv"), rows, NAMED, "trn1", VALUES, fake, 0.0, 200, said.append)
    assert found.before == {"core.tensor.utilisation": 1000, "core.vector.reciprocal_rate": "1/8"}
    assert found.after == {"core.tensor.utilisation": 812, "core.vector.reciprocal_rate": "8/21"}
    assert found.complete and found.evaluations == len(said)
    assert said[0].startswith("core.tensor.utilisation 1000, core.vector.reciprocal_rate 1/8: ")
    assert found.errors_after == pytest.approx([0, 0, 0, -20])
    assert found.errors_before == pytest.approx(
        [100 * (u - 1), 100 * (8 * r - 1), 100 * ((2 + 8) / (2 / u + 1 / r) - 1), -20]
    )
    text = calibrate.markdown(rows, found, "trn1")
    assert "| `core.vector.reciprocal_rate` | 1/8 | 8/21 |" in text
    assert re.search(r"^\| fit \| 2 \| [\d.]+ \| 0\.00 \|$", text, re.MULTILINE)
    assert re.search(r"^\| held-out \| 2 \| [\d.]+ \| 10\.00 \|$", text, re.MULTILINE)
    assert "| d | held-out | 1.25 | -20.0 | -20.0 |" in text and "\n        utilisation: 812\n" in text


def test_a_refit_adds_the_start_of_a_kernel():
    """The chip of `fake` with 0.2 ms more for each kernel is the same chip."""
    rows = timed(("a", 10.2, "fit"), ("b", 20.2, "fit"))
    found = calibrate.fit(Path("m.csv"), rows, NAMED, "trn1", VALUES, fake, 0.2, 200)
    assert found.after == {"core.tensor.utilisation": 800, "core.vector.reciprocal_rate": "1/4"}
    assert found.errors_after == pytest.approx([0, 0])


def test_held_out_rows_do_not_move_a_refit():
    rows = timed(("a", 8 / 0.9, "fit"), ("b", 5 * 4, "fit"), ("c", 1e-3, "held-out"))
    found = calibrate.fit(Path("m.csv"), rows, NAMED, "trn1", VALUES, fake, 0.0, 200)
    assert found.after == {"core.tensor.utilisation": 900, "core.vector.reciprocal_rate": "1/4"}
    assert found.errors_after[2] > 1e5


def test_a_refit_that_cannot_be():
    rows = timed(("a", 1.0, "fit"), ("b", 1.0, "held-out"))
    with pytest.raises(measurements.MeasurementError) as error:
        calibrate.fit(Path("m.csv"), rows, NAMED, "trn1", VALUES, fake, 0.0, 10)
    assert str(error.value) == ("m.csv: 1 measurements of set fit and 2 keys, expected at least as many")

    def refuses(kernels, config):
        return [processes.Outcome(processes.Job(kernel), error="k.py:1: no") for kernel in kernels]

    with pytest.raises(measurements.MeasurementError) as error:
        calibrate.fit(Path("m.csv"), timed(("a", 1.0, "fit")), NAMED[:1], "trn1", VALUES, refuses, 0.0, 10)
    assert str(error.value) == "m.csv:2: a does not run: k.py:1: no"


# The command


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "trnsim.bench", "silicon", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        **options,
    )


def test_the_command(tmp_path, checkouts):
    docs = tmp_path / "silicon.md"
    docs.write_text(f"{page.BEGIN}\n{page.END}\n")
    chosen = ["--only", "AWS/mamba_v1_256,NKIBench/silu", "--kernels", checkouts]
    done = run(*chosen, "--json", "--picture", tmp_path / "s.svg", "--write-docs", docs)
    assert done.stderr == ""  # no progress in a pipe
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    own, others = ({one["kernel"]: one for one in found[part]["rows"]} for part in ("own", "public"))
    assert set(own) == set(others) == {"AWS/mamba_v1_256", "NKIBench/silu"}
    assert own["AWS/mamba_v1_256"]["right"] and abs(own["AWS/mamba_v1_256"]["error_percent"]) < 15
    assert own["NKIBench/silu"]["share"] == "1/2" and others["NKIBench/silu"]["unmodified"]
    assert "expected https://github.com/aws-neuron/nki-samples there" in others["AWS/mamba_v1_256"]["refused"]
    assert "### Public files, unmodified" in docs.read_text()
    assert (tmp_path / "s.svg").read_text() == (tmp_path / "images/silicon.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "none*"], "--only none*: no kernel of that name; there are: NKIBench/transpose_matmul "),
        (["--kernels", "nowhere"], "--kernels nowhere: no folder, expected one with AccelOpt (https://"),
        (["--kernels", "."], "--kernels .: none of the repositories is there, expected AccelOpt (https://"),
        (["--calibrate", "none.csv"], "none.csv: No such file or directory, expected a CSV file"),
        (
            ["--calibrate", "m.csv", "--keys", "core.clock"],
            "--keys: 'core.clock', expected some of core.tensor.",
        ),
        (["--calibrate", "m.csv"], "m.csv:2: kernel 'x', expected one of AWS/mamba_v1_256, "),
        (["--jobs", "0"], "--jobs, --timeout and --memory, expected numbers above 0"),
        (["--start", "-1"], "--start -1.0, expected microseconds, 0 or more"),
        (["--start", "nan"], "--start nan, expected microseconds, 0 or more"),
        (["--jobs", "two"], "argument --jobs: invalid int value: 'two'"),
        (["--write-docs", "none.md", "--only", "x"], "--only x: no kernel of that name"),
        (["--wrong"], "unrecognized arguments: --wrong"),
    ],
)
def test_mistakes(tmp_path, arguments, message):
    (tmp_path / "m.csv").write_text("kernel,ms\nx,1\n")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"trnsim bench silicon: {message}") and done.stderr.count("\n") == 1


def test_a_refit_on_the_fast_core(tmp_path, capsys, monkeypatch):
    """The measurement is a simulation's with another latency; the search goes towards it."""
    other = tmp_path / "other.yaml"
    keys.write(other, "trn1", {"core.vector.dependent_latency": 150})
    name = "AWS/mamba_v1_256"
    outcome = processes.simulate(processes.Job(name), str(other), LIMITS)
    path = tmp_path / "m.csv"
    path.write_text(f"kernel,ms,set\n{name},{outcome.ms + measurements.START_MS},fit\n")
    monkeypatch.setattr(command, "_EVALUATIONS", 3)
    assert command.main(["--calibrate", str(path), "--keys", "core.vector.dependent_latency", "--quiet"]) == 0
    text = capsys.readouterr().out
    assert "| `core.vector.dependent_latency` | 100 | 150 |" in text
    assert re.search(rf"^\| {name} \| fit \| [\d.]+ \| -\d+\.\d \| \+0\.0 \|$", text, re.MULTILINE), text


def test_the_page_of_the_tree():
    text = (ROOT / "docs/silicon.md").read_text()
    tables = text.partition(page.BEGIN)[2].partition(page.END)[0]
    rows = re.findall(r"^\| (\w+/\w+)", tables.partition("### Public")[0], re.MULTILINE)
    if rows:  # a page without a run has none
        assert sorted(rows) == sorted(case.measurement for case in cases.CASES)
    for key in keys.USUAL:
        assert f"`{key}`" in text
    assert "](images/silicon.svg)" in text
