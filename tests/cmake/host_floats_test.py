"""cmake/host_floats.py: what it replaces, and that results are the same: host_floats_test.py ROUNDS PLAIN HOST MODEL_OF_HOST"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "cmake/host_floats.py"
ROUNDS, PLAIN, HOST, MODEL = sys.argv[1:]
REPLACED = re.compile(r"__VnoInFunc_(\w+?)_TOP__(\w+)\([^;{]*\) \{\n#ifdef TRNSIM_HOST_FLOATS\n[^;]*;\n#else\n(.*?)#endif\n\}", re.DOTALL)
FUNCTIONS = {("add_row", "vector_lane_pkg"), ("sub_row", "vector_lane_pkg"), ("mul_row", "vector_lane_pkg"),
             ("psum_add_row", "psum_lane_pkg"), ("fma_row", "fma32_lane_pkg")}


class HostFloats(unittest.TestCase):
    def test_programs_print_the_same(self):
        plain, host = (subprocess.run([program, ROUNDS], capture_output=True, text=True, check=True).stdout for program in (PLAIN, HOST))
        self.assertGreater(len(plain.splitlines()), 10 * int(ROUNDS))
        self.assertEqual(plain, host)

    def test_only_what_is_known_is_replaced(self):
        files = {path: path.read_text() for path in pathlib.Path(MODEL).glob("V*_lane_pkg__*.cpp")}
        found = {match.group(1, 2): (path, match[3]) for path, text in files.items() for match in REPLACED.finditer(text)}
        self.assertEqual(set(found), FUNCTIONS)
        for name, (path, body) in found.items():
            constant = next(match for match in re.finditer(r"0x[0-9a-f]{3,}U", body))
            for changed in (body, body.replace(constant[0], f"{int(constant[0][:-1], 0) ^ 2:#x}U", 1)):
                with self.subTest(name, changed=changed != body), tempfile.TemporaryDirectory() as folder:
                    copy = pathlib.Path(folder) / path.name
                    text = REPLACED.sub(lambda match: match[0].split("#ifdef")[0] + match[3] + "}", files[path])
                    self.assertNotIn("TRNSIM_HOST_FLOATS", text)
                    copy.write_text(text.replace(body, changed))
                    subprocess.run([sys.executable, TOOL, folder, "V"], check=True)
                    left = {match.group(1, 2) for match in REPLACED.finditer(copy.read_text())}
                    self.assertEqual(name in left, changed == body)


unittest.main(argv=sys.argv[:1])
