"""The code of docs/python.md runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"


def code(text):
    """Returns the indented blocks that begin with no command, at the line numbers of the page."""
    lines, in_commands = [], False
    for line in text.splitlines():
        if not line.startswith("    ") and line:
            in_commands = False
        elif line.startswith("    $"):
            in_commands = True
        lines.append(line[4:] if not in_commands and line.startswith("    ") else "")
    return "\n".join(lines)


def run(text):
    done = subprocess.run(
        [sys.executable, "-c", code(text)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# A process simulates one system: the part about servers has a process of its own.
PAGE_TEXT = PAGE.read_text()
SERVERS = re.findall(r"^## Servers\n.*?(?=^## )", PAGE_TEXT, re.MULTILINE | re.DOTALL)[0]


def test_page():
    printed = run(PAGE_TEXT.replace(SERVERS, ""))
    assert re.search(r"^\d+ cycles, Tensor engine busy \d+$", printed, re.MULTILINE)
    assert "EXEC_BAD_INPUT" in printed


def test_servers():
    assert re.search(r"^\d\S+ \['\w+'\] \d+$", run(SERVERS), re.MULTILINE)
