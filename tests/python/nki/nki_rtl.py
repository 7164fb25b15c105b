"""With TRNSIM_NKI_RTL=1 every kernel that a test simulates runs on the RTL, and a short one in the
interpreter.

The RTL's outputs are within the bounds below of the golden ones; the interpreter's have the RTL's bits. Marks
on tests:

  golden(reason)    the test's subject is the NumPy simulation; nothing runs on the RTL
  refused(text)     the lowering refuses at least one kernel of the test, with err_not_available and this
                    text; other refusals fail
  bound(function)   absolute error that is allowed for expected values, beside the usual one
  long              runs with TRNSIM_TEST_SCALE above 1
"""

import copy
import functools
import os

import numpy as np
import pytest
from nki_common import HALF_STEP

ENABLED = os.environ.get("TRNSIM_NKI_RTL") == "1"

#: The first kernel of a test goes through the interpreter if it takes at most so many cycles; all such
#: kernels do with TRNSIM_TEST_SCALE above 1.
INTERPRETED_CYCLES = 6000
#: The most times the random kernels of TRNSIM_TEST_SCALE=1, which are 217.
MOST_SCALE = 10

#: The error of a result of the RTL in steps of the type: both round to it once, and results may be inputs of
#: further instructions. In fp32 the order of sums and the tables of functions count too: 2^-20 of the value.
STEPS = 2
FP32_BOUND = 2.0**-20
#: The error of sums of values that cancel: a share of the largest element in the same tensor.
CANCELLED = 2.0**-21

#: Errors that the lowering finds, or the RTL, after those that a trace finds.
FOUND_LATE = {"err_tensor_access_out_of_bound"}


def allowed(expected, dtype, more=None):
    """Returns the absolute error that is allowed for each expected value, in double precision."""
    size = np.abs(np.where(np.isfinite(expected), expected, 0))
    relative = max(FP32_BOUND, STEPS * 2 * HALF_STEP[dtype] if dtype.itemsize < 4 else 0)
    bound = size * relative + size.max(initial=0) * CANCELLED
    return bound if more is None else bound + more(expected)


def differences(found, expected, more=None, name="result"):
    """Returns lines about what is wrong with a result."""
    from trnsim.nki import frameworks

    if isinstance(expected, dict):
        return [
            text
            for key, e in expected.items()
            for text in differences(found[key], e, more, f"{name}[{key!r}]")
        ]
    if isinstance(expected, (list, tuple)):
        return [
            text
            for at, (f, e) in enumerate(zip(found, expected))
            for text in differences(f, e, more, f"{name}[{at}]")
        ]
    if frameworks.is_foreign(expected):
        found, expected = (frameworks.array_of(name, value) for value in (found, expected))
    if not isinstance(expected, np.ndarray):
        return [] if found == expected else [f"{name} is {found!r}, expected {expected!r}"]
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return [f"{name} is {found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"]
    if expected.dtype == bool:
        found, expected = found.view(np.uint8), expected.view(np.uint8)  # their bytes are 0 and 1
    if expected.dtype not in HALF_STEP:
        wrong = found != expected
    else:
        wide, golden = found.astype(np.float64), expected.astype(np.float64)
        with np.errstate(invalid="ignore"):
            near = np.abs(wide - golden) <= allowed(golden, expected.dtype, more)
        wrong = ~(near | (wide == golden) | (np.isnan(wide) & np.isnan(golden)))
    if not wrong.any():
        return []
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return [
        (
            f"{name}{list(at)} and {np.count_nonzero(wrong) - 1} others: {found[at]!r} on the RTL, "
            f"{expected[at]!r} expected"
        )
    ]


class Comparison:
    """Replaces simulate_kernel during a test."""

    def __init__(self, simulate, node, scale):
        self._simulate = simulate
        self._interpreted = np.inf if scale > 1 else 1  # how many kernels more
        self._golden = node.get_closest_marker("golden")
        self._refusals = [mark.args[0] for mark in node.iter_markers("refused")]
        bound = node.get_closest_marker("bound")
        self._bound = bound.args[0] if bound else None
        self.seen = set()  # texts of the refusals that were met
        functools.update_wrapper(self, simulate)

    def __call__(self, kernel, *args, **kwargs):
        from trnsim.nki import NkiError

        if self._golden:
            return self._simulate(kernel, *args, **kwargs)
        own = copy.deepcopy((args, kwargs))
        try:
            result = self._simulate(kernel, *args, **kwargs)
        except NkiError as error:
            self._same_error(error, kernel, *own)
            raise
        try:
            found = self._on_the_rtl(kernel, *own)
        except NkiError as error:
            self._expected_refusal(error)
            return result
        wrong = differences(found, result, self._bound)
        for at, (before, after) in enumerate(zip(own[0], args)):
            if isinstance(after, np.ndarray) or hasattr(after, "__array__"):
                wrong += differences(before, after, self._bound, f"argument {at}")
        assert not wrong, "\n".join(wrong)
        return result

    def _on_the_rtl(self, kernel, args, kwargs):
        import trnsim
        from trnsim.nki import device
        from trnsim.nki.kernel import launch_of

        launch = launch_of(kernel, args, kwargs)
        recording = device.recording(launch)
        inputs = copy.deepcopy(recording.inputs(launch))
        output, result = device.run(launch)
        if result.cycles <= INTERPRETED_CYCLES and self._interpreted > 0:
            self._interpreted -= 1
            golden = trnsim.interpret(recording.package, inputs)
            for name, array in golden.items():
                assert array.tobytes() == result[name].tobytes(), (
                    f"{name}: the interpreter's bits are not those of the RTL"
                )
        device.recordings.clear()
        return output

    def _same_error(self, expected, kernel, args, kwargs):
        """Checks that the way to the RTL finds the error as well, at the same line."""
        import trnsim
        from trnsim.nki import NkiError, device
        from trnsim.nki.kernel import launch_of

        try:
            found = device.recording(launch_of(kernel, args, kwargs))
        except NkiError as error:
            if expected.name not in FOUND_LATE:
                assert (error.name, error.text) == (expected.name, expected.text), (  # noqa: PT017  # no error is right too
                    f"{error}, expected {expected}"
                )
            if error.name == expected.name and expected.file != __file__:
                assert (error.file, error.line) == (expected.file, expected.line)  # noqa: PT017  # the same
            return
        assert expected.name in FOUND_LATE, f"no error on the way to the RTL, expected {expected}"
        with pytest.raises(trnsim.ExecutionError, match="out of bounds"):  # of an index from a tile
            device.run(launch_of(kernel, args, kwargs))
        found._model.unload()
        device._recordings.clear()

    def _expected_refusal(self, error):
        texts = [text for text in self._refusals if text in error.text]
        assert error.name == "err_not_available" and texts, f"refused: {error}"
        assert error.file and error.line, f"a refusal without a line: {error}"
        self.seen.update(texts)

    def finish(self):
        missing = [text for text in self._refusals if text not in self.seen]
        assert not missing, f"the lowering has refused nothing with {missing}; take the mark away"
