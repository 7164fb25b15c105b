"""The code of docs/nki.md runs as it stands there."""

import subprocess
import sys
from pathlib import Path

from nki_common import TREE


def test_page():
    lines = [
        line[4:]
        for line in (TREE / "docs/nki.md").read_text().splitlines()
        if line.startswith("    ") and not line.startswith("    $")
    ]
    assert len(lines) > 15
    arranged = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import nki_common; "
        "nki_common.arrange()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", arranged + "\n".join(lines)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
