#!/usr/bin/env python3
"""Lets a verilated model record some of its scopes at the cost of those: select_traces.py DIR TOP

Verilator compares every signal of the model with its last value and then drops what is not selected. This
puts tests around the comparisons in DIR/VTOP__Trace__*.cpp: a run of signals that the same instances in TOP
declare is recorded together or not at all, so one bit of the recording's selection decides for the run.
Selections must be whole instances (or everything). Files that do not look as expected stay as they are: then
recordings are the same, but slower.
"""

import re
import sys
from pathlib import Path

HELPER = """
namespace {
struct Selection : VerilatedFst::Buffer {
    // Whether the recording has the signal of this code; without a selection it has all.
    static bool has(VerilatedFst::Buffer* buffer, uint32_t code) {
        const EData* const enabled = buffer->*(&Selection::m_sigs_enabledp);
        return enabled == nullptr || VL_BITISSET_W(enabled, code);
    }
};
}  // namespace

"""


class Unexpected(Exception):
    pass


def declarations(text, top):
    """Returns for each code the instances of the top module that declare it."""
    found, place, times = {}, [], 1
    for line in text.splitlines():
        if push := re.search(r'pushNamePrefix\("(.*)"\)', line):
            place.append(push[1])
        elif pop := re.search(r"popNamePrefix\((\d+)\)", line):
            del place[len(place) - int(pop[1]) :]
        elif loop := re.search(r"for \(int i = 0; i < (\d+);", line):
            times = int(loop[1])
        elif code := re.search(r"decl\w+\(c\+(\d+)(?:\+i\*(\d+))?,", line):
            scopes = [name for name in place if name.endswith(" ")]
            owner = scopes[1] if len(scopes) > 1 and scopes[0] == f"{top} " else ""
            for i in range(times if code[2] else 1):
                found.setdefault(int(code[1]) + i * int(code[2] or 0), set()).add(owner)
    return {code: frozenset(owners) for code, owners in found.items()}


def statements(lines):
    """Yields whole statements; starts and ends of blocks count as such."""
    statement = []
    for line in lines:
        statement.append(line)
        if line.rstrip().endswith((";", "{", "}")):
            yield "\n".join(statement)
            statement = []


def guarded(lines, owners):
    run, waiting = [], []  # comparisons for one test; statements that the next comparison needs
    owner, first = None, 0

    def flush():
        if not run:
            return []
        made = set(
            re.findall(r"(__Vtemp_\w+)(?:\[\w+\] =|, )", "\n".join(s for s in run if "bufp->" not in s))
        )
        used = set(re.findall(r"__Vtemp_\w+", "\n".join(run)))
        if used - made:
            raise Unexpected(f"{min(used - made)} is made elsewhere")
        test = f"if (Selection::has(bufp, vlSymsp->__Vm_baseCode + {first})) {{"
        block = [test, *run, "}"]
        run.clear()
        return block

    for statement in statements(lines):
        change = re.search(r"bufp->chg\w+\(oldp\+(\d+),", statement)
        if change:
            code = int(change[1]) + 1  # they count from the first code, declarations from 0
            if code not in owners:
                raise Unexpected(f"code {code} has no declaration")
            if owners[code] != owner:
                yield from flush()
                owner, first = owners[code], code
            run += [*waiting, statement]
            waiting = []
        elif statement.endswith(("{", "}")):
            yield from flush()
            owner = None
            yield from [*waiting, statement]
            waiting = []
        else:
            waiting.append(statement)
    yield from flush()
    yield from waiting


def main():
    folder, top = Path(sys.argv[1]), sys.argv[2]
    slow = sorted(folder.glob(f"V{top}__Trace__*__Slow.cpp"))
    owners = declarations("\n".join(path.read_text() for path in slow), top)
    selected = {}
    for path in sorted(set(folder.glob(f"V{top}__Trace__*.cpp")) - set(slow)):
        functions = re.split(r"(?m)^(?=void .*__trace_chg_sub_\d+\(.*\{$)", path.read_text())
        if len(functions) == 1:
            continue
        parts = []
        for function in functions[1:]:
            head, body = function.split("    // Body\n", 1)
            body, end, rest = body.partition("\n}\n")
            parts.append(head + "    // Body\n" + "\n".join(guarded(body.splitlines(), owners)) + end + rest)
        selected[path] = functions[0] + HELPER + "".join(parts)
    for path, text in selected.items():
        path.write_text(text)


if __name__ == "__main__":
    try:
        main()
    except Unexpected as surprise:
        print(f"select_traces.py: {surprise}")
