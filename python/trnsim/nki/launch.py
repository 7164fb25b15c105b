"""Launches: arrays become tensors in HBM, a kernel's programs are traced, results become arrays again."""

from __future__ import annotations

import inspect
import itertools
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from . import conjunctions, context, dtypes, frameworks, memory, nests
from .errors import NkiError, inside
from .signatures import mistake
from .tensor import Tensor
from .typing import TensorType


class Parameters:
    """Converts arrays of the host to tensors in HBM, and back."""

    def __init__(self, function: Callable[..., Any], mutable: bool) -> None:
        self._mutable = mutable
        self._annotations = getattr(function, "__annotations__", {})
        self._globals = getattr(function, "__globals__", {})
        self.tensors: list[tuple[Tensor, np.ndarray, np.ndarray]] = []  # tensor, array, its contiguous form
        self._given: list[
            tuple[np.ndarray, Any]
        ] = []  # arrays with the arguments of frameworks that they are
        # those that the kernel may write by their annotation, and has to return then
        self.annotated: list[Tensor] = []
        self._like: Callable[[np.ndarray], Any] | None = None  # it makes results of the arguments' framework

    def _annotated(self, name: str) -> bool:
        found = self._annotations.get(name)
        if isinstance(found, str):
            try:
                # `from __future__ import annotations` makes annotations text
                found = eval(found, self._globals)
            except Exception:  # the kernel's file does not define the names
                return False
        return isinstance(found, TensorType) and found.mutable

    def tensors_of(self, name: str, value: Any) -> Any:
        """Returns an argument with tensors in place of its arrays."""
        return nests.mapped(value, self._tensor_of, name)

    def _tensor_of(self, name: str, value: Any) -> Any:
        if isinstance(value, TensorType):
            raise NkiError("err_argument", f"argument {name} is a type, expected an array")
        if isinstance(value, np.ma.MaskedArray):
            raise NkiError(
                "err_argument",
                f"argument {name} is a masked array, whose mask would be lost, expected an array, as "
                ".filled(0) makes",
            )
        if frameworks.is_foreign(value):
            given, value = value, frameworks.array_of(name, value)
            if value.ndim == 0:
                return value[()]
            self._given.append((value, given))
            self._like = self._like or frameworks.results_like(given)
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            return value
        if not value.dtype.isnative:
            raise NkiError(
                "err_dtype",
                f"argument {name} is {value.dtype.str}, expected the byte order of the host, as "
                f".astype({value.dtype.name!r}) makes",
            )
        if value.dtype not in dtypes.KNOWN:
            raise NkiError(
                "err_dtype",
                f"argument {name} is {value.dtype.name}, expected a type of nki.language, as "
                ".astype(np.float32) makes",
            )
        flat, annotated = np.ascontiguousarray(value), self._annotated(name)
        mutable = self._mutable or annotated
        name = self._named(name)
        # Each parameter is a tensor of its own in HBM, even if two of them are one array.
        if any(
            (mutable or tensor.storage.mutable) and np.may_share_memory(flat, other)
            for tensor, _, other in self.tensors
        ):
            flat = flat.copy()
        tensor = Tensor.whole(memory.of_array(flat, name, mutable=mutable))
        tensor.storage.read_only = not value.flags.writeable
        self.tensors.append((tensor, value, flat))
        if annotated and not self._mutable:
            self.annotated.append(tensor)
        return tensor

    def _named(self, name: str) -> str:
        """Returns a unique name for a tensor: (a, b) as x and an argument x0 would both be x0."""
        name, taken = memory.printable(name), {tensor.storage.name for tensor, _, _ in self.tensors}
        numbered = (f"{name}_{number}" for number in itertools.count(2))
        return name if name not in taken else next(other for other in numbered if other not in taken)

    def finish(self) -> None:
        """Copies results that were written to a copy of an array back to the array."""
        for tensor, value, flat in self.tensors:
            if flat is not value and tensor.storage.bytes.writes:
                value[...] = flat

    def returned(self, value: Any) -> Any:
        """Returns a result as the caller wants it: an argument itself, or an array of the same framework."""
        if not isinstance(value, np.ndarray) or self._like is None:
            return value
        for array, given in self._given:
            if array is value:
                return given
        return self._like(value if value.flags.writeable else value.copy())

    def array_of(self, tensor: Tensor) -> np.ndarray:
        for found, value, _ in self.tensors:
            if found.storage is tensor.storage and tensor.shape == found.shape:
                return value
        return tensor.array()


def _check_output(value: Tensor, place: tuple[str, int] | None) -> None:
    """Refuses a result that is not in HBM or that the kernel has not written."""
    if value.space != "hbm":
        raise NkiError(
            "err_unsupported_memory",
            f"{value.describe()} in {value.space} is returned, expected a tensor in shared_hbm",
            place,
        )
    if not value.storage.bytes.writes:
        raise NkiError(
            "err_tensor_output_not_written_to",
            f"{value.describe()} is returned and nothing was written to it, expected nl.store",
            place,
        )


