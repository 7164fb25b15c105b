"""Order and places of calls: issued in the order of the schedule, on the places that they were given, they leave in HBM what they leave
in the kernel's order on memories without end.

The machine of this test knows nothing of engines: a call puts a value that depends on its method and on all that it reads into every
word that it writes.
"""

import contextlib
import itertools

import pytest

from trnsim.nki.errors import NkiError
from trnsim.nki.lowering.allocation import SPACES, allocate
from trnsim.nki.lowering.calls import Area, Call, HbmTensor, Tile, View
from trnsim.nki.lowering.lives import Lives
from trnsim.nki.lowering.schedule import schedule

STATE = {
    "load_stationary": "weights",
    "multiply_moving": "weights",
    "activation": "sums",
    "act_read_accumulator": "sums",
    "rng": "random",
}
CHANGES_STATE = ("load_stationary", "activation", "rng")


def elements(axes):
    for index in itertools.product(*(range(count) for count, _ in axes)):
        yield sum(i * step for i, (_, step) in zip(index, axes))


def words_of(tile, base):
    """Where a tile's words lie, all tiles here being of fp32; `base`: the area, or its space, and its first byte."""
    where, first = base
    for partition in range(tile.partition, tile.partition + tile.partitions):
        for at in elements(tile.axes):
            yield where, partition, first + tile.byte + 4 * at


def words_in_hbm(view):
    for at in elements(view.axes):
        yield "hbm", view.tensor.name, view.offset + at


class Machine:
    """Memories of values. `base` says where an argument's area lies in a call."""

    def __init__(self, base):
        self.base, self.memory, self.state = base, {}, {}

    def places(self, call, name, value):
        return list(words_in_hbm(value) if isinstance(value, View) else words_of(value, self.base(call, name, value)))

    def run(self, call):
        read, written = [call.method], []
        for name, value in sorted(call.arguments.items()):
            if not isinstance(value, (Tile, View)):
                continue
            places = self.places(call, name, value)
            if name in call.writes:
                written += places
            if name not in call.writes or call.updates:
                read += [self.memory.get(place, "nothing") for place in places]
        state = STATE.get(call.method)
        if state is not None and call.method != "load_stationary":  # which overwrites
            read.append(self.state.get(state))
        value = hash(tuple(read))
        if call.method in CHANGES_STATE:
            self.state[state] = value
        for number, place in enumerate(written):
            self.memory[place] = hash((value, number))

    def hbm(self):
        return {place: value for place, value in self.memory.items() if place[0] == "hbm"}


