#!/usr/bin/env python3
"""Holds trident-timeline to traces whose figures are known.

usage: tstTimeline.py TRIDENT_TIMELINE    # the script in the source tree, with its other files beside it

Figures of a trace that was worked out by hand must be exact, those of random traces equal to a count of every single
microsecond. The page must load nothing, hold every span of the trace and parse as JavaScript (where there is node).
Whatever stands in a file, and wherever it ends, the answer is a page or one line that says what is wrong.
"""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from timeline_traces import Recorder, by_hand, counted, overlapping, sample, scattered

SECONDS = 60  # for one run
COORDINATES = ["i", "r", "j", "k", "round", "from", "to", "bytes"]
HOSTILE = '"\'</script><script>alert(1)</script><!-- \u2028 \x1b[31m @TRACE@ &amp;'
LOADS = [r"https?:", r"\b(src|href|action)\s*=", "@import", r"\burl\(", r"\bfetch\(", "XMLHttpRequest", r"\bimport\b"]

passed, failures = [], []


def settle(name, wrong):
    wrong = list(wrong)
    (failures if wrong else passed).append(name)
    print("\n  ".join([f"{'FAILED' if wrong else 'passed'}  {name}"] + wrong[:6]), flush=True)


def same(what, found, wanted):
    if found != wanted:
        yield f"{what}: {found!r}, should be {wanted!r}"


def run(program, *arguments):
    """(exit status, stdout, stderr)"""
    done = subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True,
                          encoding="utf-8", timeout=SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --- figures ---


def figures_wrong(timeline, folder, trace, wanted):
    """`wanted`: {number of a product: {rank: figures}}"""
    found = timeline.figures(timeline.read(str(written(folder, "figures.json", trace.text()))))
    yield from same("figures", {n: {r: tuple(f) for r, f in x.items()} for n, x in found.items()}, wanted)


def check_figures(timeline, folder):
    trace, wanted = by_hand()
    settle("figures worked out by hand", figures_wrong(timeline, folder, trace, {1: {0: wanted}}))
    trace, wanted = overlapping()
    settle("overlapping products", figures_wrong(timeline, folder, trace, {n: {3: f} for n, f in wanted.items()}))
    for ranks, seed in [(1, 1), (1, 2), (36, 3), (36, 4)]:
        trace = scattered(ranks, seed)
        wanted = {n: {rank: counted(trace, rank, n) for rank in range(ranks)} for n in (1, 2, 3)}
        settle(f"figures of {ranks} ranks, seed {seed}", figures_wrong(timeline, folder, trace, wanted))


def check_json(program, folder):
    trace, (product, exchange, waiting, busy, size, tiles) = by_hand()
    found = json.loads(run(program, written(folder, "hand.json", trace.text()), "--json")[1])
    sums = {"product_seconds": product / 1e6, "exchange_seconds": exchange / 1e6, "waiting_seconds": waiting / 1e6,
            "hidden_share": 1 - waiting / exchange, "busy_seconds": busy / 1e6, "bytes_received": size,
            "tiles_received": tiles}
    parts = dict(sums, by_node=[dict(sums, node=0)], by_rank=[dict(sums, rank=0, node=0)])
    settle("--json", same("object", found, {
        "file": "hand.json", "notes": [], "ranks": 1, "nodes": 1, "seconds": 0.00101, "all": parts,
        "products": [dict(parts, number=1, engine="scheduled", ranks=1, seconds=0.001)]}))
    settle("--json of several products", several_wrong(program, folder))


