#!/usr/bin/env python3
"""Makes evaluations of a verilated model cheaper if its other inputs change while its clock is low.

usage: clock_edges.py FOLDER PREFIX CLOCK

Works on FOLDER/PREFIX*.cpp and .h as Verilator 5.006 writes them:

  triggers  VlTriggerVec, bytes that every evaluation reads several times, becomes TriggerBits
            (trigger_bits.hpp).
  edges     Every evaluation computes all that depends on an input. In one that begins with a rising edge of
            CLOCK nothing else has changed since the evaluation before, so only the clocks derived from it are
            computed, once: all are gates with closed latches as enables, and none can rise later in the
            evaluation. All were low before, so the clocks are the triggers. While CLOCK is low all are low,
            and only a reset triggers something.
  messages  A model that Verilator does not spread over threads of its own delays no messages, so no
            evaluation asks for them.

The caller of the model changes other inputs only in an evaluation of its own before that with the rising
edge. Stops the build if a derived clock is something other than a gate, or if a clock serves as data.
"""

import re
import shutil
import sys
from pathlib import Path

TRIGGER_BITS = Path(__file__).resolve().parents[1] / "model/core/rtl/trigger_bits.hpp"
FUNCTION = r"^(?:VL_\w+ )*void \w+?___{name}\(\w+\* vlSelf\) {{\n(?P<body>.*?)^}}"
GATE = re.compile(
    r"vlSelf->(?P<clock>\w+)\s*=\s*\(\(IData\)\(vlSelf->(?P<source>\w+)\)\s*&\s*\(IData\)\(vlSelf->(?P<enable>\w+)\)\);"
)
LATCH = re.compile(r"if \(\(1U\s*&\s*\(~\s*\(IData\)\(vlSelf->(?P<clock>\w+)\)\)\)\) \{")
EDGE = re.compile(
    r"vlSelf->__VactTriggered\.at\(\w+\)\s*=\s*\(*\(IData\)\(vlSelf->(?P<clock>\w+)\)\s*&\s*\(~\s*\(IData\)\(vlSelf->__Vtrigrprev"
)
TRIGGERS = re.compile(r"vlSelf->__VactTriggered\.at\((?P<number>\w+)U\)\s*=\s*(?P<expression>[^;]*);")
RISES = re.compile(
    r"\(\(IData\)\(vlSelf->(?P<clock>\w+)\)&\(~\(IData\)\(vlSelf->__Vtrigrprev__TOP__(?P=clock)\)\)\)"
)
FALLS = re.compile(
    r"\(\(~\(IData\)\(vlSelf->(?P<reset>\w+)\)\)&\(IData\)\(vlSelf->__Vtrigrprev__TOP__(?P=reset)\)\)"
)
CONDITION = re.compile(r"if \((?P<triggers>\(*vlSelf->__VnbaTriggered\.at\([^{]*)\) \{")
TRIGGER = re.compile(r"vlSelf->__VnbaTriggered\.at\((?P<number>\w+)U\)")
START = re.compile(r"^    vlSelf->__VicoIterCount = 0U;$", re.MULTILINE)
MESSAGES = re.compile(
    r"^    "
    r"Verilated::(?:mtaskId\(0\)|endOfThreadMTask\(vlSymsp->__Vm_evalMsgQp\)|endOfEval\(vlSymsp->__Vm_evalMsgQp\));\n",
    re.MULTILINE,
)
SETTLED = re.compile(r"^    __VnbaIterCount = 0U;$", re.MULTILINE)


class Unexpected(Exception):
    pass


def functions(sources, name):
    """Returns the bodies of the functions of the model with a name after ___024root___ that matches."""
    pattern = re.compile(FUNCTION.format(name=name), re.DOTALL | re.MULTILINE)
    return [match["body"] for text in sources.values() for match in pattern.finditer(text)]


def gates(sources, clock):
    """Returns the assignments of the clocks derived from `clock`, sources first."""
    triggers = "".join(functions(sources, "eval_triggers__act"))
    if re.search(rf"~ \(IData\)\(vlSelf->{clock}\)", triggers):
        raise Unexpected(f"something happens at the falling edge of {clock}")
    derived = {match["clock"] for match in EDGE.finditer(triggers)} - {clock}
    inputs = "".join(functions(sources, r"ico_\w+"))
    found = [match for match in GATE.finditer(inputs) if match["clock"] in derived]
    if sorted(match["clock"] for match in found) != sorted(derived):
        raise Unexpected(
            "clocks that are no gates: "
            f"{', '.join(sorted(derived - {match['clock'] for match in found})) or 'assigned twice'}"
        )
    rest = LATCH.sub("", GATE.sub(lambda match: "" if match["clock"] in derived else match[0], inputs))
    for name in sorted(derived | {clock}):
        if re.search(rf"\bvlSelf->{name}\b", rest):
            raise Unexpected(f"the clock {name} serves as data")
    ordered, known = [], {clock}
    while found:
        ready = [match for match in found if match["source"] in known]
        if not ready:
            raise Unexpected(
                f"the clock {found[0]['clock']} comes from {found[0]['source']}, which is no clock derived "
                f"from {clock}"
            )
        ordered += [match[0] for match in ready]
        known |= {match["clock"] for match in ready}
        found = [match for match in found if match not in ready]
    return ordered


