"""nccom-test under mpirun on several hosts: the report is that of one process; a failure ends all with one
line.

usage: mpi_hosts_test.py TRNSIM TREE; it ends with 77, skipped, where hosts cannot be made.

A host is made of namespaces: it has a name, an address on a bridge, files in FOLDER and in /dev/shm and,
except for the first one, processes of its own. The first one, alpha, is where this runs; mpirun reaches the
others by enter_host.sh.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from lacking import end_without
from mpi_test import SECONDS, alive, children, lines_of_trnsim

TEST = ["nccom-test", "allr", "-r", "8", "-f", "64", "-d", "bf16", "--config", "trn1-4"]
SMALL = ["-b", "8", "-e", "256K", "-c", "random"]
LONG = ["-b", "64M", "-e", "64M"]
# The largest of the small sizes is 32 KiB. No half of the ranks can know its sum without as much from the
# other half.
BYTES_BETWEEN_HALVES = 32768
FIRST = "alpha"
NETWORK = "10.77.0.0/24"
MPIRUN_ON_NETWORK = ["--mca", "oob_tcp_if_include", NETWORK]
SKIPPED = 77  # where the machine has no namespaces
ON_NETWORK = [*MPIRUN_ON_NETWORK, "--mca", "btl_tcp_if_include", NETWORK]
KEEPALIVE = {"oob_tcp_keepalive_time": 5, "oob_tcp_keepalive_intvl": 1, "oob_tcp_keepalive_probes": 3}
SECONDS_UNTIL_CUT_IS_SEEN = 5 + 1 * 3
MEETING_SECONDS = 30  # in model/processes/mpi_exchange.cpp
# Variables that alpha tells the others by ssh besides the command.
NAMES = ["-x", "TRNSIM_CONFIG_PATH"]


def shell(*words: object) -> str:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 0, done
    return done.stdout


def unexpected(err: str) -> list[str]:
    """Removes a warning of mpirun that is a matter of timing: its launcher was faster than it."""
    return [
        line
        for line in err.splitlines()
        if line and not re.fullmatch(r"\[.*\] plm:rsh: Warning: setpgid\(.*", line)
    ]


class Host:
    """`process` is in its namespaces."""

    def __init__(self, name: str, process: int, folder: pathlib.Path) -> None:
        self.name, self.process, self.address = name, process, ""
        self.folder = pathlib.Path(f"/proc/{process}/root{folder}")  # its files there
        self.network = pathlib.Path(f"/proc/{process}/ns/net").readlink()
        self.own = self.processes()

    def run(self, *words: object) -> str:
        return shell(
            "nsenter", "--target", self.process, "--mount", "--uts", "--ipc", "--net", "--pid", *words
        )

    def processes(self) -> set[int]:
        found = set()
        for process in (int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()):
            try:
                if pathlib.Path(f"/proc/{process}/ns/net").readlink() == self.network and alive(process):
                    found.add(process)
            except OSError:  # it has ended
                pass
        return found

    def wait_until_reached(self) -> None:
        """Waits for the network, where a cable takes a moment to come up."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                socket.create_connection((self.address, 1), timeout=1)
            except ConnectionRefusedError:  # it answers
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"{self.name} is not reached")

    def started(self) -> list[int]:
        """Returns those of mpirun's processes that have forked both others, MPI and the simulation."""
        return sorted(
            process
            for process in self.processes()
            if len(children(process)) == 2 and pathlib.Path(f"/proc/{process}/comm").read_text() == "trnsim\n"
        )


