"""Sessions: packages loaded once and executed many times on a core or on the ranks of a server, tensors that stay on the device."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from . import _trnsim
from ._trnsim import Config, Package, Status
from .arrays import DTYPES, dtype_name, from_device, to_device
from .config import ConfigLike, load_config
from .errors import Error, ExecutionError
from .interpreter import check_inputs

#: Ends of an execution whose outputs are there.
DONE = (Status.SUCCESS, Status.EXEC_COMPLETED_WITH_NUM_ERR)

#: Arrays by name, of each rank for a session with a server.
Inputs: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]
Path: TypeAlias = str | os.PathLike[str]


class Result:
    """What an execution on one core gave."""

    def __init__(self, execution: _trnsim.Execution, outputs: dict[str, np.ndarray]):
        #: SUCCESS, or EXEC_COMPLETED_WITH_NUM_ERR where an engine has written a NaN.
        self.status = Status(execution.status)
        #: Arrays by name, of the outputs that are not bound to tensors of the device.
        self.outputs = outputs
        #: Cycles of the core clock from the start of the first engine.
        self.cycles: int = execution.cycles[0]
        #: Lines that the GpSimd cores printed, "[gpsimd core 3] text"; execute() prints them as well.
        self.printed: list[str] = execution.printed[0]
        self._statistics = execution.statistics[0]

    @property
    def statistics(self) -> dict[str, Any]:
        """All figures, as `trnsim run --stats` writes them (docs/statistics.md)."""
        figures: dict[str, Any] = json.loads(self._statistics)
        return figures

    def __getitem__(self, output: str) -> np.ndarray:
        return self.outputs[output]

    def __repr__(self) -> str:
        return (
            f"<trnsim.Result {self.status.name}, {self.cycles} cycles, outputs "
            f"{', '.join(self.outputs) or 'bound'}>"
        )


class Results:
    """What an execution on the ranks of a server gave."""

    def __init__(self, execution: _trnsim.Execution, outputs: list[dict[str, np.ndarray]]):
        #: SUCCESS, or EXEC_COMPLETED_WITH_NUM_ERR where an engine has written a NaN.
        self.status = Status(execution.status)
        #: Of each rank, arrays by name, of the outputs that are not bound to tensors of the device.
        self.outputs = outputs
        #: Simulated time from the start of all ranks to the end of the last.
        self.seconds: float = execution.time * 1e-15
        #: Of each rank, cycles of the core clock in that time.
        self.cycles: list[int] = execution.cycles
        #: Of each rank, lines that its GpSimd cores printed; execute() prints them as well.
        self.printed: list[list[str]] = execution.printed
        self._statistics = execution.statistics

    @property
    def statistics(self) -> list[dict[str, Any]]:
        """All figures of each rank, as `trnsim run --stats` writes them (docs/statistics.md)."""
        return [json.loads(text) for text in self._statistics]

    def __getitem__(self, rank: int) -> dict[str, np.ndarray]:
        return self.outputs[rank]

    def __len__(self) -> int:
        return len(self.outputs)

    def __repr__(self) -> str:
        return f"<trnsim.Results of {len(self)} ranks, {self.status.name}, {self.seconds * 1e6:.2f} us>"


class DeviceTensor:
    """A tensor in HBM that stays there between executions, until free() or the end of the session."""

    def __init__(
        self, session: Session, name: str, dtype: str, shape: tuple[int, ...], stack: int | None, rank: int
    ):
        self._session = session
        self.name, self.dtype, self.shape, self.rank = name, dtype, shape, rank
        self._id = session._session.allocate(name, dtype, list(shape), stack, rank)

    def write(self, array: Any) -> None:
        """Replaces the contents by an array of this shape, in this element type or fp32."""
        self._session._session.write(self._id, to_device(self.name, self.dtype, array))

    def read(self) -> np.ndarray:
        """The contents, in NumPy's type of the element type."""
        return from_device(self.dtype, self._session._session.read(self._id))

    @property
    def address(self) -> int:
        """The system address, on the rank's chip."""
        return self._session._session.address(self._id)

    def free(self) -> None:
        """Gives the memory back; refused while a loaded package has the tensor bound."""
        self._session._session.free(self._id)

    def __repr__(self) -> str:
        return f"<trnsim.DeviceTensor {self.name} {self.dtype} {list(self.shape)}>"


#: Tensors of the device by name, of each rank for a session with a server.
Bindings: TypeAlias = Mapping[str, DeviceTensor] | Sequence[Mapping[str, DeviceTensor]]


