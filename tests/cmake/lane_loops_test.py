"""Tests cmake/lane_loops.py: its changes, what it leaves and what it refuses.

usage: lane_loops_test.py PROGRAM...

The programs are pairs, models with and without the changes, that print the same.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "cmake/lane_loops.py"
PROGRAMS = sys.argv[1:]
ROUNDS = "200"

ROW = "VlWide<4>/*127:0*/"
SYMBOLS = "Vt__Syms* __restrict vlSymsp"
STEPS = """
        CALL_count = (0x10U & (- (IData)((0x10000U > CALL_value))));
        CALL_shifted = ((0x1fU >= (0x1fU & CALL_count))
                         ? (CALL_value << (0x1fU & CALL_count)) : 0U);
        CALL_step = (8U & (- (IData)((0x1000000U > CALL_shifted))));
        CALL_shifted = ((0x1fU >= (0x1fU & CALL_step)) ? (CALL_shifted << (0x1fU & CALL_step)) : 0U);
        CALL_count
            = (CALL_count + CALL_step);
        CALL_step = (4U & (- (IData)((0x10000000U > CALL_shifted))));
        CALL_shifted = ((0x1fU >= (0x1fU & CALL_step)) ? (CALL_shifted << (0x1fU & CALL_step)) : 0U);
        CALL_count = (CALL_count + CALL_step);
        CALL_step = (2U & (- (IData)((0x40000000U > CALL_shifted))));
        CALL_shifted = ((0x1fU >= (0x1fU & CALL_step)) ? (CALL_shifted << (0x1fU & CALL_step)) : 0U);
        CALL_Vfuncout = ((CALL_count + CALL_step) + (1U & (- (IData)((0x80000000U > CALL_shifted)))));
""".replace("CALL_", "__Vfunc_leading_zeros__3__")
CONVERSION = """
        CALL_negative = (- (IData)((CALL_value >> 0x1fU)));
        CALL_mag = ((CALL_value ^ CALL_negative) - CALL_negative);
        __Vfunc_leading_zeros__3__value = CALL_mag; STEPS
        CALL_zeros = __Vfunc_leading_zeros__3__Vfuncout;
        CALL_mag = ((0x1fU >= (0x1fU & CALL_zeros))
                     ? (CALL_mag << (0x1fU & CALL_zeros)) : 0U);
        CALL_kept = (CALL_mag >> 8U);
        CALL_rounded
            = (CALL_kept + (((IData)(0x7fU) + ((0xffU & CALL_mag) + (1U & CALL_kept))) >> 8U));
        CALL_rounded = ((CALL_rounded + (((IData)(0x9dU) - CALL_zeros) << 0x17U)) & (- (IData)((0U != CALL_mag))));
        CALL_Vfuncout = (CALL_rounded | (0x80000000U & CALL_value));
""".replace("STEPS", STEPS).replace("CALL_", "__Vfunc_from_signed__2__")
WIDE_CONVERSION = """
        CALL_negative = (- (QData)((IData)((1U & (IData)((CALL_value >> 0x3fU))))));
        CALL_mag = ((CALL_value ^ CALL_negative) - CALL_negative);
        CALL_field = ((0x100000000ULL > CALL_mag) ? 0x9dU : 0xbdU);
        CALL_mag = ((0x100000000ULL > CALL_mag) ? (CALL_mag << 0x20U) : CALL_mag);
        __Vfunc_leading_zeros__3__value = (IData)((CALL_mag >> 0x20U)); STEPS
        CALL_zeros = __Vfunc_leading_zeros__3__Vfuncout;
        CALL_mag = ((0x3fU >= (0x1fU & CALL_zeros)) ? (CALL_mag << (0x1fU & CALL_zeros)) : 0ULL);
        CALL_kept = (IData)((CALL_mag >> 0x28U));
        CALL_rounded = (CALL_kept + (IData)(((0x7fffffffffULL + ((0xffffffffffULL & CALL_mag) + (QData)((IData)((1U & CALL_kept))))) >> 0x28U)));
        CALL_rounded = ((CALL_rounded + ((CALL_field - CALL_zeros) << 0x17U)) & (- (IData)((0ULL != CALL_mag))));
        CALL_Vfuncout = (CALL_rounded | (0x80000000U & (IData)((CALL_value >> 0x20U))));
