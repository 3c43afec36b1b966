#!/usr/bin/env python3
"""Times drop-in products against Tpetra's on the emulated cluster, over a set of matrices.

Each matrix is squared (rectangular ones: A*A') by trident-spgemm --compare tpetra, which runs both in turn in
one job and gives medians; this prints the ratio of each and the geometric mean. Needs root and the shared
folder (minicluster, data/matrices); `./run build` first. Not a test: it is about this machine's time.

usage: bench/cluster_sweep.py --nodes 4 --ranks 4 [--rate 200mbit] [--repeat 5] [--only NAME ...] [--out FILE.tsv]
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = ["er:n=100000,d=10", "er:n=20000,d=64", "stencil7:48", "stencil27:40", "rmat:scale=13,d=8"]


def matrices(shared, only):
    """Name, source arguments and operation of every matrix; complex ones cannot be read by trident-spgemm."""
    with open(shared / "data/matrices/INDEX.tsv", newline="", encoding="utf-8") as index:
        for row in csv.DictReader(index, delimiter="\t"):
            if row["field"] == "complex" or (only and row["name"] not in only):
                continue
            path = shared / "data/matrices" / (row["name"] + ".mtx.gz")
            op = "AA" if row["rows"] == row["cols"] else "AAt"
            yield row["name"], ["--matrix", str(path), "--symmetric-duplicates", "sum"], op
    for spec in GENERATED:
        if not only or spec in only:
            yield spec, ["--generate", spec], "AA"


def run(cluster, source, op, repeat, extra):
    command = cluster + ["run", "--", str(ROOT / "build/bin/trident-spgemm"), *source, "--op", op, "--compare",
                         "tpetra", "--values-only", "--repeat", str(repeat), "--json", *extra]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError((done.stdout + done.stderr)[-300:].replace("\n", " "))
    return json.loads(lines[-1])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--nodes", type=int, default=4)
    options.add_argument("--ranks", type=int, default=4)
    options.add_argument("--rate", help="bandwidth of a node's card, e.g. 200mbit; unshaped if left out")
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--only", nargs="*", default=[])
    options.add_argument("--out", help="a TSV file with one line a matrix")
    options.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    given, extra = options.parse_known_args()

    cluster = [str(given.shared / "minicluster")]
    up = cluster + ["up", "--nodes", str(given.nodes), "--ranks", str(given.ranks)]
    subprocess.run(up + (["--rate", given.rate] if given.rate else []), check=True, capture_output=True)
    out = open(given.out, "w", encoding="utf-8") if given.out else None
    ratios, again, failed = [], [], 0
    try:
        for name, source, op in matrices(given.shared, given.only):
            try:
                report = run(cluster, source, op, given.repeat, extra)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"{name:24s} FAILED {error}", flush=True)
                failed += 1
                continue
            ratio = report["tpetra_seconds"] / report["seconds"]["total"]
            ratios.append(ratio)
            again.append(report["values_only_seconds"] / report["seconds"]["total"])
            plan = f"{report['grid']} {report['filter']}" if report["handed_back"] is None else "handed back"
            bytes_ratio = sum(report["gi_bytes_per_node"]) / max(sum(report["tpetra_gi_bytes_per_node"]), 1)
            print(f"{name:24s} {ratio:6.2f}  Trident {report['seconds']['total'] * 1e3:9.2f} ms  Tpetra "
                  f"{report['tpetra_seconds'] * 1e3:9.2f} ms  {plan:14s} bytes {bytes_ratio:5.2f} of Tpetra's, "
                  f"again {again[-1]:5.2f} of the time", flush=True)
            if out:
                print(name, f"{ratio:.3f}", report["seconds"]["total"], report["tpetra_seconds"], plan, sep="\t",
                      file=out, flush=True)
    finally:
        subprocess.run(cluster + ["down"], check=False, capture_output=True)
    if ratios:
        mean, share = (math.exp(sum(map(math.log, x)) / len(x)) for x in (ratios, again))
        print(f"{len(ratios)} products, {failed} failed: geometric mean {mean:.2f}, least {min(ratios):.2f}; "
              f"again with values only {share:.2f} of the time")
    return 1 if failed or not ratios else 0


if __name__ == "__main__":
    sys.exit(main())
