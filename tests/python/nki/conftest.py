"""Tests of trnsim.nki. They need no extension module: without the installed package they use the tree's
folder.

    python3 -m pytest --confcutdir=tests/python/nki tests/python/nki

With TRNSIM_NKI_RTL=1 all kernels run on the RTL as well (nki_rtl.py).
"""

import importlib
import os
import sys
import types

# Products of tiles are small: on a busy machine the threads wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import nki_rtl
import numpy as np
import pytest
from nki_common import arrange, samples_folder

arrange()

from trnsim import nki  # noqa: E402
from trnsim.nki import kernel as kernels  # noqa: E402


def pytest_configure(config):
    for mark in ("golden(reason)", "refused(text)", "bound(function)", "long"):
        config.addinivalue_line("markers", f"{mark}: see nki_rtl.py")


@pytest.fixture(autouse=True)
def on_the_rtl(request, monkeypatch, scale):
    """Runs kernels that a test simulates on the RTL as well, if TRNSIM_NKI_RTL asks for it."""
    if not nki_rtl.ENABLED:
        yield
        return
    if request.node.get_closest_marker("long") and scale <= 1:
        pytest.skip("long on the RTL: TRNSIM_TEST_SCALE above 1")
    comparison = nki_rtl.Comparison(kernels.simulate_kernel, request.node, scale)
    for module in (kernels, nki):
        monkeypatch.setattr(module, "simulate_kernel", comparison)
    yield
    comparison.finish()


@pytest.fixture
def samples(monkeypatch):
    """Imports a file of the public kernels under the SDK's names."""
    folder = samples_folder()
    if folder is None:
        pytest.skip("there is no shared/nki-samples beside the tree; TRNSIM_NKI_SAMPLES names another folder")
    nki.install(mode="simulation", replace=True)
    before = set(sys.modules)
    # The softmax tutorial imports a framework and does not use it.
    for name in ("torch_xla", "torch_xla.core", "torch_xla.core.xla_model"):
        if name not in sys.modules:
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(
        sys.modules["torch_xla.core"], "xla_model", sys.modules["torch_xla.core.xla_model"], raising=False
    )

    def load(tutorial, name):
        monkeypatch.syspath_prepend(str(folder / tutorial))
        sys.modules.pop(name, None)
        return importlib.import_module(name)

    yield load
    for name in set(sys.modules) - before:
        if name.endswith(("_kernels", "_kernel")):
            del sys.modules[name]
    nki.uninstall()


@pytest.fixture
def rng():
    """Returns random numbers of TRNSIM_TEST_SEED or a fixed default; the seed is printed."""
    seed = int(os.environ.get("TRNSIM_TEST_SEED", "20260101"))
    print(f"TRNSIM_TEST_SEED={seed}")
    return np.random.default_rng(seed)


@pytest.fixture
def scale():
    """Returns a factor for the length of random tests."""
    scale = float(os.environ.get("TRNSIM_TEST_SCALE", "1"))
    return min(scale, nki_rtl.MOST_SCALE) if nki_rtl.ENABLED else scale
