"""`trnsim sweep --executor slurm` on a real Slurm of one node: the results of this machine, no job left after
^C.

usage: slurm_node_test.py TRNSIM CONFIGS

Munge, controller and node are started for the test alone, with files in a folder of their own. The exit
status is 77 (skipped) without Slurm (Debian: slurm-wlm, munge).
"""

import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from lacking import end_without

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel"]
SWEEP = """
base: small16
axes:
  - hbm.bandwidth: [25 GB/s, 50 GB/s, 100 GB/s]
  - dma.engines: [1, 2]
  - kernel.dtype: [bf16, fp32]
kernels:
  - matmul: { M: 16, K: 16, N: [16, 32] }
"""
LONG = """
base: small16
kernels:
  - matmul: { M: 512, K: 512, N: [512, 513, 514, 515, 516, 517, 518, 519] }
"""
CONF = """
ClusterName=trnsim
SlurmctldHost={host}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SchedulerParameters=sched_interval=1
ReturnToService=2
NodeName={host} CPUs={processors} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"no {what} in {seconds} s")
        time.sleep(0.2)


class Cluster:
    """A Slurm of one node that runs as long as the block lasts."""

    def __init__(self, folder):
        self.folder, self.host, self.daemons = folder, socket.gethostname().split(".")[0], []
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        (folder / "slurm.conf").write_text(
            CONF.format(
                folder=folder,
                host=self.host,
                user=pwd.getpwuid(os.getuid()).pw_name,
                ports=free_ports(2),
                processors=os.cpu_count(),
            )
        )
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self, *command):
        with (self.folder / f"{command[0]}.out").open("w") as log:  # the daemon has it open as well
            self.daemons.append(subprocess.Popen(command, stdout=log, stderr=log))

    def __enter__(self):
        f = self.folder
        self.start(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={f}/munge.key",
            f"--socket={f}/munge.socket",
            f"--pid-file={f}/munged.pid",
            f"--log-file={f}/munged.log",
            f"--seed-file={f}/munged.seed",
        )
        wait_for("munge", (f / "munge.socket").exists)
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", self.host)
        wait_for("idle node", lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"))
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def ask(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def jobs(self):
        return self.ask("squeue", "-h", "-o", "%i").split()


def main():
    program, configs = sys.argv[1:]
    os.environ["PATH"] += ":/usr/sbin"
    missing = [p for p in PROGRAMS if not shutil.which(p)]
    if missing:
        end_without(", ".join(missing))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ.update(TRNSIM_CONFIG_PATH=configs, XDG_CACHE_HOME=str(folder / "cache"))
        for file, text in (("sweep.yaml", SWEEP), ("long.yaml", LONG)):
            (folder / file).write_text(text)

        def sweep(file, out, *options):
            return [program, "sweep", str(folder / file), "-o", str(folder / out), *options]

        with Cluster(folder) as cluster:
            subprocess.run(sweep("sweep.yaml", "local"), check=True, stdout=subprocess.DEVNULL)
            subprocess.run(
                sweep("sweep.yaml", "far", "--executor", "slurm", "--jobs", "4"),
                check=True,
                stdout=subprocess.DEVNULL,
            )
            here, there = ((folder / out / "results.csv").read_bytes() for out in ("local", "far"))
            if here != there:
                raise SystemExit(f"results differ:\n{here.decode()}\n{there.decode()}")
            if len(here.splitlines()) != 25:
                raise SystemExit(f"24 points expected:\n{here.decode()}")
            logs = sorted(p.name for p in (folder / "far/slurm").glob("*.log"))
            if logs != ["0.log", "1.log", "2.log", "3.log"]:
                raise SystemExit(f"logs of four tasks expected, found {logs}")

            running = subprocess.Popen(
                sweep("long.yaml", "long", "--executor", "slurm"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            wait_for("job", cluster.jobs)
            running.send_signal(signal.SIGINT)
            if running.wait(60) == 0:
                raise SystemExit("an interrupted sweep ended with 0")
            wait_for("end of the jobs", lambda: not cluster.jobs())
    return 0


if __name__ == "__main__":
    sys.exit(main())
