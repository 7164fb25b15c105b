"""The tables of trnsim profile on the RTL agree with each other and with --stats.

usage: profile_rtl_test.py TRNSIM
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TRNSIM = sys.argv.pop(1)


def trnsim(*arguments, status=0):
    result = subprocess.run([TRNSIM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if result.returncode != status:
        raise AssertionError(f"{arguments}: {result.returncode}: {result.stderr}")
    return result


class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name)
        cls.kernel, cls.csv = path / "k.neff", path / "csv"
        trnsim(
            "kernel", "build", "softmax", "--rows", 48, "--cols", 96, "--config", "small16", "-o", cls.kernel
        )
        options = ["--config", "small16", "--random-inputs", 1]
        cls.text = trnsim("profile", cls.kernel, *options, "--json", path / "p.json", "--csv", cls.csv).stdout
        trnsim("run", cls.kernel, *options, "--stats", path / "s.json")
        cls.tables, cls.stats = (json.loads((path / name).read_text()) for name in ("p.json", "s.json"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_cycles_of_each_engine(self):
        cycles = self.stats["cycles"]
        self.assertEqual(self.tables["Summary"][0]["neuroncore_cycle_count"], cycles)
        self.assertGreater(len(self.tables["EngineCycles"]), 2)
        for row in self.tables["EngineCycles"]:
            self.assertEqual(sum(value for name, value in row.items() if name != "engine"), cycles, row)

    def test_instructions(self):
        for engine, figures in self.stats["engines"].items():
            rows = [row for row in self.tables["Instruction"] if row["engine"] == engine]
            self.assertEqual(len(rows), figures["completed"], engine)
            self.assertEqual(self.tables["Summary"][0][f"{engine}_engine_instruction_count"], len(rows))
            for row in rows:
                self.assertAlmostEqual(row["end_ts"] - row["start_ts"], row["duration_ns"], places=3)

    def test_dma(self):
        moved = sum(engine["bytes_written"] for engine in self.stats["dma"])
        self.assertEqual(self.tables["Summary"][0]["dma_transfer_total_bytes"], moved)
        self.assertEqual(sum(row["transfer_bytes"] for row in self.tables["DmaPacket"]), moved)

    def test_csv_has_the_same_rows(self):
        for name, rows in self.tables.items():
            text = (self.csv / f"{name}.csv").read_text()
            found = list(csv.DictReader(text.splitlines()))
            self.assertEqual(len(found), len(rows), name)
            if rows:
                self.assertEqual(list(found[0]), list(rows[0]))

    def test_text(self):
        self.assertIn("executing", self.text)
        self.assertTrue(any(line.startswith("* ") for line in self.text.splitlines()))

    def test_the_fast_core_spends_the_same_cycles(self):
        file = pathlib.Path(self.folder.name) / "fast.json"
        options = ["--config", "small16", "--random-inputs", 1, "--fidelity", "fast", "--json", file]
        trnsim("profile", self.kernel, *options)
        fast = json.loads(file.read_text())
        for table in ("EngineCycles", "OpcodeSummary", "DmaPacket"):
            self.assertEqual(fast[table], self.tables[table])

    def test_against_an_earlier_run(self):
        json_file = pathlib.Path(self.folder.name) / "p.json"
        options = ["--config", "small16", "--random-inputs", 1, "--against", json_file]
        text = trnsim("profile", self.kernel, *options).stdout
        self.assertIn("no difference by class\n", text)
        # Random delays change cycles, not instructions.
        text = trnsim("profile", self.kernel, *options, "--perturb", 3).stdout
        self.assertRegex(text, r"\ncycles +\d+ -> \d+ +\([+-]\d+\.\d\d %\)\n")
        self.assertRegex(
            text, r"\nengine +class +before +now +change  cycles\n(\w+ +\w+ +\d+ +\d+ +[+-]\d+\n)+"
        )
        self.assertIn("no difference by opcode\n", text)
        error = trnsim("profile", self.kernel, *options, "--json", json_file, status=2).stderr
        self.assertIn("the same file as --against", error)
        error = trnsim("profile", self.kernel, "--against", self.kernel, status=2).stderr
        self.assertIn("expected tables of profile --json", error)
        part = pathlib.Path(self.folder.name) / "part.json"
        part.write_text(json.dumps({"Metadata": self.tables["Metadata"]}))
        result = trnsim("profile", self.kernel, "--against", part, status=2)
        self.assertIn("found no ", result.stderr)
        self.assertEqual(result.stdout, "", "refused before the run")

    def test_inputs_that_are_not_given_are_random(self):
        self.assertIn("random inputs      x (seed 0)", trnsim("profile", self.kernel).stdout)

    def test_bad_input(self):
        error = trnsim(
            "profile",
            self.kernel,
            "--config",
            "small16",
            "--random-inputs",
            1,
            "--csv",
            self.kernel,
            status=2,
        ).stderr
        self.assertIn("is no folder", error)
        self.assertEqual(error.count("\n"), 1)
        self.assertEqual(trnsim("profile", "/nowhere.neff", status=2).stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
