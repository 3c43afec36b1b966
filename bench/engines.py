#!/usr/bin/env python3
"""Compares the engines, with and without overlap, on the emulated cluster: times, and how much of the exchange
is hidden behind local work.

Each way of doing the product runs in turn, round by round, so that the machine's moods fall on all alike; the
medians are printed, with the time relative to the first. The hidden share is from a trace (doc/trace.md), in a
run of its own. Needs root and the shared folder (minicluster); `./run build` first. Not a test.

usage: bench/engines.py --nodes 4 --ranks 4 [--rate 200mbit] [--matrix er:n=60000,d=64] [--turns 3]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMELINE = ROOT / "example/timeline/trident-timeline"

# Name, engine, overlap, panels (0: as the plan chooses), rounds ahead, rounds a batch (0: all).
WAYS = [("bulk synchronous, round by round", "bulk synchronous", "off", 1, 0, 1),
        ("bulk synchronous, one pass", "bulk synchronous", "off", 1, 0, 0),
        ("bulk synchronous, 8 panels", "bulk synchronous", "off", 8, 0, 0),
        ("scheduled", "scheduled", "auto", 0, 4, 0),
        ("scheduled, 8 panels", "scheduled", "auto", 8, 4, 0),
        ("scheduled, overlap off", "scheduled", "off", 1, 4, 0),
        ("scheduled, overlap on", "scheduled", "on", 1, 1, 0),
        ("requests", "requests", "auto", 0, 4, 0),
        ("requests, overlap off", "requests", "off", 1, 4, 0)]


def run(cluster, way, given, trace=None):
    _, engine, overlap, panels, ahead, batch = way
    environment = {**os.environ, **({"TRIDENT_TRACE": trace} if trace else {})}
    if given.threads:
        environment["OMPI_MPI_THREAD_LEVEL"] = "3"
    command = cluster + ["run", "--", str(ROOT / "build/bin/trident-spgemm"), "--generate", given.matrix, "--op", "AA",
                         "--repeat", "3", "--json", "--rounds-ahead", str(ahead), "--rounds-per-batch", str(batch),
                         "--plan", f"engine={engine},overlap={overlap},panels={panels}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        raise RuntimeError((done.stdout + done.stderr)[-400:])
    return json.loads(lines[-1])


def hidden_share(trace):
    done = subprocess.run([sys.executable, str(TIMELINE), trace, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["all"]["hidden_share"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--nodes", type=int, default=4)
    options.add_argument("--ranks", type=int, default=4)
    options.add_argument("--rate", help="bandwidth of a node's card, e.g. 200mbit; unshaped if left out")
    options.add_argument("--matrix", default="er:n=60000,d=64")
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--threads", action="store_true", help="MPI_THREAD_MULTIPLE (Open MPI)")
    options.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    given = options.parse_args()

    cluster = [str(given.shared / "minicluster")]
    up = cluster + ["up", "--nodes", str(given.nodes), "--ranks", str(given.ranks)]
    subprocess.run(up + (["--rate", given.rate] if given.rate else []), check=True, capture_output=True)
    times = {way[0]: [] for way in WAYS}
    panels = {}
    for _ in range(given.turns):
        for way in WAYS:
            report = run(cluster, way, given)
            times[way[0]].append(report["seconds"]["total"])
            panels[way[0]] = report["panels"]
    first = statistics.median(times[WAYS[0][0]])
    print(f"{given.matrix} on {given.nodes}x{given.ranks}, {given.rate or 'unshaped'}: panels, seconds, of the first, hidden")
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            run(cluster, way, given, trace)
            hidden = hidden_share(trace)
        seconds = statistics.median(times[way[0]])
        print(f"{way[0]:34} {panels[way[0]]:2} {seconds:8.3f} {seconds / first:6.2f} {hidden:6.2f}", flush=True)
    subprocess.run(cluster + ["down"], check=True, capture_output=True)


if __name__ == "__main__":
    main()
