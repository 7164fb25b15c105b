"""Tests cmake/drop_copies.py: which copies it drops, and that functions without them compute the same."""

import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "cmake/drop_copies.py"
PACKAGE = (
    "void Vt_p::__VnoInFunc_turn(Vt__Syms* __restrict vlSymsp, VlWide<4>/*127:0*/ &__restrict r, "
    "const VlWide<4>/*127:0*/ &__restrict a) {\n r[0U] = a[3U];\n}\n"
)
DECLARATIONS = "".join(f"VlWide<4>/*127:0*/ t{i};\n    " for i in range(4))
COPY = "VL_ASSIGN_W(128,t0, vlSelf->a);\n"
READ = "vlSelf->s = t0[1U];\n"


def before(operand, place="vlSelf->array [(3U & vlSelf->i)]"):
    """Returns an operation on an operand, and the copy of its result to a place."""
    return f"vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, t0, {operand});\nVL_ASSIGN_W(128,{place}, t0);\n"


# Bodies that stay as they are.
KEPT = [
    READ + COPY,
    COPY + "vlSelf->a[0U] = 1U;\n" + READ,
    COPY + "t0[0U] = 1U;\n" + READ,
    COPY + "VL_ASSIGN_W(128,vlSelf->a, vlSelf->b);\n" + READ,
    COPY + "VL_ASSIGNSEL_WI(128,32,0U, vlSelf->a, 1U);\n" + READ,
    COPY + "Vt_root___other(vlSelf);\n" + READ,
    COPY + "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, vlSelf->a, vlSelf->b);\n" + READ,
    COPY + "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, vlSelf->a, t0);\n",
    COPY + "vlSymsp->TOP__p.__VnoInFunc_other(vlSymsp, vlSelf->b, t0);\n",
    COPY + "while ((4U > vlSelf->s)) {\nvlSelf->a[0U] = t0[1U];\n}\n",
    "if (vlSelf->c) {\n" + COPY + "}\n" + READ,
    "VL_ASSIGN_W(128,t0, vlSelf->array [vlSelf->i]);\nvlSelf->i = 1U;\n" + READ,
    "VL_ASSIGN_W(96,t0, vlSelf->a);\n" + READ,
    "{\n if (vlSelf->c) {\n goto __Vlabel1;\n }\n" + COPY + READ + "__Vlabel1: ;\n }\n",
    "VL_SEL_WWII(128,256, t0, vlSelf->wide, 0x21U, 0x80U);\n" + READ,
    "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, t0, vlSelf->a);\nVL_ASSIGN_W(128,vlSelf->a, t0);\n",
    "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, t0, vlSelf->a);\nVL_ASSIGN_W(128,vlSelf->b, t0);\n" + READ,
    (
        "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, t0, vlSelf->a);\nvlSelf->s = 1U;\nVL_ASSIGN_W(128,vlSelf->b, "
        "t0);\n"
    ),
    before("vlSelf->array [(3U & vlSelf->i)]"),
    before("vlSelf->array [(3U & (vlSelf->i - (IData)(4U)))]"),
    before("vlSelf->array [(3U & (vlSelf->j - (IData)(1U)))]"),
    before("vlSelf->array [(7U & (vlSelf->i - (IData)(1U)))]"),
    before("vlSelf->array [(0U & (vlSelf->i - (IData)(1U)))]", "vlSelf->array [(0U & vlSelf->i)]"),
    before(
        "vlSelf->array [(3U & (vlSelf->i - (IData)(1U)))]", "vlSelf->array [(3U & (vlSelf->i - (IData)(1U)))]"
    ),
]

