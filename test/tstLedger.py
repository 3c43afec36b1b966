#!/usr/bin/env python3
"""Holds the ledger of trident-spgemm against the volume model and trident-predict, exactly, for real matrices.

usage: tstLedger.py TRIDENT_SPGEMM TRIDENT_PREDICT [LAUNCHER ... FLAG_FOR_RANKS]     (default launcher: mpirun -n)

The model (shared/model/volume_model.py) counts from the sparsity alone and shares no code with Trident. Per
node and phase the entries, and the rows of B, must be equal; bytes must follow from entries and rows, and be
those that Trident predicted. The model lists the way back of C by the node that sends, the ledger by the one
that receives; from_whom() counts both, and the model must agree with one and the ledger with the other.

trident-predict, which runs nothing, must name the bytes that each node received in each phase, and those of requests.
It counts the lengths of needed rows too, which the model does not.
Needs python3-scipy and the shared folder ($TRIDENT_SHARED, or ../shared beside
the source tree); exits with 77 where one is absent.
"""
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
ORDINAL_BYTES, VALUE_BYTES = 4, 8  # a row length or column, a value
PHASES = {"convert_a": "convert A", "convert_b": "convert B", "multiply_a": "multiply A",
          "multiply_b": "multiply B", "map_back_c": "received back"}
SECONDS = 120  # for one run

# matrix, op, nodes, ranks a node, grid (None: the most nearly square), filter, where tiles come from
CASES = [
    ("cage10", "AA", 4, 1, None, "whole", "tiles"), ("cage10", "AA", 6, 2, None, "whole", "owners"),
    ("cage10", "AA", 6, 1, "2x3", "whole", "tiles"), ("cage10", "AA", 9, 4, None, "needed", "owners"),
    ("cage10", "AA", 4, 2, "4x1", "needed", "owners"), ("cage10", "AA", 9, 1, "3x3", "whole", "owners"),
    ("ca-HepPh", "AA", 4, 4, None, "whole", "tiles"), ("ca-HepPh", "AA", 9, 1, None, "needed", "owners"),
    ("ca-HepPh", "AA", 4, 2, "4x1", "whole", "owners"), ("ca-HepPh", "AA", 6, 2, "6x1", "needed", "owners"),
    ("wathenSmall", "AA", 4, 2, "1x4", "whole", "owners"), ("wathenSmall", "AA", 6, 4, None, "whole", "tiles"),
    ("wathenSmall", "AA", 9, 1, "9x1", "needed", "owners"), ("wathenSmall", "AA", 6, 2, "2x3", "needed", "owners"),
    ("bcsstk16", "AA", 4, 1, None, "needed", "owners"), ("bcsstk16", "AA", 9, 2, None, "whole", "tiles"),
    ("bcsstk16", "AA", 16, 1, None, "whole", "owners"), ("bcsstk16", "AA", 4, 4, "4x1", "needed", "tiles"),
    ("adder_dcop_05", "AA", 4, 4, None, "whole", "owners"), ("adder_dcop_05", "AA", 6, 1, "1x6", "needed", "owners"),
    ("adder_dcop_05", "AA", 9, 2, "9x1", "needed", "owners"), ("adder_dcop_05", "AA", 6, 4, "2x3", "whole", "tiles"),
    ("rajat19", "AA", 6, 2, "3x2", "needed", "owners"), ("rajat19", "AA", 4, 2, None, "whole", "tiles"),
    ("seqsim_uniprot20k", "AA", 4, 2, None, "needed", "tiles"),
    ("seqsim_uniprot20k", "AA", 16, 1, None, "needed", "owners"),
    ("lp_woodw_nodiag", "AAt", 4, 2, "4x1", "needed", "owners"), ("lp_e226", "AAt", 4, 2, None, "whole", "tiles"),
    ("Groebner_id2003_aug", "AAt", 6, 1, None, "whole", "owners"),
    ("lp_woodw_nodiag", "AAt", 9, 1, None, "needed", "owners"), ("lp_e226", "AAt", 8, 2, "2x4", "needed", "owners"),
    ("cage10", "AA", 6, 2, "3x2", "needed", "tiles"), ("lp_e226", "AAt", 6, 2, "2x3", "needed", "tiles"),
    ("abb313", "AAt", 8, 2, "4x2", "whole", "tiles"),
]

passed, failures = [], []


