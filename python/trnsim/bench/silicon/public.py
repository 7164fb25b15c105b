"""The public kernels: files of a user's checkouts, which are loaded as they are, with their inputs."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib.util
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from . import cases

#: Names of the checkouts in the user's folder, and where they come from, by suite.
CHECKOUTS = {
    "NKIBench": ("AccelOpt", "https://github.com/zhang677/AccelOpt"),
    "Autocomp": ("autocomp", "https://github.com/ucb-bar/autocomp"),
    "AWS": ("nki-samples", "https://github.com/aws-neuron/nki-samples"),
}


class MissingError(Exception):
    """A file that is not in the user's folder."""


@dataclass
class Loaded:
    """A kernel with the arguments of a call, and the check of what it returns."""

    kernel: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    expected: Callable[[], Any]
    found: Callable[[Any, Any], Any]  # of the result and the expected array: the array to compare
    tolerance: float
    share: Fraction


#: Loads the kernel of a checkout and a path at the sizes "full" or "table".
_Loader: TypeAlias = Callable[[Path, str, str], Loaded]


@dataclass(frozen=True)
class PublicKernel:
    """A kernel of a suite."""

    measurement: str
    path: str  # in the suite's checkout
    load: _Loader

    @property
    def suite(self) -> str:
        return self.measurement.partition("/")[0]


def _same(result: Any, _: Any) -> Any:
    return result


#: What the suites' harnesses import before a kernel.
_HARNESS = """import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
from neuronxcc.nki import trace
from neuronxcc.nki.language import par_dim
"""


def module_of(path: Path) -> types.ModuleType:
    """Executes a file of Python as a module of its own, after the imports of the harnesses."""
    spec = importlib.util.spec_from_file_location(f"silicon_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    exec(compile(_HARNESS, "harness", "exec"), module.__dict__)
    spec.loader.exec_module(module)
    return module


def _nkibench(reference: str, tolerance: float = 1e-4) -> _Loader:
    """Takes the inputs and the check of the suite's own reference, at the published size."""

    def load(checkout: Path, path: str, _: str) -> Loaded:
        kernel = module_of(checkout / path).kernel
        other = checkout / "NKIBench/reference" / reference
        if not other.is_file():
            raise MissingError(f"no {other}")
        oracle = module_of(other)
        np.random.seed(1)  # the reference draws from NumPy's global generator
        inputs = oracle.get_inputs()
        return Loaded(
            kernel,
            tuple(oracle.transform_to_nki_inputs(inputs)),
            {},
            lambda: oracle.forward(*inputs),
            lambda result, expected: oracle.transform_nki_outputs(result, expected)[0],
            tolerance,
            Fraction(1),
        )

    return load


def steps_of(path: Path) -> list[tuple[str, int]]:
    """Returns the code of each step of a trace of Autocomp, and the line of the file at which it begins.

    The file is an expression: CodeCandidate(parent=CodeCandidate(...), ..., code='''...''', ...).
    """

    def chain(call: ast.expr) -> Iterator[tuple[str, int]]:
        if not isinstance(call, ast.Call):
            return
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        yield from chain(given["parent"])
        code = given["code"]
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            yield code.value, code.lineno

    return list(chain(ast.parse(path.read_text(encoding="utf-8"), str(path), mode="eval").body))


def step_kernel(path: Path, step: int) -> Any:
    """Returns the kernel `test` of a step of a trace; its lines are those of the file."""
    steps = steps_of(path)
    if step >= len(steps):
        raise MissingError(f"{path} has {len(steps)} steps, no step {step}")
    code, line = steps[step]
    names: dict[str, Any] = {"__name__": f"silicon_{path.stem}_{step}"}
    exec(compile(_HARNESS, "harness", "exec"), names)
    exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)
    return names["test"]


#: The arguments of a call, its named arguments, and the result that NumPy gives.
_Call = tuple[tuple[Any, ...], dict[str, Any], Callable[[], np.ndarray]]


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


#: A call, the share of the published work, and the tolerance of its result.
_Sized = tuple[_Call, Fraction, float]


def _as(case: str, which: str, table: cases.Sizes | None = None) -> _Sized:
    """Returns the call of this package's kernel beside a measurement; `table`: other sizes in the table."""
    own = cases.find(case)
    assert own is not None
    if table is not None:
        own = dataclasses.replace(own, table=table)
    arguments = own.arguments(_rng(), **own.sizes(which))
    return (arguments, {}, lambda: own.expected(*arguments)), own.share(which), own.tolerance


def _batched(call: _Call) -> _Call:
    """Adds a batch of one to all arguments of a scan but the rates."""
    (delta, u, a, b, c), keywords, expected = call
    return (delta[None], u[None], a, b[None], c[None]), keywords, lambda: expected()[None]


def _convolution(_: str) -> _Sized:
    image, filters = _rng().random((8, 512, 1, 2048), np.float32), _rng().random((512, 1, 1, 3), np.float32)
    call = (
        (image, filters),
        {"padding": ((0, 0), (1, 1))},
        lambda: cases.convolved(image[:, :, 0], filters[:, 0, 0])[:, :, None],
    )
    return call, Fraction(1), 1e-4


def _scan(channels: int, length: int, _: str) -> _Sized:
    arguments = cases.scan_inputs(_rng(), channels, length, 16)
    return _batched((arguments, {}, lambda: cases.scanned(*arguments))), Fraction(1), 1e-3