class Model:
    """Packages that are loaded into a session, one for each rank."""

    def __init__(
        self, session: Session, packages: list[Package], bindings: Bindings | None, notifications: int
    ):
        self._session = session
        self.packages = packages
        self._id = session._session.load(packages, self._ids(bindings), notifications)

    @property
    def package(self) -> Package:
        """That of rank 0."""
        return self.packages[0]

    @property
    def collectives(self) -> list[str]:
        """How each collective that the kernels call is done, in their order: "ring", "mesh", ... One in a loop is one."""
        return self._session._session.collectives(self._id)

    def execute(
        self,
        inputs: Inputs | None = None,
        *,
        bindings: Bindings | None = None,
        stochastic_rounding: bool = False,
        seed: int = 0,
        max_time: str | None = None,
        wave: Path | None = None,
        wave_scopes: Sequence[str] = (),
        wave_cycles: tuple[int, int] | None = None,
        wave_rank: int | None = None,
        trace: Path | None = None,
        notifications: Path | None = None,
        read_outputs: bool = True,
    ) -> Any:
        """Executes the packages with these inputs; a Result, or Results of a session with a server.

        inputs: arrays by name, for each rank of a server. bindings: tensors of the device in their place, or in that of outputs, for this
        execution. stochastic_rounding, seed: how cores and collectives round. max_time: simulated time ("5 ms") after which it is stopped.
        wave: a waveform of the core, .fst, with a view for GTKWave beside it; wave_scopes: its parts; wave_cycles: from and to, counted
        from the start of the first engine. Of a server that is the core of wave_rank; without it waves of links, collective cores, DMA
        rings and HBM. trace: a timeline for Perfetto, .json. notifications: what the queues tell that load() has asked for, .csv, with
        {rank} in the name for the number of each rank. read_outputs: those that are not bound come back as arrays.

        Raises ExecutionError when it went wrong; ^C stops it and raises KeyboardInterrupt.
        """
        arrays = self._to_device(self._by_rank(inputs or {}))
        execution = self._session._session.execute(
            self._id,
            arrays,
            self._ids(bindings),
            stochastic_rounding,
            seed,
            max_time,
            None if trace is None else os.fspath(trace),
            None if wave is None else os.fspath(wave),
            list(wave_scopes),
            wave_cycles,
            wave_rank,
            None if notifications is None else os.fspath(notifications),
            read_outputs,
        )
        return self._result(execution)

    def _result(self, execution: _trnsim.Execution) -> Result | Results:
        of_server = self._session.is_server
        for rank, lines in enumerate(execution.printed):
            for line in lines:
                print(f"rank {rank}: {line}" if of_server else line)
        if execution.status not in DONE:
            statistics = [json.loads(text) for text in execution.statistics]
            raise ExecutionError(
                execution.message, execution.status, statistics if of_server else statistics[0]
            )
        outputs = [
            {
                name: from_device(self._dtypes(rank, ("output", "update"))[name], array)
                for name, array in one.items()
            }
            for rank, one in enumerate(execution.outputs)
        ]
        return Results(execution, outputs) if of_server else Result(execution, outputs[0])

    def __call__(self, **inputs: Any) -> Result:
        """execute() with inputs by keyword, on one core."""
        result: Result = self.execute(inputs)
        return result

    def interpret(
        self, inputs: Inputs, *, stochastic_rounding: bool = False, seed: int = 0, order: int = 1
    ) -> Any:
        """What the interpreter gives for the outputs, by name, of each rank for a session with a server and then with the collectives of
        that; options as of interpret().

        Raises InterpreterError for two accesses that nothing orders, a byte read that nothing has written and a deadlock.
        """
        by_rank = self._by_rank(inputs)
        for rank, one in enumerate(by_rank):
            check_inputs(self.packages[rank], one, self._place(rank))
        outputs = [
            {
                tensor["name"]: np.frombuffer(
                    bytearray(one[tensor["name"]]), DTYPES[tensor["dtype"]]
                ).reshape(tensor["shape"])
                for tensor in self.packages[rank].tensors
                if tensor["name"] in one
            }
            for rank, one in enumerate(
                self._session._session.interpret(
                    self._id, self._to_device(by_rank), stochastic_rounding, seed, order
                )
            )
        ]
        return outputs if self._session.is_server else outputs[0]

    def unload(self) -> None:
        """Gives the memory of the packages back."""
        self._session._session.unload(self._id)

    def _place(self, rank: int) -> str:
        return f"rank {rank}: " if self._session.is_server else ""

    def _by_rank(self, inputs: Inputs) -> list[Mapping[str, Any]]:
        by_rank = [inputs] if isinstance(inputs, Mapping) else list(inputs)
        if len(by_rank) != self._session.ranks:
            raise Error(
                f"inputs of {len(by_rank)} ranks, expected {self._session.ranks}", Status.EXEC_BAD_INPUT
            )
        return by_rank

    def _ids(self, bindings: Bindings | None) -> list[dict[str, int]]:
        if not bindings:
            return []
        by_rank = [bindings] if isinstance(bindings, Mapping) else bindings
        return [{name: tensor._id for name, tensor in one.items()} for one in by_rank]

    def _dtypes(self, rank: int, kinds: Sequence[str]) -> dict[str, str]:
        return {
            tensor["name"]: tensor["dtype"]
            for tensor in self.packages[rank].tensors
            if tensor["kind"] in kinds
        }

    def _to_device(self, by_rank: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
        arrays = []
        for rank, one in enumerate(by_rank):
            dtypes = self._dtypes(rank, ("input", "update"))
            for name in one:
                if name not in dtypes:
                    raise Error(
                        f"{self._place(rank)}kernel '{self.packages[rank].name}' has no input '{name}'; its "
                        f"inputs: {' '.join(dtypes)}",
                        Status.EXEC_BAD_INPUT,
                    )
            arrays.append({name: to_device(name, dtypes[name], array) for name, array in one.items()})
        return arrays

    def __repr__(self) -> str:
        return f"<trnsim.Model {self.package.name}>"


class Session:
    """A session with the device: a core of a chip, or with `server` the cores of a server, one for each rank (docs/session.md). A process
    simulates one device, and one session is open at a time.

    config: of the chip, "trn1" unless given; of a server the configuration of its chips, the server's unless given. fidelity: "rtl", or
    "fast" for the fast core, whose waves have no data paths and which refuses perturbation. threads: of each simulated core, 1 or 2;
    results do not depend on it. perturb: seed of random delays. random_memory: seed of what memories hold at first, instead of zeros.

    server: the name of one ("trn1.32xlarge", "trn1-4") or a .yaml file; without a core in its slots they all have fast ones. ranks: how
    many of its cores, chip by chip, all unless given. rtl_ranks: ranks whose cores are RTL whatever stands in their slots. settings: keys
    of the server or of its chips with other values, {"links.lanes": 8, "hbm.model": "banked"}.
    """

    def __init__(
        self,
        config: ConfigLike | None = None,
        *,
        fidelity: str = "rtl",
        threads: int = 1,
        perturb: int | None = None,
        random_memory: int | None = None,
        server: str | None = None,
        ranks: int | None = None,
        rtl_ranks: Sequence[int] = (),
        settings: Mapping[str, Any] | None = None,
    ):
        self.server = server
        if server is None and (ranks is not None or rtl_ranks or settings):
            raise Error("ranks, rtl_ranks and settings: expected a server with them")
        self.config = (
            None
            if config is None and server is not None
            else load_config("trn1" if config is None else config)
        )
        texts = [f"{key}={value}" for key, value in (settings or {}).items()]
        self._session = _trnsim.Session(
            self.config, server, ranks, list(rtl_ranks), texts, fidelity, threads, perturb, random_memory
        )

    @property
    def is_server(self) -> bool:
        """Whether inputs and outputs are those of each rank."""
        return self.server is not None

    @property
    def ranks(self) -> int:
        return self._session.ranks

    def load(
        self,
        package: Package | Sequence[Package],
        *,
        bindings: Bindings | None = None,
        notifications: int = 0,
    ) -> Model:
        """Loads a package for all ranks, or one for each, which have the same collectives in the same order.

        bindings: inputs and outputs that are tensors of the device in every execution. notifications: records of each rank's notification
        queue, a power of two; 0: none.
        """
        packages = [package] * self.ranks if isinstance(package, Package) else list(package)
        return Model(self, packages, bindings, notifications)

    def allocate(
        self, name: str, dtype: Any, shape: Sequence[int], *, stack: int | None = None, rank: int = 0
    ) -> DeviceTensor:
        """Memory of a rank's chip; what it holds at first is not defined. `stack`: the HBM stack to be in."""
        return DeviceTensor(self, name, dtype_name(dtype), tuple(shape), stack, rank)

    def tensor(
        self,
        array: Any,
        *,
        name: str = "tensor",
        dtype: Any = None,
        stack: int | None = None,
        rank: int = 0,
    ) -> DeviceTensor:
        """A tensor of the device that holds an array, in the array's element type or another one."""
        tensor = self.allocate(
            name, np.asarray(array).dtype if dtype is None else dtype, np.shape(array), stack=stack, rank=rank
        )
        try:
            tensor.write(array)
        except BaseException:
            tensor.free()
            raise
        return tensor

    def run(self, package: Package | Sequence[Package], inputs: Inputs | None = None, **options: Any) -> Any:
        """Loads, executes and unloads a package, or one for each rank; options as of Model.execute()."""
        model = self.load(package)
        try:
            return model.execute(inputs, **options)
        finally:
            model.unload()

    def statistics(self) -> dict[str, Any]:
        """What a server's links, HBM and DMA engines have counted, as Communicator.statistics()."""
        counted: dict[str, Any] = json.loads(self._session.statistics())
        return counted

    def close(self) -> None:
        """Frees everything and gives the device back. Every later call raises Error (CLOSED)."""
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<trnsim.Session {self.server or cast(Config, self.config).name}, {self.ranks} ranks>"