def load_model(shared):
    spec = importlib.util.spec_from_file_location("volume_model", shared / "model" / "volume_model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def grid_of(case):
    """The grid asked for, or the pair nearest to a square, at least as many rows as columns."""
    nodes, grid = case[2], case[4]
    if grid:
        return grid
    columns = max(c for c in range(1, nodes + 1) if nodes % c == 0 and c * c <= nodes)
    return f"{nodes // columns}x{columns}"


def run_product(program, launcher, path, case):
    _, op, nodes, ranks, _, tile_filter, source = case
    return report_of(launcher + [str(nodes * ranks), program, "--matrix", str(path), "--op", op,
                                 "--ranks-per-node", str(ranks), "--repeat", "1", "--filter", tile_filter,
                                 "--tiles-from", source, "--grid", grid_of(case)])


def run_prediction(program, path, case):
    """What trident-predict says of the case's grid, filter and source."""
    _, op, nodes, ranks, _, tile_filter, source = case
    report = report_of([program, "--matrix", str(path), "--op", op, "--nodes", str(nodes), "--ranks", str(ranks)])
    return next(x for x in report["cases"][0]["candidates"] if x["algorithm"] == "trident" and
                (x["grid"], x["filter"], x["from"]) == (grid_of(case), tile_filter, source))


def report_of(command):
    command += ["--json", "--symmetric-duplicates", "sum"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        raise RuntimeError(f"exit status {done.returncode}: {(done.stdout + done.stderr)[-600:]}")
    return json.loads(lines[-1])


def ones(matrix):
    """The stored pattern, with values that cannot cancel."""
    pattern = matrix.copy()
    pattern.data = pattern.data * 0 + 1.0
    return pattern


def from_whom(model, c, columns_of_c, nodes, ranks, grid):
    """Entries of C that go from tiles back to their 1D rows, [from][to] by node."""
    owner_of_row = model.owners(c.shape[0], nodes * ranks)[c.row] // ranks
    column_block = [grid.col_block(rank) for rank in range(nodes * ranks)]
    moved = [[0] * nodes for _ in range(nodes)]
    for (to, rank), count in collections.Counter(zip(owner_of_row, columns_of_c[c.col])).items():
        moved[to // grid.pc * grid.pc + column_block[rank]][to] += count
    for v in range(nodes):
        moved[v][v] = 0
    return moved


def expected(model, matrix, case):
    """The model's counts; zeros stored in A do not count into C's pattern, as in Tpetra."""
    _, op, nodes, ranks, _, tile_filter, source = case
    p_r, p_c = map(int, grid_of(case).split("x"))
    b = matrix if op == "AA" else matrix.T.tocsr()
    nonzero = matrix.copy()
    nonzero.eliminate_zeros()
    c = (ones(nonzero) @ ones(b)).tocoo()
    counts = model.model(ones(matrix), ones(b), nodes, ranks, p_r, p_c, filtered=tile_filter == "needed", C=c,
                         from_owners=source == "owners")
    moved = from_whom(model, c, model.owners(b.shape[1], nodes * ranks), nodes, ranks, model.Grid(p_r, p_c, ranks))
    if [sum(row) for row in moved] != [int(x) for x in counts["map back C"]]:
        raise RuntimeError(f"the model counts {counts['map back C']} sent back, this test {moved}")
    counts["received back"] = [sum(column) for column in zip(*moved)]
    return counts, c.nnz


def compare(what, found, wanted):
    if found != wanted:
        yield f"{what}: {found}, should be {wanted}"


def unforeseen(report, prediction):
    """Where trident-predict and the ledger differ."""
    for key in PHASES:
        yield from compare(f"predicted bytes of {key}", prediction["gi_bytes_by_phase"][key],
                           report["gi_bytes_by_phase"][key])
    yield from compare("predicted bytes of requests", prediction["gi_request_bytes_per_node"],
                       report["gi_request_bytes_per_node"])


def differences(report, counts, nnz_c, case):
    nodes, ranks, tile_filter = case[2], case[3], case[5]
    yield from compare("nodes", report["nodes"], nodes)
    yield from compare("ranks per node", report["ranks_per_node"], ranks)
    yield from compare("grid", report["grid"], grid_of(case))
    yield from compare("filter", report["filter"], tile_filter)
    yield from compare("tiles from", report["tiles_from"], case[6])
    yield from compare("handed back", report["handed_back"], None)
    yield from compare("nnz(C)", report["nnz_c"], nnz_c)
    entries, rows, by_phase = (report[f"gi_{k}_by_phase"] for k in ("entries", "rows", "bytes"))
    for key, name in PHASES.items():
        yield from compare(f"entries of {key}", entries[key], [int(x) for x in counts[name]])
        if key == "multiply_b" and tile_filter == "needed":
            continue  # row lengths of needed rows that turn out empty travel too; the model counts filled rows
        payload = [e * (ORDINAL_BYTES + VALUE_BYTES) + r * ORDINAL_BYTES for e, r in zip(entries[key], rows[key])]
        yield from compare(f"bytes of {key}", by_phase[key], payload)
    yield from compare("rows of multiply_b", rows["multiply_b"], [int(x) for x in counts["rows of B"]])
    yield from compare("bytes", report["gi_bytes_per_node"], report["gi_bytes_predicted_per_node"])
    yield from compare("sum over phases", [sum(x) for x in zip(*by_phase.values())], report["gi_bytes_per_node"])


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 1
    program, predictor, launcher = sys.argv[1], sys.argv[2], sys.argv[3:] or ["mpirun", "-n"]
    for name, value in [("OMP_NUM_THREADS", "1"), ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"), ("OMPI_MCA_mpi_yield_when_idle", "1"),
                        ("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_hwloc_base_binding_policy", "none")]:
        os.environ.setdefault(name, value)
    root = pathlib.Path(__file__).resolve().parent.parent
    shared = pathlib.Path(os.environ.get("TRIDENT_SHARED") or root.parent / "shared")
    try:
        from scipy.io import mmread
        model = load_model(shared)
    except (ImportError, OSError) as error:
        print(f"SKIP: {error}")
        print(f"TRIDENT_TEST_TOTALS 0 0 {len(CASES)}")
        return SKIPPED

    matrices = {}
    for case in CASES:
        name, op, nodes, ranks, grid, tile_filter, source = case
        title = f"{name} {op} on {nodes} nodes of {ranks}, grid {grid or 'default'}, {tile_filter} from {source}"
        path = shared / "data" / "matrices" / f"{name}.mtx.gz"
        try:
            if name not in matrices:
                matrices[name] = mmread(str(path)).tocsr()
            report = run_product(program, launcher, path, case)
            wrong = list(differences(report, *expected(model, matrices[name], case), case))
            wrong += unforeseen(report, run_prediction(predictor, path, case))
        except (RuntimeError, OSError, KeyError, StopIteration, subprocess.TimeoutExpired) as error:
            wrong = [repr(error)]
        (failures if wrong else passed).append(title)
        print("\n  ".join([("FAILED " if wrong else "ok     ") + title] + wrong), flush=True)
    print(f"TRIDENT_TEST_TOTALS {len(passed)} {len(failures)} 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
