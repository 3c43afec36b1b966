"""What the page of a timeline is given: spans as columns of small numbers, a list for each strip that is drawn.

A strip ("track") holds spans that do not overlap, so the page finds those in view by bisection: one for each depth of
nesting of a thread, one for each tile that is on its way at the same time. Beginnings are differences, a column that
has one value throughout is that value, and columns without any value are left out.
"""
import heapq
import json
import pathlib

import timeline

PLACEHOLDER = "@TRACE@"
UNIT = 10  # a microsecond is so many units of time on the page
COORDINATES = ("i", "r", "j", "k", "round", "from", "to", "bytes")


def packed(values):
    """A column: one value if all are the same, None if there is none at all."""
    first = values[0]
    if all(x == first for x in values):
        return None if first == -1 else first
    return values


def units(time):
    return int(round(time * UNIT))


def coordinate(span, key):
    value = span.args.get(key, -1)
    return value if type(value) is int and 0 <= value < 2**53 else -1


class Page:
    def __init__(self, trace, numbers):
        self.trace = trace
        self.numbers = {number: k for k, number in enumerate(numbers)}
        self.all = set(numbers) == set(trace.numbers())
        self.names = {}
        self.tracks = []
        begins = [x.begin for rank in trace.ranks for x in rank.products if x.args["number"] in self.numbers]
        self.origin = 0 if self.all else min(begins)

    def product(self, rank, span):
        """Index among the page's products; -1: of none, None: of one that the page leaves out."""
        if span.product is None:
            return -1 if self.all else None
        return self.numbers.get(rank.products[span.product].args["number"])

    def add(self, rank, lane, levels):
        """Adds a track for each level, which is a list of spans."""
        for level, spans in enumerate(levels):
            spans = [(x, self.product(self.trace.ranks[rank], x)) for x in spans]
            spans = [x for x in spans if x[1] is not None]
            if not spans:
                continue
            begins = [units(x.begin - self.origin) for x, _ in spans]
            ends = [units(x.end - self.origin) for x, _ in spans]
            track = {"rank": rank, "lane": lane, "level": level,
                     "begin": [begins[0]] + [b - a for a, b in zip(begins, begins[1:])],
                     "length": packed([b - a for a, b in zip(begins, ends)]),
                     "name": packed([self.names.setdefault(x.name, len(self.names)) for x, _ in spans]),
                     "product": packed([product for _, product in spans])}
            track.update((key, packed([coordinate(x, key) for x, _ in spans])) for key in COORDINATES)
            self.tracks.append({key: value for key, value in track.items() if value is not None})


def nested(spans):
    levels = []
    for span, around in timeline.nesting(spans):
        while len(levels) <= len(around):
            levels.append([])
        levels[len(around)].append(span)
    return levels


def side_by_side(spans):
    """Tiles dealt out to as few strips as it takes, so that none overlap in one."""
    levels, free, busy = [], [], []
    for span in spans:
        while busy and busy[0][0] <= span.begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if not free:
            levels.append([])
            free.append(len(levels) - 1)
        level = heapq.heappop(free)
        levels[level].append(span)
        heapq.heappush(busy, (span.end, level))
    return levels


def data(trace, numbers, source):
    """Everything the page shows. `numbers` are those of the products it shows."""
    page, found = Page(trace, numbers), timeline.figures(trace)
    ranks = []
    for k, rank in enumerate(trace.ranks):
        page.add(k, "product", nested(rank.products))
        for thread, spans in rank.spans.items():
            page.add(k, "main" if thread == timeline.MAIN else "thread %d" % thread, nested(spans))
        for operand in "AB":
            page.add(k, "tile " + operand,
                     side_by_side([x for x in rank.tiles if (x.name[-1:] == "B") == (operand == "B")]))
        ranks.append({"rank": rank.number, "name": rank.name, "node": rank.node})
    threads = {"thread %d" % thread: name for rank in trace.ranks for thread, name in rank.threads.items()}
    place = {rank.number: k for k, rank in enumerate(trace.ranks)}
    products = []
    for number in numbers:
        spans = [x for rank in trace.ranks for x in rank.products if x.args["number"] == number]
        products.append({"number": number, "engine": engine(spans),
                         "begin": units(min(x.begin for x in spans) - page.origin),
                         "end": units(max(x.end for x in spans) - page.origin),
                         "figures": [[place[rank]] + [round(x, 2) for x in f] for rank, f in found[number].items()]})
    return {"source": source, "notes": trace.notes, "unit": 1e-6 / UNIT, "names": list(page.names), "ranks": ranks,
            "threads": threads, "products": products, "figures": ["rank"] + list(timeline.Figures._fields),
            "tracks": page.tracks}


def engine(products):
    """The engine that served a product, of all its ranks."""
    names = sorted({x.args["engine"] for x in products if isinstance(x.args.get("engine"), str)})
    return ", ".join(names)


def html(trace, numbers, source):
    template = (pathlib.Path(__file__).resolve().parent / "page.html").read_text(encoding="utf-8")
    text = json.dumps(data(trace, numbers, source), separators=(",", ":"))
    return template.replace(PLACEHOLDER, text.replace("<", "\\u003c"))  # no </script> and no <!--
