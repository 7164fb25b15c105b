"""Tests cmake/check_definitions.py. usage: check_definitions_test.py ROOT"""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "cmake"))

import check_definitions  # noqa: E402

SECOND = {
    "femtoseconds of a second": "constexpr double Fs = 1e15;",
    "time of cycles": "    return static_cast<unsigned __int128>(time) * clock / FsPerSecond;",
    "system address of a core": "constexpr auto Base = 0xfffc0000000;",
    "distance of HBM stacks": "constexpr auto Stack = 0x10'0000'0000;",
    "sizes of element types": "        case Dtype::Fp8E3m4: return 1;",
    "fields of operands": "    .set_signed(field::DstStep1, 4);",
    "distance of SBUF partitions": "    return isa::window::SbufWindow / partitions;",
    "least cycles of a matmul": "constexpr std::uint64_t MinCycles = 64;",
}


class Definitions(unittest.TestCase):
    def check(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, path)
            file.parent.mkdir(parents=True)
            file.write_text(text + "\n")
            return check_definitions.check(Path(folder), [path])

    def test_a_second_definition_is_found(self):
        self.assertEqual(set(SECOND), {what for what, _, _ in check_definitions.DEFINITIONS})
        for what, form, home in check_definitions.DEFINITIONS:
            with self.subTest(what):
                self.assertEqual(
                    self.check("lib/a/b.cpp", SECOND[what]), [f"lib/a/b.cpp:1: {what}: defined in {home}"]
                )
                self.assertEqual(self.check(home, SECOND[what]), [])
                self.assertEqual(self.check("tests/a/b.cpp", SECOND[what]), [])
                self.assertEqual(self.check("lib/a/b.cpp", f"// {SECOND[what]}"), [])
                self.assertRegex((ROOT / home).read_text(), form)


if __name__ == "__main__":
    unittest.main()
