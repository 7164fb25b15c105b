"""docs/pictures.py draws the pictures of the README: SVG with the labels of those in the tree.

usage: pictures_test.py TRNSIM
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)
SVG = "{http://www.w3.org/2000/svg}"


def labels(path):
    """Texts that begin with a letter: of rows, colours and the picture, not of its scales."""
    texts = [element.text for element in ElementTree.parse(path).getroot().iter(f"{SVG}text")]
    return sorted({text for text in texts if text[0].isalpha()})


class Pictures(unittest.TestCase):
    def test_they_are_drawn_from_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [sys.executable, ROOT / "docs/pictures.py", PROGRAM, folder], check=True, timeout=600
            )
            for name, shape, least in (("timeline.svg", "rect", 150), ("bandwidth.svg", "circle", 24)):
                with self.subTest(name):
                    drawn = Path(folder, name)
                    self.assertEqual(labels(drawn), labels(ROOT / "docs/images" / name))
                    shapes = list(ElementTree.parse(drawn).getroot().iter(f"{SVG}{shape}"))
                    self.assertGreaterEqual(len(shapes), least)
                    self.assertIn(f"(docs/images/{name})", (ROOT / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()
