import os
import shutil
from pathlib import Path

import pytest

import trnsim

CONFIG = "small16"


@pytest.fixture(scope="session")
def program():
    """Returns the program trnsim: TRNSIM_PROGRAM, that of the tree, or one in PATH."""
    built = Path(__file__).resolve().parents[2] / "build/release/bin/trnsim"
    found = os.environ.get("TRNSIM_PROGRAM") or (str(built) if built.exists() else shutil.which("trnsim"))
    if found is None:
        pytest.skip("there is no program trnsim, expected ./trnsim build before")
    return found


@pytest.fixture
def session():
    with trnsim.Session(CONFIG) as opened:
        yield opened


@pytest.fixture
def random():
    import numpy as np

    return np.random.default_rng(7)