def several_wrong(program, folder):
    trace, wanted = overlapping()
    path = written(folder, "several.json", trace.text())
    every = json.loads(run(program, path, "--json")[1])
    yield from same("numbers", [x["number"] for x in every["products"]], [1, 2, 3, 4])
    yield from same("exchange of all", every["all"]["exchange_seconds"], sum(f[1] for f in wanted.values()) / 1e6)
    yield from same("hidden of all", every["all"]["hidden_share"], 1 - 35 / 110)
    yield from same("hidden of 4", every["products"][3]["hidden_share"], None)
    yield from same("notes", len(every["notes"]), 1)  # the tile in no product
    two = json.loads(run(program, path, "--json", "--product", "2")[1])
    yield from same("--product 2", two["products"], every["products"][1:2])
    yield from same("bytes of --product 2", two["all"]["bytes_received"], 1010)
    yield from same("pages written", sorted(x.name for x in folder.glob("*.html")), [])


# --- the page ---


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="trace">(.*?)</script>', page, re.S)[1])


def spans_of(data, problems):
    """Spans and tiles of a page as (rank, name, begin, end, coordinates)."""
    found = [], []
    for track in data["tracks"]:
        n, begin, end = len(track["begin"]), 0, 0
        columns = [track.get(key, -1) for key in ["length", "name"] + COORDINATES]
        columns = [x if isinstance(x, list) else [x] * n for x in columns]
        if any(len(x) != n for x in columns):
            problems.append(f"columns of different lengths: {track}")
        for step, length, name, *coordinates in zip(track["begin"], *columns):
            begin += step
            if begin < end:
                problems.append(f"overlap in {track['lane']} {track['level']} of rank {track['rank']}")
            end = begin + length
            times = [round(x * data["unit"] * 1e6, 3) for x in (begin, end)]
            found[track["lane"].startswith("tile ")].append(
                (data["ranks"][track["rank"]]["rank"], data["names"][name], *times, tuple(coordinates)))
    return found


def page_wrong(page, trace):
    """`page` must load nothing and hold what the Recorder wrote."""
    for pattern in LOADS:
        yield from (f"the page has {x[0]!r}" for x in re.finditer(pattern, page))
    yield from same("scripts", (page.count("<script"), page.count("</script>")), (2, 2))
    problems = []
    found = spans_of(data_of(page), problems)
    yield from problems
    origin = min(x[3] for x in trace.spans)
    for what, here, there in zip(("spans", "tiles"), found, (trace.spans, trace.tiles)):
        wanted = [(rank, name, begin - origin, end - origin, tuple(args.get(key, -1) for key in COORDINATES))
                  for rank, _, name, begin, end, args in there]
        if sorted(here) != sorted(wanted):
            yield f"{what}: {len(here)} on the page, {len(wanted)} in the trace, not the same"


def most_levels(data, lane):
    return max(x["level"] + 1 for x in data["tracks"] if x["lane"] == lane)


def most_at_once(trace, name):
    """Tiles that are on their way to a rank at the same time: the most is reached when one sets out."""
    tiles = [x for x in trace.tiles if x[2] == name]
    return max(sum(y[0] == x[0] and y[3] <= x[3] < y[4] for y in tiles) for x in tiles)


def check_pages(program, folder):
    """Returns how many tests were skipped."""
    for ranks in (1, 36):
        trace = sample(ranks)
        status, out, err = run(program, written(folder, f"run{ranks}.json", trace.text()))
        page = (folder / f"run{ranks}.html").read_text(encoding="utf-8")
        data = data_of(page)
        nodes = [x["node"] for x in data["ranks"]]
        settle(f"page of {ranks} ranks", [
            *page_wrong(page, trace), *same("exit", (status, err), (0, "")),
            *same("text", out.split(", 3 products, ")[0], {1: "1 rank on 1 node", 36: "36 ranks on 9 nodes"}[ranks]),
            *same("nodes", nodes, sorted(nodes)), *same("nested", most_levels(data, "main"), 2),
            *same("side by side", most_levels(data, "tile A"), most_at_once(trace, "receive A")),
            *same("lanes", {x["lane"] for x in data["tracks"]},
                  {"product", "main", "tile A", "tile B", "thread 1", "thread 2"})])
    run(program, folder / "run36.json", "--product", "2", "-o", folder / "two.html")
    only = Recorder()
    for rank in range(36):
        begin, end = next(x[3:5] for x in trace.spans if x[0] == rank and x[5].get("number") == 2)
        only.spans += [x for x in trace.spans if x[0] == rank and begin <= x[3] <= end]
        only.tiles += [x for x in trace.tiles if x[0] == rank and begin <= x[3] <= end]
    settle("page of one product", page_wrong((folder / "two.html").read_text(encoding="utf-8"), only))
    node = shutil.which("node")
    if not node:
        print("SKIP: no node to parse the page's script")
        return 1
    script = written(folder, "page.js", page[page.rindex("<script>") + len("<script>"):page.rindex("</script>")])
    done = subprocess.run([node, "--check", str(script)], capture_output=True, text=True, timeout=SECONDS, check=False)
    settle("the page's script parses", same("node --check", (done.returncode, done.stderr), (0, "")))
    return 0


