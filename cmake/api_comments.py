#!/usr/bin/env python3
"""Prints a header with its comments in Doxygen's form, which Doxygen asks for: api_comments.py FILE

Comments of this project are plain (`//`). The first one is about the file, one above a declaration is about
that, and one at the end of a line is about what the line declares.
"""

import re
import sys
from pathlib import Path


def escaped(comment):
    """Returns the text of a comment without what Doxygen would take for commands, tags and links."""
    return re.sub(r"([\\\\@<>#%])", r"\\\1", comment)


def main():
    lines = Path(sys.argv[1]).read_text().splitlines()
    first = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    print("\n".join(["/// \\file", *("///" + escaped(line[2:]) for line in lines[:first])]))
    for line in lines[first:]:
        code, mark, comment = line.partition("//")
        if not mark or comment.startswith("/") or "NOLINT" in comment or code.count('"') % 2 == 1:
            print(line)
        elif code.strip() == "":
            print(f"{code}///{escaped(comment)}")
        else:
            print(f"{code}///<{escaped(comment)}")


if __name__ == "__main__":
    main()
