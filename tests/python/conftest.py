import pytest

import trnsim

CONFIG = "small16"


@pytest.fixture
def session():
    with trnsim.Session(CONFIG) as opened:
        yield opened


@pytest.fixture
def random():
    import numpy as np

    return np.random.default_rng(7)
