#!/usr/bin/env python3
"""Holds the pages against the tree: check_docs.py [ROOT]

Pages are README.md, CONTRIBUTING.md and docs/*.md. A path that a page names in backticks or in a block of
code exists in the tree if it begins with a folder of the top level; in backticks also one with the ending of
a source file, which may leave out the folders before it. A path without an ending is a folder or a file with
any ending. Globs, braces, placeholders in capitals and <...> stand for any name. Relative links lead to a
file, and their anchors to a heading.
"""

import fnmatch
import os
import re
import subprocess
import sys
from pathlib import Path

PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md"]
# The build writes these; no file of the tree has their names.
BUILT = {"isa_pkg.sv", "cfg_pkg.sv", "cfg_parameters.hpp"}
SOURCE_ENDINGS = (".cpp", ".hpp", ".sv", ".py", ".cmake")
# Folders in which a reader's own files lie; a page may name any file there.
OTHERS_FOLDERS = ("out/", "build/", "bin/", "lib/", "tmp/")
CODE_SPAN = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")
LINK = re.compile(r"!?\[[^][]*(?:\[[^][]*\][^][]*)*\]\(([^()\s]+)\)")
HEADING = re.compile(r"#{1,6} +(.*?)(?: +#+)?$")
NAME = r"[A-Za-z0-9_.+*?{},<>-]+"
PATH = re.compile(rf"(?:\./)?{NAME}(?:/{NAME})*/?")


def braces(pattern):
    """The patterns that a pattern with {a,b} stands for."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern]
    return [
        name
        for choice in found[1].split(",")
        for name in braces(pattern[: found.start()] + choice + pattern[found.end() :])
    ]


def glob_of(path):
    """The path with a glob in place of each placeholder (BLOCK, <config>, NAME_test.cpp).

    The path of an installed header becomes the one in the tree.
    """
    path = re.sub(r"<[^<>/]*>", "*", path).removeprefix("./").removeprefix("trnsim/").rstrip("/")
    return "/".join(
        part
        if part.split(".")[0] in ("README", "CONTRIBUTING", "LICENSE", "CMakeLists")
        else re.sub(r"(?<![A-Za-z])[A-Z][A-Z0-9]*(?![A-Za-z])", "*", part)
        for part in path.split("/")
    )


class Tree:
    """The paths of a tree's files and folders, the ends of these, and the files' paths without endings."""

    def __init__(self, files):
        self.paths = set(files)
        for name in files:
            self.paths.update(str(folder) for folder in Path(name).parents)
        self.tops = {name.split("/")[0] + "/" for name in files if "/" in name}
        self.ends = {
            "/".join(path.split("/")[first:]) for path in self.paths for first in range(path.count("/") + 1)
        }
        self.stems = {str(Path(name).with_suffix("")) for name in files}

    def has(self, path, anywhere):
        """Whether each path that this one means is in the tree, `anywhere` with any folders before it."""
        known = self.ends if anywhere else self.paths | self.stems
        return all(
            name in known or (any(mark in name for mark in "*?") and fnmatch.filter(known, name))
            for name in braces(glob_of(path))
        )


def anchors_of(text):
    """The anchors that GitHub gives the headings of a page."""
    found = {}
    for _, line, is_code in lines_of(text):
        heading = not is_code and HEADING.match(line)
        if not heading:
            continue
        words = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", heading[1])
        words = re.sub(r"(?<!\w)[*_]+|[*_]+(?!\w)", "", words.replace("`", ""))
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
        count = found.get(anchor, 0)
        found[anchor] = count + 1
        if count:
            found[f"{anchor}-{count}"] = 1
    return found


def lines_of(text):
    """The lines of a page with their numbers and whether they are in a block of code."""
    fence, is_block, is_blank = None, False, True
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if fence or mark:
            yield number, "" if mark else line, True
            if not fence:
                fence = mark[1]
            elif mark and mark[1].startswith(fence):
                fence = None
            continue
        is_block = (line.startswith("    ") and (is_block or is_blank)) or (is_block and not line.strip())
        is_blank = not line.strip()
        yield number, line, is_block and not is_blank


def links_of(text):
    """The targets of the links of a page with the numbers of the lines in which they end."""
    plain = "\n".join("" if is_code else CODE_SPAN.sub("code", line) for _, line, is_code in lines_of(text))
    return [(plain.count("\n", 0, link.end()) + 1, link[1]) for link in LINK.finditer(plain)]


def words_of(code):
    """The words of some code that may be paths, without quotes, options' names and places such as :12."""
    for word in re.split(r"[\s'\"()\[\];|$=]+", code):
        for name in [word] if "{" in word else word.split(","):
            path = re.sub(r"(:\d+)+:?$|[,:.]+$|#.*$", "", name)
            if PATH.fullmatch(path):
                yield path


def check_paths(tree, code, is_code):
    for word in words_of(code):
        plain = word.removeprefix("./")
        if plain.startswith(tuple(tree.tops)):
            if not tree.has(word, anywhere=False) and plain.split("/")[-1] not in BUILT:
                yield f"found {word}, expected a path of the tree"
        elif (
            (
                not is_code
                and word == code
                and plain.endswith(SOURCE_ENDINGS)
                and not plain.startswith((".", *OTHERS_FOLDERS))
            )
            and plain.split("/")[-1] not in BUILT
            and not tree.has(word, anywhere=True)
        ):
            yield f"found {word}, expected the end of a path of the tree"


def check_link(root, tree, page, target, anchors):
    if re.match(r"[a-z]+:", target):
        return
    name, _, anchor = target.partition("#")
    path = os.path.normpath(Path(page).parent / name) if name else page
    if path not in tree.paths:
        yield f"found a link to {target}, expected a path of the tree"
    elif anchor:
        if path not in anchors:
            anchors[path] = anchors_of((root / path).read_text()) if path.endswith(".md") else {}
        if anchor not in anchors[path]:
            yield f"found a link to {target}, expected a heading of {path}"


def check(root, files):
    tree, faults, anchors = Tree(files), [], {}
    for page in (
        name
        for name in files
        if any(fnmatch.fnmatch(name, form) and name.count("/") == form.count("/") for form in PAGES)
    ):
        for number, line, is_code in lines_of((root / page).read_text()):
            code = [line] if is_code else [found[2].strip() for found in CODE_SPAN.finditer(line)]
            faults += [
                f"{page}:{number}: {fault}" for words in code for fault in check_paths(tree, words, is_code)
            ]
        for number, target in links_of((root / page).read_text()):
            faults += [f"{page}:{number}: {fault}" for fault in check_link(root, tree, page, target, anchors)]
    return faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = subprocess.run(
        [
            "git",
            "-C",
            str(root),
            "-c",
            f"safe.directory={root.resolve()}",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.splitlines()
    faults = check(root, [name for name in names if (root / name).exists()])
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
