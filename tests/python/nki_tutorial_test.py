"""The code of docs/nki-tutorial.md runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

from page_test import code

PAGE = Path(__file__).resolve().parents[2] / "docs/nki-tutorial.md"


def test_page(tmp_path):
    script = tmp_path / "tutorial.py"
    script.write_text(code(PAGE.read_text()))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\d+ cycles$", done.stdout, re.MULTILINE) and re.search(
        r"^tensor +\d+\.\d % busy$", done.stdout, re.MULTILINE
    )
    assert f"{script}:" in done.stdout and "err_allocation" in done.stdout
