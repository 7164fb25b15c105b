"""Sessions on a core or on the ranks of a server: packages that are loaded once and executed many times, and
tensors that stay on the device.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from . import _trnsim
from ._trnsim import Config, Package, Status
from .arrays import DTYPES, dtype_name, from_device, to_device
from .config import ConfigLike, load_config, setting_texts
from .errors import Error, ExecutionError, UnwrittenWarning
from .interpreter import check_inputs

#: Statuses of an execution that has outputs.
DONE = (Status.SUCCESS, Status.EXEC_COMPLETED_WITH_NUM_ERR)

#: Values of Model.execute(unwritten=...).
UNWRITTEN = ("warn", "error", "ignore")

#: Arrays by name; for a session with a server a list of these by rank.
Inputs: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]
Path: TypeAlias = str | os.PathLike[str]


class Result:
    """The result of an execution on one core."""

    def __init__(self, execution: _trnsim.Execution, outputs: dict[str, np.ndarray]):
        #: SUCCESS, or EXEC_COMPLETED_WITH_NUM_ERR if an engine has written a NaN.
        self.status = Status(execution.status)
        #: Arrays by name: the outputs that are not bound to tensors of the device.
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
    """The result of an execution on the ranks of a server."""

    def __init__(self, execution: _trnsim.Execution, outputs: list[dict[str, np.ndarray]]):
        #: SUCCESS, or EXEC_COMPLETED_WITH_NUM_ERR if an engine has written a NaN.
        self.status = Status(execution.status)
        #: Arrays by name, a dictionary for each rank: the outputs that are not bound to tensors of the
        #: device.
        self.outputs = outputs
        #: Simulated seconds from the start of all ranks to the end of the last.
        self.seconds: float = execution.time * 1e-15
        #: Cycles of the core clock in that time, for each rank.
        self.cycles: list[int] = execution.cycles
        #: Lines that the GpSimd cores printed, for each rank; execute() prints them as well.
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
        """Replaces the contents by an array of this shape, in this element type or fp32. Raises Error
        otherwise.
        """
        self._session._session.write(self._id, to_device(self.name, self.dtype, array))

    def read(self) -> np.ndarray:
        """Returns the contents, in NumPy's type of the element type."""
        return from_device(self.dtype, self._session._session.read(self._id))

    @property
    def address(self) -> int:
        """The system address in the HBM of the rank's chip."""
        return self._session._session.address(self._id)

    def free(self) -> None:
        """Frees the memory. Raises Error while a loaded package has the tensor bound."""
        self._session._session.free(self._id)

    def __repr__(self) -> str:
        return f"<trnsim.DeviceTensor {self.name} {self.dtype} {list(self.shape)}>"


#: Tensors of the device by name; for a session with a server a list of these by rank.
Bindings: TypeAlias = Mapping[str, DeviceTensor] | Sequence[Mapping[str, DeviceTensor]]


