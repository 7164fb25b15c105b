"""Types for editors and checkers."""

import ast
from pathlib import Path

import trnsim
from trnsim import _trnsim


def test_stub_names_everything():
    folder = Path(trnsim.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_trnsim.pyi").read_text())
    classes = {
        node.name: {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        for node in stub.body
        if isinstance(node, ast.ClassDef)
    }
    for name in ("Config", "Package", "KernelBuilder", "Tile", "TensorView", "Session"):
        members = {member for member in vars(getattr(_trnsim, name)) if not member.startswith("_")}
        assert members <= classes[name], members - classes[name]


def test_version():
    assert (
        f"project(trnsim VERSION {trnsim.__version__} "
        in (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
    )


def test_documented():
    for name in trnsim.__all__:
        assert getattr(trnsim, name).__doc__, name