# --- what may come ---


BROKEN = ["[" * 100000, "{}", "7", "null", '"text"', "[]", '{"ph":'] + [
    '{"ph":"X","name":%s,"pid":%s,"tid":%s,"ts":%s,"dur":%s%s}' % x for x in [
        ('"x"', 0, 0, "NaN", 1, ""), ('"x"', 0, 0, 1, -1, ""), ('"x"', -1, 0, 1, 1, ""), ("[]", 0, 0, 1, 1, ""),
        ('"x"', "true", 0, 1, 1, ""), ('"x"', 0, "1e999", 1, 1, ""), ('"x"', 0, 0, 1, 1, ',"args":7'),
        ('"x"', 0, 0, '"1"', 1, ""), ('"x"', 0, 0, "1" * 5000, 1, "")]]


def hostile_wrong(program, folder):
    trace = Recorder()
    trace.name(0, 0, HOSTILE)
    trace.span(0, HOSTILE, 10, 20, i=HOSTILE, round=-1, bytes=1e300)
    trace.tile(0, "A", 10, 20, bytes=HOSTILE, i=True, k=2.5, **{"from": None})
    trace.span(0, "product", 0, 30, engine=HOSTILE, number=HOSTILE)
    trace.lines += BROKEN + ['{"ph":"i","name":"mark","pid":0,"tid":0,"ts":1}',
                             '{"ph":"X","name":"lone \\ud800","pid":0,"tid":2,"ts":1790000000000001,"dur":1}']
    status, out, err = run(program, written(folder, "hostile.json", trace.text()))
    yield from same("exit status", status, 0)
    yield from same("note", re.findall(r"\d+ events break the format", err), [f"{len(BROKEN)} events break the format"])
    yield from same("raw escapes", "\x1b" in out + err, False)
    page = (folder / "hostile.html").read_text(encoding="utf-8")
    yield from same("scripts", (page.count("<script"), page.count("</script>"), page.count("<!--")), (2, 2, 1))
    data = data_of(page)
    yield from same("engine", data["products"][0]["engine"], HOSTILE)
    yield from same("rank", data["ranks"][0]["name"], HOSTILE)
    yield from same("names", sorted(data["names"]), sorted([HOSTILE, "product", "receive A", "lone \ud800"]))
    yield from same("coordinates", {key for x in data["tracks"] for key in x if key in COORDINATES}, set())


def cut_wrong(timeline, folder):
    """A file that ends anywhere, as that of a job that was killed, is read as far as it is whole."""
    text = by_hand()[0].text()
    head, whole, read = text.index("[") + 1, text.rindex("]"), 0
    for end in range(len(text) + 1):
        lines = text[head:end].split("\n")[1:]
        events = [x for x in lines if x.startswith("{") and x.count("{") == x.count("}")]
        try:
            notes = timeline.read(str(written(folder, "cut.json", text[:end]))).notes
        except timeline.Unreadable:
            if any('"X"' in x for x in events):
                yield f"refused when cut at {end}"
            continue
        read += 1
        said = [int(x) for x in re.findall(r"; (\d+) events are whole", "\n".join(notes))]
        yield from same(f"whole events when cut at {end}", said, [len(events)] if end <= whole else [])
        figures = "no product was finished: there are no figures" not in notes
        yield from same(f"figures when cut at {end}", figures, any('"product"' in x for x in events))
    yield from same("read more than once", read > 1, True)


