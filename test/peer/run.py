#!/usr/bin/env python3
"""Runs the unmodified upstream tests of the installed Trilinos with Trident preloaded, on 1 and 4 ranks.

usage: run.py [options]
  --preload LIB    the library that takes over the products   (default: build/lib/libtrident_preload.so)
  --stock          without it, as a baseline
  --only NAME,...  these programs instead of all, see suite.py
  --ranks 1,4      these numbers of ranks instead
  --jobs N         compile so many files at a time             (default: 2)
  --work DIR       sources, programs and output of the runs    (default: build/peer)

Fetches the source package of the installed version, compiles its tests and runs them; what is there from an
earlier call is kept. With a library, every product must be taken: none handed back to Tpetra's own code.
The last line is "N passed, N failed", counted in upstream tests.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from suite import FUNCTIONS, PROGRAMS, VERSION
from upstream import Problem, build, fetch, installed

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS_PER_NODE = 2
SECONDS_TO_END = 20  # that the launcher has to end its ranks
SUMMARY = re.compile(r"Summary: total = (\d+), run = (\d+), passed = (\d+), failed = (\d+)")  # of Teuchos
GOLD = re.compile(r"^\S+\.xml : (passed|failed)$", re.M)  # of the ParameterListInterpreter
PRODUCTS = re.compile(r"\bproducts (\d+): taken (\d+), handed back \d+")
REASON = re.compile(r"\s*(?:Trident:)?\s*handed back (\d+): (.*)")
# As ./run has it: many ranks share few cores, and root may run them.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none"}


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--preload", type=pathlib.Path, default=ROOT / "build" / "lib" / "libtrident_preload.so")
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[program.name for program in PROGRAMS])
    parser.add_argument("--ranks", type=lambda text: list(map(int, text.split(","))), default=[1, 4])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "peer")
    asked = parser.parse_args()
    unknown = set(asked.only) - {program.name for program in PROGRAMS}
    if unknown or not set(asked.ranks) <= {1, 4}:
        parser.error(f"no such program: {', '.join(unknown)}" if unknown else "the tests are for 1 and 4 ranks")
    asked.preload, asked.work = asked.preload.resolve(), asked.work.resolve()
    return asked


def run(command, folder, seconds):
    """What the run printed, and how it failed as a whole, if it did."""
    printed = folder / "output.log"
    with open(printed, "w", encoding="utf-8") as file, subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            env={**ENVIRONMENT, **os.environ}) as process:
        try:
            wrong = process.wait(seconds) and f"exit status {process.returncode}"
        except subprocess.TimeoutExpired:
            wrong = f"stopped after {seconds} seconds"
            process.terminate()  # not kill(): the launcher is to end its ranks
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
    return printed.read_text(encoding="utf-8", errors="replace"), wrong


def counted(output):
    """(passed, failed) of the upstream tests."""
    summaries = SUMMARY.findall(output)
    if summaries:
        return int(summaries[-1][2]), int(summaries[-1][3])
    results = GOLD.findall(output)
    return results.count("passed"), results.count("failed")


def end_of(output, lines=15):
    """What was printed last, before mpirun tells at length that a rank failed."""
    return "\n".join(re.split(r"^-{70,}$", output, maxsplit=1, flags=re.M)[0].splitlines()[-lines:])


class Report:
    """What the preloaded library says of the products: by function, and those handed back by reason."""

    def __init__(self, text):
        self.functions = {}  # name, or "" where the report gives none: [products, taken]
        self.reasons = {}
        for line in text.splitlines():
            products, reason = PRODUCTS.search(line), REASON.match(line)
            if products:
                name = next((name for name in FUNCTIONS if re.search(rf"\b{name}\b", line)), "")
                sums = self.functions.setdefault(name, [0, 0])
                sums[0] += int(products[1])
                sums[1] += int(products[2])
            elif reason:
                self.reasons[reason[2]] = self.reasons.get(reason[2], 0) + int(reason[1])
        if len(self.functions) > 1:
            self.functions.pop("", None)  # the total of those with names

    def sum_of(self, column):
        return sum(sums[column] for sums in self.functions.values())

    def __str__(self):
        named = [f"{name} {self.functions[name][1]}" for name in FUNCTIONS if name in self.functions]
        return f"taken: {', '.join(named) or self.sum_of(1)}"

    def faults(self, calls):
        """`calls`: how often the program calls each of FUNCTIONS."""
        handed_back = max(self.sum_of(0) - self.sum_of(1), sum(self.reasons.values()))
        if handed_back:
            yield f"{handed_back} products handed back"
            yield from (f"  {count} x {reason}" for reason, count in sorted(self.reasons.items()))
        if "" in self.functions or not self.functions:
            wanted = {"": sum(calls)}
        else:
            wanted = dict(zip(FUNCTIONS, calls))
        for name, count in wanted.items():
            reported = self.functions.get(name, [0])[0]
            if reported < count:
                yield f"{reported} products reported{name and f' by {name}'}, should be {count}"


def check(program, ranks, asked, binaries, runs):
    """Runs one program; prints a line, more if it is not as it should be, and returns (passed, failed)."""
    folder = runs / f"{program.name}-{ranks}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in (asked.packages / name for name in program.data):
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        else:
            shutil.copy(path, folder)
    report = folder / "report.txt"
    variables = [] if asked.stock else [
        f"LD_PRELOAD={asked.preload}", f"TRIDENT_RANKS_PER_NODE={RANKS_PER_NODE}", f"TRIDENT_REPORT={report}"]
    command = ["mpirun", "--oversubscribe", "-np", str(ranks)]
    command += [word for variable in variables for word in ("-x", variable)]
    command += [str(binaries / (program.binary or program.name)), *program.arguments]
    start = time.monotonic()
    output, wrong = run(command, folder, program.seconds)
    took = time.monotonic() - start
    passed, failed = counted(output)
    tests, *calls = program.runs[ranks]
    faults = [wrong] if wrong else []
    if (passed, failed) != (tests, 0):
        faults.append(f"{passed} tests passed and {failed} failed, should be {tests} and 0")
    said = ""
    if not asked.stock:
        found = Report(report.read_text(encoding="utf-8") if report.is_file() else "")
        said = f", {found}"
        faults += found.faults(calls)
    print(f"{'FAILED' if faults else 'passed'} {program.name} on {ranks} rank{'s' * (ranks > 1)}: "
          f"{passed} of {tests} tests{said} ({took:.0f} s)", flush=True)
    if faults:
        print("\n".join(f"    {fault}" for fault in [*faults, f"see {folder}/output.log"]), flush=True)
        print(end_of(output), flush=True)
    return passed, max(failed, tests - passed, 1 if faults else 0)


def run_all(asked):
    """The sums of check()."""
    source, version = installed()
    if version.split("-")[0] != VERSION:
        raise Problem(f"Trilinos {version} is installed; how many tests must pass is known of {VERSION} only")
    if not asked.stock and not asked.preload.is_file():
        raise Problem(f"{asked.preload} does not exist; build it, name it with --preload, or use --stock")
    programs = [program for program in PROGRAMS if program.name in asked.only]
    work = asked.work / f"{source}-{version}"
    tree = fetch(work, source, version)
    asked.packages = tree / "packages"
    start = time.monotonic()
    build(work, tree, programs, asked.jobs)
    print(f"{len(programs)} programs of {source} {version} are built ({time.monotonic() - start:.0f} s)", flush=True)
    runs = work / ("runs-stock" if asked.stock else "runs")
    totals = [check(program, ranks, asked, work / "bin", runs) for program in programs for ranks in asked.ranks]
    return [sum(column) for column in zip(*totals)]


def main():
    asked = arguments()
    try:
        passed, failed = run_all(asked)
    except Problem as problem:
        print(f"peer: {problem}", file=sys.stderr, flush=True)
        passed, failed = 0, 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
