"""The stub of the extension module, for editors and checkers, agrees with the module."""

import ast
from pathlib import Path

from nanobind.stubgen import StubGen

import trnsim
from trnsim import _trnsim

FOLDER = Path(trnsim.__file__).parent


def parameters(function):
    """Returns the parameters of a function as text, with their defaults and without their types."""
    for parameter in ast.walk(function.args):
        if isinstance(parameter, ast.arg):
            parameter.annotation = None
    return f"({ast.unparse(function.args)})"


def names_of(body, place=""):
    """Returns the full names of all classes, members and functions, with their parameters and docstrings.

    A number is added to names of functions, as these may be overloaded.
    """
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[place + node.name] = " ".join((ast.get_docstring(node) or "").split())
            found |= names_of(node.body, f"{place}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            name = place + node.name
            number = sum(known.split("#")[0] == name for known in found)
            text = " ".join((ast.get_docstring(node) or "").split())
            found[f"{name}#{number}"] = f"{parameters(node)} {text}"
        elif isinstance(node, ast.Assign) and place:  # a member of an enum
            found[place + ast.unparse(node.targets[0])] = ast.unparse(node.value)
    return found


def test_stub_is_that_of_the_module():
    made = StubGen(_trnsim)
    made.put(_trnsim)
    expected = names_of(ast.parse(made.get()).body)
    found = names_of(ast.parse((FOLDER / "_trnsim.pyi").read_text()).body)
    assert "KernelBuilder.load_transposed#0" in expected
    assert found == expected


def test_stub_names_everything():
    stub = names_of(ast.parse((FOLDER / "_trnsim.pyi").read_text()).body)
    known = {name.split("#")[0] for name in stub}
    module = {name for name in vars(_trnsim) if not name.startswith("_")}
    members = {
        f"{name}.{member}"
        for name in module
        if isinstance(getattr(_trnsim, name), type)
        for member in vars(getattr(_trnsim, name))
        if not member.startswith("_")
    }
    assert module | members <= known, sorted((module | members) - known)
    assert {name.split(".")[0] for name in known} <= module


def test_package_has_types():
    assert (FOLDER / "py.typed").exists()


def test_version():
    project = f"project(trnsim VERSION {trnsim.__version__} "
    assert project in (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()


def test_documented():
    for name in trnsim.__all__:
        assert getattr(trnsim, name).__doc__, name
