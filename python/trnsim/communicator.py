"""Collectives on a simulated server: NumPy arrays in, NumPy arrays and simulated time out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _trnsim
from ._trnsim import Status
from .arrays import DTYPES, dtype_name, from_device
from .config import setting_texts
from .errors import Error

Groups = Sequence[Sequence[int]]


class Collective:
    """The result of a collective."""

    def __init__(self, outputs: list[np.ndarray | None], seconds: float, algorithm: str):
        #: The output of each rank; None for a rank that gets nothing.
        self.outputs = outputs
        #: Simulated seconds from the start of all ranks to the end of the last.
        self.seconds = seconds
        #: The algorithm that was used: "ring", "mesh", ...
        self.algorithm = algorithm

    def __getitem__(self, rank: int) -> np.ndarray | None:
        return self.outputs[rank]

    def __len__(self) -> int:
        return len(self.outputs)

    def __repr__(self) -> str:
        return f"<trnsim.Collective of {len(self)} ranks, {self.algorithm}, {self.seconds * 1e6:.2f} us>"


class Communicator:
    """The first cores of a server, chip by chip (docs/collectives.md).

      server: a server's name ("trn1.32xlarge", "trn1-4") or a .yaml file.
      ranks: the number of cores to use; without it all of them.
      perturb: a seed of random delays.
      settings: other values for keys of the server or of its chips, such as
        {"links.lanes": 8, "hbm.model": "banked"}, and faults of its links (docs/neuronlink.md):
        {"links.error_rate": 1e-9, "faults": [{"cut": "0.E", "at": "10 us", "until": "40 us"}]}.

    Collectives take lists of arrays, one for each rank, of one shape and element type. Raises Error where the
    inputs do not fit. A process simulates one server or one device.
    """

    def __init__(
        self,
        server: str = "trn1.32xlarge",
        ranks: int | None = None,
        *,
        perturb: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ):
        texts = setting_texts(settings)
        self._communicator = _trnsim.Communicator(server, ranks, perturb, texts)

    @property
    def ranks(self) -> int:
        return self._communicator.ranks

    def all_reduce(
        self,
        inputs: Sequence[Any],
        reduction: str = "add",
        *,
        algorithm: str | None = None,
        stochastic_rounding: bool = False,
        seed: int = 0,
        groups: Groups = (),
    ) -> Collective:
        """Gives every rank the reduction of all inputs.

        The reduction is add, multiply, min or max, in fp32 (docs/collectives.md: order of reduction).
        """
        arrays = self._arrays(inputs)
        return self._run(
            "all-reduce",
            arrays,
            arrays[0].size,
            arrays[0].shape,
            reduction,
            algorithm,
            stochastic_rounding,
            seed,
            groups=groups,
        )

    def reduce_scatter(
        self,
        inputs: Sequence[Any],
        reduction: str = "add",
        *,
        algorithm: str | None = None,
        stochastic_rounding: bool = False,
        seed: int = 0,
    ) -> Collective:
        """Gives rank r the r-th part, along the first axis, of the reduction of all inputs."""
        arrays = self._arrays(inputs)
        part = self._part(arrays[0])
        return self._run(
            "reduce-scatter",
            arrays,
            int(np.prod(part)),
            part,
            reduction,
            algorithm,
            stochastic_rounding,
            seed,
        )

    def all_gather(self, inputs: Sequence[Any], *, algorithm: str | None = None) -> Collective:
        """Gives every rank all inputs, one after the other along the first axis."""
        arrays = self._arrays(inputs)
        shape = arrays[0].shape or (1,)
        return self._run(
            "all-gather", arrays, arrays[0].size, (shape[0] * self.ranks, *shape[1:]), algorithm=algorithm
        )

    def all_to_all(self, inputs: Sequence[Any]) -> Collective:
        """Gives rank r the r-th part, along the first axis, of each input."""
        arrays = self._arrays(inputs)
        return self._run("all-to-all", arrays, int(np.prod(self._part(arrays[0]))), arrays[0].shape)

    def broadcast(self, inputs: Sequence[Any], root: int = 0, *, algorithm: str | None = None) -> Collective:
        """Gives every rank the input of the root."""
        arrays = self._arrays(inputs)
        return self._run("broadcast", arrays, arrays[0].size, arrays[0].shape, algorithm=algorithm, root=root)

    def permute(self, inputs: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> Collective:
        """Gives the second rank of each pair the input of the first. A rank sends to one and receives from
        one.
        """
        arrays = self._arrays(inputs)
        return self._run("permute", arrays, arrays[0].size, arrays[0].shape, pairs=pairs)

    def send_receive(self, inputs: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> Collective:
        """Gives the second rank of each pair the input of the first. A rank may send to several."""
        arrays = self._arrays(inputs)
        return self._run("send-receive", arrays, arrays[0].size, arrays[0].shape, pairs=pairs)

    def barrier(self) -> Collective:
        """Ends when every rank has begun."""
        arrays = [np.zeros(1, np.uint8)] * self.ranks
        done = self._run("barrier", arrays, 0, (1,))
        return Collective([None] * self.ranks, done.seconds, done.algorithm)

    def statistics(self) -> dict[str, Any]:
        """Returns the counts of the server's links, HBM and DMA engines since it was made.

        It is the object that trnsim nccom-test --server-stats writes (docs/collectives.md: statistics of the
        server), without size and algorithm. Times are seconds.
        """
        counted: dict[str, Any] = json.loads(self._communicator.statistics())
        return counted

    def _arrays(self, inputs: Sequence[Any]) -> list[np.ndarray]:
        arrays = [np.asarray(array) for array in inputs]
        if len(arrays) != self.ranks:
            raise Error(
                f"{len(arrays)} inputs, expected {self.ranks}, one for each rank", Status.EXEC_BAD_INPUT
            )
        for rank, array in enumerate(arrays):
            if array.shape != arrays[0].shape or array.dtype != arrays[0].dtype:
                raise Error(
                    f"rank {rank}: {array.dtype.name} {list(array.shape)}, expected {arrays[0].dtype.name} "
                    f"{list(arrays[0].shape)} as of rank 0",
                    Status.EXEC_BAD_INPUT,
                )
        if arrays[0].size == 0:
            raise Error(
                f"arrays of shape {list(arrays[0].shape)}, expected at least one element",
                Status.EXEC_BAD_INPUT,
            )
        return arrays

    def _part(self, array: np.ndarray) -> tuple[int, ...]:
        if array.ndim == 0 or array.shape[0] % self.ranks:
            raise Error(
                f"arrays of shape {list(array.shape)}, expected a first axis that is a multiple of "
                f"{self.ranks}",
                Status.EXEC_BAD_INPUT,
            )
        return (array.shape[0] // self.ranks, *array.shape[1:])

    def _run(
        self,
        operation: str,
        arrays: Sequence[np.ndarray],
        count: int,
        shape: tuple[int, ...],
        reduction: str = "add",
        algorithm: str | None = None,
        stochastic: bool = False,
        seed: int = 0,
        *,
        root: int = 0,
        pairs: Sequence[tuple[int, int]] = (),
        groups: Groups = (),
    ) -> Collective:
        dtype = dtype_name(arrays[0].dtype)
        data = [array.astype(DTYPES[dtype].newbyteorder("<"), copy=False).tobytes() for array in arrays]
        done = self._communicator.run(
            operation,
            dtype,
            count,
            data,
            reduction,
            algorithm,
            stochastic,
            seed,
            root,
            [(source, target) for source, target in pairs],
            [list(group) for group in groups],
        )
        outputs = [
            None if output is None else from_device(dtype, ("", shape, output)) for output in done.outputs
        ]
        return Collective(outputs, done.time * 1e-15, done.algorithm)

    def __repr__(self) -> str:
        return f"<trnsim.Communicator {self._communicator.server}, {self.ranks} ranks>"
