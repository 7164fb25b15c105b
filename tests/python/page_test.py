"""The code of docs/python.md, run as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"


def code(text):
    """The indented blocks that begin with no command, with the line numbers of the page."""
    lines, in_commands = [], False
    for line in text.splitlines():
        if not line.startswith("    ") and line:
            in_commands = False
        elif line.startswith("    $"):
            in_commands = True
        lines.append(line[4:] if not in_commands and line.startswith("    ") else "")
    return "\n".join(lines)


def test_page():
    text = PAGE.read_text()
    done = subprocess.run([sys.executable, "-c", code(text)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\d+ cycles, Tensor engine busy \d+$", done.stdout, re.M)
    assert "EXEC_BAD_INPUT" in done.stdout
