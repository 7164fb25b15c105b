#!/usr/bin/env python3
"""`trnsim nccom-test --wave` records links, collective cores and DMA rings as the statistics of the same run
say.

usage: link_test.py TRNSIM_PROGRAM
"""

import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without
from recording import Recording

TRNSIM = sys.argv.pop() if len(sys.argv) > 1 else None
ROOT = Path(__file__).resolve().parents[2]
VIEW = ROOT / "waves/link.gtkw"
BUFFER, REPLAY = 160, 200  # flits; few, so that links wait
SETTINGS = ("--set", f"links.buffer={BUFFER}", "--set", f"links.replay={REPLAY}")


def signals_of(view):
    """Returns the text of the rows of a save file."""
    return [
        line.partition("} ")[2].partition("[31:0]")[0]
        for line in view.read_text().splitlines()
        if line.startswith("+{")
    ]


class Links(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.run_it(
            "allr",
            "-r",
            "8",
            "-b",
            "60000",
            "-e",
            "60000",
            "-d",
            "bf16",
            "--config",
            "trn1-4",
            "--algorithm",
            "mesh",
            *SETTINGS,
            "--wave",
            "w.fst",
            "--server-stats",
            "s.json",
            "--trace",
            "t.json",
            "--report-to-json-file",
            "r.json",
        )
        cls.recording = Recording(cls.path / "w.fst")
        cls.statistics = json.loads((cls.path / "s.json").read_text())["sizes"][0]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_it(cls, *words):
        subprocess.run(
            [TRNSIM, "nccom-test", *words], check=True, cwd=cls.folder.name, stdout=subprocess.DEVNULL
        )

    def directions(self):
        """Yields (place of the sending end in the recording, its figures)."""
        for link in self.statistics["links"]:
            chip, _, port = link["from"].partition(".")
            yield f"links.chip[{chip}].{port}.", link

    def last(self, name):
        return self.recording.changes[name][-1][1]

    def comes_to_rest(self, name, value):
        """Returns whether a signal has this value in the end.

        Frames of the last round trip may be missing: the run does not wait for their acknowledgement.
        """
        round_trip = 1_000_000  # ps: twice the latency of 250 ns, and frames in both directions
        changes, since = self.recording.changes[name], self.recording.times[-1] - round_trip
        left = sum(
            max(0, abs(new - value) - abs(old - value))
            for (_, old), (time, new) in itertools.pairwise(changes)
            if time > since
        )
        return abs(changes[-1][1] - value) <= left

    def test_links_lead_where_the_cables_do(self):
        self.assertEqual(len(self.statistics["links"]), 12)
        for place, link in self.directions():
            self.assertEqual(self.recording.changes[place + "to"], [(0, link["to"])])
            self.assertEqual(self.recording.changes[place + "state"], [(0, "up")])

    def test_frames_are_those_that_were_counted(self):
        for place, link in self.directions():
            frames, sent = self.recording.changes[place + "frames"], link["sent"]
            self.assertEqual(frames[-1][1], sent["frames"], place)
            starts = [time for time, count in frames if count]
            self.assertEqual(
                sum(self.recording.at(place + "flits", time) for time in starts), sent["flits"], place
            )
            kinds = [self.recording.at(place + "frame", time) for time in starts]
            self.assertEqual(kinds.count("packet"), sent["packets"], place)
            self.assertEqual(kinds.count("control"), sent["control_frames"], place)
            self.assertNotIn("-", kinds)
            shown = self.recording.changes[place + "frame"]
            busy = sum(until - time for (time, kind), (until, _) in itertools.pairwise(shown) if kind != "-")
            self.assertAlmostEqual(busy, sent["busy_seconds"] * 1e12, delta=sent["frames"] + 1, msg=place)

    def test_credits_and_replay_keep_to_their_buffers(self):
        taken = 0
        for place, link in self.directions():
            for channel in range(4):
                counts = [value for _, value in self.recording.changes[place + f"credits{channel}"]]
                self.assertEqual((counts[0], max(counts)), (BUFFER, BUFFER), place)
                self.assertTrue(self.comes_to_rest(place + f"credits{channel}", BUFFER), place)
                taken += min(counts) < BUFFER
            replay = [value for _, value in self.recording.changes[place + "replay"]]
            self.assertEqual((replay[0], max(replay)), (0, link["sent"]["replay_peak_flits"]), place)
            self.assertTrue(self.comes_to_rest(place + "replay", 0), place)
            self.assertLessEqual(max(replay), REPLAY)
        self.assertGreater(taken, 12)

    def test_waits_for_credits_last_as_long_as_was_counted(self):
        waits = 0
        for place, link in self.directions():
            shown = self.recording.changes[place + "stalled"]
            waited = sum(until - time for (time, stalled), (until, _) in itertools.pairwise(shown) if stalled)
            stalls = link["sent"]["credit_stalls"]
            self.assertAlmostEqual(
                waited, link["sent"]["credit_stall_seconds"] * 1e12, delta=stalls, msg=place
            )
            waits += stalls
        self.assertGreater(waits, 0)

    def test_collective_cores_ring_as_on_the_timeline(self):
        events = json.loads((self.path / "t.json").read_text())["traceEvents"]
        rung = sum(event["args"]["doorbells"] for event in events if "doorbells" in event.get("args", {}))
        names = [name for name in self.recording.changes if name.startswith("collectives.")]
        self.assertEqual(sum(self.last(name) for name in names if name.endswith(".doorbells")), rung)
        self.assertGreater(rung, 0)
        for name in names:
            if name.endswith(".waits"):
                self.assertEqual(self.last(name), 0, name)

    def test_dma_bytes_under_way(self):
        for chip in range(4):
            place = f"dma.chip[{chip}]."
            shown = self.recording.changes[place + "bytes"]
            self.assertEqual((shown[0][1], shown[-1][1], self.last(place + "engines")), (0, 0, 0))
            rings = [
                name
                for name in self.recording.changes
                if name.startswith(place) and name.endswith("].bytes") and name != place + "bytes"
            ]
            for time, under_way in shown[:: max(1, len(shown) // 50)]:
                self.assertEqual(sum(self.recording.at(name, time) for name in rings), under_way)
                at_work = {
                    name.partition("engine[")[2].partition("]")[0]
                    for name in rings
                    if self.recording.at(name, time)
                }
                self.assertEqual(
                    self.recording.at(place + "engines", time), sum(1 << int(engine) for engine in at_work)
                )

    def test_recording_changes_no_time(self):
        self.run_it(
            "allr",
            "-r",
            "8",
            "-b",
            "60000",
            "-e",
            "60000",
            "-d",
            "bf16",
            "--config",
            "trn1-4",
            "--algorithm",
            "mesh",
            *SETTINGS,
            "--report-to-json-file",
            "plain.json",
        )
        self.assertEqual((self.path / "plain.json").read_text(), (self.path / "r.json").read_text())

    def test_retries_are_seen(self):
        """Nothing goes wrong by itself: the signal stays at 0."""
        for place, link in self.directions():
            self.assertEqual(
                (self.last(place + "retries"), self.last(place + "repeats")), (link["sent"]["retries"], 0)
            )

    def test_the_view_names_what_is_there(self):
        """A server of 16 chips with a collective on all channels has every signal of the view."""
        self.run_it(
            "alltoall", "-r", "32", "-b", "4K", "-e", "4K", "--config", "trn1.32xlarge", "--wave", "all.fst"
        )
        view = signals_of(VIEW)
        self.assertEqual(signals_of(self.path / "all.link.gtkw"), view)
        recorded = Recording(self.path / "all.fst").changes
        for name in view:
            self.assertIn(name.partition("[15:0]")[0].partition("[1:0]")[0], recorded)
        small = signals_of(self.path / "w.link.gtkw")
        self.assertEqual(
            {name for name in small if name.startswith("links.")},
            {name for name in view if any(name.startswith(place) for place, _ in self.directions())},
        )

    def test_banks_are_told_as_often_as_was_counted(self):
        """Checks bursts of 32 bytes, of every channel of every chip."""
        self.run_it(
            "permute",
            "-r",
            "4",
            "-b",
            "16K",
            "-e",
            "16K",
            "--config",
            "trn1-4",
            "--set",
            "hbm.model=banked",
            "--wave",
            "b.fst",
            "--server-stats",
            "b.json",
        )
        recorded = Recording(self.path / "b.fst").changes
        bursts = 0
        for chip in json.loads((self.path / "b.json").read_text())["sizes"][0]["chips"]:
            for stack, counted in enumerate(chip["hbm"]):
                for channel, counts in enumerate(counted["channels"]):
                    names = []
                    for pseudo in (0, 1):
                        place = (
                            f"hbm.chip[{chip['chip']}].pseudo_channel[{16 * stack + 2 * channel + pseudo}]."
                        )
                        for bus in ("row", "column"):
                            # Without bursts nothing was told.
                            names += [name for _, name in recorded.get(place + bus + "_command", [])]
                    self.assertEqual(32 * (names.count("RD") + names.count("RDA")), counts["bytes_read"])
                    self.assertEqual(32 * (names.count("WR") + names.count("WRA")), counts["bytes_written"])
                    self.assertEqual(names.count("ACT"), counts["activates"])
                    self.assertEqual(names.count("REFab"), counts["refreshes"]["all_bank"])
                    bursts += names.count("RD") + names.count("WR")
        self.assertGreater(bursts, 4 * 16_384 // 32)

    def test_the_view_is_of_servers(self):
        (self.path / "k.neff").write_text("")
        done = subprocess.run(
            [TRNSIM, "wave", "k.neff", "--view", "link"],
            cwd=self.path,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("expected a recording of a server", done.stderr)


if __name__ == "__main__":
    if TRNSIM is None:
        sys.exit(__doc__)
    if shutil.which("fst2vcd") is None:
        end_without("fst2vcd, which the package gtkwave has")
    unittest.main()