class Kernel:
    """Random calls on a few areas and tensors."""

    def __init__(self, rng, length):
        self.rng = rng
        self.areas = [Area("sbuf", 8, int(rng.choice([8, 24, 64, 200])), f"a{k}") for k in range(7)]
        self.areas += [Area("psum", 8, int(rng.choice([16, 64, 2048])), f"p{k}") for k in range(4)]
        self.tensors = [HbmTensor(f"t{k}", "scratch", "fp32", (64,)) for k in range(3)]
        self.calls = []
        while len(self.calls) < length:
            self.call()

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def tile(self, space=None):
        """Often all of an area, else a part of it, in steps or backwards."""
        area = self.pick([a for a in self.areas if space in (None, a.space)])
        if self.rng.random() < 0.5:
            return Tile(area, 0, area.partitions, 0, "fp32", ((area.size // 4, 1),))
        first, count = int(self.rng.integers(0, 6)), int(self.rng.integers(1, 3))
        words = area.size // 4
        step = int(self.rng.integers(1, 3))
        n = int(self.rng.integers(1, max(2, words // step)))
        start = int(self.rng.integers(0, words - (n - 1) * step))
        if self.rng.random() < 0.2:
            start, step = start + (n - 1) * step, -step
        return Tile(area, first, count, 4 * start, "fp32", ((n, step),))

    def view(self):
        n = int(self.rng.integers(1, 9))
        return View(self.pick(self.tensors), int(self.rng.integers(0, 64 - 2 * n)), ((n, int(self.rng.integers(1, 3))),))

    def call(self):
        method = self.pick(["load", "store", "tensor_copy", "tensor_tensor", "tensor_tensor", "matmul", "activation", "rng", "iota"])
        add = self.calls.append
        if method == "load":
            add(Call("load", {"to": self.tile("sbuf"), "source": self.view()}, ("to",)))
        elif method == "store":
            add(Call("store", {"to": self.view(), "source": self.tile()}, ("to",)))
        elif method == "matmul":
            add(Call("load_stationary", {"stationary": self.tile("sbuf")}, ()))
            more = bool(self.rng.random() < 0.5)
            add(Call("multiply_moving", {"dst": self.tile("psum"), "moving": self.tile("sbuf"), "accumulate": more}, updates=more))
        elif method == "activation":
            add(Call("activation", {"dst": self.tile(), "a": self.tile(), "function": self.pick(["exp", "gelu"]), "reduce": "reduce"}))
            if self.rng.random() < 0.5:
                add(Call("act_read_accumulator", {"dst": self.tile("sbuf")}))
        elif method == "tensor_copy":
            add(Call("tensor_copy", {"dst": self.tile(), "source": self.tile(), "engine": self.pick(["vector", "scalar"])}))
        elif method == "tensor_tensor":
            add(Call("tensor_tensor", {"dst": self.tile(), "a": self.tile(), "b": self.tile()}, updates=bool(self.rng.random() < 0.2)))
        else:
            add(Call(method, {"dst": self.tile("sbuf")}))


def difference(calls, order, lives):
    """Whether HBM differs after the kernel's order on unlimited memories and after `order` on the places of lives."""
    straight = Machine(lambda call, name, value: (value.area, 0))
    placed = Machine(lambda call, name, value: (value.area.space, lives.of(call, name).byte))
    for call in calls:
        straight.run(call)
    for call in order:
        placed.run(call)
    # What nothing has written is another thing in each memory: only what comes from written bytes is compared.
    return straight.hbm() != placed.hbm()


def filled(kernel):
    """Calls that write all areas first, so that nothing unwritten is read."""
    first = [Call("memset", {"dst": Tile(a, 0, a.partitions, 0, "fp32", ((a.size // 4, 1),)), "value": 0.0}) for a in kernel.areas]
    return first + kernel.calls


def test_the_order_does_not_matter(rng, scale):
    moved = 0
    for _ in range(int(25 * min(scale, 10))):
        calls = filled(Kernel(rng, int(rng.integers(5, 120))))
        lives = Lives(calls)
        order = schedule(calls, lives, SPACES)
        assert sorted(map(id, order)) == sorted(map(id, calls))
        allocate(order, lives)
        assert not difference(calls, order, lives)
        moved += order != calls
    assert moved > 5


@pytest.mark.parametrize("broken", ["_depend", "update", "state"])
def test_a_missing_dependence_is_found(rng, monkeypatch, broken):
    """Of random kernels some notice that the schedule knows nothing of all places, of reads that come with a write, of states."""
    from trnsim.nki.lowering import schedule as module

    if broken == "_depend":
        monkeypatch.setattr(module._Accesses, "read", lambda self, where, who: [])
    elif broken == "update":
        monkeypatch.setattr(module._Accesses, "write", lambda self, where, who: [])
    else:
        monkeypatch.setattr(module, "_STATE", {})
    found = 0
    for _ in range(20):
        calls = filled(Kernel(rng, 60))
        lives = Lives(calls)
        order = module.schedule(calls, lives, SPACES)
        with contextlib.suppress(NkiError):  # a wrong order may leave too little room
            allocate(order, lives)
            found += difference(calls, order, lives)
    assert found


def test_places_do_not_meet(rng):
    for _ in range(15):
        calls = filled(Kernel(rng, 60))
        lives = Lives(calls)
        allocate(calls, lives)
        for a, b in itertools.combinations(lives.all, 2):
            together = a.area.space == b.area.space and a.first <= b.last and b.first <= a.last
            assert not together or a.byte + a.area.size <= b.byte or b.byte + b.area.size <= a.byte
        for life in lives.all:
            assert life.byte + life.area.size <= SPACES[life.area.space]
            assert life.area.space == "sbuf" or life.byte // 2048 == (life.byte + life.area.size - 1) // 2048


def test_a_tile_in_a_loop_has_several_places():
    tensor, area = HbmTensor("t", "input", "fp32", (4096,)), Area("sbuf", 8, 64)
    tile, out = Tile(area, 0, 8, 0, "fp32", ((16, 1),)), HbmTensor("o", "output", "fp32", (4096,))
    calls = []
    for k in range(6):
        calls.append(Call("load", {"to": tile, "source": View(tensor, 128 * k, ((8, 16), (16, 1)))}, ("to",)))
        calls.append(Call("store", {"to": View(out, 128 * k, ((8, 16), (16, 1))), "source": tile}, ("to",)))
    lives = Lives(calls)
    order = schedule(calls, lives, SPACES)
    allocate(order, lives)
    assert len({life.byte for life in lives.all}) == 6
    assert [call.method for call in order[:6]] == ["load"] * 6


def test_too_much_at_once():
    areas = [Area("sbuf", 128, 60 * 1024, f"tile{k}") for k in range(4)]
    tiles = [Tile(area, 0, 128, 0, "fp32", ((15 * 1024, 1),)) for area in areas]
    calls = [Call("memset", {"dst": tile, "value": 0.0}, place=("kernel.py", 10 + k)) for k, tile in enumerate(tiles)]
    calls += [Call("tensor_tensor", {"dst": tiles[3], "a": a, "b": tiles[0]}, place=("kernel.py", 20)) for a in tiles[1:3]]
    lives = Lives(calls)
    with pytest.raises(NkiError) as error:
        allocate(calls, lives)
    assert error.value.name == "err_allocation" and (error.value.file, error.value.line) == ("kernel.py", 12)
    assert "184320 bytes a partition in sbuf" in error.value.text and "tile0 of line 10: 61440" in error.value.text


class _Plain:
    """Accesses to a place, each compared with each."""

    def __init__(self):
        self.writes, self.reads = [], []

    def read(self, where, who):
        self.reads.append((where, who))
        return {other for place, other in self.writes if self._meet(place, where)}

    def write(self, where, who):
        found = {other for place, other in self.writes + self.reads if self._meet(place, where)}
        for entries in (self.writes, self.reads):
            entries[:] = [entry for entry in entries if not self._inside(entry[0], where)]
        self.writes.append((where, who))
        return found

    @staticmethod
    def _meet(a, b):
        return all(max(a[k], b[k]) < min(a[k + 1], b[k + 1]) for k in range(0, len(a), 2))

    @staticmethod
    def _inside(a, b):
        return all(b[k] <= a[k] and a[k + 1] <= b[k + 1] for k in range(0, len(a), 2))


def test_accesses_that_meet(rng, scale):
    """Random boxes of all widths: those that an access meets are the ones that a comparison with each gives."""
    from trnsim.nki.lowering import schedule as module

    for _ in range(int(20 * scale)):
        found, expected = module._Accesses(), _Plain()
        for who in range(200):
            rows, first, width = int(rng.integers(0, 4)), int(rng.integers(0, 600)), int(2 ** rng.uniform(0, 9))
            where = (rows, rows + int(rng.integers(1, 4)), first, first + width)
            kind = "write" if rng.random() < 0.5 else "read"
            assert set(getattr(found, kind)(where, who)) == getattr(expected, kind)(where, who)


def test_comparisons_of_many_small_accesses(monkeypatch):
    """Columns of one tile, each written and read: as many comparisons for each, however many there are."""
    from trnsim.nki.lowering import schedule as module

    compared = []
    monkeypatch.setattr(module, "_meet", lambda a, b, meet=module._meet: compared.append(1) or meet(a, b))
    accesses = module._Accesses()
    for column in range(2000):
        accesses.write((0, 128, 4 * column, 4 * column + 4), 2 * column)
        assert accesses.read((0, 128, 4 * column, 4 * column + 4), 2 * column + 1) == [2 * column]
    assert len(compared) <= 4 * 2000
