#!/usr/bin/env python3
"""Makes evaluations of a verilated model cheaper whose other inputs change while its clock is low: clock_edges.py FOLDER PREFIX CLOCK

Works on FOLDER/PREFIX*.cpp and .h as Verilator 5.006 writes them:

  triggers  VlTriggerVec, bytes that every evaluation goes through several times, becomes TriggerBits (trigger_bits.hpp).
  edges     Every evaluation works out all that depends on an input. In one that begins with a rising edge of CLOCK nothing else has
            changed since the one before, so that only the clocks derived from it are worked out, once: all are gates, whose enables are
            latches that are closed, and none can rise later in the evaluation.

Whoever evaluates the model changes other inputs only in an evaluation of their own before that with the rising edge. Stops the build
where a derived clock is something else than a gate, or a clock serves as data."""

import re
import shutil
import sys
from pathlib import Path

TRIGGER_BITS = Path(__file__).resolve().parents[1] / "tlm/core/rtl/trigger_bits.hpp"
FUNCTION = r"^(?:VL_\w+ )*void \w+?___{name}\(\w+\* vlSelf\) {{\n(?P<body>.*?)^}}"
GATE = re.compile(r"vlSelf->(?P<clock>\w+)\s*=\s*\(\(IData\)\(vlSelf->(?P<source>\w+)\)\s*&\s*\(IData\)\(vlSelf->(?P<enable>\w+)\)\);")
LATCH = re.compile(r"if \(\(1U\s*&\s*\(~\s*\(IData\)\(vlSelf->(?P<clock>\w+)\)\)\)\) \{")
EDGE = re.compile(r"vlSelf->__VactTriggered\.at\(\w+\)\s*=\s*\(*\(IData\)\(vlSelf->(?P<clock>\w+)\)\s*&\s*\(~\s*\(IData\)\(vlSelf->__Vtrigrprev")
CONDITION = re.compile(r"if \((?P<triggers>\(*vlSelf->__VnbaTriggered\.at\([^{]*)\) \{")
TRIGGER = re.compile(r"vlSelf->__VnbaTriggered\.at\((?P<number>\w+)U\)")
START = re.compile(r"^    vlSelf->__VicoIterCount = 0U;$", re.MULTILINE)


class Unexpected(Exception):
    pass


def functions(sources, name):
    """Bodies of the functions of the model whose name after ___024root___ is that."""
    pattern = re.compile(FUNCTION.format(name=name), re.DOTALL | re.MULTILINE)
    return [match["body"] for text in sources.values() for match in pattern.finditer(text)]


def gates(sources, clock):
    """Assignments of the clocks derived from one, sources first."""
    triggers = "".join(functions(sources, "eval_triggers__act"))
    if re.search(rf"~ \(IData\)\(vlSelf->{clock}\)", triggers):
        raise Unexpected(f"something happens at the falling edge of {clock}")
    derived = {match["clock"] for match in EDGE.finditer(triggers)} - {clock}
    inputs = "".join(functions(sources, r"ico_\w+"))
    found = [match for match in GATE.finditer(inputs) if match["clock"] in derived]
    if sorted(match["clock"] for match in found) != sorted(derived):
        raise Unexpected(f"clocks that are no gates: {', '.join(sorted(derived - {match['clock'] for match in found})) or 'assigned twice'}")
    rest = LATCH.sub("", GATE.sub(lambda match: "" if match["clock"] in derived else match[0], inputs))
    for name in sorted(derived | {clock}):
        if re.search(rf"\bvlSelf->{name}\b", rest):
            raise Unexpected(f"the clock {name} serves as data")
    ordered, known = [], {clock}
    while found:
        ready = [match for match in found if match["source"] in known]
        if not ready:
            raise Unexpected(f"the clock {found[0]['clock']} comes from {found[0]['source']}, which is no clock derived from {clock}")
        ordered += [match[0] for match in ready]
        known |= {match["clock"] for match in ready}
        found = [match for match in found if match not in ready]
    return ordered


def with_edges(text, root, clock, assignments):
    """eval() with a way of its own for rising edges."""
    lines = "\n        ".join(assignments)
    edge = f"""    if (vlSelf->{clock} && !vlSelf->__Vtrigrprev__TOP__{clock}) {{
        {lines}
        {root}___eval_triggers__act(vlSelf);
        vlSelf->__VnbaTriggered.clear();
        vlSelf->__VnbaTriggered.set(vlSelf->__VactTriggered);
        {root}___eval_nba(vlSelf);
        return;
    }}
"""
    if len(START.findall(text)) != 1:
        raise Unexpected("no single evaluation")
    return START.sub(lambda match: edge + match[0], text)


def with_masks(condition):
    """A condition that is an alternative of triggers asks for all that stand in a word at a time."""
    if re.sub(r"[()|\s]", "", TRIGGER.sub("", condition["triggers"])):
        return condition[0]
    masks = {}
    for trigger in TRIGGER.finditer(condition["triggers"]):
        word, place = divmod(int(trigger["number"], 0), 64)
        masks[word] = masks.get(word, 0) | 1 << place
    return f"if ({' || '.join(f'vlSelf->__VnbaTriggered.of({word}, {mask:#x}ULL)' for word, mask in masks.items())}) {{"


def main(folder, prefix, clock):
    folder, root = Path(folder), f"{prefix}___024root"
    sources = {path: path.read_text() for path in sorted(folder.glob(f"{prefix}*.cpp"))}
    if any(re.search(r"\w+\(vlSelf\)", body) for body in functions(sources, "eval_act")):
        raise Unexpected("logic in the active region")
    assignments = gates(sources, clock)
    evaluations = [path for path, text in sources.items() if START.search(text) and "Slow" not in path.name]
    if len(evaluations) != 1:
        raise Unexpected("no single evaluation")
    sources[evaluations[0]] = with_edges(sources[evaluations[0]], root, clock, assignments)

    header = folder / f"{root}.h"
    sources[header] = header.read_text().replace('#include "verilated.h"', '#include "verilated.h"\n#include "trigger_bits.hpp"', 1)
    for path, text in sources.items():
        changed = CONDITION.sub(with_masks, text.replace("VlTriggerVec<", "TriggerBits<"))
        if changed != path.read_text():
            path.write_text(changed)
    shutil.copy(TRIGGER_BITS, folder)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Unexpected as unexpected:
        sys.exit(f"{Path(sys.argv[0]).name}: {sys.argv[1]}: {unexpected}")
