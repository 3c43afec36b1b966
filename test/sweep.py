#!/usr/bin/env python3
"""The acceptance sweep: what the plan chooses moves what was predicted, and no more than Tpetra would.

usage: sweep.py [options] TST_SWEEP [LAUNCHER ... FLAG_FOR_RANKS]     (default launcher: mpirun -n)
  --all            every matrix on 2, 3, 4, 6, 9 and 16 nodes of 1, 2 and 4 ranks (many minutes); without it
                   small and generated matrices on three of these, as CTest runs it
  --cases 3x1,4x4  these nodes x ranks instead
  --only NAME,...  these matrices instead
  --keep FILE      write a line of JSON for each product there

Multiplies A A, or A A^T where A is rectangular, as an application would that asks for nothing. For each product
1. the bytes that each node received over Gi in each phase, of all kinds, are those that the report predicted;
2. all these bytes, summed over nodes, are at most those of Tpetra's own algorithm: 12 an entry and 8 a row of B
   that a rank needs from another node, counted by shared/model/volume_model.py, which shares no code with Trident.
Needs python3-scipy and the shared folder ($TRIDENT_SHARED, or ../shared beside the source tree); exits with 77
where one is absent.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tstLedger import load_model, ones

SKIPPED = 77
ENTRY, LENGTH, TPETRA_ROW = 12, 4, 8  # bytes
ALL_CASES = [(nodes, ranks) for nodes in (2, 3, 4, 6, 9, 16) for ranks in (1, 2, 4)]
FEW_CASES = [(3, 1), (4, 4), (16, 1)]
FEW_ENTRIES = 30000  # a small matrix has fewer
SECONDS, SECONDS_ALL = 120, 900  # for one run over all matrices


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cases", type=lambda text: [tuple(map(int, case.split("x"))) for case in text.split(",")])
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("launcher", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    asked.launcher = asked.launcher or ["mpirun", "-n"]
    asked.cases = asked.cases or (ALL_CASES if asked.all else FEW_CASES)
    return asked


def matrix_files(asked, collection, folder):
    """The files of all matrices wanted; the generated ones are written into `folder` first."""
    subprocess.run([asked.program, "--write", str(folder)], check=True, timeout=SECONDS)
    with open(collection / "INDEX.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    small = {row["name"] for row in rows if int(row["nnz_expanded"]) < FEW_ENTRIES}
    paths = [collection / f"{row['name']}.mtx.gz" for row in rows] + sorted(folder.glob("*.mtx"))
    if asked.only:
        return [path for path in paths if stem(path) in asked.only]
    return [path for path in paths if asked.all or stem(path) in small or path.parent == folder]


def stem(path):
    return pathlib.Path(path).name.split(".")[0]


def run(asked, paths, case, seconds):
    """What the program says of each matrix, and what went wrong with the run as a whole."""
    nodes, ranks = case
    command = asked.launcher + [str(nodes * ranks), asked.program, str(ranks)] + [str(path) for path in paths]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        with subprocess.Popen(command, stdout=out, stderr=err) as process:
            try:
                wrong = process.wait(seconds) and f"exit status {process.returncode}"
            except subprocess.TimeoutExpired:
                wrong = f"stopped after {seconds} seconds"
                process.terminate()  # not kill(): the launcher is to end its ranks
        out.seek(0)
        err.seek(0)
        lines = [json.loads(line) for line in out if line.startswith("{") and line.endswith("}\n")]
        return {stem(line["matrix"]): line for line in lines}, wrong and f"{wrong}: {err.read()[-600:]}"


class Operands:
    """The patterns of A and B, zeros stored in them included, and how they lie in 1D."""

    def __init__(self, path):
        self.a = ones(mmread(str(path)).tocsr())
        square = self.a.shape[0] == self.a.shape[1]
        self.op = "AA" if square else "AAt"
        self.b = self.a if square else self.a.T.tocsr()


def tpetra_bytes(model, operands, case):
    counts = model.tpetra1d(operands.a, operands.b, *case)
    return int(counts["multiply B"].sum()) * ENTRY + int(counts["rows of B"].sum()) * TPETRA_ROW


def one_column_bytes(model, operands, case):
    """Of node-aware 1D, but for the lengths of needed rows that are empty."""
    nothing = operands.b[:0].tocoo()  # one column of nodes sends nothing of C back
    counts = model.model(operands.a, operands.b, *case, case[0], 1, filtered=True, C=nothing, from_owners=True)
    return int(counts["multiply B"].sum()) * ENTRY + int(counts["rows of B"].sum()) * LENGTH


def unpredicted(found, operands, case):
    """What is not as it was said to be."""
    nodes, ranks = case
    for what, is_now, wanted in [("ranks of the nodes", found["ranks_per_node"], [ranks] * nodes),
                                 ("op", found["op"], operands.op), ("handed back", found["handed_back"], None),
                                 ("nnz(A)", found["nnz_a"], operands.a.nnz)]:
        if is_now != wanted:
            yield f"{what}: {is_now}, should be {wanted}"
    for phase, received in found["gi_bytes"].items():
        if received != found["gi_bytes_predicted"][phase]:
            yield f"bytes of {phase}: {received}, predicted {found['gi_bytes_predicted'][phase]}"


class Tally:
    """Products by verdict; a product that breaks both rules fails once."""

    def __init__(self, keep):
        self.passed = self.failed = self.unpredicted = self.costlier = self.bytes = self.tpetra = 0
        self.tiled = 0
        self.keep = keep and open(keep, "w", encoding="utf-8")

    def judge(self, title, found, wrong, tpetra, one_column):
        self.unpredicted += bool(wrong)
        moved = sum(sum(nodes) for nodes in found["gi_bytes"].values())
        self.bytes += moved
        self.tpetra += tpetra
        self.tiled += not found["grid"].endswith("x1")
        if moved > tpetra:
            self.costlier += 1
            back = sum(found["gi_bytes"]["map_back_c"])
            wrong.append(f"moves {moved} bytes ({back} back to 1D rows), {moved / max(tpetra, 1):.3f} times Tpetra's "
                         f"{tpetra}; node-aware 1D would move {one_column()}")
        if self.keep:
            print(json.dumps({**found, "moved": moved, "tpetra": tpetra, "wrong": wrong}), file=self.keep, flush=True)
        self.settle(f"{title}, grid {found['grid']}, {found['filter']} from {found['tiles_from']}", wrong)

    def settle(self, title, wrong):
        self.passed += not wrong
        self.failed += bool(wrong)
        for text in wrong:
            print(f"FAILED {title}: {text}", flush=True)

    def summarise(self):
        print(f"{self.passed + self.failed} products, {self.tiled} on grids of several columns: {self.unpredicted} not "
              f"as predicted, {self.costlier} costlier than Tpetra's; {self.bytes} bytes over Gi, Tpetra's own "
              f"{self.tpetra}")
        print(f"TRIDENT_TEST_TOTALS {self.passed} {self.failed} 0")


def judge_run(model, matrices, case, found, tally):
    nodes, ranks = case
    for name, operands in matrices.items():
        title = f"{name} {operands.op} on {nodes} nodes of {ranks}"
        if name not in found or "error" in found[name]:
            tally.settle(title, [found.get(name, {}).get("error", "no result")])
            continue
        tally.judge(title, found[name], list(unpredicted(found[name], operands, case)),
                    tpetra_bytes(model, operands, case), lambda o=operands: one_column_bytes(model, o, case))


def sweep(asked, model, collection):
    tally = Tally(asked.keep)
    with tempfile.TemporaryDirectory() as folder:
        paths = matrix_files(asked, collection, pathlib.Path(folder))
        matrices = {stem(path): Operands(path) for path in paths}
        for case in asked.cases:
            begin = time.monotonic()
            found, wrong = run(asked, paths, case, SECONDS_ALL if asked.all else SECONDS)
            where = f"{case[0]} nodes of {case[1]}"
            print(f"{where}: {len(found)} products in {time.monotonic() - begin:.1f} s", flush=True)
            if wrong:
                tally.settle(f"the run on {where}", [wrong])
            judge_run(model, matrices, case, found, tally)
    tally.summarise()
    return 1 if tally.failed or not tally.passed else 0


def main():
    asked = arguments()
    for name, value in [("OMP_NUM_THREADS", "1"), ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"), ("OMPI_MCA_mpi_yield_when_idle", "1"),
                        ("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_hwloc_base_binding_policy", "none")]:
        os.environ.setdefault(name, value)
    root = pathlib.Path(__file__).resolve().parent.parent
    shared = pathlib.Path(os.environ.get("TRIDENT_SHARED") or root.parent / "shared")
    try:
        global mmread
        from scipy.io import mmread
        model = load_model(shared)
        if not (shared / "data" / "matrices" / "INDEX.tsv").is_file():
            raise OSError(f"no matrices in {shared}")
    except (ImportError, OSError) as error:
        print(f"SKIP: {error}")
        print(f"TRIDENT_TEST_TOTALS 0 0 {len(asked.cases)}")
        return SKIPPED
    return sweep(asked, model, shared / "data" / "matrices")


if __name__ == "__main__":
    sys.exit(main())
