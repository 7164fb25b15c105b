#!/usr/bin/env python3
"""The views, compared with a recording of the small core.

usage: waves_test.py RECORD_WAVE_PROGRAM

Every signal of waves/*.gtkw is in the recording, tables and filters fit what GTKWave gives them, and scopes
select what they say.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without

ROOT = Path(__file__).resolve().parents[2]
WAVES = ROOT / "waves"
SCOPES = ["core", "tensor", "vector", "scalar", "rounding", "gpsimd", "sync", "memory"]
ROUNDS = 6  # rounds of the program
NONE = 0xFFFFFFFF  # the index of the instruction while none executes
SEED, VECTOR_STREAM = 7, 1  # the seed of the program's stochastic rounding
RECORDER = sys.argv.pop() if len(sys.argv) > 1 else None


class Recording:
    """Signals by name as GTKWave writes it, with the range and without a space. `values` has those of a
    signal.
    """

    def __init__(self, *scopes):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.fst"
            subprocess.run(
                [RECORDER, "small16", str(ROUNDS), path, *scopes], check=True, stdout=subprocess.DEVNULL
            )
            vcd = subprocess.run(["fst2vcd", "-f", path], check=True, capture_output=True, text=True).stdout
        header, _, changes = vcd.partition("$enddefinitions")
        self.widths, self.codes, place = {}, {}, []
        for line in header.splitlines():
            words = line.split()
            if words[:1] == ["$scope"]:
                place.append(words[2])
            elif words[:1] == ["$upscope"]:
                place.pop()
            elif words[:1] == ["$var"]:
                name = ".".join([*place, "".join(words[4:-1])])
                if self.codes.get(name, words[3]) != words[3]:
                    raise ValueError(f"scopes {scopes}: two signals with the name {name}")
                self.widths[name], self.codes[name] = int(words[2]), words[3]
        self.values, self.changes, time = {}, [], 0
        for line in changes.splitlines():
            if line[:1] == "#":
                time = int(line[1:])
            elif match := re.fullmatch(r"b([01]+) (\S+)|([01])(\S+)", line):
                value, code = int(match[1] or match[3], 2), match[2] or match[4]
                self.values.setdefault(code, set()).add(value)
                self.changes.append((time, code, value))

    def history(self, *names):
        """Yields the values of the signals, in that order, at every time at which anything changes."""
        places, now, last = {}, [0] * len(names), None
        for place, name in enumerate(names):
            places.setdefault(self.codes[name], []).append(place)
        for time, code, value in self.changes:
            if last not in (None, time):
                yield tuple(now)
            last = time
            for place in places.get(code, ()):
                now[place] = value
        yield tuple(now)


def traces(view):
    """Yields (signal, flags, translation) of a save file."""
    flags, translation = 0, None
    for line in view.read_text().splitlines():
        if line.startswith("@"):
            flags, translation = int(line[1:], 16), None
        elif line.startswith("^"):
            translation = re.fullmatch(r"\^>?\d+ (\S+)", line).group(1)
        elif line.startswith("+{"):
            name = line.partition("} ")[2]
            # trnsim adds these to recordings of a run or of servers, which other tests have; small16 has
            # fewer GpSimd cores.
            if not name.startswith(("collectives.", "dma.", "hbm.", "links.")) and not re.search(
                r"\.gpsimd\.core[1-7]\.", name
            ):
                yield name, flags, translation


def table(path):
    rows = (line.partition(" ") for line in path.read_text().splitlines())
    return {key: text for key, _, text in rows}


def draws(stream, lane, seed):
    """Yields the draws of a lane, from the definition in docs/stochastic-rounding.md."""
    words = []
    for k in (1, 2, 3):
        z = ((stream << 48 | lane << 32 | seed) + k * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        z ^= z >> 31
        words += [z % 2**32, z >> 32]
    x, y, z, w, v, d = words
    while True:
        t = x ^ x >> 2
        x, y, z, w, v = y, z, w, v, (v ^ v << 4 ^ t ^ t << 1) % 2**32
        d = (d + 362437) % 2**32
        yield (d + v) % 2**32


def filtered(program, words):
    text = "".join(f"{word}\n" for word in words)
    run = subprocess.run(
        [WAVES / "filters" / program], input=text, capture_output=True, text=True, check=True
    )
    return run.stdout.splitlines()


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recording = Recording()
        # of recordings without a core: link_test.py
        cls.views = sorted(set(WAVES.glob("*.gtkw")) - {WAVES / "link.gtkw"})

    def test_are_current(self):
        subprocess.run([WAVES / "make_views.py", "--check"], check=True)

    def test_name_signals_of_the_core(self):
        self.assertTrue(self.views)
        for view in self.views:
            self.assertGreater(view.read_text().count("\n+{"), 15, view)
            names = [name for name, _, _ in traces(view)]
            self.assertGreater(len(names), 1, view)
            for name in names:
                self.assertIn(name, self.recording.widths, view)

    def test_tables_have_keys_as_displayed_and_know_every_value(self):
        for view in self.views:
            for name, flags, translation in traces(view):
                if not flags & 0x2000:
                    continue
                width = self.recording.widths[name]
                shown = str if flags & 0x4 else (lambda value, width=width: f"{value:0{(width + 3) // 4}x}")
                keys = table(ROOT / translation)
                for key in keys:
                    self.assertEqual(
                        key, shown(int(key, 10 if flags & 0x4 else 16)), f"{translation} for {name}"
                    )
                if name.endswith(".executing_pc[31:0]"):
                    self.assertEqual(
                        list(keys), [shown(NONE)], "those of a program are made when one is recorded"
                    )
                    continue
                for value in self.recording.values[self.recording.codes[name]] - {0}:
                    self.assertIn(shown(value), keys, f"{translation} for {name}")

    def test_show_what_executes(self):
        """An instruction executes until it completes, in order; Tensor has two instructions a round and a
        halt.
        """
        opcodes = table(WAVES / "translate/opcode.txt")
        for engine, expected in (
            ("tensor.sequencer", ["load_stationary", "multiply_moving"] * ROUNDS + ["halt"]),
            ("vector.sequencer", ["tensor_scalar"] * ROUNDS + ["halt"]),
            ("sync", ["event_semaphore", "write", "halt"]),
            ("gpsimd", []),
        ):
            scope = f"core.neuron_core.{engine}"
            completed, started = [], []
            for complete, pc, opcode, in_flight in self.recording.history(
                f"{scope}.complete",
                f"{scope}.executing_pc[31:0]",
                f"{scope}.executing_opcode[7:0]",
                f"{scope}.in_flight[7:0]",
            ):
                if complete:
                    completed.append((pc, opcodes[f"{opcode:02x}"].rpartition("?")[2]))
                if pc == NONE:
                    self.assertEqual((opcode, in_flight), (0, 0))
                elif not started or started[-1] != pc:
                    started.append(pc)
            self.assertEqual(completed, list(enumerate(expected)), engine)
            self.assertEqual(started, list(range(len(expected))), engine)

    def test_filters_run_from_the_root(self):
        for view in self.views:
            for _, flags, translation in traces(view):
                if flags & 0x4000:
                    self.assertTrue((ROOT / translation).stat().st_mode & 0o100, translation)

    def seen(self, name):
        return self.recording.values[self.recording.codes[f"core.neuron_core.{name}"]]

    def numbers(self, name, program):
        return set(filtered(program, [f"{value:x}" for value in self.seen(name)]))

    def test_show_the_program(self):
        states = table(WAVES / "translate/seq_state.txt")
        names = {
            states[f"{value:x}"].rpartition("?")[2] for value in self.seen("tensor.sequencer.state[2:0]")
        }
        self.assertLessEqual({"wait_sem", "issue", "halted"}, names)
        self.assertIn(0x11, self.seen("tensor.sequencer.opcode[7:0]"))  # multiply_moving
        self.assertIn(0xFFFF00001000, self.seen("memory.manager.write_address[63:0]"))
        moving = {f"{3 + n / 4:g}" for n in range(8)}
        self.assertLessEqual(moving, self.numbers("tensor.stream0.moving.lane_3[35:0]", "element.py"))
        self.assertIn("1", self.numbers("tensor.stationary.lane_0[35:0]", "element.py"))
        products = [n / 4 for n in range(8)]  # of weights 1 and none
        self.assertLessEqual(
            {f"{x:g}" for x in products}, self.numbers("tensor.stream0.result_0[31:0]", "fp32.py")
        )
        self.assertLessEqual(
            {f"{x / 2 + 1.001:g}" for x in products}, self.numbers("vector.result.lane_0[35:0]", "element.py")
        )

    def test_show_stochastic_rounding(self):
        scope = "core.neuron_core.rounding"
        for lane in range(4):
            signals = [
                f"{scope}.vector[{lane}].lane.{name}"
                for name in (
                    "value[31:0]",
                    "dropped[31:0]",
                    "draw[31:0]",
                    "threshold[31:0]",
                    "raised",
                    "written[35:0]",
                )
            ]
            expected = draws(VECTOR_STREAM, lane, SEED)
            written, raises = None, set()
            for result, mode, value, dropped, draw, threshold, raised, now in self.recording.history(
                f"{scope}.vector_result", f"{scope}.vector_mode[1:0]", *signals
            ):
                if not result:
                    continue
                self.assertEqual((mode, draw, threshold), (2, next(expected), draw))
                self.assertEqual(dropped, value << 16 & 0xFFFFFFFF)  # to bf16
                self.assertEqual(raised, threshold < dropped)
                if written is not None:
                    self.assertEqual(now & 0xFFFF, written)
                written = (value >> 16) + raised
                raises.add(raised)
            self.assertEqual(raises, {0, 1})

    def test_are_what_the_whole_recording_has(self):
        whole = Recording("all")
        for name in self.recording.codes:
            if self.recording.widths[name] <= 256:
                self.assertEqual(
                    self.recording.values.get(self.recording.codes[name]),
                    whole.values.get(whole.codes[name]),
                    name,
                )


class Scopes(unittest.TestCase):
    def signals(self, *scopes):
        names = (name.split(".") for name in Recording(*scopes).widths)
        return {name[2] for name in names if name[:2] == ["core", "neuron_core"]}

    def test_all_probes_without_a_choice(self):
        self.assertEqual(self.signals(), set(SCOPES))

    def test_chosen(self):
        self.assertEqual(self.signals("tensor", "sync"), {"tensor", "sync"})

    def test_everything(self):
        self.assertLess(set(SCOPES) | {"u_core_control", "u_engines", "u_memories"}, self.signals("all"))

    def test_unknown(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [RECORDER, "small16", "1", f"{folder}/x.fst", "tensr"],
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(run.returncode, 1)
        self.assertIn("'tensr'", run.stderr)
        for scope in [*SCOPES, "all"]:
            self.assertIn(scope, run.stderr)


class Surfer(unittest.TestCase):
    """The translators, with a stand-in for the module that Surfer gives them."""

    def translators(self):
        class Kind:
            Normal, Warn = (lambda: "normal"), (lambda: "warn")

        surfer = types.ModuleType("surfer")
        surfer.BasicTranslator, surfer.ValueKind = object, Kind
        text = (WAVES / "surfer/trnsim.py").read_text().replace("@FILTERS@", str(WAVES / "filters"))
        module = {}
        with unittest.mock.patch.dict(sys.modules, {"surfer": surfer}):
            exec(compile(text, "plugin.py", "exec"), module)
        return {module[name].name: module[name].basic_translate for name in module["translators"]}

    def test_text_is_that_of_the_filters(self):
        translators = self.translators()
        words = {
            "element": (36, ["612343fc0", "2123456ff", "d00000038", "000000000"]),
            "fp32": (32, ["3f800000", "7fc00000"]),
            "fraction": (32, ["80000000", "00000001"]),
        }
        self.assertEqual(set(translators), {f"trnsim_{name}" for name in words})
        for name, (bits, values) in words.items():
            expected = filtered(f"{name}.py", values)
            for value, text in zip(values, expected):
                self.assertEqual(
                    translators[f"trnsim_{name}"](bits, str(int(value, 16))), (text, "normal"), name
                )
            self.assertEqual(translators[f"trnsim_{name}"](bits, "xxxx"), ("xxxx", "warn"), name)


class Filters(unittest.TestCase):
    def check(self, program, pairs):
        self.assertEqual(filtered(program, [word for word, _ in pairs]), [number for _, number in pairs])

    def test_fraction(self):
        self.check(
            "fraction.py", [("80000000", "0.500000"), ("00000000", "0.000000"), ("xxxxxxxx", "xxxxxxxx")]
        )

    def test_fp32(self):
        self.check(
            "fp32.py",
            [
                ("3f800000", "1"),
                ("c0490fdb", "-3.14159"),
                ("7f800000", "inf"),
                ("7fc00000", "nan"),
                ("00000001", "1.4013e-45"),
                ("xxxxxxxx", "xxxxxxxx"),
            ],
        )

    def test_element(self):
        self.check(
            "element.py",
            [
                ("2123456ff", "-1"),
                ("3000000ff", "255"),
                ("40000fffe", "-2"),
                ("50000fffe", "65534"),
                ("612343fc0", "1.5"),
                ("700003e00", "1.5"),
                ("700000001", "5.96046e-08"),
                ("70000fc00", "-inf"),
                ("8ffffffff", "-1"),
                ("9ffffffff", "4294967295"),
                ("a3f000000", "0.5"),
                ("b3f001fff", "0.5"),
                ("d00000038", "1.5"),
                ("e00000038", "1"),
                ("e00000001", "0.00195312"),
                ("f0000003e", "1.5"),
                ("000000000", "-"),
            ],
        )


if __name__ == "__main__":
    if RECORDER is None:
        sys.exit(__doc__)
    if shutil.which("fst2vcd") is None:
        end_without("fst2vcd, which the package gtkwave has")
    unittest.main()