def triggers(sources, clock):
    """Returns the triggers of each clock's rising edge as masks of words, and the resets that trigger when they fall."""
    masks, resets = {}, set()
    for trigger in TRIGGERS.finditer("".join(functions(sources, "eval_triggers__act"))):
        expression = re.sub(r"\s", "", trigger["expression"])
        rises = RISES.search(expression)
        if rises is None:
            raise Unexpected(f"trigger {trigger['number']} is no edge of a clock")
        rest = expression.replace(rises[0], "", 1).replace("|", "")
        if falls := FALLS.search(rest):
            resets.add(falls["reset"])
        if re.sub(r"[()]", "", FALLS.sub("", rest)):
            raise Unexpected(f"trigger {trigger['number']} is more than edges of a clock and a reset")
        word, place = divmod(int(trigger["number"], 0), 64)
        masks.setdefault(rises["clock"], {}).setdefault(word, []).append(place)
    return {
        name: {word: sum(1 << place for place in places) for word, places in words.items()}
        for name, words in masks.items()
    }, resets


def with_edges(text, root, clock, assignments, masks, resets):
    """Returns eval() with separate ways for rising edges and for evaluations while the clock is low."""
    before = "vlSelf->__Vtrigrprev__TOP__"
    risen = [f"{before}{name} = vlSelf->{name};" for name in masks]
    for word in sorted({word for words in masks.values() for word in words}):
        bits = " | ".join(
            f"(-(QData)vlSelf->{name} & {words[word]:#x}ULL)"
            for name, words in masks.items()
            if word in words
        )
        risen.append(f"vlSelf->__VnbaTriggered.put({word}, {bits});")
    lines = "\n        ".join([*assignments, *risen])
    edge = f"""    if (vlSelf->{clock} && !{before}{clock}) {{
        vlSelf->__VnbaTriggered.clear();
        {lines}
        {root}___eval_nba(vlSelf);
        return;
    }}
"""
    same = "".join(f" && vlSelf->{name} == {before}{name}" for name in sorted(resets))
    lines = "\n        ".join(f"{before}{name} = 0U;" for name in masks)
    low = f"""    if (!vlSelf->{clock}{same}) {{
        {lines}
        return;
    }}
"""
    if len(START.findall(text)) != 1 or len(SETTLED.findall(text)) != 1:
        raise Unexpected("no single evaluation")
    return SETTLED.sub(lambda match: low + match[0], START.sub(lambda match: edge + match[0], text))


def with_masks(condition):
    """Makes a condition that is an alternative of triggers test all triggers of a word at a time."""
    if re.sub(r"[()|\s]", "", TRIGGER.sub("", condition["triggers"])):
        return condition[0]
    masks = {}
    for trigger in TRIGGER.finditer(condition["triggers"]):
        word, place = divmod(int(trigger["number"], 0), 64)
        masks[word] = masks.get(word, 0) | 1 << place
    tests = (f"vlSelf->__VnbaTriggered.of({word}, {mask:#x}ULL)" for word, mask in masks.items())
    return f"if ({' || '.join(tests)}) {{"


def main(folder, prefix, clock):
    folder, root = Path(folder), f"{prefix}___024root"
    sources = {path: path.read_text() for path in sorted(folder.glob(f"{prefix}*.cpp"))}
    if any(re.search(r"\w+\(vlSelf\)", body) for body in functions(sources, "eval_act")):
        raise Unexpected("logic in the active region")
    assignments = gates(sources, clock)
    evaluations = [path for path, text in sources.items() if START.search(text) and "Slow" not in path.name]
    if len(evaluations) != 1:
        raise Unexpected("no single evaluation")
    sources[evaluations[0]] = with_edges(
        sources[evaluations[0]], root, clock, assignments, *triggers(sources, clock)
    )

    model = folder / f"{prefix}.cpp"
    sources[model], calls = MESSAGES.subn("", sources[model])
    if calls != 3:
        raise Unexpected(f"{calls} calls about messages in an evaluation, expected 3")

    header = folder / f"{root}.h"
    sources[header] = header.read_text().replace(
        '#include "verilated.h"', '#include "verilated.h"\n#include "trigger_bits.hpp"', 1
    )
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
