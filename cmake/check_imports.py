#!/usr/bin/env python3
"""Checks the order of a Python package's modules by their imports: check_imports.py [PACKAGE_FOLDER]

Modules form no circle. An import within a function counts as any other, because it runs too; it is refused,
except for modules that the package can do without (OPTIONAL). An import under `if TYPE_CHECKING` never runs
and makes no circle; it names only modules of its own folder, so that folders have an order for a reader as
well. A module runs the __init__ of the folders around it; this is not counted.
"""

import argparse
import ast
import collections
import itertools
import sys
from pathlib import Path

from check_includes import find_circle

# These need the extension module; without it kernels are simulated in NumPy.
OPTIONAL = {"trnsim", "trnsim.nki.lowering"}
BUILT = {"trnsim._trnsim"}  # built from C++, without a file in the tree


def module_of(path, root):
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folder_of(module, is_package):
    return module if is_package else module.rpartition(".")[0]


def names_type_checking(test):
    return "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))


def imports_of(tree):
    """Yields import statements with their place: "module", "function" or "types"."""

    def walk(node, place):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                yield child, place
            elif isinstance(child, ast.If) and names_type_checking(child.test):
                yield from walk(ast.Module(child.body, []), "types")
                yield from walk(ast.Module(child.orelse, []), place)
            else:
                is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
                yield from walk(child, "function" if is_function and place == "module" else place)

    yield from walk(tree, "module")


def targets_of(statement, folder, modules):
    """Returns the modules of the package that an import statement names.

    `from a import b` names a.b if that is a module, else a.
    """
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names if alias.name in modules]
    around = folder.split(".")[: len(folder.split(".")) + 1 - statement.level] if statement.level else []
    base = ".".join([*around, *filter(None, [statement.module])])
    named = (f"{base}.{alias.name}" for alias in statement.names)
    return [
        name for name in dict.fromkeys(name if name in modules else base for name in named) if name in modules
    ]


def check(root):
    paths = {module_of(path, root): path for path in sorted(root.rglob("*.py"))}
    faults, uses, first = [], collections.defaultdict(set), {}
    modules = paths.keys() | BUILT
    for module, path in paths.items():
        folder = folder_of(module, path.name == "__init__.py")
        for statement, place in imports_of(ast.parse(path.read_text(), str(path))):
            for target in targets_of(statement, folder, modules):
                where = f"{path}:{statement.lineno}"
                if place == "types":
                    if folder_of(target, target in paths and paths[target].name == "__init__.py") != folder:
                        faults.append(
                            f"{where}: imports {target} for its types, expected a module of {folder}"
                        )
                    continue
                if place == "function" and target not in OPTIONAL:
                    faults.append(
                        f"{where}: imports {target} within a function, expected an import at the top"
                    )
                if target != module:
                    uses[module].add(target)
                    first.setdefault((module, target), where)
    if circle := find_circle(uses):
        steps = ", ".join(f"{first[pair]} imports {pair[1]}" for pair in itertools.pairwise(circle))
        faults.append(f"{circle[0]}: a circle of modules, expected none: {steps}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path("python/trnsim"))
    faults = check(parser.parse_args().root)
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
