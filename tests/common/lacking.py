"""The end of a test that lacks a program or a package."""

import os
import sys


def end_without(what):
    """Ends the process with 77, which ctest counts as skipped, or with 1 where TRNSIM_TEST_STRICT is 1."""
    strict = os.environ.get("TRNSIM_TEST_STRICT") == "1"
    print(f"{'failed' if strict else 'skipped'}: there is no {what}")
    sys.exit(1 if strict else 77)
