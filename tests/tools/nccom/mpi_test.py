"""nccom-test under mpirun: the report is that of one process, and a failure ends all with one line each.

usage: mpi_test.py TRNSIM TREE; it ends with 77, skipped, where there is no mpirun.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from lacking import end_without

SECONDS = 120  # the limit of everything here
TEST = ["nccom-test", "allr", "-r", "8", "-f", "64", "-d", "bf16", "--config", "trn1-4", "--non-interactive"]


def mpirun(count: int, trnsim: pathlib.Path, *arguments: str) -> subprocess.Popen:
    command = [
        "mpirun",
        "--allow-run-as-root",
        "--oversubscribe",
        "-np",
        str(count),
        str(trnsim),
        *TEST,
        *arguments,
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines_of_trnsim(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line.startswith("trnsim: "))


def children(pid: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split()]


def same_report(trnsim: pathlib.Path, folder: pathlib.Path) -> None:
    sizes = ["-b", "8", "-e", "256K", "-c", "random"]
    one = folder / "one.json"
    alone = subprocess.run(
        [trnsim, *TEST, *sizes, "--report-to-json-file", one], capture_output=True, text=True, check=True
    )
    for count in (1, 2, 3, 4):
        report = folder / f"{count}.json"
        run = mpirun(count, trnsim, *sizes, "--report-to-json-file", str(report))
        out, err = run.communicate(timeout=SECONDS)
        assert run.returncode == 0, err
        assert out == alone.stdout, f"{count} processes printed\n{out}instead of\n{alone.stdout}"
        assert report.read_bytes() == one.read_bytes(), f"{count} processes"


def batch_script(trnsim: pathlib.Path, tree: pathlib.Path) -> None:
    """Runs the script for Slurm, as in an allocation on this host."""
    alone = subprocess.run([trnsim, *TEST, "-b", "8", "-e", "8"], capture_output=True, text=True, check=True)
    allocation = {
        "SLURM_NTASKS": "2",
        "TRNSIM": str(trnsim),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    run = subprocess.run(
        ["bash", tree / "examples/slurm/nccom.sbatch", *TEST[1:], "-b", "8", "-e", "8"],
        env=os.environ | allocation,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == alone.stdout


def wait_for_simulations(run: subprocess.Popen, count: int) -> list[list[int]]:
    """Returns each process that mpirun has started, with those that it has forked, the one with MPI first."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        families = [[started, *sorted(children(started))] for started in children(run.pid)]
        if len(families) == count and all(len(family) == 3 for family in families):
            return families
        time.sleep(0.01)
    raise AssertionError("no simulation has begun")


def killed(trnsim: pathlib.Path, which: int) -> tuple[str, int, list[int]]:
    """Kills a process of the second family; returns the output, and how mpirun ends."""
    run = mpirun(3, trnsim, "-b", "64M", "-e", "64M")
    families = wait_for_simulations(run, 3)
    os.kill(families[1][which], signal.SIGKILL)
    _, err = run.communicate(timeout=SECONDS)
    return err, run.returncode, [process for family in families for process in family]