def refusals_wrong(program, folder):
    product = '{"ph":"X","name":"product","pid":0,"tid":0,"ts":1,"dur":1,"args":{"number":5}}'
    good = written(folder, "good.json", '{"traceEvents":[' + product + "]}")
    cases = [([folder / "none.json"], "cannot be read"), ([folder], "cannot be read"),
             ([written(folder, "text.json", "Trident: all: products 12")], "is not JSON"),
             ([written(folder, "start.json", '{"displayTimeUnit":"ms","tra')], "is not JSON"),
             ([written(folder, "other.json", '{"a": []}')], "is JSON, but no trace"),
             ([written(folder, "empty.json", "\n")], "is empty"),
             ([written(folder, "no.json", '{"traceEvents":[]}')], "has no events"),
             ([good, "--product", 6], "has no product 6; it has 5"), ([good, "-o", good], "is the trace itself"),
             ([good, "-o", folder / "none" / "a.html"], "cannot write"), ([good, "--product", "x"], "invalid int")]
    for arguments, text in cases:
        status, out, err = run(program, *arguments)
        yield from same(f"exit status of {arguments}", (status, out), (2, ""))
        if text not in err or "Traceback" in err or (len(err.splitlines()) != 1 and "usage:" not in err):
            yield f"{arguments}: {err!r} should say {text!r} in one line"
    yield from same("a bare list", run(program, written(folder, "bare.json", f"[{product}]"), "--json")[0], 0)
    status, _, err = run(program, written(folder, "unfinished.json", f'[{product.replace("product", "multiply")}]'))
    yield from same("no product", (status, "no product was finished" in err), (0, True))
    yield from same("its page", (folder / "unfinished.html").exists(), True)


def installed_wrong(program, folder):
    """As cmake/TridentInstall.cmake lays it out: the script in bin, the rest in share."""
    files = folder / "share" / "trident" / "timeline"
    files.mkdir(parents=True)
    (folder / "bin").mkdir()
    for name in ("timeline.py", "timeline_page.py", "page.html"):
        shutil.copy(program.parent / name, files)
    text = program.read_text(encoding="utf-8").replace("@TRIDENT_TIMELINE_FROM_BIN@", "../share/trident/timeline")
    script = written(folder / "bin", "trident-timeline", text)
    yield from same("run", run(script, written(folder, "installed.json", sample(2).text()))[0::2], (0, ""))
    yield from same("files", sorted(x.name for x in files.iterdir()), ["page.html", "timeline.py", "timeline_page.py"])


def old_python_wrong(program):
    for path in [program, *program.parent.glob("*.py")]:
        try:
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 6))
        except SyntaxError as error:
            yield f"{path}: {error}"
    yield from same("executable", os.access(program, os.X_OK), True)


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 1
    program = pathlib.Path(sys.argv[1]).resolve()
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(program.parent))
    import timeline
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_figures(timeline, folder)
        check_json(program, folder)
        skipped = check_pages(program, folder)
        settle("hostile names and broken events", hostile_wrong(program, folder))
        settle("files cut off anywhere", cut_wrong(timeline, folder))
        settle("bad input", refusals_wrong(program, folder))
        settle("installed", installed_wrong(program, folder))
        settle("syntax of Python 3.6", old_python_wrong(program))
    print(f"TRIDENT_TEST_TOTALS {len(passed)} {len(failures)} {skipped}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
