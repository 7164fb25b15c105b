"""The program itself on the small core: full disks, signals, standard output.

usage: program_test.py TRNSIM CONFIGS   (the folder with configurations)
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TRNSIM, CONFIGS = (str(Path(sys.argv.pop(1)).absolute()) for _ in range(2))


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trnsim-program.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"
        self.out.mkdir()

    def start(self, *arguments, most=None, **more):
        """`most` is the largest file in bytes, as on a full disk."""

        def limit():
            if most is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)

        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ} | more
        more["env"] = more["env"] | {"TRNSIM_CONFIG_PATH": CONFIGS}
        return subprocess.Popen(
            [TRNSIM, *map(str, arguments)],
            cwd=self.folder,
            text=True,
            preexec_fn=limit,  # noqa: PLW1509  # takes no lock
            **more,
        )

    def run_it(self, *arguments, status=0, **more):
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, status, f"{out}{err}")
        return out, err

    def kernel(self, size):
        name = f"m{size}.neff"
        sizes = [word for axis in "MKN" for word in (f"--{axis}", size)]
        self.run_it("kernel", "build", "matmul", *sizes, "--config", "small16", "-o", name)
        return name, "--config", "small16", "--random-inputs", "1"

    def peak_of(self, *arguments):
        """The largest resident memory of a run, in bytes."""
        errors = self.folder / "err"
        with errors.open("w") as stderr:
            process = self.start(*arguments, stdout=subprocess.DEVNULL, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, errors.read_text())
        return usage.ru_maxrss * 1024

    def test_a_run_takes_little_more_memory_than_its_tensors(self):
        """Inputs, the memory of the device and outputs are not held twice; an output may be in fp32."""

        def peak(vocabulary, rows, name):
            sizes = ("--vocabulary", vocabulary, "--rows", rows, "--dim", 4096, "--dtype", "bf16")
            self.run_it("kernel", "build", "embedding", *sizes, "--config", "small16", "-o", name)
            return self.peak_of(
                *("run", name, "--config", "small16", "--fidelity", "fast", "--random-inputs", "1"),
                *("--output", f"y={self.out}/y.npy:fp32"),
            )

        tensors = 2 * 4096 * (16384 + 8192)
        self.assertLess(peak(16384, 8192, "large.neff") - peak(16, 16, "small.neff"), 1.2 * tensors)

    def files(self):
        return sorted(path.name for path in self.out.iterdir())

    def test_bash_completes_commands_options_and_names(self):
        script, _ = self.run_it("completion", "bash")
        (self.folder / "completion.bash").write_text(script)

        def complete(*words):
            lines = (
                "source completion.bash",
                f"COMP_LINE='{' '.join(words)}'",
                "COMP_POINT=${#COMP_LINE}",
                "_trnsim",
                'printf "%s\\n" "${COMPREPLY[@]}"',
            )
            done = subprocess.run(
                ["bash", "-c", "\n".join(lines)],
                cwd=self.folder,
                text=True,
                capture_output=True,
                check=True,
                env=os.environ
                | {
                    "TRNSIM_CONFIG_PATH": CONFIGS,
                    "PATH": f"{Path(TRNSIM).parent}:{os.environ['PATH']}",
                },
            )
            self.assertEqual(done.stderr, "")
            return done.stdout.split()

        (self.folder / "mine.neff").touch()
        (self.folder / "a b").mkdir()
        (self.folder / "a b" / "yours.neff").touch()
        for folder in (r"a\ b", '"a b', "'a b"):  # the last two have no end yet
            quoted = folder.replace("'", "'\\''")
            self.assertEqual(complete("trnsim", "run", f"{quoted}/y"), ["a", "b/yours.neff"], folder)
        self.assertEqual(complete("trnsim", "run", r"a\ b/yours.neff", "--rando")[:1], ["--random-inputs"])
        self.assertEqual(complete("trnsim", "ke"), ["kernel"])
        self.assertEqual(complete("trnsim", "kernel", ""), ["list", "build"])
        self.assertEqual(complete("trnsim", "kernel", "build", "layern"), ["layernorm", "layernorm_backward"])
        self.assertEqual(complete("trnsim", "run", "mi"), ["mine.neff"])
        self.assertEqual(
            complete("trnsim", "run", "mine.neff", "--rando"), ["--random-inputs", "--random-memory"]
        )
        self.assertEqual(complete("trnsim", "run", "--config", "small1"), ["small16"])
        self.assertEqual(
            complete("trnsim", "config", "show", "trn1"),
            ["trn1", "trn1-4", "trn1-8", "trn1.2xlarge", "trn1.32xlarge"],
        )
        self.assertEqual(complete("trnsim", "nccom-test", "allr", "--config", "trn1.3"), ["trn1.32xlarge"])
        self.assertEqual(complete("trnsim", "run", "--trace", "mi"), ["mine.neff"])
        # The text after the last = is replaced; the program may be another one than that of the PATH.
        self.assertEqual(complete("trnsim", "run", "--trace=mi"), ["mine.neff"])
        self.assertEqual(complete("trnsim", "run", "--fidelity=fa"), ["fast"])
        self.assertEqual(complete(TRNSIM, "wave", "--view", "te"), ["tensor"])
        self.assertEqual(complete("/nowhere/trnsim", "ru"), [])

    def test_custom_operators_are_compiled_whole_or_not_at_all(self):
        source = self.folder / "scale.cpp"
        source.write_text("""#include "trnsim/custom_op.hpp"
