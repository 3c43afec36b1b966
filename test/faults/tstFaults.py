#!/usr/bin/env python3
"""What becomes of a job in which something goes wrong: it ends, and says what was wrong.

usage: tstFaults.py FAULTY_PRODUCT MPIEXEC NUMPROC_FLAG [CHECK...]

Every run has a time limit: a job that hangs fails the test.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = 60  # for one run
ENGINES = ["scheduled", "requests", "messages"]
checks = []


def check(function):
    checks.append(function)
    return function


class Job:
    """One run of the program on some ranks."""

    def __init__(self, ranks, environment=None, prefix=(), **options):
        command = [*prefix, *MPIEXEC, str(ranks), PROGRAM] + [f"{key}={value}" for key, value in options.items()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False,
                              env={**os.environ, **(environment or {})})
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def require(self, condition, what):
        if not condition:
            raise AssertionError(f"{what}\nexit status {self.status}\n{self.out[-2000:]}\n{self.err[-4000:]}")

    def require_right(self):
        self.require(self.status == 0, "the job failed")
        self.require("product: right" in self.out and "wrong" not in self.out, "the product is not right")


def lines_of_ranks(job):
    """The watchdog's line for each rank."""
    return {int(rank): text for rank, text in re.findall(r"Trident:   rank (\d+) (.*)", job.err)}


@check
def withheld_tile():
    """The job ends; every rank says what it waits for, down to the tile, and who holds it back."""
    for engine in ENGINES:
        for nodes, rows, ranks in ((1, 2, 4), (2, 3, 6)):
            job = Job(ranks, {"TRIDENT_TIMEOUT": "2"}, engine=engine, nodes=nodes, rows=rows, withhold=1)
            job.require(job.status != 0, f"{engine}: a job that cannot go on succeeded")
            lines = lines_of_ranks(job)
            job.require(sorted(lines) == list(range(ranks)), f"{engine}: not one line for each rank")
            tile = [text for text in lines.values()
                    if re.search(r"waits for a tile of B \(r=\d+, j=\d+, k=\d+\) from rank 1,", text)]
            job.require(tile, f"{engine}: no rank waits for the withheld tile")
            if engine != "scheduled":
                job.require(re.search(r"requests posted [1-9]\d*, served \d+", tile[0]), "no counts of requests")
            job.require("TRIDENT_TIMEOUT" in job.err, "the knob is not named")


@check
def cycle():
    """Two ranks that wait for each other's tiles are named as a cycle."""
    for engine in ENGINES:
        job = Job(2, {"TRIDENT_TIMEOUT": "2"}, engine=engine, withhold=-2)
        job.require(job.status != 0, f"{engine}: a job that cannot go on succeeded")
        job.require("cycle: 0 -> 1 -> 0" in job.err, f"{engine}: no cycle")


@check
def watchdog_is_quiet():
    """A product that goes on is not disturbed, however long it takes as a whole."""
    for engine in ENGINES:
        job = Job(4, {"TRIDENT_TIMEOUT": "1"}, engine=engine, round=0.5, nodes=1, ahead=1, repeat=2)
        job.require_right()
        job.require("TRIDENT_TIMEOUT" not in job.err, f"{engine}: a report without need")


@check
def dying_rank():
    for engine in ENGINES:
        job = Job(4, {"TRIDENT_TIMEOUT": "5"}, engine=engine, die=2)
        job.require(job.status != 0, f"{engine}: nobody noticed")


@check
def failing_rank():
    """All ranks throw the same: the local product fails, or a tile cannot be packed."""
    for engine in ENGINES:
        job = Job(4, engine=engine, fail=2)
        job.require(job.status != 0, f"{engine}: nobody noticed")
        job.require(len(re.findall("caught: .*on rank 2", job.err)) == 4, f"{engine}: not all ranks threw the same")


@check
def throwing_rank():
    """What cannot be told to the others ends the job, with its text."""
    for engine in ENGINES:
        job = Job(4, engine=engine, throw=2, nodes=1)
        job.require(job.status != 0, f"{engine}: nobody noticed")
        job.require(re.search("rank 2 failed in a product.*bad_alloc", job.err), f"{engine}: it was not said why")