# Bodies, and the results of the tool.
CHANGED = [
    (COPY + READ, "const VlWide<4>& t0 = vlSelf->a; vlSelf->s = t0[1U];"),
    (COPY + "vlSelf->a[0U] = t0[1U];\n", "const VlWide<4>& t0 = vlSelf->a; vlSelf->a[0U] = t0[1U];"),
    (
        COPY + "VL_ASSIGN_W(128,vlSelf->b, t0);\n",
        "const VlWide<4>& t0 = vlSelf->a; VL_ASSIGN_W(128,vlSelf->b, t0);",
    ),
    (
        "VL_COND_WIWW(128, t0, (vlSelf->c), vlSelf->a, vlSelf->b);\n" + READ,
        "const VlWide<4>& t0 = ((vlSelf->c)) ? vlSelf->a : vlSelf->b; vlSelf->s = t0[1U];",
    ),
    (
        "VL_SEL_WWII(128,256, t0, vlSelf->wide, 0x80U, 0x80U);\n" + READ,
        "const VlWide<4>& t0 = *reinterpret_cast<const VlWide<4>*>(&vlSelf->wide[4U]); vlSelf->s = t0[1U];",
    ),
    (
        (
            "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, t0, vlSelf->a);\nVL_ASSIGN_W(128,vlSelf->array "
            "[vlSelf->i], t0);\n"
        ),
        "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, vlSelf->array [vlSelf->i], vlSelf->a);",
    ),
    (
        "VL_CONCAT_WWW(128,64,64, t0, vlSelf->a, vlSelf->b);\nVL_ASSIGN_W(128,vlSelf->wide, t0);\n",
        "VL_CONCAT_WWW(128,64,64, vlSelf->wide, vlSelf->a, vlSelf->b);",
    ),
    (
        before("vlSelf->array [(3U & (vlSelf->i - (IData)(1U)))]"),
        (
            "vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, vlSelf->array [(3U & vlSelf->i)], vlSelf->array [(3U & "
            "(vlSelf->i - (IData)(1U)))]);"
        ),
    ),
    (
        (
            "VL_ASSIGN_W(128,t0, vlSelf->array [(1U & (vlSelf->i \n - "
            "(IData)(1U)))]);\nVL_ASSIGN_W(128,vlSelf->array [(1U & vlSelf->i)], t0);\n"
        ),
        (
            "VL_ASSIGN_W(128,vlSelf->array [(1U & vlSelf->i)], vlSelf->array [(1U & (vlSelf->i - "
            "(IData)(1U)))]);"
        ),
    ),
]