static void scale(trnsim::Tensor in, float factor) {
    trnsim::Tensor out = trnsim::get_dst_tensor();
    auto reader = in.read_stream_accessor<float>();
    auto writer = out.write_stream_accessor<float>();
    for (uint32_t i = 0; i < in.elements(); ++i) writer.write(factor * reader.read());
    writer.close();
}
TRNSIM_CUSTOM_OP(scale)
""")
        out, err = self.run_it("customop", "build", "scale.cpp", "-o", "out/scale.lib")
        self.assertEqual((out, err), ("out/scale.lib: scale\n", ""))
        out, _ = self.run_it("info", "out/scale.lib")
        self.assertIn("operation 0: scale\n", out)
        self.assertIn("run_scale(void const*) at scale.cpp:9\n", out)
        self.assertIn('"operations": [', self.run_it("info", "out/scale.lib", "--json")[0])
        for vlen in ("128", "256", "512"):
            out, _ = self.run_it("customop", "build", "scale.cpp", "--vlen", vlen, "-o", "sized.lib")
            self.assertEqual(self.run_it("info", "sized.lib")[0].splitlines()[0], f"VLEN {vlen}")
        self.assertEqual((self.folder / "sized.lib").read_bytes(), (self.out / "scale.lib").read_bytes())
        _, err = self.run_it("customop", "build", "scale.cpp", "--vlen", "1024", "-o", "none.lib", status=2)
        self.assertRegex(err, r"^trnsim: [^\n]*--vlen[^\n]*1024[^\n]*128,256,512[^\n]*\n$")
        good = (self.out / "scale.lib").read_bytes()

        def refused(why, *sources, output="out/scale.lib", lines=None, **more):
            _, err = self.run_it("customop", "build", *sources, "-o", output, status=2, **more)
            self.assertRegex(err, why)
            if lines is not None:
                self.assertEqual(err.count("\n"), lines, err)
            self.assertEqual(self.files(), ["scale.lib"])
            self.assertEqual((self.out / "scale.lib").read_bytes(), good)

        (self.folder / "a header.hpp").write_text("#pragma once\n")
        (self.folder / "two.cpp").write_text('#include "a header.hpp"\nint two() { return 2; }\n')
        self.run_it("customop", "build", "scale.cpp", "two.cpp", "-o", "both.lib", "--depfile", "rule.d")
        rule = (self.folder / "rule.d").read_text().replace("\\\n", " ")
        self.assertEqual(rule.count("\n"), 1, rule)
        self.assertTrue(rule.startswith("both.lib: "), rule)
        folder = os.path.realpath(self.folder)
        for name in ("scale.cpp", "two.cpp", r"a\ header.hpp"):
            self.assertIn(f" {folder}/{name}", rule)
        self.assertRegex(rule, r"/trnsim/custom_op.hpp\b")
        refused(r"^trnsim: none.cpp: is no file, expected a C\+\+ source$", "none.cpp", lines=1)
        refused(
            r"clang\+\+-19 is not there, expected Debian's clang-19 and lld-19",
            "scale.cpp",
            lines=1,
            env=os.environ | {"PATH": "/nowhere"},
        )
        (self.folder / "bad.cpp").write_text("static void bad( {}\n")
        refused(r"bad.cpp:1:\d+: error: (.|\n)*\ntrnsim: bad.cpp: not compiled: ", "bad.cpp")
        for scalar in ("float*", "double", "char", "enum Colour"):
            (self.folder / "scalar.cpp").write_text(
                "#include <trnsim/custom_op.hpp>\nenum Colour { Red };\n"
                f"static void of(trnsim::Tensor, {scalar}) {{}}\nTRNSIM_CUSTOM_OP(of)\n"
            )
            refused(r"an operator takes Tensor, int32_t, uint32_t and float", "scalar.cpp")
        (self.folder / "copies.cpp").write_text(
            "#include <trnsim/custom_op.hpp>\nstatic void copies(trnsim::Tensor) {\n"
            '    char from[5] = "abcd", to[5];\n    memset(to, 0, sizeof to);\n'
            "    memcpy(to, from, strlen(from));\n    trnsim::require(memcmp(to, from, 5) == 0);\n}\n"
            "TRNSIM_CUSTOM_OP(copies)\n"
        )
        self.run_it("customop", "build", "copies.cpp", "-o", "copies.lib")
        (self.folder / "none.cpp").write_text("int f() { return 1; }\n")
        refused(r"has no operations, expected", "none.cpp", lines=1)
        (self.folder / "large.cpp").write_text(
            source.read_text()
            .replace("    writer.close", "    large[in.rows()] = 1;\n    writer.close")
            .replace("static void", "static volatile char large[65536];\nstatic void")
        )
        refused(r"overflowed by \d+ bytes(.|\n)*not compiled", "large.cpp")
        refused(r"scale.cpp", "scale.cpp", output="scale.cpp", lines=1)
        refused(r"scale.cpp", "scale.cpp", "--depfile", "scale.cpp", lines=1)
        refused(r"none/rule.d", "scale.cpp", "--depfile", "none/rule.d", lines=1)
        refused(r"TMPDIR: is no folder", "scale.cpp", lines=1, env=os.environ | {"TMPDIR": "/nowhere"})
        self.run_it(
            "customop",
            "build",
            "scale.cpp",
            "-o",
            "scale.lib",
            "--elf",
            "scale.elf",
            env=os.environ
            | {"CPATH": "/usr/include/x86_64-linux-gnu:/usr/include", "CPLUS_INCLUDE_PATH": "/usr/include"},
        )
        _, err = self.run_it("info", "scale.elf", status=2)
        self.assertEqual(err, "trnsim: scale.elf: is an ELF file, expected a kernel\n")
        _, err = self.run_it("disasm", "scale.lib", status=2)
        self.assertEqual(err, "trnsim: scale.lib: is an image for GpSimd cores, expected a kernel\n")

    def test_a_signal_leaves_nothing_of_the_compiler(self):
        os.mkfifo(self.folder / "waits.cpp")
        (self.folder / "reads.cpp").write_text('#include "waits.cpp"\n')
        scratch = self.folder / "scratch"
        scratch.mkdir()
        process = self.start(
            "customop",
            "build",
            "reads.cpp",
            "-o",
            "out/none.lib",
            env=os.environ | {"TMPDIR": str(scratch)},
            start_new_session=True,
        )
        with (self.folder / "waits.cpp").open("w"):  # the compiler reads it
            self.assertEqual(len(list(scratch.iterdir())), 1)
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(list(scratch.iterdir()), [])
        self.assertEqual(self.files(), [])

    def test_a_waveform_that_does_not_fit_is_an_error(self):
        kernel = self.kernel(16)
        self.run_it("run", *kernel, "--wave", "whole.fst")
        size = (self.folder / "whole.fst").stat().st_size
        # The limit goes from nothing to nearly everything: the writer's own files fail in turn.
        for most in sorted({1, 4096, size - 1} | {size * i // 12 for i in range(1, 12)}):
            with self.subTest(most=most):
                out, err = self.run_it("run", *kernel, "--wave", "out/w.fst", most=most, status=2)
                self.assertEqual(err, "trnsim: out/w.fst: cannot write: File too large\n")
                self.assertNotIn("w.fst", out)
                self.assertEqual(self.files(), [])

    def test_what_fits_beside_it_is_there(self):
        name, *rest = self.kernel(16)
        most = 2000
        out, _ = self.run_it(
            "run", name, *rest, "--wave", "out/w.fst", "--output", "c=out/c.npy", most=most, status=2
        )
        self.assertEqual(self.files(), ["c.npy"])
        self.assertIn("output c           out/c.npy\n", out)

    def test_every_other_file_that_does_not_fit_is_an_error(self):
        kernel = self.kernel(16)
        for option, file in (("--trace", "t.json"), ("--stats", "s.json"), ("--output", "c.npy")):
            with self.subTest(option):
                path = f"c=out/{file}" if option == "--output" else f"out/{file}"
                _, err = self.run_it("run", *kernel, option, path, most=500, status=2)
                self.assertEqual(err, f"trnsim: out/{file}: cannot write: File too large\n")
                self.assertEqual(self.files(), [])
        _, err = self.run_it(
            "kernel", "build", "cast", "--rows", "8", "--cols", "8", "-o", "out/k.neff", most=500, status=2
        )
        self.assertEqual(err, "trnsim: out/k.neff: cannot write: File too large\n")
        self.assertEqual(self.files(), [])

    def test_a_demo_that_does_not_fit_is_an_error(self):
        _, err = self.run_it(
            "demo", "--config", "small16", "--hidden", "16", "-o", "out", most=4096, status=2
        )
        self.assertRegex(err, r"^trnsim: out/demo[-.\w]+: cannot write: File too large\n$")
        self.assertEqual(self.files(), [])

    def test_results_of_a_sweep_that_do_not_fit_are_an_error(self):
        (self.folder / "s.yaml").write_text("base: small16\nkernels:\n  - cast: { rows: [8, 9], cols: 8 }\n")
        _, err = self.run_it("sweep", "s.yaml", "-o", "out", "--jobs", "1", most=100, status=2)
        self.assertRegex(err, r"^trnsim: out/[/.\w]+: cannot write: File too large\n$")
        self.assertEqual([str(path) for path in self.out.rglob("*.partial")], [])

    def test_a_recording_of_a_point_that_does_not_fit_fails_the_point(self):
        (self.folder / "s.yaml").write_text(
            "base: small16\nkernels:\n  - matmul: { M: 300, K: 300, N: 30 }\nwave: true\n"
        )
        _, err = self.run_it("sweep", "s.yaml", "-o", "out", most=60000, status=1)
        self.assertIn(".fst: cannot write: File too large\n", err)
        self.assertEqual(
            [path.name for path in self.out.rglob("*") if path.suffix in (".fst", ".partial")], []
        )

    def test_standard_output_that_does_not_fit_is_an_error(self):
        with (self.folder / "said").open("w") as said:
            _, err = self.run_it("kernel", "list", stdout=said, most=100, status=2)
        self.assertEqual(err, "trnsim: standard output: cannot write all of it\n")

    def test_parity_goes_on_behind_a_kernel_that_cannot_be_compared(self):
        self.run_it(
            "kernel", "build", "adamw", "--n", "5", "--ranks", "3", "--config", "small16", "-o", "step.neff"
        )
        one, other = self.kernel(8)[0], self.kernel(9)[0]
        out, err = self.run_it("parity", one, "step.neff", other, "--page", "out/p.md", status=1)
        self.assertTrue(
            err.startswith(
                "trnsim: step.neff: cannot be compared: kernel 'adamw' has collectives of 3 ranks, "
            ),
            err,
        )
        for name in (one, other):
            self.assertIn(f"{name}: ", out)
        self.assertIn("2 compared, 0 differ by more than is allowed, 1 cannot be compared\n", out)
        page = (self.out / "p.md").read_text()
        self.assertIn("| small16 | step.neff | cannot be compared: kernel 'adamw' has collectives", page)
        self.assertIn("\n2 of 3 packages agree, with ", page)
        self.assertIn("output of theirs differs", page)
        self.run_it("parity", "step.neff", "--page", "out/p.md", status=1)
        self.assertTrue((self.out / "p.md").read_text().endswith("\nNone of 1 packages agrees.\n"))

    def test_a_first_interrupt_leaves_the_sizes_of_nccom_test_that_are_there(self):
        process = self.start(
            "nccom-test",
            "allr",
            "-r",
            "32",
            "-b",
            "1K",
            "-e",
            "64M",
            "-f",
            "4",
            "--report-to-json-file",
            "out/r.json",
            "--server-stats",
            "out/s.json",
        )
        for _ in range(2):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("Avg bus bandwidth: ", out)
        there = len(json.loads((self.out / "r.json").read_text())["results"])
        self.assertEqual(err, f"trnsim: interrupted after {there} of 9 sizes\n")
        self.assertGreaterEqual(there, 1)
        self.assertEqual(len(json.loads((self.out / "s.json").read_text())["sizes"]), there)

    def test_a_first_interrupt_ends_a_launch_with_what_is_recorded(self):
        name, *_ = self.kernel(1024)
        for processes in (1, 2):
            with self.subTest(processes):
                process = self.start(
                    "launch",
                    name,
                    "-r",
                    "4",
                    "--chip",
                    "small16",
                    "--random-inputs",
                    "1",
                    "--processes",
                    processes,
                    "--output",
                    "c=out/c{rank}.npy",
                    "--trace",
                    "out/t.json",
                    "--wave",
                    "out/w.fst",
                )
                while sum(file.endswith(".partial") for file in self.files()) < 2:
                    self.assertIsNone(process.poll())
                    time.sleep(0.001)
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, -signal.SIGINT)
                self.assertEqual(err.count("\n"), 1, err)
                self.assertIn("stopped before the end", err)
                self.assertEqual(
                    [name for name in self.files() if "partial" in name or name.endswith(".npy")], []
                )
                json.loads((self.out / "t.json").read_text())
                self.assertTrue((self.out / "w.fst").exists())
                for path in self.out.iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_signals_end_it_without_partial_files(self):
        kernel = self.kernel(512)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                files = ["--wave", "out/w.fst", "--trace", "out/t.json", "--output", "c=out/c.npy"]
                process = self.start("run", *kernel, *files)
                # Files are left whole as soon as there are some, before the machine is made. A single file
                # may be the one that shows whether the folder can be written to.
                while sum(name.endswith(".partial") for name in self.files()) < 2:
                    self.assertIsNone(process.poll())
                    time.sleep(0.001)
                process.send_signal(number)
                _, err = process.communicate(timeout=60)
                by = signal.SIGINT if number == signal.SIGTERM else number
                self.assertEqual(
                    process.returncode, -by, "as the signal ends programs, SIGTERM as ^C: 130 in a shell"
                )
                self.assertIn("stopped before the end", err)
                beside = ["w.core.gtkw", "w.wave"]
                self.assertEqual(
                    self.files(), sorted(["t.json", "w.fst", *beside]), "recorded up to there, and whole"
                )

    def test_a_signal_ends_the_interpreter_with_a_line(self):
        kernel, *options = self.kernel(512)
        for command in (
            ("check", kernel, *options, "--no-rtl"),
            ("where", kernel, "c[1,1]", *options),
            ("run", kernel, *options, "--check"),
        ):
            with self.subTest(command[0]):
                process = self.start(*command)
                busy = Path(f"/proc/{process.pid}/stat")
                while int(busy.read_text().rpartition(")")[2].split()[11]) < os.sysconf("SC_CLK_TCK"):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, -signal.SIGINT, "SIGTERM as ^C")
                self.assertEqual(err, f"trnsim: {kernel}: the interpreter was interrupted\n")
                self.assertEqual(out, "")

    def test_signals_that_come_again_end_it_at_once(self):
        kernel = self.kernel(512)
        process = self.start("run", *kernel, "--wave", "out/w.fst")
        while not self.files():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGINT, "SIGTERM as ^C")
        self.assertFalse([name for name in self.files() if name.endswith(".partial")])

    def test_a_sweep_that_is_ended_leaves_tables_and_no_partial_files(self):
        (self.folder / "s.yaml").write_text(
            "base: small16\nkernels:\n  - matmul: "
            "{ M: 512, K: 512, N: { from: 500, to: 540, step: 1 } }\nwave: true\n"
        )
        process = self.start("sweep", "s.yaml", "-o", "out", "--jobs", "2")
        while not list(self.out.glob("points/*.partial")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, "SIGTERM as ^C")
        self.assertIn("interrupted; --resume goes on", err)
        self.assertTrue((self.out / "results.csv").exists())
        self.assertEqual(list(self.out.rglob("*.partial")), [])

    def test_a_missing_core_names_the_command_that_builds_it(self):
        (self.folder / "mine.yaml").write_text(
            "extends: small16\nname: mine\ncore: { sbuf_partition: 32 KiB }\n"
        )
        shape = ("--rows", "4", "--cols", "4")
        self.run_it("kernel", "build", "gelu", *shape, "--config", "mine.yaml", "-o", "g.neff")
        run = ("run", "g.neff", "--config", "mine.yaml", "--random-inputs", "1")
        _, err = self.run_it(*run, status=2)
        self.assertTrue(
            err.startswith(
                "trnsim: configuration 'mine.yaml' has no verilated core yet: "
                "./trnsim core mine.yaml builds it, "
                "--fidelity fast needs none; there is: core_"
            ),
            err,
        )
        self.assertEqual(err.count("\n"), 1)
        self.assertLess(len(err), 600, "not every parameter is listed")
        self.run_it(*run, "--fidelity", "fast")

    def test_commands_of_the_sdk_lead_to_the_page_for_arrivals(self):
        for command in ("neuron-ls", "neuron-top", "neuronx-cc"):
            _, err = self.run_it(command, status=2)
            page = "docs/arriving.md says what is here in place of it; there are: "
            self.assertTrue(err.startswith(f"trnsim: no command '{command}'"), err)
            self.assertIn(page, err)

    def test_a_regression_that_is_ended_keeps_what_ran(self):
        (self.folder / "l.yaml").write_text(
            "config: small16\ntests:\n  - { kernel: matmul, arguments: { M: 256, K: 256, N: "
            "[100, 200, 300, 301, 302, 303] } }\n"
        )
        process = self.start("regress", "l.yaml", "-o", "out", "--jobs", "1")
        while not [path for path in self.out.glob("tests/*") if path.suffix == ".json"]:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        results = json.loads((self.out / "results.json").read_text())["results"]
        ran = [result["status"] for result in results].index("not run")
        self.assertGreaterEqual(ran, 1)
        self.assertEqual({result["status"] for result in results[:ran]}, {"pass"})
        self.assertEqual(
            err, f"trnsim: interrupted after {ran} of 6 tests; --resume goes on with the others\n"
        )
        self.assertIn("<skipped ", (self.out / "junit.xml").read_text())
        out, _ = self.run_it("regress", "l.yaml", "-o", "out", "--resume")
        self.assertIn(f"6 passed, 0 failed, {ran} kept of an earlier run\n", out)


if __name__ == "__main__":
    unittest.main()