""".replace("STEPS", STEPS).replace("CALL_", "__Vfunc_from_signed64__2__")
COUNT = "vlSymsp->__Vcoverage[7].fetch_add(1, std::memory_order_relaxed);"


def element(row, index="k", first="0x1fU"):
    """Returns row[index] as Verilator writes it."""
    return (
        f"(((0U == (0x1fU & ({index} \n << 5U))) ? 0U : ({row}[(((IData)({first}) + (0x7fU & ({index} << "
        "5U))) >> 5U)]"
        f" << ((IData)(0x20U) - (0x1fU & ({index} << 5U)))))\n | ({row}[(3U & {index})] >> (0x1fU & ({index} "
        "<< 5U))))"
    )


def assign(row, value, bits=128, last="0x7fU", index="k"):
    return f"VL_ASSIGNSEL_WI({bits},32,({last} & ({index}\n << 5U)), {row}, \n {value});"


class LaneLoops(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, body, parameters=f"{ROW} &result, {ROW} a, {ROW} b", caller=""):
        """Returns the definition, declaration and caller that the tool makes of function f with this body."""
        (self.folder / "Vt_pkg.h").write_text(f"    void __VnoInFunc_f({SYMBOLS}, {parameters});\n")
        (self.folder / "Vt_pkg__0.cpp").write_text(
            f"void Vt_pkg::__VnoInFunc_f({SYMBOLS}, {parameters}) {{\n    {body}\n}}\n"
        )
        (self.folder / "Vt_root.cpp").write_text(caller)
        (self.folder / "other.cpp").write_text(body)
        self.done = subprocess.run(
            [sys.executable, TOOL, self.folder, "Vt"], capture_output=True, text=True, check=False
        )
        self.assertEqual((self.folder / "other.cpp").read_text(), body)
        return [(self.folder / name).read_text() for name in ("Vt_pkg__0.cpp", "Vt_pkg.h", "Vt_root.cpp")]

    def changes(self, *arguments, **options):
        texts = self.run_tool(*arguments, **options)
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        return texts

    def refuses(self, message, *arguments, **options):
        before = self.run_tool(*arguments, **options)
        self.assertEqual(self.done.returncode, 1)
        self.assertEqual(len(self.done.stderr.splitlines()), 1, self.done.stderr)
        self.assertIn(message, self.done.stderr)
        self.assertIn(arguments[0], before[0])

    def test_words(self):
        definition, declaration, _ = self.changes(
            assign("result", f"({element('a')} & {element('b', first='8U')})")
        )
        self.assertIn("result[(0x3U & k)] = ( \n (a[(3U & k)] & b[(3U & k)]));", definition)
        row = f"const {ROW} &__restrict"
        for text, end in ((definition, " {"), (declaration, ";")):
            self.assertIn(f"f({SYMBOLS}, {ROW} &__restrict result, {row} a, {row} b){end}", text)

    def test_a_bit_of_an_element(self):
        bit = "(a[(3U & (((IData)(BITU) + (k << 5U)) >> 5U))] >> (0x1fU & ((IData)(BITU) + (k << 5U))))"
        self.assertIn(
            "= ((a[(3U & k)] >> 0x1fU));",
            self.changes("x = (" + bit.replace("BIT", "0x1f") + ");", parameters=f"{ROW} a")[0],
        )
        other = "x = (" + bit.replace("BIT", "0x2f") + ");"
        self.assertIn(other, self.changes(other, parameters=f"{ROW} a")[0])

    def test_in_modules(self):
        text = self.changes("", caller=f"vlSelf->x = {element('vlSelf->row[(1U & i)]', 'vlSelf->k')};")[2]
        self.assertEqual(text, "vlSelf->x = vlSelf->row[(1U & i)][(3U & vlSelf->k)];")

    def test_other_elements_stay(self):
        for other in (
            element("a").replace("3U & k", "3U & j"),
            element("a").replace("5U", "4U"),
            element("a").replace("0x20U", "0x10U"),
            assign("vlSelf->x", "y", bits=96),
            assign("vlSelf->x", "y", bits=96, last="0x5fU"),
        ):
            self.assertEqual(self.changes("", caller=other)[2], other)

    def test_other_elements_are_refused_in_row_functions(self):
        for other in (
            element("a").replace("3U & k", "3U & j"),
            assign("result", "1U", bits=96),
            "VL_ASSIGNSEL_WQ(128,64,k, result, x);",
        ):
            self.refuses("Vt_pkg__0.cpp: found '", other)

    def test_bits_of_an_element_at_a_fixed_place_are_no_element(self):
        for bit in ("x = (0x20U & (a[2U] \n << 5U));", "x = (0x20U & ((IData)(r) \n << 5U));"):
            self.assertIn(bit, self.changes(bit)[0])
        self.refuses("found '<< 5U'", "x = (0x20U & (a[k] \n + k << 5U));")

    def test_rows_that_are_written_stay_copies(self):
        for write in (
            "VL_ASSIGN_W(128,a, b);",
            "a[1U] = 0U;",
            "a [(1U & k)] = b[0U];",
            "VL_ZERO_W(128, a);",
            assign("a", "1U"),
            "this->__VnoInFunc_f(vlSymsp, a, b, b);",
        ):
            definition = self.changes(write)[0]
            self.assertIn(f"{ROW} a, const {ROW} &__restrict b)", definition)

    def test_rows_that_are_read_do_not(self):
        for read in (
            "VL_ASSIGN_W(128,result, a);",
            "x = (a[1U] == b[0U]);",
            'VL_DBG_MSGF("\\a\\b");',
            "vlSymsp->TOP__p.__VnoInFunc_f(vlSymsp, __Vtask_f__1__result, a, b);",
        ):
            self.assertIn(f"const {ROW} &__restrict a, const", self.changes(read)[0])

    def test_results_that_are_no_variables_of_their_own(self):
        for result in ("vlSelf->x", "vlSelf->rows[(3U & i)]"):
            self.refuses(
                f"Vt_root.cpp: found '{result}' as a result of __VnoInFunc_f",
                "",
                caller=f"vlSymsp->TOP__p.__VnoInFunc_f(vlSymsp, {result}, vlSelf->y, \n vlSelf->x);",
            )
        self.changes("", caller="vlSymsp->TOP__p.__VnoInFunc_f(vlSymsp, vlSelf->x, vlSelf->xx, vlSelf->y);")

    def test_leading_zeros(self):
        text = self.changes(
            "IData __Vfunc_leading_zeros__3__count; __Vfunc_leading_zeros__3__count = 0;" + STEPS
        )[0]
        self.assertIn(
            "#ifdef __AVX512CD__\n    __Vfunc_leading_zeros__3__Vfuncout = "
            "__builtin_clz(__Vfunc_leading_zeros__3__value | 1U);\n"
            "#else",
            text,
        )
        self.assertEqual(text.split("#else")[1].split("#endif")[0].strip(), STEPS.strip())
        for wrong in (STEPS.replace("0x10000000U", "0x20000000U"), STEPS.replace("(4U &", "(5U &")):
            self.refuses("found other steps in __Vfunc_leading_zeros__3__", wrong)

    def test_conversions(self):
        for call, steps, macro, integer in (
            ("__Vfunc_from_signed__2__", CONVERSION, "__SSE2__", "int"),
            ("__Vfunc_from_signed64__2__", WIDE_CONVERSION, "__AVX512DQ__", "long long"),
        ):
            result = (
                f"{call}Vfuncout = __builtin_bit_cast(IData, "
                f"static_cast<float>(static_cast<{integer}>({call}value)));"
            )
            text = self.changes(f"IData {call}negative; {call}negative = 0; {steps} x = {call}Vfuncout;")[0]
            self.assertIn(f"#ifdef {macro}\n    {result}\n#else", text)
            self.assertIn("__Vfunc_leading_zeros__3__Vfuncout = __builtin_clz(", text.split("#else", 1)[1])
            counted = steps.replace(STEPS, STEPS + COUNT)
            self.assertIn(f"#ifdef {macro}\n    {result} {COUNT}\n#else", self.changes(counted)[0])
            for right, wrong in (
                ("0x9dU", "0x9cU"),
                (f"& {call}kept)", f"& {call}mag)"),
                (f"{call}zeros = ", f"{call}zeros = 1U + "),
            ):
                self.assertIn(right, steps)
                self.refuses(f"found other steps in {call}", steps.replace(right, wrong))
            self.refuses("found other steps in ", steps.replace("0x10000000U", "0x20000000U"))

    def test_programs_print_the_same(self):
        outputs = [
            subprocess.run([program, ROUNDS], capture_output=True, text=True, check=True).stdout
            for program in PROGRAMS
        ]
        for plain, changed in zip(outputs[::2], outputs[1::2]):
            self.assertGreater(
                len({line.split()[2] for line in plain.splitlines()}), 0.8 * len(plain.splitlines())
            )
            self.assertEqual(plain, changed)


unittest.main(argv=sys.argv[:1])
