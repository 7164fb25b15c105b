#!/usr/bin/env python3
"""GDB itself with the GpSimd cores of a simulated chip. It is skipped without GDB.

usage: session_test.py TRNSIM WRITE_KERNEL MICROCODE.elf
"""

import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from lacking import end_without

TRNSIM, WRITE_KERNEL, MICROCODE = sys.argv[1:4]
ROOT = pathlib.Path(__file__).resolve().parents[3]
GDB = shutil.which("gdb-multiarch")


class Session(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([WRITE_KERNEL, cls.path / "k.neff"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def debug(self, *commands, status=0):
        """Returns GDB's output, and the output of the run afterwards."""
        run = subprocess.Popen(
            [
                TRNSIM,
                "run",
                self.path / "k.neff",
                "--config",
                "small16",
                "--gdb",
                "0",
                "--output",
                f"y={self.path / 'y.npy'}",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            port = re.search(r"127\.0\.0\.1:(\d+)", run.stderr.readline())[1]
            arguments = [
                GDB,
                "-nx",
                "-batch",
                "-ex",
                "set pagination off",
                "-ex",
                f"target remote 127.0.0.1:{port}",
            ]
            for command in commands:
                arguments += ["-ex", command]
            text = subprocess.run(
                [*arguments, MICROCODE],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
                check=False,
            ).stdout
            output, error = run.communicate(timeout=120)
        finally:
            run.kill()
        self.assertEqual(run.returncode, status, text + output + error)
        return text, output + error

    def test_break_look_and_go_on(self):
        text, output = self.debug(
            "break tensor_scalar",
            "continue",
            "info threads",
            "backtrace 1",
            "print $pc == &tensor_scalar || $pc > 0x80000000",
            "print $v0.words[0] == $v0.words[0]",
            "print/x $mtvec",
            "x/2i $pc",
            "info symbol $pc",
            "stepi",
            "info breakpoints",
            "delete",
            "continue",
        )
        self.assertRegex(text, r"Breakpoint 1(\.1)?, trnsim::firmware::tensor_scalar")
        self.assertRegex(text, r"\* 1 .*core 0, stopped")
        self.assertRegex(text, r"tensor_scalar.*\.[ch]pp")
        self.assertIn("breakpoint already hit 1 time", text)
        self.assertIn("exited normally", text)
        self.assertIn("squares on small16: done", output)
        self.assertTrue((self.path / "y.npy").exists())

    def test_watch(self):
        text, _ = self.debug(
            "break tensor_scalar", "continue", "watch *(int *)($sp - 4)", "continue", "delete", "detach"
        )
        self.assertRegex(text, r"[Ww]atchpoint 2: \*\(int \*\)")

    def test_pc_of_a_core_that_was_not_started(self):
        text, output = self.debug("set $pc = 0x80002c00", "info threads", "continue")
        self.assertIn("core 0 is halted: the engine gives it a pc when it starts it", text)
        self.assertIn("squares on small16: done", output)

    def test_kill(self):
        _, output = self.debug("kill", status=1)
        self.assertIn("the debugger has ended the run", output)

    def test_debugger_that_goes(self):
        _, output = self.debug("break tensor_scalar", "continue", "disconnect")
        self.assertIn("squares on small16: done", output)

    def test_library_of_operators(self):
        elf = self.path / "relu.elf"
        subprocess.run(
            [
                TRNSIM,
                "customop",
                "build",
                ROOT / "firmware/examples/relu.cpp",
                "-o",
                self.path / "relu.lib",
                "--elf",
                elf,
            ],
            check=True,
            capture_output=True,
        )
        text = subprocess.run(
            [GDB, "-nx", "-batch", "-ex", "info line relu", elf], capture_output=True, text=True, check=False
        ).stdout
        self.assertRegex(text, r"Line \d+ of .*relu\.cpp")

    def test_signal_while_the_cores_stand(self):
        run = subprocess.Popen(
            [TRNSIM, "run", self.path / "k.neff", "--config", "small16", "--gdb", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            port = int(re.search(r"127\.0\.0\.1:(\d+)", run.stderr.readline())[1])
            with socket.create_connection(("127.0.0.1", port)) as debugger:
                for packet in (b"$QStartNoAckMode#b0", b"+$?#3f"):
                    debugger.sendall(packet)
                    answer = b""
                    while not re.search(rb"#..$", answer):
                        answer += debugger.recv(100)
                time.sleep(0.2)  # it waits for the next packet
                run.send_signal(signal.SIGINT)
                run.communicate(timeout=20)
        finally:
            run.kill()
        self.assertEqual(run.returncode, -signal.SIGINT)


class Refusals(unittest.TestCase):
    def test_port(self):
        for port in ("-1", "65536", "x", ""):
            result = subprocess.run(
                [TRNSIM, "run", "k.neff", "--gdb", port], capture_output=True, text=True, check=False
            )
            self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    if GDB is None:
        end_without("gdb-multiarch")
    unittest.main(argv=sys.argv[:1])