def rewritten(bodies):
    """Returns the bodies as the tool leaves them, each in a function of its own, without declarations."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "Vt_root.cpp"
        (pathlib.Path(folder) / "Vt_p.cpp").write_text(PACKAGE)
        path.write_text(
            "".join(
                f"VL_INLINE_OPT void Vt_root___nba_{number}(Vt_root* vlSelf) {{\n    {DECLARATIONS}\n    "
                f"{body}\n}}\n"
                for number, body in enumerate(bodies)
            )
        )
        subprocess.run([sys.executable, TOOL, folder, "Vt"], check=True)
        found = [
            function[function.index("{") + 1 : function.rindex("}")]
            for function in path.read_text().split("VL_INLINE_OPT")[1:]
        ]
    return [" ".join(re.sub(r"VlWide<4>/\*127:0\*/ \w+;", "", body).split()) for body in found]


class Machine:
    """Executes such functions. Values are lists, so a reference is one list under two names."""

    def __init__(self):
        self.scalars = {"vlSelf->s": 5, "vlSelf->i": 0, "vlSelf->c": 1}
        self.wides = {f"t{i}": [0] * 4 for i in range(4)}
        self.wides |= {
            name: [10 * i + k for k in range(4)]
            for i, name in enumerate(("vlSelf->a", "vlSelf->b", "vlSelf->d"))
        }
        self.array = [[50, 51, 52, 53], [60, 61, 62, 63]]

    def place(self, text):
        if match := re.fullmatch(r"vlSelf->array \[(.*)\]", text):
            return self.array[self.scalars[match[1]]]
        return self.wides[text]

    def value(self, text):
        if match := re.fullmatch(r"(.*)\[(\d)U\]", text):
            return self.place(match[1])[int(match[2])]
        return self.scalars[text] if text in self.scalars else int(text[:-1])

    def execute(self, text):
        skip = False
        for statement in map(str.strip, re.findall(r"if \([^{]*\) \{|\}|[^;{}]+;", text)):
            if statement == "}":
                skip = False
            elif match := re.fullmatch(r"if \((.*)\) \{", statement):
                skip = not self.scalars[match[1]] & 1
            elif not skip:
                self.step(statement[:-1])

    def step(self, text):
        if match := re.fullmatch(r"VL_ASSIGN_W\(128,(.*), (.*)\)", text):
            self.place(match[1])[:] = list(self.place(match[2]))
        elif match := re.fullmatch(r"VL_COND_WIWW\(128, (.*), \((.*)\), (.*), (.*)\)", text):
            self.place(match[1])[:] = list(self.place(match[3] if self.scalars[match[2]] & 1 else match[4]))
        elif match := re.fullmatch(r"const VlWide<4>& (\w+) = \(\((.*)\)\) \? (.*) : (.*)", text):
            self.wides[match[1]] = self.place(match[3] if self.scalars[match[2]] & 1 else match[4])
        elif match := re.fullmatch(r"const VlWide<4>& (\w+) = (.*)", text):
            self.wides[match[1]] = self.place(match[2])
        elif match := re.fullmatch(r"vlSymsp->TOP__p.__VnoInFunc_turn\(vlSymsp, (.*), (.*)\)", text):
            result, operand = self.place(match[1]), self.place(match[2])
            for k in range(4):  # in place: the destination must not be read after it is written
                result[k] = operand[3 - k] + 1
        elif match := re.fullmatch(r"(.*)\[(\d)U\] = (.*)", text):
            self.place(match[1])[int(match[2])] = self.value(match[3])
        else:
            place, value = text.split(" = ")
            self.scalars[place] = self.value(value)

    def state(self):
        return self.scalars, {name: value for name, value in self.wides.items() if "->" in name}, self.array


def program(choose):
    """Makes statements in which most temporary values are written once, and their sources may change."""
    temporaries, lines = [f"t{i}" for i in range(4)], []
    places = ["vlSelf->a", "vlSelf->b", "vlSelf->d", "vlSelf->array [vlSelf->i]"]
    fresh, written = list(temporaries), []

    def operand():
        return choose.choice(places + written * 2)

    def statement():
        kind = choose.randrange(9)
        if kind < 3 and fresh:
            name = fresh.pop()
            written.append(name)
            if kind == 0:
                return f"VL_COND_WIWW(128, {name}, (vlSelf->c), {operand_but(name)}, {operand_but(name)});"
            if kind == 1 and choose.random() < 0.5:
                return (
                    f"vlSymsp->TOP__p.__VnoInFunc_turn(vlSymsp, {name}, {operand_but(name)});\n"
                    f"VL_ASSIGN_W(128,{choose.choice(places)}, {name});"
                )
            return f"VL_ASSIGN_W(128,{name}, {operand_but(name)});"
        if kind == 3:
            return f"VL_ASSIGN_W(128,{choose.choice(places)}, {operand()});"
        if kind == 4:
            return f"{choose.choice(places)}[{choose.randrange(4)}U] = {operand()}[{choose.randrange(4)}U];"
        if kind == 5:
            return f"vlSelf->i = {choose.randrange(2)}U;"
        if kind == 6:
            return f"vlSelf->c = {operand()}[{choose.randrange(4)}U];"
        return f"vlSelf->s = {operand()}[{choose.randrange(4)}U];"

    def operand_but(name):
        return choose.choice([place for place in places + written * 2 if place != name])

    for _ in range(choose.randrange(3, 12)):
        if choose.random() < 0.2:
            before = list(written)
            lines.append(
                "if (vlSelf->c) {\n" + "\n".join(statement() for _ in range(choose.randrange(1, 4))) + "\n}"
            )
            if choose.random() < 0.9:
                written[:] = before
        else:
            lines.append(statement())
    return "\n".join(lines) + "\n"


class DropCopies(unittest.TestCase):
    def test_kept(self):
        for body, left in zip(KEPT, rewritten(KEPT)):
            self.assertEqual(left, " ".join(body.split()))

    def test_changed(self):
        for (body, expected), left in zip(CHANGED, rewritten([body for body, _ in CHANGED])):
            self.assertEqual(left, expected, body)

    def test_same_results(self):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        choose = random.Random(seed)
        bodies = [program(choose) for _ in range(3000)]
        after = rewritten(bodies)
        self.assertEqual(len(bodies), len(after))
        for body, left in zip(bodies, after):
            machines = Machine(), Machine()
            for machine, text in zip(machines, (body, left)):
                machine.execute(text)
            self.assertEqual(*[machine.state() for machine in machines], f"{body}\nbecame\n{left}")
        self.assertGreater(sum("const VlWide" in left for left in after), 100)
        self.assertGreater(
            sum(body.count("turn") > left.count("turn(vlSymsp, t") for body, left in zip(bodies, after)), 10
        )


unittest.main()