@check
def lone_failure():
    """A rank that fails alone ends the job; where all fail, all go on with what they threw."""
    job = Job(5, {"TRIDENT_TIMEOUT": "2"}, alone=3)
    job.require(job.status != 0, "nobody noticed")
    job.require("rank 3 failed in a product" in job.err and "lost on rank 3" in job.err, "it was not said why")
    for ranks in (1, 2, 5):
        job = Job(ranks, alone=-2)
        caught = re.findall(r"caught: lost on rank (\d+)", job.err)
        job.require(sorted(map(int, caught)) == list(range(ranks)), "not all ranks threw")
        job.require("so the job ends" not in job.err, "the job was ended without need")


@check
def full_queue():
    """A ring of one slot for eight ranks that ask for everything at once."""
    for engine in ("requests", "messages"):
        job = Job(9, {"TRIDENT_QUEUE_SLOTS": "1"}, engine=engine, ahead=9, repeat=20)
        job.require_right()
    job = Job(4, {"TRIDENT_QUEUE_SLOTS": "none"}, engine="requests")
    job.require(job.status != 0 and "TRIDENT_QUEUE_SLOTS" in job.err, "a number of slots that is none is taken")


@check
def refused_rma():
    """Without windows requests are messages, and the report says why."""
    refusal = {"OMPI_MCA_osc": "^rdma,sm,pt2pt,ucx,portals4,monitoring"}
    job = Job(4, refusal, engine="requests", gather="allgatherv")
    job.require_right()
    if "Open MPI" in version():
        job.require("requests (messages, sender threads): the MPI has no windows" in job.out, "it used windows")
    job = Job(4, engine="requests", thread="single")
    job.require_right()
    job.require("requests (messages, served by the main thread): MPI was not started with MPI_THREAD_MULTIPLE" in job.out,
                "it used threads")


@check
def rma():
    """Where the MPI has windows, they are used."""
    job = Job(4, engine="requests", repeat=3)
    job.require_right()
    job.require("engine: requests (RMA, sender threads)\n" in job.out, "it did not use RMA")


@check
def full_shared_memory():
    """A node that cannot have its window gathers by messages and says so in one line."""
    small = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1M tmpfs /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*small, "true"], capture_output=True, check=False).returncode:
        return "skipped: cannot mount"
    # Open MPI's own files go elsewhere.
    job = Job(4, {"OMPI_MCA_btl_vader_backing_directory": "/tmp"}, prefix=small, nodes=2, size=600, entries=60000)
    job.require_right()
    job.require("gather: allgatherv (a window of" in job.out, "it had room for a window")
    job.require(len(re.findall(r"^Trident: .*/dev/shm.*$", job.err, re.M)) == 2, "not one line a node")
    return None


def ends_of_work(trace, ranks):
    """When each rank ended its last round's work, and when it began its product, in seconds."""
    ends = {}
    for rank in range(ranks):
        spans = [e for e in trace if e.get("pid") == rank and e.get("ph") == "X" and e["name"] == "multiply"
                 and e["dur"] > 0.02e6]
        ends[rank] = max(e["ts"] + e["dur"] for e in spans) / 1e6
    return ends


@check
def slow_node():
    """On a 3x3 grid four nodes need nothing of node 0. When it takes twice as long they end with the others."""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "trace.json")
            job = Job(9, {"TRIDENT_TRACE": name}, engine=engine, rows=3, round=0.4, slow=0, ahead=1)
            job.require_right()
            trace = json.loads(pathlib.Path(name).read_text())["traceEvents"]
        ends = ends_of_work(trace, 9)
        first = min(ends.values())
        job.require(ends[0] - first > 1.0, f"{engine}: node 0 was not slow: {ends}")
        late = {rank: ends[rank] - first for rank in (4, 5, 7, 8) if ends[rank] - first > 0.3}
        job.require(not late, f"{engine}: nodes that do not need node 0 were late: {late}")


def version():
    return subprocess.run([MPIEXEC[0], "--version"], capture_output=True, text=True, check=False).stdout


def main():
    passed = failed = skipped = 0
    for function in checks:
        try:
            reason = function()
        except (AssertionError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAILED {function.__name__}: {error}")
            continue
        passed, skipped = (passed, skipped + 1) if reason else (passed + 1, skipped)
        print(f"{function.__name__}: {reason or 'passed'}")
    print(f"TRIDENT_TEST_TOTALS {passed} {failed} {skipped}")
    return 1 if failed else 0


if __name__ == "__main__":
    PROGRAM, MPIEXEC = sys.argv[1], sys.argv[2:4]
    checks = [c for c in checks if not sys.argv[4:] or c.__name__ in sys.argv[4:]]
    sys.exit(main())
