#!/usr/bin/env python3
"""Runs an application that was built with Trilinos alone with and without the preload library.

usage: tstPreload.py TRIDENT_RUN APPLICATION LINKED_APPLICATION LAUNCHER FLAG_FOR_RANKS

LINKED_APPLICATION is the same object file linked by Trident::preload. test/preload/application.cpp checks its
products itself; here it is checked who did them, by the report (TRIDENT_REPORT), and what the library leaves
behind: exported symbols, undefined ones, LD_PRELOAD of child processes.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = 60  # for one run
# What the application makes.
EXPECTED = {"Multiply": 3, "Jacobi": 1, "MultiplyRAP": 2}
LABELS = {"application: new": 1, "application: again": 1, "application: transposed": 1, "application: Jacobi": 1,
          "application: implicit": 1, "application: explicit": 1}
# Demangled, as in trident_preload.map.
EXPORTED = re.compile(
    r"(trident_is_active$"
    r"|void Tpetra::(MatrixMatrix::(Multiply|Jacobi)|TripleMatrixMultiply::MultiplyRAP)<"
    r"|void Trident::(MatrixMatrix::(Multiply|Jacobi)|TripleMatrixMultiply::MultiplyRAP)<"
    r"|Trident::(Product<|TiledMatrix<|getValidParameters\(|Ledger::|NodeGrid::|name\(|operator<<\())")

passed, failures = [], []


def run(command, **environment):
    """(exit status, stdout, stderr) of a command, in this environment and more."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False,
                          env={**os.environ, **{k: str(v) for k, v in environment.items()}})
    return done.returncode, done.stdout, done.stderr


def same(what, found, wanted):
    if found != wanted:
        yield f"{what}: {found!r}, should be {wanted!r}"


def has(what, text, part):
    if part not in text:
        yield f"{what} lacks {part!r}:\n{text[-1500:]}"


def lacks(what, text, part):
    if part in text:
        yield f"{what} has {part!r}:\n{text[-1500:]}"


def runs_well(result, preloaded, child=""):
    status, out, err = result
    yield from same("exit status", status, 0)
    yield from has("stdout", out + err, "products right")
    yield from has("stdout", out, preloaded)
    yield from has("stdout", out + "\n", f"child LD_PRELOAD={child}\n")


def of_report(text):
    """{function: (products, taken, handed back)} and {label: products} of what a log says."""
    counts = {name: tuple(map(int, numbers)) for name, *numbers in
              re.findall(r"^Trident: (\w+): products (\d+): taken (\d+), handed back (\d+)$", text, re.M)}
    labels = {label: int(products) for products, label in
              re.findall(r"^Trident:   (\d+) \d+ \d+ \S+ \d+ \w+ (.+)$", text, re.M)}
    return counts, labels


def all_taken(text, nodes):
    counts, labels = of_report(text)
    for name, products in EXPECTED.items():
        yield from same(name, counts.get(name), (products, products, 0))
    products = sum(EXPECTED.values())
    yield from same("all", counts.get("all"), (products, products, 0))
    yield from same("labels", labels, LABELS)
    yield from has("the report", text, "Trident: Multiply: values only 1\n")
    yield from lacks("the report", text, "Trident: handed back")
    bytes_found = re.findall(r"bytes of the (\d+) predicted: counted (\d+), predicted (\d+)", text)
    yield from same("products whose bytes were predicted", sum(int(x[0]) for x in bytes_found), products)
    for _, counted, predicted in bytes_found:
        yield from same("bytes counted", counted, predicted)
    yield from same("bytes between nodes", any(int(x[1]) > 0 for x in bytes_found), nodes > 1)