def _called(kernel: Callable[[Path, str], Any], call: Callable[[str], _Sized]) -> _Loader:
    def load(checkout: Path, path: str, which: str) -> Loaded:
        (arguments, keywords, expected), share, tolerance = call(which)
        return Loaded(kernel(checkout, path), arguments, keywords, expected, _same, tolerance, share)

    return load


def _step(step: int) -> Callable[[Path, str], Any]:
    return lambda checkout, path: step_kernel(checkout / path, step)


def _function(name: str) -> Callable[[Path, str], Any]:
    return lambda checkout, path: getattr(module_of(checkout / path), name)


def _nkibench_rows() -> Iterator[PublicKernel]:
    for name, stem, reference, tolerance in (
        ("rmsnorm_matmul", "rmsnorm_matmul_M4096_N2048_K1024", 1, 1e-4),
        ("add_rmsnorm_matmul", "add_rmsnorm_matmul_M4096_N2048_K1024", 1, 1e-4),
        ("matmul_add_rmsnorm", "matmul_add_rmsnorm_M4096_N2048_K2048", 1, 1e-4),
        ("transpose_matmul", "transpose_matmul_M4096_K2048_N10944", 1, 1e-4),
        ("matmul", "matmul_M4096_N12288_K5120", 2, 1e-4),
        ("swiglu", "swiglu_M4096_N3072_K1024", 2, 1e-4),
        ("lora", "lora_M4096_N12288_K5120_R128", 1, 1e-4),
        ("bmm", "bmm_B16_M4096_K64_N4096", 1, 1e-4),
        ("bmm_softmax", "bmm_softmax_B16_K64_M4096_N4096", 1, 1e-3),
        ("gqa_full", "gqa_full_B1_N4096_QH16_KH8_D128", 2, 1e-3),
        ("rope", "rope_single_freq_apply_B1_H64_N4096_D128", 1, 1e-5),
        ("adamw", "adamw_M10944_N2048", 1, 1e-4),
        ("silu", "silu_M4096_N7168", 0, 1e-4),
        ("mamba", "mamba_M7168_C256_S16", 1, 1e-3),
    ):
        yield PublicKernel(
            f"NKIBench/{name}",
            f"NKIBench/kernels/{stem}_0.py",
            _nkibench(f"{stem}_numpy_{reference}.py", tolerance),
        )
    for name, oracle in (
        ("rope", "rope_single_freq_apply_B1_H64_N4096_D128_numpy_1.py"),
        ("mamba", "mamba_M7168_C256_S16_numpy_1.py"),
    ):
        yield PublicKernel(
            f"NKIBench/{name}_optimized", f"samples/nki/{name}_optimized.py", _nkibench(oracle, 1e-3)
        )


# As at the full size there are several groups of rows, and neither operand fits into SBUF to stay there.
_gemm = functools.partial(_as, "AWS/matmul_4", table={"rows": 1024, "columns": 4096})


def _autocomp_rows() -> Iterator[PublicKernel]:
    tutorial = "examples/trn-tutorial/"
    for name, path, steps, call in (
        ("gemm", tutorial + "2_gemm_trace.py", 6, _gemm),
        ("attention", tutorial + "4_attention_trace.py", 11, functools.partial(_as, "Autocomp/attention_10")),
        (
            "sd_attention",
            tutorial + "5_sd_attention_trace.py",
            7,
            functools.partial(_as, "Autocomp/sd_attention_6"),
        ),
        ("mamba", tutorial + "3_mamba_trace.py", 8, functools.partial(_scan, 256, 2048)),
        ("conv1d", "examples/trn-advanced/4_conv1d_trace.py", 7, _convolution),
    ):
        for step in range(steps):
            yield PublicKernel(f"Autocomp/{name}_{step}", path, _called(_step(step), call))


def _aws_rows() -> Iterator[PublicKernel]:
    tutorials = "src/nki_samples/tutorials/"
    mamba = tutorials + "fused_mamba/mamba_nki_kernels.py"
    for version, channels in (("v1", 256), ("v1", 4096), ("v2", 4096)):
        yield PublicKernel(
            f"AWS/mamba_{version}_{channels}",
            mamba,
            _called(_function(f"mamba_{version}"), functools.partial(_scan, channels, 512)),
        )
    functions = ("tiled", "hoist_load", "block_free_dimension", "fully_optimized")
    for number, name in enumerate(functions, start=1):
        yield PublicKernel(
            f"AWS/matmul_{number}",
            tutorials + "matrix_multiplication/matrix_multiplication_nki_kernels.py",
            _called(_function(f"nki_matmul_{name}_"), _gemm),
        )


KERNELS = [*_nkibench_rows(), *_autocomp_rows(), *_aws_rows()]


def find(measurement: str) -> PublicKernel | None:
    """Returns the public kernel of a measurement; None: there is none."""
    return next((kernel for kernel in KERNELS if kernel.measurement == measurement), None)


def checkout_of(folder: Path, suite: str) -> Path:
    """Returns the checkout of a suite: a folder with its name in the user's, or the user's itself."""
    name, _ = CHECKOUTS[suite]
    return folder if folder.resolve().name.lower() == name.lower() else folder / name


def load(kernel: PublicKernel, folder: Path, which: str) -> Loaded:
    """Loads a kernel from the user's folder, at the sizes "full" or "table". Raises MissingError."""
    checkout = checkout_of(folder, kernel.suite)
    if not (checkout / kernel.path).is_file():
        raise MissingError(f"no {checkout / kernel.path}, expected {CHECKOUTS[kernel.suite][1]} there")
    return kernel.load(checkout, kernel.path, which)
