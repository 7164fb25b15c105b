"""What the package trnsim stands on: the library's classes."""

import enum
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, overload

#: An array: its type as in .npy files, its shape, and its bytes, row-major and little-endian.
_Array: TypeAlias = tuple[str, tuple[int, ...], bytes]
#: The same of the device, in bytes that belong to the caller.
_Read: TypeAlias = tuple[str, tuple[int, ...], bytearray]

def program_folders() -> list[Path]:
    """Returns the folders where the program trnsim may be; the first is that of Python itself."""

class Status(enum.IntEnum):
    """How a call ended, in the numbers of libnrt (NRT_STATUS)."""

    SUCCESS = 0
    """done"""

    FAILURE = 1
    """stopped before the end by who started it"""

    INVALID = 2
    """the package or an argument does not fit the device or another argument"""

    INVALID_HANDLE = 3
    """no such model or tensor, or not any more"""

    RESOURCE = 4
    """HBM has no room"""

    TIMEOUT = 5
    """hang, or longer than the longest time allowed"""

    CLOSED = 14
    """the session has been closed"""

    EXEC_UNIT_UNRECOVERABLE = 101
    """the simulation itself broke off; nothing can be executed in this process any more"""

    EXEC_BAD_INPUT = 1002
    """an input or output is missing, unknown or of another type, shape or size"""

    EXEC_COMPLETED_WITH_NUM_ERR = 1003
    """done, and an engine has written a NaN"""

    EXEC_COMPLETED_WITH_ERR = 1004
    """an engine stopped the core"""

    EXEC_OOB = 1006
    """the same, for an address out of range"""

    EXEC_HW_ERR_COLLECTIVES = 1200
    """a collective cannot come to its end: a chip cannot be reached, a request was lost"""

    EXEC_HW_ERR_HBM_UE = 1201
    """a read of HBM met a word with more than one wrong bit"""

    EXEC_HW_ERR_NC_UE = 1202
    """an engine stopped the core for a word of its memories with more than one wrong bit"""

    EXEC_HW_ERR_DMA_ABORT = 1203
    """a DMA engine stopped"""

    EXEC_HW_ERR_NQ_OVERFLOW = 1204
    """the notification queue was full and was to stop the core then"""

class Config:
    """Sizes, clocks and latencies of a device."""

    @staticmethod
    def load(name_or_path: str) -> Config:
        """The configuration of a name ("trn1", "small16") or of a .yaml file."""

    @property
    def name(self) -> str: ...
    def show(self) -> str:
        """All keys as YAML."""

    def keys(self) -> dict[str, Any]:
        """All keys as a dictionary."""

    def __eq__(self, other: object, /) -> bool: ...
    def __repr__(self) -> str: ...