class Cases:
    def __init__(self, trident_run, application, linked, launcher, flag):
        self.trident_run, self.application, self.linked = trident_run, application, linked
        self.mpirun = lambda ranks: [launcher, flag, str(ranks)]
        self.library = run([trident_run, "--library"])[1].strip()

    def plain(self, ranks):
        result = run(self.mpirun(ranks) + [self.application], TRIDENT_REPORT=1)
        yield from runs_well(result, "not preloaded")
        yield from lacks("stderr", result[2], "Trident:")

    def under_trident_run(self, ranks):
        result = run(self.mpirun(ranks) + [self.trident_run, "--report", "--ranks-per-node", "2", "--",
                                           self.application])
        yield from runs_well(result, "preloaded active")
        yield from all_taken(result[2], (ranks + 1) // 2)
        yield from lacks("stderr", result[2], "warning")

    def linked_by_target(self, ranks):
        result = run(self.mpirun(ranks) + [self.linked], TRIDENT_REPORT=1, TRIDENT_RANKS_PER_NODE=2)
        yield from runs_well(result, "preloaded active")
        yield from all_taken(result[2], (ranks + 1) // 2)

    def report_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            command = self.mpirun(2) + [self.trident_run, f"--report={path}", "--ranks-per-node=1",
                                        self.application]
            for _ in range(2):
                result = run(command)
                yield from runs_well(result, "preloaded active")
                yield from lacks("stderr", result[2], "Trident:")
            text = path.read_text()
        first, _, second = text.partition("Trident: all: ")
        yield from same("reports in the file", second.count("Trident: all: "), 1)
        yield from all_taken(first + "Trident: all: " + second.partition("Trident: Multiply: products")[0], 2)

    def handed_back(self):
        result = run(self.mpirun(4) + [self.trident_run, "--report", self.application, "handback"])
        yield from runs_well(result, "preloaded active")
        counts, _ = of_report(result[2])
        yield from same("counts", counts, {"Multiply": (1, 0, 1), "Jacobi": (1, 0, 1), "all": (2, 0, 2)})
        yield from has("the report", result[2],
                       "Trident: handed back 1: op(B)'s domain map gives some columns to several ranks\n")

    def other_entries_stay(self):
        result = run([self.trident_run, self.application], LD_PRELOAD="libm.so.6")
        yield from runs_well(result, "preloaded active", child="libm.so.6")
        yield from lacks("stderr", result[2], "Trident:")

    def through_programs_without_tpetra(self):
        command = ["sh", "-c", " ".join(self.mpirun(2) + [self.application])]
        yield from runs_well(run(command, LD_PRELOAD=self.library), "preloaded active")

    def behind_tpetra(self):
        tpetra = re.search(r"\S*/\S*tpetraext\S*", run(["ldd", self.application])[1])[0]
        result = run([self.application], LD_PRELOAD=f"{tpetra}:{self.library}", TRIDENT_REPORT=1)
        yield from runs_well(result, "preloaded inactive", child=tpetra)
        yield from has("stderr", result[2], "Tpetra's own products are found before it")
        yield from lacks("stderr", result[2], "products 6")

    def ranks_that_disagree(self):
        rank = self.mpirun(1)
        command = rank + [self.trident_run, "--report", self.application] + [":"] + rank[1:] + \
            [self.trident_run, self.application]
        status, out, err = run(command)
        yield from same("failed", status != 0, True)
        yield from has("output", out + err, "are not the same on all ranks")

    def explains_itself(self):
        status, out, _ = run([self.trident_run, "--help"])
        yield from same("exit status of --help", status, 0)
        yield from has("--help", out, "--ranks-per-node")
        yield from same("exit status without a program", run([self.trident_run, "--report"])[0], 2)
        yield from same("exit status of an unknown option", run([self.trident_run, "--repot", "true"])[0], 2)
        yield from same("exit status of no such program", run([self.trident_run, "no-such-program"])[0], 127)
        status, _, err = run([self.trident_run, "true"])
        yield from same("exit status of true", status, 0)
        yield from has("stderr", err, "not linked with a shared libtrilinos_tpetraext")

    def symbols(self):
        names = [line.split(maxsplit=2)[2] for line in
                 run(["nm", "-DC", "--defined-only", self.library])[1].splitlines()]
        yield from same("symbols that should not be exported", [n for n in names if not EXPORTED.match(n)], [])
        for name in ("MatrixMatrix::Multiply", "MatrixMatrix::Jacobi", "TripleMatrixMultiply::MultiplyRAP"):
            for space in ("Tpetra", "Trident"):
                yield from same(f"{space}::{name} for doubles is exported",
                                any(n.startswith(f"void {space}::{name}<double") for n in names), True)
        out = "".join(run(["ldd", "-r", self.library])[1:])
        yield from lacks("ldd -r", out, "undefined symbol")
        yield from lacks("ldd -r", out, "not found")
        needed = run(["readelf", "-d", self.library])[1]
        yield from has("readelf -d", needed, "tpetraext")
        yield from has("readelf -d", needed, "teuchoscore")


def main():
    if len(sys.argv) != 6:
        print(__doc__)
        return 1
    cases = Cases(*sys.argv[1:])
    for test, *arguments in [
            (cases.plain, 1), (cases.plain, 4), (cases.under_trident_run, 1), (cases.under_trident_run, 4),
            (cases.linked_by_target, 1), (cases.linked_by_target, 4), (cases.report_in_a_file,),
            (cases.handed_back,), (cases.other_entries_stay,), (cases.through_programs_without_tpetra,),
            (cases.behind_tpetra,), (cases.ranks_that_disagree,), (cases.explains_itself,), (cases.symbols,)]:
        title = " ".join([test.__name__.replace("_", " ")] + [f"{n} ranks" for n in arguments])
        try:
            wrong = list(test(*arguments))
        except (OSError, ValueError, TypeError, subprocess.TimeoutExpired) as error:
            wrong = [repr(error)]
        (failures if wrong else passed).append(title)
        print("\n  ".join([("FAILED " if wrong else "ok     ") + title] + wrong), flush=True)
    print(f"TRIDENT_TEST_TOTALS {len(passed)} {len(failures)} 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
