"""Sessions with a server: a kernel on each of its ranks, with the collectives that they trigger."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _trnsim
from ._trnsim import Package
from .arrays import DTYPES, from_device, to_device
from .config import ConfigLike, load_config
from .errors import Error, ExecutionError, Status
from .interpreter import check_inputs
from .session import DONE

Inputs = Sequence[Mapping[str, Any]]


class ServerResult:
    """What the execution of all ranks gave."""

    def __init__(self, execution: _trnsim.ServerExecution, outputs: list[dict[str, np.ndarray]]):
        #: SUCCESS, or EXEC_COMPLETED_WITH_NUM_ERR where an engine has written a NaN.
        self.status = Status(execution.status)
        #: Of each rank, arrays by name.
        self.outputs = outputs
        #: Simulated time from the start of all ranks to the end of the last.
        self.seconds: float = execution.time * 1e-15
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
        return f"<trnsim.ServerResult of {len(self)} ranks, {self.status.name}, {self.seconds * 1e6:.2f} us>"


class ServerSession:
    """Kernels on the cores of a simulated server at the same time, one for each rank: docs/session.md.

    server: the name of one ("trn1.32xlarge", "trn1-4") or a .yaml file; without a core in its slots they all have fast ones. ranks: how many
    of its cores, chip by chip, all unless given. chip: the configuration of its chips, the server's unless given. rtl_ranks: ranks whose
    cores are RTL whatever stands in their slots.
    settings: keys of the server or of its chips with other values, {"links.lanes": 8, "hbm.model": "banked"}. A process simulates one
    server, or one device.
    """

    def __init__(
        self,
        server: str = "trn1.32xlarge",
        ranks: Optional[int] = None,
        *,
        chip: Optional[ConfigLike] = None,
        rtl_ranks: Sequence[int] = (),
        settings: Optional[Mapping[str, Any]] = None,
    ):
        texts = [f"{key}={value}" for key, value in (settings or {}).items()]
        config = None if chip is None else load_config(chip)
        self._session = _trnsim.ServerSession(server, ranks, config, list(rtl_ranks), texts)
        self._packages: list[Package] = []

    @property
    def ranks(self) -> int:
        return self._session.ranks

    def load(self, packages: Union[Package, Sequence[Package]]) -> None:
        """Loads a package for all ranks, or one for each, in the place of those before. All have the same collectives in the same order."""
        packages = [packages] * self.ranks if isinstance(packages, Package) else list(packages)
        self._session.load(packages)
        self._packages = packages

    @property
    def collectives(self) -> list[str]:
        """How each collective that the kernels call is done, in their order: "ring", "mesh", ... One in a loop is one."""
        return self._session.collectives() if self._packages else []

    def execute(
        self,
        inputs: Inputs,
        *,
        stochastic_rounding: bool = False,
        seed: int = 0,
        max_time: Optional[str] = None,
        trace: "str | os.PathLike[str] | None" = None,
        wave: "str | os.PathLike[str] | None" = None,
    ) -> ServerResult:
        """Executes the packages with these inputs, arrays by name for each rank.

        stochastic_rounding, seed: how cores and collectives round. max_time: simulated time ("5 ms") after which it is stopped. trace: a
        timeline of cores, chips and links for Perfetto, .json. wave: waves of links, collective cores, DMA rings and HBM, .fst, with a view
        for GTKWave beside it.

        Raises ExecutionError, whose statistics are a list by rank, when it went wrong.
        """
        self._check(inputs)
        execution = self._session.execute(
            self._to_device(inputs),
            stochastic_rounding,
            seed,
            max_time,
            None if trace is None else os.fspath(trace),
            None if wave is None else os.fspath(wave),
        )
        for rank, lines in enumerate(execution.printed):
            for line in lines:
                print(f"rank {rank}: {line}")
        if execution.status not in DONE:
            raise ExecutionError(execution.message, execution.status, [json.loads(text) for text in execution.statistics])
        outputs = [
            {name: from_device(self._dtype(rank, name), array) for name, array in one.items()}
            for rank, one in enumerate(execution.outputs)
        ]
        return ServerResult(execution, outputs)

    def run(self, packages: Union[Package, Sequence[Package]], inputs: Inputs, **options: Any) -> ServerResult:
        """load() and execute()."""
        self.load(packages)
        return self.execute(inputs, **options)

    def interpret(
        self, inputs: Inputs, *, stochastic_rounding: bool = False, seed: int = 0, order: int = 1
    ) -> list[dict[str, np.ndarray]]:
        """What the interpreter gives for the outputs of each rank, with the collectives of this server; options as of interpret().

        Raises InterpreterError for two accesses that nothing orders, a byte read that nothing has written and a deadlock.
        """
        self._check(inputs)
        for rank, one in enumerate(inputs):
            check_inputs(self._packages[rank], one, f"rank {rank}: ")
        outputs = self._session.interpret(self._to_device(inputs), stochastic_rounding, seed, order)
        return [
            {
                tensor["name"]: np.frombuffer(bytearray(one[tensor["name"]]), DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
                for tensor in self._packages[rank].tensors
                if tensor["name"] in one
            }
            for rank, one in enumerate(outputs)
        ]

    def statistics(self) -> dict[str, Any]:
        """What the server's links, HBM and DMA engines have counted, as Communicator.statistics()."""
        return json.loads(self._session.statistics())

    def _to_device(self, inputs: Inputs) -> list[dict[str, Any]]:
        return [
            {name: to_device(name, self._dtype(rank, name, ("input", "update")), array) for name, array in one.items()}
            for rank, one in enumerate(inputs)
        ]

    def _check(self, inputs: Inputs) -> None:
        if not self._packages:
            raise Error("no package is loaded, expected load() before", Status.INVALID_HANDLE)
        if len(inputs) != self.ranks:
            raise Error(f"inputs of {len(inputs)} ranks, expected {self.ranks}", Status.EXEC_BAD_INPUT)

    def _dtype(self, rank: int, name: str, kinds: Sequence[str] = ("output", "update")) -> str:
        package = self._packages[rank]
        names = {tensor["name"]: tensor["dtype"] for tensor in package.tensors if tensor["kind"] in kinds}
        if name not in names:
            raise Error(
                f"rank {rank}: kernel '{package.name}' has no input '{name}'; its inputs: {' '.join(names)}", Status.EXEC_BAD_INPUT
            )
        return names[name]

    def __repr__(self) -> str:
        return f"<trnsim.ServerSession {self._session.server}, {self.ranks} ranks>"
