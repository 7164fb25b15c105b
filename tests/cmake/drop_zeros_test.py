"""Tests cmake/drop_zeros.py: which variables keep their zeroes."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "cmake/drop_zeros.py"
SYMBOLS = "Vt__Syms* __restrict vlSymsp"
DECLARATION = "VlWide<4>/*127:0*/ x;\n    "
ZERO = "VL_ZERO_W(128, x);"
LOOP = "k = 0U;\n while ((4U > k)) {\n BODY\n k = ((IData)(1U) + k);\n }"
WRITE = "VL_ASSIGN_W(128,x, vlSelf->a);"
READ = "VL_ASSIGN_W(128,vlSelf->b, x);"
CALL = "vlSymsp->TOP__p.__VnoInFunc_{}(vlSymsp, x, vlSelf->a);"

# The zeroes that calls of these functions leave for their result.
FUNCTIONS = {
    "whole": "VL_ASSIGN_W(128,r, a);",
    "loop": LOOP.replace("BODY", "r[(0x3U & k)] = (a[(0x3U & k)]);\n s = r[(0x3U & k)];"),
    "branches": "if (c) {\n r[0U] = 1U; r[1U] = 1U; r[2U] = 1U; r[3U] = r[2U];\n } else if (d) {\n VL_ASSIGN_W(128,r, a);\n } else {\n"
    "VL_ASSIGN_W(128,r, a);\n }",
    "nested": "this->__VnoInFunc_branches(vlSymsp, r, a);",
    "debug": 'VL_DBG_MSGF("\\r\\n { ; ");\n VL_ASSIGN_W(128,r, a);',
    "part": "r[0U] = 1U; r[1U] = 1U; r[2U] = 1U;",
    "short_loop": LOOP.replace("4U > k", "3U > k").replace("BODY", "r[(0x3U & k)] = (a[(0x3U & k)]);"),
    "late_loop": LOOP.replace("k = 0U", "k = 1U").replace("BODY", "r[(0x3U & k)] = (a[(0x3U & k)]);"),
    "skipping_loop": LOOP.replace("BODY", "r[(0x3U & k)] = (a[(0x3U & k)]);\n k = (k + 1U);"),
    "reading_loop": LOOP.replace("BODY", "r[(0x3U & k)] = (r[(0x3U & k)]);"),
    "one_branch": "if (c) {\n VL_ASSIGN_W(128,r, a);\n }",
    "reads": "s = r[0U];\n VL_ASSIGN_W(128,r, a);",
    "jumps": "{ if (c) {\n goto __Vlabel1;\n }\n VL_ASSIGN_W(128,r, a);\n __Vlabel1: ;\n }",
    "returns": "if (c) {\n return;\n }\n VL_ASSIGN_W(128,r, a);",
}
WRITERS = {"whole", "loop", "branches", "nested", "debug"}

DROPPED = [
    WRITE + READ,
    "if (c) {\n" + WRITE + READ + "}\n if (d) {\n" + WRITE + READ + "}",
    "if (c) {\n" + WRITE + "} else {\n" + WRITE + "}\n" + READ,
    "x[0U] = 1U; x[1U] = x[0U]; x[2U] = 1U; x[3U] = 2U; y = x[3U];",
    LOOP.replace("BODY", "x[(0x3U & k)] = (1U);") + READ,
    "while (c) {\n" + WRITE + READ + "}",
    "{\n if (c) {\n goto __Vlabel1;\n }\n" + WRITE + READ + "__Vlabel1: ;\n }",
    "y = 1U;",
]
KEPT = [
    READ,
    "if (c) {\n" + WRITE + "}\n" + READ,
    "if (x[0U]) {\n" + WRITE + READ + "}",
    "if (c) {\n y = 1U;\n} else if (x[0U]) {\n" + WRITE + "}\n",
    "while (c) {\n" + WRITE + "}\n" + READ,
    "while (c) {\n y = x[0U];\n" + WRITE + "}",
    "VL_ASSIGN_W(96,x, vlSelf->a);" + READ,
    "x[0U] = 1U; x[1U] = 1U; x[2U] = 1U;" + READ,
    "x[(3U & i)] = 1U;" + READ,
    "VL_ASSIGNSEL_WI(128,32,i, x, 1U);",
    "{\n if (c) {\n goto __Vlabel1;\n }\n" + WRITE + "__Vlabel1: ;\n }\n" + READ,
    "__Vlabel1: ;\n" + WRITE + READ + "goto __Vlabel1;",
    WRITE + READ + "return;",
]
FLAGGED = "{flag} = 0U; if (c) {{ {write} {flag} = 1U; }} if ({guard}) {{ {read} }}"


class DropZeros(unittest.TestCase):
    def zeros(self, body, name="x"):
        """Returns the number of zeroes that are left in a function with this body."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "Vt_root.cpp"
            package = "".join(
                f"void Vt_p::__VnoInFunc_{function}({SYMBOLS}, VlWide<4>/*127:0*/ &__restrict r, "
                f"const VlWide<4>/*127:0*/ &__restrict a) {{\n{text}\n}}\n"
                for function, text in FUNCTIONS.items()
            )
            (pathlib.Path(folder) / "Vt_p.cpp").write_text(package)
            path.write_text(
                f"VL_INLINE_OPT void Vt_root___nba(Vt_root* vlSelf) {{\n    "
                f"{(DECLARATION + ZERO).replace('x', name)}\n    {body}\n}}\n"
            )
            subprocess.run([sys.executable, TOOL, folder, "Vt"], check=True)
            self.assertEqual((pathlib.Path(folder) / "Vt_p.cpp").read_text(), package)
            self.assertIn(body, path.read_text())
            return path.read_text().count("VL_ZERO_W")

    def test_ways_of_writing(self):
        for body in DROPPED:
            self.assertEqual(self.zeros(body), 0, body)
        for body in KEPT:
            self.assertEqual(self.zeros(body), 1, body)

    def test_results_of_calls(self):
        for function in FUNCTIONS:
            self.assertEqual(self.zeros(CALL.format(function) + READ), function not in WRITERS, function)
            self.assertEqual(self.zeros(CALL.format(function).replace("vlSelf->a", "x")), 1, function)

    def test_flags(self):
        value, flag = "__Vdlyvval__a__v0", "__Vdlyvset__a__v0"
        good = {
            "flag": flag,
            "guard": flag,
            "write": WRITE.replace("x", value),
            "read": READ.replace("x", value),
        }
        self.assertEqual(self.zeros(FLAGGED.format(**good), value), 0)
        for wrong in (
            {"guard": "c"},
            {"write": f"{value}[0U] = 1U;"},
            {"write": "", "read": good["write"] + good["read"], "guard": "c"},
            {"write": good["write"] + "__Vlabel1: ;"},
            {"write": good["write"] + f"{flag} = c;"},
        ):
            self.assertEqual(
                self.zeros(FLAGGED.format(**{**good, **wrong}), value), wrong.get("write") != "", wrong
            )

    def test_two_of_one_name(self):
        self.assertEqual(self.zeros(WRITE + "if (c) {\n" + DECLARATION + ZERO + READ + "}"), 2)


unittest.main()
