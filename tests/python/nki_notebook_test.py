"""The code cells of the notebooks of examples/nki run in order and show pictures."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples/nki").glob("*.ipynb"))

#: A program that runs cells as a notebook does: the value of an expression at the end of a cell is shown.
RUNNER = """
import ast, json, sys
names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell["id"], "exec"), names)
    if last is not None:
        shown = eval(compile(last, cell["id"], "eval"), names)
        if hasattr(shown, "_repr_svg_"):
            print("picture", cell["id"], json.dumps(shown._repr_svg_()))
"""


def test_there_are_some():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    notebook = json.loads(path.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["nbformat"] == 4 and all(
        not cell["outputs"] and cell["execution_count"] is None for cell in cells
    )
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(path)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = [line.split(" ", 2)[1:] for line in done.stdout.splitlines() if line.startswith("picture ")]
    pictures = {cell: json.loads(text) for cell, text in shown}
    assert len(pictures) == 3
    for svg in pictures.values():
        assert svg.startswith("<svg") and svg.count("<rect") > 10
    engines, transfers, waves = pictures.values()
    assert (
        ">vector<" in engines
        and "activation" in engines
        and ">dma 0" in transfers
        and "vector.sequencer.issue" in waves
    )