def alive(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def expect_none_left(processes: list[int]) -> None:
    end = time.monotonic() + 20
    while any(alive(process) for process in processes):
        assert time.monotonic() < end, f"still there: {processes}"
        time.sleep(0.05)


def failures(trnsim: pathlib.Path) -> None:
    err, code, processes = killed(trnsim, 2)  # the simulation
    lines = lines_of_trnsim(err)
    assert code != 0 and lines, err
    assert (
        all(line.endswith(" of 3: ended by signal 9 (Killed)") for line in lines) and len(set(lines)) == 1
    ), err
    expect_none_left(processes)
    for which in (0, 1):  # a process of mpirun and MPI: mpirun says so itself
        err, code, processes = killed(trnsim, which)
        assert code != 0, err
        expect_none_left(processes)


def refusals(trnsim: pathlib.Path, folder: pathlib.Path) -> None:
    run = mpirun(2, trnsim, "--processes", "3")
    _, err = run.communicate(timeout=SECONDS)
    assert run.returncode != 0
    assert set(lines_of_trnsim(err)) == {
        "trnsim: --processes 3: expected 2, which mpirun has started, or no --processes"
    }, err
    done = subprocess.run(
        ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", trnsim, "launch", "kernel.neff"],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode != 0
    assert set(lines_of_trnsim(done.stderr)) == {
        (
            "trnsim: launch: found 2 processes, which mpirun has started, expected one, which starts "
            "others with --processes"
        )
    }, run
    for rank in ({}, {"OMPI_COMM_WORLD_RANK": "1"}):  # variables that are left after mpirun
        inherited = os.environ | {"OMPI_COMM_WORLD_SIZE": "2"} | rank
        alone = subprocess.run(
            [trnsim, *TEST, "-b", "8", "-e", "8"], env=inherited, capture_output=True, text=True, check=False
        )
        wanted = (
            "trnsim: OMPI_COMM_WORLD_SIZE is 2, but MPI has 1: expected a start by mpirun, or the variable "
            "unset\n"
        )
        assert (alone.returncode, alone.stderr) == (2, wanted), alone
    report = folder / "missing" / "report.json"  # only one process knows it
    run = mpirun(2, trnsim, "-b", "8", "-e", "8", "--report-to-json-file", str(report))
    _, err = run.communicate(timeout=SECONDS)
    assert run.returncode != 0
    assert len(lines_of_trnsim(err)) == 1 and str(report) in lines_of_trnsim(err)[0], err
    copy = folder / "bin" / "trnsim"  # the library with MPI is not beside this program
    copy.parent.mkdir()
    shutil.copy(trnsim, copy)
    run = mpirun(2, copy)
    _, err = run.communicate(timeout=SECONDS)
    assert run.returncode != 0
    assert all(
        "but this program was built without MPI: expected " in line for line in lines_of_trnsim(err)
    ), err
    assert lines_of_trnsim(err), err


def expect_difference(
    program: list[str], folder: pathlib.Path, arguments: list[str], difference: str
) -> None:
    """Process p runs in the folder p: there, names of files may mean what another host has under them."""
    there = ["sh", "-c", 'cd "$0/$OMPI_COMM_WORLD_RANK" && exec "$@"', str(folder), *program, "nccom-test"]
    command = [
        "mpirun",
        "--allow-run-as-root",
        "--oversubscribe",
        "-np",
        "2",
        *there,
        *arguments,
        "-b",
        "8",
        "-e",
        "8",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    host = socket.gethostname()
    line = f"trnsim: process 1 of 2 on {host}: {difference} as process 0 on {host} has"
    assert run.returncode != 0, run
    assert run.stdout == "" and set(lines_of_trnsim(run.stderr)) == {line}, run


def differences(trnsim: pathlib.Path, tree: pathlib.Path, folder: pathlib.Path) -> None:
    """Files that each process reads for itself must be the same for all."""

    def write(name: str, *texts: str) -> str:
        for process, text in enumerate(texts):
            (folder / str(process) / name).write_text(text)
        return f"./{name}"

    for process in ("0", "1"):
        (folder / process).mkdir()
    server = write("server.yaml", "extends: trn1-4\n", "extends: trn1-4\nlinks: { lanes: 8 }\n")
    expect_difference(
        [str(trnsim)], folder, ["allr", "--config", server], "links.lanes: found 8, expected 16"
    )
    network = (tree / "configs/networks/ultracluster.yaml").read_text()
    network = write("network.yaml", network, network.replace("header: 64 B", "header: 32 B"))
    expect_difference(
        [str(trnsim)],
        folder,
        ["allr", "--config", "trn1-4", "-N", "2", "--network", network],
        "header: found 32 B, expected 64 B",
    )
    groups = write(
        "groups.json", '{"replica_groups": [[[0, 1], [2, 3]]]}', '{"replica_groups": [[[0, 1], [3, 2]]]}'
    )
    expect_difference(
        [str(trnsim)],
        folder,
        ["allr", "--config", "trn1-4", "-r", "4", "--custom-replica-groups", groups],
        "group 1: found [3, 2], expected [2, 3]",
    )
    pairs = write(
        "pairs.json", '{"src_target_pairs": [[[0, 1]]]}', '{"src_target_pairs": [[[0, 1], [1, 0]]]}'
    )
    expect_difference(
        [str(trnsim)],
        folder,
        ["permute", "--config", "trn1-4", "--custom-src-target-pairs", pairs],
        "pairs: found 2, expected 1",
    )
    checksums = []
    for process in ("0", "1"):
        for name, file in (("bin", trnsim), ("lib", trnsim.parent.parent / "lib" / "libtrnsim_mpi.so")):
            (folder / process / name).mkdir()
            shutil.copy(file, folder / process / name)
        program = folder / process / "bin" / "trnsim"
        with program.open("ab") as end:
            end.write(process.encode())
        checksums.append(f"{zlib.crc32(program.read_bytes()):08x}")
    expect_difference(
        ["bin/trnsim"],
        folder,
        ["allr", "--config", "trn1-4"],
        f"file of the program, CRC-32: found {checksums[1]}, expected {checksums[0]}",
    )
    script = write("trnsim.sh", *(f'exec {trnsim} "$@" --seed {seed}\n' for seed in (1, 2)))
    words = "nccom-test allr --config trn1-4 -b 8 -e 8 --seed"
    expect_difference(
        ["sh", script],
        folder,
        ["allr", "--config", "trn1-4"],
        f"command line: found {words} 2, expected {words} 1",
    )


def main() -> int:
    trnsim, tree = (pathlib.Path(argument).absolute() for argument in sys.argv[1:])
    if shutil.which("mpirun") is None:
        end_without("mpirun")
    os.environ["TRNSIM_CONFIG_PATH"] = str(tree / "configs")
    with tempfile.TemporaryDirectory() as folder:
        same_report(trnsim, pathlib.Path(folder))
        batch_script(trnsim, tree)
        failures(trnsim)
        refusals(trnsim, pathlib.Path(folder))
        differences(trnsim, tree, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
