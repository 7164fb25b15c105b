import os
import shutil
from pathlib import Path

import pytest

import trnsim

CONFIG = "small16"


@pytest.fixture(scope="session")
def skip_without():
    """Returns the function that skips a test that lacks something; it fails where TRNSIM_TEST_STRICT is 1."""
    end = pytest.fail if os.environ.get("TRNSIM_TEST_STRICT") == "1" else pytest.skip
    return lambda what: end(f"there is no {what}")


@pytest.fixture(scope="session")
def program(skip_without):
    """Returns the program trnsim: TRNSIM_PROGRAM, that of the tree, or one in PATH."""
    built = Path(__file__).resolve().parents[2] / "build/release/bin/trnsim"
    found = os.environ.get("TRNSIM_PROGRAM") or (str(built) if built.exists() else shutil.which("trnsim"))
    if found is None:
        skip_without("program trnsim, expected ./trnsim build before")
    return found


@pytest.fixture
def session():
    with trnsim.Session(CONFIG) as opened:
        yield opened


@pytest.fixture
def random():
    import numpy as np

    return np.random.default_rng(7)