#: Attributes of NumPy's arrays that tensors do not have, and what does their work.
_OF_ARRAYS = {
    **{
        name: f"nl.{name}"
        for name in ("all", "copy", "max", "mean", "min", "prod", "sum", "transpose", "var")
    },
    "T": "nl.transpose",
    "size": "the product of .shape",
    "fill": "tile[...] = number",
    "flatten": ".reshape",
    "ravel": ".reshape",
    "squeeze": ".reshape",
}


def _of_an_array(error: AttributeError | TypeError) -> NkiError | None:
    """Returns the error of a kernel that takes a tile for an array of NumPy; None for other errors."""
    last = [frame for frame in traceback.extract_tb(error.__traceback__) if not inside(frame.filename)][-1]
    place = last.filename, last.lineno or 0
    if isinstance(error, AttributeError) and isinstance(error.obj, Tensor):
        words = _OF_ARRAYS.get(error.name or "", "the functions of nl")
        text = f"{error.obj.describe()} has no .{error.name}, expected {words}"
    elif "__array_ufunc__" in str(error):
        text = f"a function of NumPy on a tile ({last.line}), expected that of nl, as nl.exp for np.exp"
    else:
        return None
    return NkiError("err_argument", text, place)


class Launch:
    """A call of a kernel. With `mutable` it may write all its parameters."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        mutable: bool,
        grid: tuple[int, ...] = (),
        automatic_allocation: bool = False,
        spill: bool | None = None,
    ) -> None:
        if context.active() is not None:
            raise NkiError("err_argument", "a launch within a kernel, expected a call of the kernel")
        self.function, self.grid, self.automatic_allocation, self.spill = (
            function,
            grid,
            automatic_allocation,
            spill,
        )
        self.name: str = getattr(function, "__name__", "kernel")
        self.parameters = Parameters(function, mutable)
        signature = inspect.signature(function)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise mistake(self.name, str(signature), error) from None
        for name, parameter in bound.signature.parameters.items():
            if name in bound.arguments:
                keywords = parameter.kind is inspect.Parameter.VAR_KEYWORD
                bound.arguments[name] = self.parameters.tensors_of(
                    "" if keywords else name, bound.arguments[name]
                )
        self.arguments = bound

    def trace(self, executor: context.Executor) -> Any:
        """Traces all programs of the grid for an executor; returns the result of the first."""
        result, first = None, True
        # Infinities and NaN are results of a kernel, not mistakes of the host.
        with (
            np.errstate(all="ignore"),
            context.tracing(
                context.Context(
                    executor,
                    self.grid,
                    automatic_allocation=self.automatic_allocation,
                    stack_allocator=getattr(self.function, "stack_allocator", False),
                )
            ) as here,
        ):
            for tensor, _, _ in self.parameters.tensors:
                tensor.storage.bytes.launch = here.number
            for program in np.ndindex(*self.grid) if self.grid else [()]:
                here.begin_program(tuple(int(at) for at in program))
                try:
                    returned = self.function(*self.arguments.args, **self.arguments.kwargs)
                except (AttributeError, TypeError) as error:
                    better = _of_an_array(error)
                    if better is None:
                        raise
                    raise better from error
                here.settle()
                conjunctions.refuse_left()
                if here.left is not None:
                    text, place = here.left
                    raise NkiError(
                        "err_dynamic_control_flow_not_supported",
                        f"{text}, expected no return or break in it",
                        place,
                    )
                result, first = (returned, False) if first else (result, False)
            outputs = nests.tensors(result)
            for tensor in outputs:
                context.check_launch(tensor, here, self._place())
                _check_output(tensor, self._place())
        for tensor in self.parameters.annotated:
            held = tensor.storage.bytes
            if held.writes and all(output.storage.bytes is not held for output in outputs):
                raise NkiError(
                    "err_mutable_parameter_not_returned",
                    f"parameter {tensor.storage.name} of {self.name} is written and not returned, expected "
                    "it among what the kernel returns",
                    self._place(),
                )
        if not outputs and not any(tensor.storage.bytes.writes for tensor, _, _ in self.parameters.tensors):
            found = "nothing" if result is None else f"{type(result).__name__} and no tensor"
            raise NkiError(
                "err_tensor_output_not_written_to",
                f"{self.name} returns {found} and writes none of its parameters, expected a tensor in "
                "shared_hbm",
                self._place(),
            )
        return result

    def _place(self) -> tuple[str, int] | None:
        """Returns file and line at which the kernel begins."""
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        return None if code is None else (code.co_filename, code.co_firstlineno)

    def finish(self, result: Any) -> Any:
        """Returns the results of a traced kernel as arrays; parameters that it has written are in their own
        arrays.
        """
        arrays = nests.mapped(
            result, lambda _, value: self.parameters.array_of(value) if isinstance(value, Tensor) else value
        )
        self.parameters.finish()
        return nests.mapped(arrays, lambda _, value: self.parameters.returned(value))
