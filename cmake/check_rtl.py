#!/usr/bin/env python3
"""Checks that other tools than Verilator take the RTL. usage: check_rtl.py TOP SOURCE...

slang elaborates the design twice, for simulation and for synthesis (SYNTHESIS defined), and reports what the
standard forbids; its warnings count as errors. The design for synthesis contains nothing of REFUSED. Exits
with 1 if something was found.
"""

import os
import sys

from pyslang import ast, driver

OPTIONS = ["-Werror", "-Wimplicit-net", "-Winferred-latch"]
LATCHES = {"clock_gate"}  # modules that are one

REFUSED = {
    "assertion": "an assertion outside of `ifndef SYNTHESIS",
    "edges": "two edges, but the process is not `if (!reset) ... else ...`",
    "hierarchical": "a hierarchical name outside of `ifndef SYNTHESIS",
    "latch": "a latch outside of clock_gate",
    "process": "a process that synthesis leaves out",
    "timing": "a process that waits after its beginning",
}


class Checker:
    """Walks an elaborated design. A finding is (file, line, text), once for all instances that have it."""

    def __init__(self, sources):
        self.sources = sources
        self.found = set()

    def report(self, location, rule):
        self.found.add(
            (self.sources.getFileName(location), self.sources.getLineNumber(location), REFUSED[rule])
        )

    def visit(self, node):
        if isinstance(node, ast.InstanceSymbol) and node.body.isUninstantiated:
            return ast.VisitAction.Skip
        if isinstance(node, ast.ProceduralBlockSymbol):
            self.process(node)
        elif isinstance(node, (ast.ImmediateAssertionStatement, ast.ConcurrentAssertionStatement)):
            self.report(node.sourceRange.start, "assertion")
        elif isinstance(node, ast.HierarchicalValueExpression):
            self.report(node.sourceRange.start, "hierarchical")
        return ast.VisitAction.Advance

    def process(self, block):
        kinds = ast.ProceduralBlockKind
        if block.procedureKind in (kinds.Initial, kinds.Final):
            self.report(block.location, "process")
        elif block.procedureKind == kinds.AlwaysLatch:
            if block.parentScope.containingInstance.name not in LATCHES:
                self.report(block.location, "latch")
        elif block.body.kind == ast.StatementKind.Timed:
            self.clocked(block)
            block.body.stmt.visit(self.wait)

    def wait(self, node):
        if isinstance(node, (ast.TimedStatement, ast.WaitStatement)):
            self.report(node.sourceRange.start, "timing")
        return ast.VisitAction.Advance

    def clocked(self, block):
        """Checks a process with two edges: the second is a reset, which the process tests first."""
        events = getattr(block.body.timing, "events", [])
        if len(events) < 2:
            return
        first = block.body.stmt
        while first.kind in (ast.StatementKind.Block, ast.StatementKind.List):
            inner = first.list if first.kind == ast.StatementKind.List else [first.body]
            inner = [
                s
                for s in inner
                if s.kind not in (ast.StatementKind.VariableDeclaration, ast.StatementKind.Empty)
            ]
            if not inner:
                return
            first = inner[0]
        if first.kind == ast.StatementKind.Conditional and first.ifFalse is not None:
            condition = first.conditions[0].expr
            if (
                condition.kind == ast.ExpressionKind.UnaryOp
                and condition.op == ast.UnaryOperator.LogicalNot
                and len(events) == 2
                and events[1].edge == ast.EdgeKind.NegEdge
                and getattr(condition.operand, "symbol", None) is events[1].expr.symbol
            ):
                return
        self.report(block.location, "edges")


def elaborate(top, sources, options):
    """Returns the compilation, or None after messages about its errors."""
    tool = driver.Driver()
    tool.addStandardArgs()
    line = " ".join(f'"{word}"' for word in ["slang", "--top", top, *OPTIONS, *options, *sources])
    if not (tool.parseCommandLine(line) and tool.processOptions() and tool.parseAllSources()):
        return None
    compilation = tool.createCompilation()
    tool.reportCompilation(compilation, True)
    tool.runAnalysis(compilation)
    return compilation if tool.reportDiagnostics(True) else None


def main(top, *sources):
    if not elaborate(top, sources, []):
        return 1
    synthesis = elaborate(top, sources, ["-DSYNTHESIS"])
    if not synthesis:
        return 1
    checker = Checker(synthesis.sourceManager)
    synthesis.getRoot().visit(checker.visit)
    for file, line, text in sorted(checker.found):
        print(f"{os.path.relpath(file)}:{line}: error: {text}")
    return 1 if checker.found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