class Package:
    """A compiled kernel: what a .neff file holds."""

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Package: ...
    def write(self, path: str | os.PathLike[str]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> str: ...
    @property
    def tensors(self) -> list[dict[str, Any]]:
        """Name, kind, dtype and shape of every tensor in HBM."""

    def program(self, engine: str) -> list[str]:
        """The disassembled program of an engine, a line an instruction."""

    def __repr__(self) -> str: ...

def interpret(
    package: Package,
    inputs: Mapping[str, _Array],
    stochastic: bool,
    seed: int,
    order: int,
    max_work: int | None,
) -> dict[str, bytes]: ...
def unwritten_outputs(package: Package) -> list[tuple[str, str]]: ...
def kernels() -> list[dict[str, Any]]: ...
def build_kernel(name: str, arguments: Mapping[str, str], config: Config) -> Package: ...

class Event:
    """The completion of a call; without one, something that has always happened."""

    def __init__(self) -> None: ...

class Queue:
    """A DMA queue of a kernel."""

    @property
    def number(self) -> int: ...

class GpsimdImage:
    """An image for the GpSimd cores in a kernel."""

    @property
    def number(self) -> int: ...

class Bank:
    """A PSUM bank."""

    def __init__(self, number: int) -> None: ...
    @property
    def number(self) -> int: ...

class Tile:
    """A tensor [partitions, axes...] in SBUF or PSUM, or a part of one: tile[0:8, 0:64]."""

    def slice(self, axis: int, first: int, count: int) -> Tile: ...
    def partition_slice(self, first: int, count: int) -> Tile: ...
    def at(self, axis: int, index: int) -> Tile: ...
    def part(
        self, partition: int, partitions: int, offset: int, dtype: Any, axes: Sequence[tuple[int, int]]
    ) -> Tile:
        """Of a buffer: any tile in it, as KernelBuilder.tile() has them."""

    def __getitem__(self, index: object) -> Tile: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __repr__(self) -> str: ...

class TensorView:
    """A tensor in HBM, or a part of one: x[0:16, 0:64]."""

    @overload
    def slice(self, axis: int, first: int, count: int) -> TensorView: ...
    @overload
    def slice(self, axis: int, first: LoopIndex, count: int) -> TensorView: ...
    def split(self, axis: int, inner: int) -> TensorView:
        """Axis of n * inner elements as two axes [n, inner]."""

    def swapped(self, axis: int, other: int) -> TensorView:
        """The same elements with two axes exchanged."""

    def pattern(self, offset: int, axes: Sequence[tuple[int, int]]) -> TensorView:
        """Of a view of a whole tensor: any access pattern on its elements, an offset and (count, step) of
        each axis.
        """

    def __getitem__(self, index: object) -> TensorView: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __repr__(self) -> str: ...

class KernelBuilder:
    """Writes a kernel: a sequence of calls that means what they mean one after the other. Engines and queues
    work at the same time; every call waits for those that write what it reads or use what it overwrites.
    `after` adds events to that; with derive_waits=False they are all that a call waits for. With steps=True
    tiles of buffer() have no place yet, and compile() finds order and places.
    """

    def __init__(
        self, name: str, config: Config, arguments: str = "", derive_waits: bool = True, steps: bool = False
    ) -> None: ...
    def tensor(self, name: str, kind: str, dtype: Any, shape: Sequence[int]) -> TensorView:
        """Declares a tensor in HBM, an "input", "output", "update" or "scratch": a view of all of it."""

    def sbuf(self, partitions: int, dtype: Any, shape: Sequence[int]) -> Tile:
        """A packed tile in SBUF from partition 0."""

    def psum(self, bank: Bank | int, partitions: int, columns: int) -> Tile:
        """An fp32 tile at the start of a PSUM bank; banks are not reserved."""

    def tile(
        self,
        memory: str,
        partition: int,
        partitions: int,
        offset: int,
        dtype: Any,
        axes: Sequence[tuple[int, int]],
    ) -> Tile:
        """A tile anywhere in "sbuf" or "psum": the first partition, how many, the byte in each, and (count,
        step) of each axis. For who plans the memories: nothing is reserved.
        """

    def place(self, file: str | None = None, line: int = 0) -> None:
        """File and line that calls are noted with from now on; without them those of their callers."""

    def sbuf_left(self) -> int: ...
    def sbuf_mark(self) -> int: ...
    def sbuf_release(self, mark: int) -> None: ...
    def queue(self, name: str, owner: str = "sync") -> Queue:
        """A DMA queue, triggered by an engine."""

    def load(self, queue: Queue, to: Tile, source: TensorView, after: Event | Sequence[Event] = []) -> Event:
        """HBM to SBUF or PSUM."""

    def store(self, queue: Queue, to: TensorView, source: Tile, after: Event | Sequence[Event] = []) -> Event:
        """SBUF or PSUM to HBM."""

    def load_transposed(
        self, queue: Queue, to: Tile, source: TensorView, after: Event | Sequence[Event] = []
    ) -> Event:
        """HBM to SBUF or PSUM, transposed by the DMA engines: to[c, ..., r] = source[r, ..., c], two to four
        dimensions.
        """

    def store_transposed(
        self, queue: Queue, to: TensorView, source: Tile, after: Event | Sequence[Event] = []
    ) -> Event:
        """SBUF or PSUM to HBM, transposed by the DMA engines: to[c, ..., r] = source[r, ..., c]."""

    def gather(
        self,
        queue: Queue,
        to: Tile,
        source: TensorView,
        index: Tile,
        first: int = 0,
        skip: bool = False,
        after: Event | Sequence[Event] = [],
    ) -> Event:
        """Rows of HBM at the indices of a tile in SBUF, i32 [partitions, 1]: to[p] = source[index[p] -
        first], or source[index[p] - first, p] where the view has an axis for the partitions. With `skip` rows
        out of bounds are left out, else they end the execution.
        """

    def scatter(
        self,
        queue: Queue,
        to: TensorView,
        source: Tile,
        index: Tile,
        first: int = 0,
        skip: bool = False,
        combine: str = "bypass",
        after: Event | Sequence[Event] = [],
    ) -> Event:
        """To rows of HBM, as gather(). Rows that two indices name are written in no order; with `combine`,
        "add", "multiply", "min" or "max", rows are combined with those that are there, one after the other.
        """

    def combine(
        self, queue: Queue, to: TensorView, op: str, source: Tile, after: Event | Sequence[Event] = []
    ) -> Event:
        """to = op(source, to) in fp32 by the DMA engines: "add", "multiply", "min" or "max"."""

    def wait(self, engine: str, after: Event | Sequence[Event]) -> None:
        """The engine issues nothing further before the events."""

    def finish(self) -> Package:
        """The package. Call once."""

    def loop(self, iterations: int) -> Loop:
        """A loop of the hardware: `with k.loop(8) as i:`. Its calls are those of every iteration, on the same
        tiles; slices of tensors step with i.
        """

    def load_stationary(
        self,
        stationary: Tile,
        after: Event | Sequence[Event] = [],
        row_tile: bool = False,
        column_group: int | None = None,
        onezero: bool = False,
    ) -> Event:
        """Stationary operand [K, M] of the next multiply_moving."""

    def multiply_moving(
        self,
        dst: Tile,
        moving: Tile,
        accumulate: bool = False,
        after: Event | Sequence[Event] = [],
        onezero: bool = False,
    ) -> Event:
        """dst[M, ...] (+)= stationary.T @ moving[K, ...]."""

    def tensor_copy(
        self,
        dst: Tile,
        source: Tile,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
        engine: str = "vector",
        either: bool = False,
    ) -> Event:
        """dst = source. With `either` the schedule of steps chooses between Vector and Scalar."""

    def tensor_scalar(
        self,
        dst: Tile,
        a: Tile,
        op0: str,
        operand0: float | Tile,
        reverse0: bool = False,
        op1: str = "bypass",
        operand1: float | Tile = 0.0,
        reverse1: bool = False,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
        engine: str = "vector",
        either: bool = False,
    ) -> Event:
        """dst = (a op0 operand0) op1 operand1, on Vector, Scalar or GpSimd. With `either` the schedule of
        steps chooses between Vector and Scalar.
        """

    def memset(
        self,
        dst: Tile,
        value: float | Tile,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
        engine: str = "vector",
    ) -> Event: ...
    def tensor_tensor(
        self,
        dst: Tile,
        a: Tile,
        op: str,
        b: Tile,
        reverse: bool = False,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
        engine: str = "vector",
    ) -> Event:
        """dst = a op b."""

    def scalar_tensor_tensor(
        self,
        dst: Tile,
        a: Tile,
        op0: str,
        operand0: float | Tile,
        op1: str,
        b: Tile,
        reverse0: bool = False,
        reverse1: bool = False,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event:
        """dst = (a op0 operand0) op1 b."""

    def reciprocal(
        self, dst: Tile, a: Tile, after: Event | Sequence[Event] = [], rounding: str = "core"
    ) -> Event: ...
    def tensor_copy_predicated(
        self,
        dst: Tile,
        predicate: Tile,
        source: Tile,
        after: Event | Sequence[Event] = [],
        inverted: bool = False,
    ) -> Event: ...
    def memset_predicated(
        self,
        dst: Tile,
        predicate: Tile,
        value: float | Tile,
        after: Event | Sequence[Event] = [],
        inverted: bool = False,
    ) -> Event: ...
    def select_reduce(
        self,
        dst: Tile,
        a: Tile,
        predicate: Tile,
        otherwise: float | Tile,
        reduce: str = "idle",
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
        inverted: bool = False,
    ) -> Event: ...
    def tensor_reduce(
        self,
        dst: Tile,
        a: Tile,
        op: str,
        axes: int = 1,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
        negate: bool = False,
    ) -> Event:
        """Over the innermost `axes` axes."""

    def tensor_scalar_reduce(
        self,
        dst: Tile,
        a: Tile,
        op0: str,
        operand0: float | Tile,
        op: str,
        reverse0: bool = False,
        reduce: str = "reset_reduce",
        initial: float | Tile = 0.0,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event: ...
    def read_accumulator(
        self, dst: Tile, after: Event | Sequence[Event] = [], rounding: str = "core"
    ) -> Event: ...
    def tensor_tensor_scan(
        self,
        dst: Tile,
        a: Tile,
        op0: str,
        op1: str,
        b: Tile,
        initial: float | Tile = 0.0,
        reverse0: bool = False,
        reverse1: bool = False,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event:
        """r[i] = (a[i] op0 r[i-1]) op1 b[i] from `initial`."""

    def tensor_scalar_cumulative(
        self,
        dst: Tile,
        a: Tile,
        op0: str,
        operand0: float | Tile,
        op1: str,
        reverse0: bool = False,
        reverse1: bool = False,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event:
        """r[i] = r[i-1] op1 (a[i] op0 operand0)."""

    def bn_stats(
        self, dst: Tile, a: Tile, after: Event | Sequence[Event] = [], rounding: str = "core"
    ) -> Event: ...
    def bn_aggr(
        self, dst: Tile, a: Tile, after: Event | Sequence[Event] = [], rounding: str = "core"
    ) -> Event: ...
    def max8(
        self, dst: Tile, a: Tile, after: Event | Sequence[Event] = [], rounding: str = "core"
    ) -> Event: ...
    def find_index8(self, dst: Tile, a: Tile, values: Tile, after: Event | Sequence[Event] = []) -> Event: ...
    def match_replace8(
        self,
        dst: Tile,
        a: Tile,
        values: Tile,
        replacement: float | Tile,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event: ...
    def load_shuffle_mask(self, mask: Sequence[int], after: Event | Sequence[Event] = []) -> Event: ...
    def stream_shuffle(self, dst: Tile, a: Tile, after: Event | Sequence[Event] = []) -> Event: ...
    def transpose_block(self, dst: Tile, a: Tile, after: Event | Sequence[Event] = []) -> Event: ...
    def dropout(
        self,
        dst: Tile,
        a: Tile,
        probability: float | Tile,
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event: ...
    def rng(self, dst: Tile, after: Event | Sequence[Event] = []) -> Event: ...
    def set_rng_seed(self, seed: Tile, after: Event | Sequence[Event] = []) -> Event: ...
    def activation(
        self,
        dst: Tile,
        a: Tile,
        function: str,
        scale: float | Tile = 1.0,
        bias: float | Tile = -0.0,
        alpha: float = 0.0,
        reduce: str = "idle",
        after: Event | Sequence[Event] = [],
        rounding: str = "core",
    ) -> Event:
        """dst = function(a * scale + bias) on Scalar."""

    def load_table_of(self, function: str) -> None: ...
    def act_table_load(self, set: str) -> None: ...
    def act_read_accumulator(
        self, dst: Tile, after: Event | Sequence[Event] = [], rounding: str = "core"
    ) -> Event: ...
    def gpsimd_image(self, file: str | os.PathLike[str]) -> GpsimdImage:
        """Takes an image for the GpSimd cores into the kernel: what trnsim customop build wrote."""

    def microcode(self) -> GpsimdImage:
        """The image of the microcode."""

    def gpsimd(self, image: GpsimdImage, after: Event | Sequence[Event] = []) -> Event:
        """Loads an image into all cores and starts them."""

    def iota(
        self,
        dst: Tile,
        base: int,
        partition_step: int,
        steps: Sequence[int],
        after: Event | Sequence[Event] = [],
    ) -> Event:
        """dst = base + partition_step p + the sum of steps[axis] i[axis]."""

    def affine_select(
        self,
        dst: Tile,
        a: Tile,
        compare: str,
        otherwise: int | float,
        base: int,
        partition_step: int,
        steps: Sequence[int],
        after: Event | Sequence[Event] = [],
    ) -> Event:
        """dst = a where the affine value compares true with 0, else otherwise."""

    def local_gather(self, dst: Tile, a: Tile, index: Tile, after: Event | Sequence[Event] = []) -> Event: ...
    def custom_op(
        self,
        image: GpsimdImage,
        operation: str,
        tensors: Sequence[Tile],
        scalars: Sequence[int | float] = [],
        results: int = 1,
        after: Event | Sequence[Event] = [],
    ) -> Event:
        """An operator of an image; the last `results` tensors are what it writes."""

    def partition_reduce(
        self, dst: Tile, a: Tile, op: str, divisor: int = 0, after: Event | Sequence[Event] = []
    ) -> Event:
        """Within each core, to its first partition."""

    def partition_broadcast(self, dst: Tile, a: Tile, after: Event | Sequence[Event] = []) -> Event:
        """Within each core, one of its partitions to all."""

    def all_partition_reduce(
        self, dst: Tile, a: Tile, op: str, divisor: int = 0, after: Event | Sequence[Event] = []
    ) -> Event:
        """All partitions to partition 0."""

    def all_partition_broadcast(self, dst: Tile, a: Tile, after: Event | Sequence[Event] = []) -> Event:
        """One partition to all."""

    def sequence_bounds(
        self, first: Tile, end: Tile, ids: Tile, after: Event | Sequence[Event] = []
    ) -> Event: ...
    def sort(
        self,
        dst: Tile,
        a: Tile,
        descending: bool = False,
        indices: Tile | None = None,
        after: Event | Sequence[Event] = [],
    ) -> Event: ...
    def top_k(self, dst: Tile, indices: Tile, a: Tile, after: Event | Sequence[Event] = []) -> Event:
        """The largest elements of a, as many as dst has, and where they stand."""

    def collective(
        self,
        queue: Queue,
        operation: str,
        output: TensorView,
        input: TensorView,
        ranks: int,
        reduction: str = "add",
        groups: Sequence[Sequence[int]] = [],
        pairs: Sequence[tuple[int, int]] = [],
        root: int = 0,
        algorithm: str | None = None,
        stochastic_rounding: bool = False,
        after: Event | Sequence[Event] = [],
    ) -> Event:
        """A collective of the ranks that run this kernel, or others with the same ones in the same order:
        "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "permute", "send-receive" or
        "barrier" (docs/collectives.md). Output and input are this rank's in HBM, of one element type, without
        gaps; one view for both is in place. The queue has nothing else.
        """

    @property
    def target(self) -> Target: ...
    def buffer(self, memory: str, partitions: int, size: int, name: str = "") -> Tile:
        """Of steps: bytes of partitions 0 to partitions - 1 in "sbuf" or "psum" that have no place yet."""

    def compile(
        self, config: Config, sbuf: int, spill: tuple[Queue, Queue] | None, keep_repeats: bool
    ) -> tuple[Package, list[str]]:
        """trnsim.KernelBuilder.compile() with the configuration that it is built for, of whose times the
        order is made.
        """

class LoopIndex:
    """The number of an iteration for slices of tensors: x[:, i * 16 : i * 16 + 16]."""

    def __add__(self, more: int) -> LoopIndex: ...
    def __radd__(self, more: int) -> LoopIndex: ...
    def __sub__(self, less: int) -> LoopIndex: ...
    def __rsub__(self, from_: int) -> LoopIndex: ...
    @overload
    def __mul__(self, times: int) -> LoopIndex: ...
    @overload
    def __mul__(self, times: LoopIndex) -> NoReturn: ...
    def __rmul__(self, times: int) -> LoopIndex: ...
    def __mod__(self, other: object) -> NoReturn: ...
    def __floordiv__(self, other: object) -> NoReturn: ...
    def __truediv__(self, other: object) -> NoReturn: ...
    def __pow__(self, other: object) -> NoReturn: ...
    def __eq__(self, other: object) -> NoReturn: ...
    def __ne__(self, other: object) -> NoReturn: ...
    def __lt__(self, other: object) -> NoReturn: ...
    def __le__(self, other: object) -> NoReturn: ...
    def __gt__(self, other: object) -> NoReturn: ...
    def __ge__(self, other: object) -> NoReturn: ...
    def __bool__(self) -> NoReturn: ...
    def __index__(self) -> NoReturn: ...

class Loop:
    """A loop of a kernel, for `with`."""

    def __enter__(self) -> LoopIndex: ...
    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

class Target:
    """The sizes of the core that a kernel is built for."""

    @property
    def rows(self) -> int:
        """Of the array."""

    @property
    def columns(self) -> int:
        """Of the array."""

    @property
    def partitions(self) -> int: ...
    @property
    def sbuf_partition(self) -> int:
        """Bytes of a partition of SBUF."""

    @property
    def psum_partition(self) -> int:
        """Bytes of a partition of PSUM."""

    @property
    def psum_bank(self) -> int:
        """Bytes of a partition of a PSUM bank."""

    def start_partitions(self, partitions: int) -> list[int]:
        """Where so many partitions of an operand of Vector, Scalar and GpSimd may begin."""

def gpsimd_types() -> list[str]:
    """Element types that GpSimd's microcode knows."""

class Execution:
    @property
    def status(self) -> int: ...
    @property
    def message(self) -> str: ...
    @property
    def time(self) -> int: ...
    @property
    def statistics(self) -> list[str]: ...
    @property
    def cycles(self) -> list[int]: ...
    @property
    def printed(self) -> list[list[str]]: ...
    @property
    def unwritten(self) -> list[str]: ...
    @property
    def outputs(self) -> list[dict[str, _Read]]: ...

class Session:
    def __init__(
        self,
        config: Config | None,
        server: str | None,
        ranks: int | None,
        rtl_ranks: Sequence[int],
        settings: Sequence[str],
        fidelity: str,
        threads: int,
        perturb: int | None,
        random_memory: int | None,
    ) -> None: ...
    @property
    def ranks(self) -> int: ...
    def load(
        self, packages: Sequence[Package], bindings: Sequence[Mapping[str, int]], notifications: int
    ) -> int: ...
    def unload(self, model: int) -> None: ...
    def allocate(self, name: str, dtype: Any, shape: Sequence[int], stack: int | None, rank: int) -> int: ...
    def free(self, tensor: int) -> None: ...
    def write(self, tensor: int, array: _Array) -> None: ...
    def read(self, tensor: int) -> _Read: ...
    def address(self, tensor: int) -> int: ...
    def close(self) -> None: ...
    def collectives(self, model: int) -> list[str]: ...
    def statistics(self) -> str: ...
    def interpret(
        self, model: int, inputs: Sequence[Mapping[str, _Array]], stochastic: bool, seed: int, order: int
    ) -> list[dict[str, bytes]]: ...
    def execute(
        self,
        model: int,
        inputs: Sequence[Mapping[str, _Array]],
        bindings: Sequence[Mapping[str, int]],
        stochastic: bool,
        seed: int,
        max_time: str | None,
        trace: str | None,
        wave: str | None,
        wave_scopes: Sequence[str],
        wave_cycles: tuple[int, int] | None,
        wave_rank: int | None,
        notifications: str | None,
        read_outputs: bool,
    ) -> Execution: ...

class Collective:
    @property
    def outputs(self) -> list[bytes | None]: ...
    @property
    def time(self) -> int: ...
    @property
    def algorithm(self) -> str: ...

class Communicator:
    def __init__(
        self, server: str, ranks: int | None, perturb: int | None, settings: Sequence[str]
    ) -> None: ...
    @property
    def ranks(self) -> int: ...
    @property
    def server(self) -> str: ...
    def statistics(self) -> str: ...
    def run(
        self,
        operation: str,
        dtype: Any,
        count: int,
        inputs: Sequence[bytes],
        reduction: str,
        algorithm: str | None,
        stochastic: bool,
        seed: int,
        root: int,
        pairs: Sequence[tuple[int, int]],
        groups: Sequence[Sequence[int]],
    ) -> Collective: ...