class Model:
    """Packages that are loaded into a session, one for each rank."""

    def __init__(
        self, session: Session, packages: list[Package], bindings: Bindings | None, notifications: int
    ):
        self._session = session
        self.packages = packages
        self._id = session._session.load(packages, self._ids(bindings), notifications)
        self._bound = [set(one) for one in self._ids(bindings)]
        self._unwritten = [_trnsim.unwritten_outputs(package) for package in packages]

    @property
    def package(self) -> Package:
        """The package of rank 0."""
        return self.packages[0]

    @property
    def collectives(self) -> list[str]:
        """The algorithm of each collective that the kernels call, in their order: "ring", "mesh", ... A
        collective in a loop is listed once.
        """
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
        unwritten: str = "warn",
    ) -> Any:
        """Executes the packages with these inputs; returns a Result, or Results for a session with a server.

          inputs: arrays by name, for each rank of a server.
          bindings: tensors of the device that take the place of inputs or outputs in this execution.
          stochastic_rounding, seed: the rounding of cores and collectives.
          max_time: the simulated time ("5 ms") after which the execution is stopped.
          wave: a .fst file for the waveform of the core; a view for GTKWave is put beside it.
            For a server it is the core of wave_rank; without that the wave has links, collective cores,
            DMA rings and HBM.
          wave_scopes: the parts of the core to record.
          wave_cycles: the first and the last cycle to record, counted from the start of the first engine.
          trace: a .json file for a timeline for Perfetto.
          notifications: a .csv file for the records of the notification queues that load() has
            asked for; {rank} in its name stands for the number of each rank.
          read_outputs: True returns the outputs that are not bound as arrays.
          unwritten: "warn" gives an UnwrittenWarning if engines read words of SBUF or PSUM that nothing has
            written, with the first instruction and its line; "error" raises ExecutionError, "ignore" does
            neither. With "warn" and "error" an output with elements that nothing writes raises Error.

        Raises ExecutionError if the execution went wrong. ^C stops it and raises KeyboardInterrupt.
        """
        if unwritten not in UNWRITTEN:
            raise Error(f"unwritten={unwritten!r}, expected one of {', '.join(UNWRITTEN)}")
        if unwritten != "ignore":
            self._expect_outputs(bindings)
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
        result = self._result(execution)
        for rank, text in enumerate(execution.unwritten):
            if not text or unwritten == "ignore":
                continue
            if unwritten == "error":
                raise ExecutionError(self._place(rank) + text)
            warnings.warn(self._place(rank) + text, UnwrittenWarning, stacklevel=2)
        return result

    def _expect_outputs(self, bindings: Bindings | None) -> None:
        """Raises Error for an output with elements that nothing writes, unless it is bound to a tensor."""
        now = [set(one) for one in self._ids(bindings)]
        for rank, outputs in enumerate(self._unwritten):
            for name, text in outputs:
                bound = [names[rank] for names in (self._bound, now) if rank < len(names)]
                if not any(name in names for names in bound):
                    raise Error(f"{self._place(rank)}kernel '{self.packages[rank].name}': {text}")

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
        """Calls execute() with inputs by keyword, on one core."""
        result: Result = self.execute(inputs)
        return result

    def interpret(
        self, inputs: Inputs, *, stochastic_rounding: bool = False, seed: int = 0, order: int = 1
    ) -> Any:
        """Returns the outputs that the interpreter gives, by name; for a session with a server a list by
        rank.

        For a server it executes the server's collectives as well. The options are those of interpret().
        Raises InterpreterError for two accesses that nothing orders, for a read of a byte that nothing has
        written and for a deadlock.
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
        """Frees the memory of the packages."""
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
    """A session with the device: one core, or with `server` the cores of a server, one for each rank.

    See docs/session.md. A process simulates one device, and one session is open at a time.

      config: the configuration of the chip, "trn1" by default; for a server that of its chips, by default the
        server's own.
      fidelity: "rtl", or "fast" for the fast core, which has waves without data paths and
        refuses perturbation.
      threads: the threads of each simulated core, 1 or 2; results do not depend on them.
      perturb: a seed of random delays.
      random_memory: a seed of the initial contents of memories, which are zeros without it.
      server: a server's name ("trn1.32xlarge", "trn1-4") or a .yaml file. If none of its slots has
        a core, all cores are fast ones.
      ranks: the number of its cores to use, chip by chip; without it all of them.
      rtl_ranks: ranks that have RTL cores whatever their slots say.
      settings: other values for keys of the server or of its chips, such as
        {"links.lanes": 8, "hbm.model": "banked"}, and faults of its links (docs/neuronlink.md):
        {"links.error_rate": 1e-9, "faults": [{"cut": "0.E", "at": "10 us", "until": "40 us"}]}.
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
        texts = setting_texts(settings)
        self._session = _trnsim.Session(
            self.config, server, ranks, list(rtl_ranks), texts, fidelity, threads, perturb, random_memory
        )

    @property
    def is_server(self) -> bool:
        """True if inputs and outputs are lists by rank."""
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
        """Loads a package for all ranks, or one for each; all must have the same collectives in the same
        order.

          bindings: inputs and outputs that are tensors of the device in every execution.
          notifications: records of each rank's notification queue, a power of two; 0 means no queue.
        """
        packages = [package] * self.ranks if isinstance(package, Package) else list(package)
        return Model(self, packages, bindings, notifications)

    def allocate(
        self, name: str, dtype: Any, shape: Sequence[int], *, stack: int | None = None, rank: int = 0
    ) -> DeviceTensor:
        """Allocates a tensor in the memory of a rank's chip; its initial contents are undefined.

        `stack` is the HBM stack to allocate it in. Raises Error (RESOURCE) if it does not fit.
        """
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
        """Returns a tensor of the device that holds an array, in the array's element type or another one."""
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
        """Loads, executes and unloads a package, or one for each rank. The options are those of
        Model.execute().
        """
        model = self.load(package)
        try:
            return model.execute(inputs, **options)
        finally:
            model.unload()

    def statistics(self) -> dict[str, Any]:
        """Returns the counts of a server's links, HBM and DMA engines, as Communicator.statistics() does."""
        counted: dict[str, Any] = json.loads(self._session.statistics())
        return counted

    def close(self) -> None:
        """Frees everything and releases the device. Every later call raises Error (CLOSED)."""
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<trnsim.Session {self.server or cast(Config, self.config).name}, {self.ranks} ranks>"
