""".githooks/commit-msg in a small repository: commits with sound messages are made, others are refused with the line and the reason."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HOOKS = Path(__file__).resolve().parents[2] / ".githooks"
NAMES = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@b"))
}


class CommitMessage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q")
        self.git("config", "core.hooksPath", HOOKS)
        self.commits = 0

    def git(self, *arguments):
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            **NAMES,
        }
        return subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def commit(self, message, name="docs/a.md"):
        """Changes a file and commits it; returns the lines of the hook."""
        self.commits += 1
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(self.commits))
        self.git("add", ".")
        done = self.git("commit", "-q", "-m", message)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr.splitlines()

    def test_sound(self):
        for message in (
            "docs: name the ports",
            "nki: have nl.tile_size name the sizes",
            "schedule, command: mend a leak",
            "model/hbm: count refreshes",
            "a: " + "b" * 35 + " " + "c" * 33,
            "docs: name the ports\n\nThey had no names.",
            "Merge branch 'a'",
            'Revert "docs: name the ports"',
            "fixup! anything",
        ):
            with self.subTest(message):
                self.assertEqual(self.commit(message), [])

    def test_subject(self):
        form = "commit message:1: found '{0}', expected 'area: verb ...' without a full stop at the end"
        for message in (
            "Docs: name the ports",
            "name the ports",
            "docs: Name the ports",
            "docs: name the ports.",
            "docs:name the ports",
            "docs: name",
            ": name the ports",
        ):
            with self.subTest(message):
                self.assertEqual(self.commit(message), [form.format(message)])
        long = "docs: " + "name " * 13 + "xx"
        self.assertEqual(
            self.commit(long), ["commit message:1: found a subject of 73 characters, expected at most 72"]
        )
        self.assertEqual(
            self.commit("docs: name the ports\nand more"),
            ["commit message:2: found 'and more', expected a blank line after the subject"],
        )

    def test_body(self):
        for folder in ("rtl", "model", "compiler"):
            with self.subTest(folder):
                self.assertEqual(
                    self.commit("area: mend a leak", f"{folder}/a"),
                    [f"commit message:3: found no body, expected one that says why {folder}/a changes"],
                )
                self.assertEqual(self.commit("area: mend a leak\n\nIt leaked.", f"{folder}/a"), [])
        self.assertEqual(self.commit("area: mend a leak", "modelled/a"), [])

    def test_comments_are_no_body(self):
        """What an editor leaves: comments, and the difference after the scissors."""
        self.commit("area: begin")
        (self.root / "rtl").mkdir()
        (self.root / "rtl/a").write_text("")
        self.git("add", ".")
        message = self.root / "message"
        message.write_text(
            "rtl: mend a leak\n\n# Please enter\n# ------------------------ >8 ------------------------\ndiff --git\n"
        )
        done = subprocess.run(
            [HOOKS / "commit-msg", message], cwd=self.root, capture_output=True, text=True, check=False
        )
        self.assertEqual(
            (done.returncode, done.stderr),
            (1, "commit message:3: found no body, expected one that says why rtl/a changes\n"),
        )
        message.write_text("rtl: mend a leak\n\nIt leaked.\n# Please enter\n")
        self.assertEqual(
            subprocess.run([HOOKS / "commit-msg", message], cwd=self.root, check=False).returncode, 0
        )


if __name__ == "__main__":
    unittest.main()