class Hosts:
    def __init__(self, trnsim: pathlib.Path, tree: pathlib.Path, folder: pathlib.Path) -> None:
        self.trnsim, self.tree, self.folder = trnsim, tree, folder
        self.open: list[subprocess.Popen] = []
        shell("hostname", FIRST)
        shell("mount", "-t", "sysfs", "sysfs", "/sys")  # processes of its network
        for place in (folder, "/dev/shm"):
            shell("mount", "-t", "tmpfs", "tmpfs", place)
        shell("ip", "link", "set", "lo", "up")
        shell("ip", "link", "add", "hosts", "type", "bridge")
        shell("ip", "address", "add", "10.77.0.1/24", "dev", "hosts")
        shell("ip", "link", "set", "hosts", "up")
        self.hosts = {FIRST: Host(FIRST, os.getpid(), folder)}

    def add(self, name: str) -> Host:
        """Makes a host with a cable to the bridge; the cable's end there has the host's name.

        It is there until its input is closed.
        """
        own_files = (
            f"mount -t tmpfs tmpfs '{self.folder}' && mount -t tmpfs tmpfs /dev/shm && ip link set lo up"
        )
        init = subprocess.Popen(
            [
                "unshare",
                "--mount",
                "--uts",
                "--ipc",
                "--net",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "sh",
                "-c",
                f"hostname {name} && {own_files} && echo ready && read -r end",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.open.append(init)
        assert init.stdout is not None and init.stdout.readline() == "ready\n"
        host = Host(name, children(init.pid)[0], self.folder)
        shell("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", host.process)
        shell("ip", "link", "set", name, "master", "hosts", "up")
        host.address = f"10.77.0.{len(self.hosts) + 1}"
        host.run("ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        host.run("ip", "link", "set", "eth0", "up")
        host.wait_until_reached()
        os.environ[f"HOST_{name}"] = str(host.process)
        self.hosts[name] = host
        return host

    def mpirun(
        self,
        slots: dict[str, int],
        arguments: list[str],
        options: list[str] = ON_NETWORK,
        before: list[str] | None = None,
    ) -> subprocess.Popen:
        """Gives mpirun a process in every slot."""
        hostfile = self.folder / "hosts"
        hostfile.write_text("".join(f"{name} slots={count}\n" for name, count in slots.items()))
        command = [
            "mpirun",
            "--allow-run-as-root",
            "--bind-to",
            "none",
            "--mca",
            "plm_rsh_agent",
            str(self.tree / "tests/tools/nccom/enter_host.sh"),
            "--mca",
            "orte_tmpdir_base",
            str(self.folder),
            "--hostfile",
            str(hostfile),
            "-n",
            str(sum(slots.values())),
            *NAMES,
            *options,
            *(before or []),
            str(self.trnsim),
            *arguments,
        ]
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def failure(self, slots: dict[str, int], arguments: list[str]) -> str:
        """Returns the output of a run that fails."""
        run = self.mpirun(slots, arguments)
        out, err = run.communicate(timeout=SECONDS)
        assert run.returncode != 0 and out == "", (out, err)
        self.expect_none_left()
        return err

    def noting(self) -> list[str]:
        """Returns a prefix of the program: each process notes in its host's folder where it is."""
        return ["sh", "-c", 'hostname >"$0/rank-$OMPI_COMM_WORLD_RANK" && exec "$@"', str(self.folder)]

    def take_notes(self) -> dict[str, list[int]]:
        """Returns the ranks that were on each host."""
        ranks: dict[str, list[int]] = {}
        for name, host in self.hosts.items():
            ranks[name] = []
            for note in sorted(host.folder.glob("rank-*")):
                assert note.read_text() == f"{name}\n", note
                ranks[name].append(int(note.name.removeprefix("rank-")))
                note.unlink()
        return ranks

    def received_from(self, name: str) -> int:
        return int(pathlib.Path(f"/sys/class/net/{name}/statistics/rx_bytes").read_text())

    def sent_to(self, name: str) -> int:
        return int(pathlib.Path(f"/sys/class/net/{name}/statistics/tx_bytes").read_text())

    def wait_for_simulations(self, slots: dict[str, int]) -> dict[str, list[int]]:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            started = {name: self.hosts[name].started() for name in slots}
            if all(len(started[name]) == count for name, count in slots.items()):
                return started
            time.sleep(0.05)
        raise AssertionError("no simulation has begun")

    def expect_none_left(self) -> None:
        end = time.monotonic() + 20
        while left := {
            name: host.processes() - host.own
            for name, host in self.hosts.items()
            if host.processes() != host.own
        }:
            assert time.monotonic() < end, f"still there: {left}"
            time.sleep(0.05)


def same_report(hosts: Hosts) -> None:
    one = hosts.folder / "one.json"
    alone = shell(hosts.trnsim, *TEST, *SMALL, "--report-to-json-file", one)
    for slots in (
        {"alpha": 1, "beta": 1},
        {"alpha": 2, "beta": 2},
        {"alpha": 1, "beta": 1, "gamma": 1},
        {"beta": 1, "gamma": 1},
    ):
        others = [name for name in slots if name != FIRST]
        before = {name: (hosts.received_from(name), hosts.sent_to(name)) for name in others}
        begin = time.monotonic()
        run = hosts.mpirun(
            slots,
            [*TEST, *SMALL, "--report-to-json-file", str(hosts.folder / "several.json")],
            before=hosts.noting(),
        )
        out, err = run.communicate(timeout=SECONDS)
        assert run.returncode == 0 and unexpected(err) == [], err
        assert out == alone, f"{slots}: printed\n{out}instead of\n{alone}"
        report = hosts.hosts[next(iter(slots))].folder / "several.json"  # output of rank 0
        assert report.read_bytes() == one.read_bytes(), slots
        report.unlink()
        ranks = iter(range(sum(slots.values())))
        assert hosts.take_notes() == {
            name: [next(ranks) for _ in range(slots.get(name, 0))] for name in hosts.hosts
        }, slots
        received = {name: hosts.received_from(name) - before[name][0] for name in others}
        sent = {name: hosts.sent_to(name) - before[name][1] for name in others}
        # Two of three hosts have a chip at least, a quarter of the ranks.
        least = BYTES_BETWEEN_HALVES // len(others)
        assert min(*received.values(), *sent.values()) > least, (slots, received, sent)
        hosts.expect_none_left()
        print(f"{slots}: {time.monotonic() - begin:.1f} s, bytes received {received}, sent {sent}")


def killed(hosts: Hosts) -> None:
    """Kills one process of each kind on the other host: of mpirun, of MPI, of the simulation."""
    slots = {"alpha": 2, "beta": 2}
    for which in range(3):
        run = hosts.mpirun(slots, [*TEST, *LONG])
        started = hosts.wait_for_simulations(slots)["beta"][1]
        rank = re.search(r"OMPI_COMM_WORLD_RANK=(\d+)", pathlib.Path(f"/proc/{started}/environ").read_text())
        assert rank is not None
        shell("kill", "-KILL", [started, *sorted(children(started))][which])
        _, err = run.communicate(timeout=SECONDS)
        assert run.returncode != 0, err
        lines = set(lines_of_trnsim(err))
        if which == 0:  # mpirun says so itself
            assert re.search(
                rf"process rank {rank[1]} with PID \d+ on node beta exited on signal 9 \(Killed\)", err
            ), err
        elif which == 1:
            assert f"trnsim: MPI of process {rank[1]} of 4: ended by signal 9 (Killed)" in lines, err
        else:
            assert lines == {f"trnsim: process {rank[1]} of 4: ended by signal 9 (Killed)"}, err
        hosts.expect_none_left()


def ended(hosts: Hosts) -> None:
    """Ends mpirun itself, by the user and otherwise."""
    slots = {"alpha": 1, "beta": 1}
    for signal in ("-INT", "-KILL"):
        run = hosts.mpirun(slots, [*TEST, *LONG])
        hosts.wait_for_simulations(slots)
        shell("kill", signal, run.pid)
        run.communicate(timeout=SECONDS)
        assert run.returncode != 0
        hosts.expect_none_left()


def link_cut(hosts: Hosts) -> None:
    slots = {"alpha": 1, "beta": 1}
    options = [word for name, value in KEEPALIVE.items() for word in ("--mca", name, str(value))]
    run = hosts.mpirun(slots, [*TEST, *LONG], [*ON_NETWORK, *options])
    hosts.wait_for_simulations(slots)
    shell("ip", "link", "set", "beta", "down")
    begin = time.monotonic()
    _, err = run.communicate(timeout=SECONDS)
    seconds = time.monotonic() - begin
    assert run.returncode != 0 and "ORTE has lost communication with a remote daemon." in err, err
    assert re.search(r"Remote daemon: .* on node beta", err), err
    assert seconds < SECONDS_UNTIL_CUT_IS_SEEN + 20, seconds
    hosts.expect_none_left()  # nor on the other host, where nobody can be told
    print(f"link cut: seen after {seconds:.1f} s")
    shell("ip", "link", "set", "beta", "up")
    hosts.hosts["beta"].wait_until_reached()


def other_files(hosts: Hosts) -> None:
    """Something is missing on the other host, or is not the same there."""
    slots = {"alpha": 1, "beta": 1}
    beta = hosts.hosts["beta"]
    beta.run("mount", "-t", "tmpfs", "tmpfs", hosts.trnsim.parent)
    err = hosts.failure(slots, [*TEST, *SMALL])
    assert f"Executable: {hosts.trnsim}\nNode: beta\n" in err, err
    beta.run("umount", hosts.trnsim.parent)

    server = hosts.folder / "server.yaml"
    server.write_text("extends: trn1-4\n")
    test = [*TEST[:-1], str(server), *SMALL]
    lines = lines_of_trnsim(hosts.failure(slots, test))
    assert lines == [f"trnsim: {server}: cannot be read, expected a server's file"], lines
    (beta.folder / "server.yaml").write_text("extends: trn1-4\nlinks: { lanes: 8 }\n")
    lines = set(lines_of_trnsim(hosts.failure(slots, test)))
    assert lines == {
        "trnsim: process 1 of 2 on beta: links.lanes: found 8, expected 16 as process 0 on alpha has"
    }, lines

    program = hosts.trnsim.read_bytes()
    other = program + b"\0"
    (beta.folder / "trnsim").write_bytes(other)
    (beta.folder / "trnsim").chmod(0o755)
    beta.run("mount", "--bind", hosts.folder / "trnsim", hosts.trnsim)
    lines = set(lines_of_trnsim(hosts.failure(slots, [*TEST, *SMALL])))
    assert lines == {
        (
            f"trnsim: process 1 of 2 on beta: file of the program, CRC-32: found {zlib.crc32(other):08x}, "
            f"expected {zlib.crc32(program):08x} as process 0 on alpha has"
        )
    }, lines
    beta.run("umount", hosts.trnsim)


def same_address(hosts: Hosts) -> None:
    """Each host has a network of its own with one address everywhere, as for containers.

    Messages to that address do not reach other hosts.
    """
    slots = {"alpha": 1, "beta": 1}
    for name in slots:
        hosts.hosts[name].run("ip", "link", "add", "inside", "type", "bridge")
        hosts.hosts[name].run("ip", "address", "add", "172.17.0.1/16", "dev", "inside")
        hosts.hosts[name].run("ip", "link", "set", "inside", "up")
    begin = time.monotonic()
    run = hosts.mpirun(slots, [*TEST, *SMALL], MPIRUN_ON_NETWORK)
    _, err = run.communicate(timeout=SECONDS)
    print(f"other network: seen after {time.monotonic() - begin:.1f} s")
    assert run.returncode != 0, err
    assert set(lines_of_trnsim(err)) == {
        (
            f"trnsim: MPI: not every process has answered within {MEETING_SECONDS} seconds, expected a "
            "network of all hosts: mpirun --mca btl_tcp_if_include"
        )
    }, err
    hosts.expect_none_left()
    run = hosts.mpirun(slots, [*TEST, *SMALL])
    out, err = run.communicate(timeout=SECONDS)
    assert run.returncode == 0 and unexpected(err) == [], err
    assert out == shell(hosts.trnsim, *TEST, *SMALL)
    for name in slots:
        hosts.hosts[name].run("ip", "link", "delete", "inside")


def host_dies(hosts: Hosts) -> None:
    """Ends everything on a host at once, as a shutdown does; for a loss of power the link is cut."""
    slots = {"alpha": 1, "gamma": 1}
    run = hosts.mpirun(slots, [*TEST, *LONG])
    hosts.wait_for_simulations(slots)
    gamma = hosts.hosts.pop("gamma")
    shell("kill", "-KILL", gamma.process)
    begin = time.monotonic()
    _, err = run.communicate(timeout=SECONDS)
    assert run.returncode != 0 and "ORTE" in err, err  # mpirun has lost its daemon there, or the way to it
    hosts.expect_none_left()
    print(f"host that has died: seen after {time.monotonic() - begin:.1f} s")


def on_hosts(trnsim: pathlib.Path, tree: pathlib.Path, folder: pathlib.Path) -> int:
    os.environ["TRNSIM_CONFIG_PATH"] = str(tree / "configs")
    try:
        hosts = Hosts(trnsim, tree, folder)
        for name in ("beta", "gamma"):
            hosts.add(name)
    except AssertionError as error:
        print(f"no host can be made: skipped: {error}")
        return SKIPPED
    same_report(hosts)
    other_files(hosts)
    killed(hosts)
    ended(hosts)
    link_cut(hosts)
    same_address(hosts)
    same_report(hosts)
    host_dies(hosts)
    return 0


def main() -> int:
    trnsim, tree = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
    if len(sys.argv) == 4:
        return on_hosts(trnsim, tree, pathlib.Path(sys.argv[3]))
    for program in ("mpirun", "ip", "unshare", "nsenter"):
        if shutil.which(program) is None:
            end_without(program)
    apart = [
        "unshare",
        "--mount",
        "--uts",
        "--ipc",
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    ]
    possible = subprocess.run([*apart, "true"], capture_output=True, text=True, check=False)
    if possible.returncode != 0:
        print(f"no namespaces: skipped: {possible.stderr.strip()}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*apart, sys.executable, *sys.argv, folder], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
