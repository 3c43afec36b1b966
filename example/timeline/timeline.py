"""Reads the trace of a Trident run and works out how much of the exchange was hidden behind work.

doc/trace.md says what the events and the figures mean. Only the standard library, and nothing newer than Python 3.6:
that is what login nodes of clusters have.
"""
import bisect
import collections
import json
import math
import re

WORK = ("multiply", "sum", "gather", "convert", "map back")
WAITS = ("wait A", "wait B", "wait node", "wait finish", "wait queue", "agree")
# What counts as waiting for the exchange, and what takes its time off where it is done inside such a wait.
WAITS_FOR_TILES = ("wait A", "wait B", "wait node")
HIDES = ("multiply", "sum", "gather")
MAIN = 0  # the thread that multiplies
SLACK = 1.0  # microseconds: doubles that count them since 1970 are a quarter apart, so ends may be off by that

# Times are microseconds since the first event of the trace. `product` is an index into the rank's products, or None.
Span = collections.namedtuple("Span", "begin end name args product")


class Unreadable(Exception):
    """What is wrong with a file, in one line."""


class Rank:
    """What one rank did. Lists are sorted by begin, outer spans before those inside them."""

    def __init__(self, number):
        self.number = number
        self.name = "rank %d" % number
        self.node = None
        self.threads = {}  # their names
        self.spans = {}  # by thread; products are not among them
        self.tiles = []  # on their way: from asking or posting to arrival
        self.products = []  # args["number"] is always there


class Trace:
    def __init__(self):
        self.ranks = []  # by node, then by number
        self.seconds = 0.0
        self.notes = []  # what is missing, a line each

    def numbers(self):
        """Numbers of the products, in the order in which they began."""
        first = {}
        for rank in self.ranks:
            for product in rank.products:
                number = product.args["number"]
                first[number] = min(product.begin, first.get(number, product.begin))
        return sorted(first, key=lambda number: (first[number], number))


# --- the file ---


def for_each_event(text, take):
    """Calls take for each of traceEvents; returns how many were broken, and whether the end of the file is missing."""
    start = re.search(r'\A\s*\[|"traceEvents"\s*:\s*\[', text)
    if not start:
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            raise Unreadable("is not JSON") from None
        raise Unreadable("is JSON, but no trace: it has no list traceEvents")
    decode, between = json.JSONDecoder().raw_decode, re.compile(r"[\s,]*")
    at, broken = start.end(), 0
    while True:
        at = between.match(text, at).end()
        if text.startswith("]", at):
            return broken, False
        try:
            event, at = decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("\n{", at)
            if at < 0:
                return broken, True
            broken += 1
        else:
            take(event)


def whole(value, least=0):
    """The value as an int; ValueError if it is none, or less."""
    if isinstance(value, bool) or value != int(value) or not least <= value < 2**53:
        raise ValueError
    return int(value)


def time_of(value):
    if isinstance(value, bool) or not math.isfinite(value) or abs(value) > 1e18:
        raise ValueError
    return value


class Reader:
    """Sorts events by rank. One that breaks the format is left out and counted."""

    def __init__(self):
        self.ranks = {}
        self.events = self.broken = 0
        self.ends = collections.defaultdict(lambda: ([], []))  # of tiles: begins and ends, by rank, name and id

    def take(self, event):
        try:
            self.sort_in(event["ph"], event, event.get("args") or {})
            self.events += 1
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self.broken += 1

    def sort_in(self, phase, event, args):
        name, number = event["name"], whole(event["pid"])
        if not isinstance(name, str) or not isinstance(args, dict):
            raise ValueError
        if number not in self.ranks:
            self.ranks[number] = Rank(number)
        rank = self.ranks[number]
        if phase == "X":
            begin, length = time_of(event["ts"]), time_of(event["dur"])
            if length < 0:
                raise ValueError
            rank.spans.setdefault(whole(event["tid"]), []).append((begin, length, name, args))
        elif phase in ("b", "e"):
            self.ends[number, name, str(event["id"])][phase == "e"].append((time_of(event["ts"]), args))
        elif phase == "M" and name in ("process_name", "thread_name"):
            self.set_name(rank, name, event, str(args["name"]))

    @staticmethod
    def set_name(rank, kind, event, text):
        if kind == "thread_name":
            rank.threads.setdefault(whole(event["tid"]), text)
            return
        if rank.node is None:  # the first communicator's nodes: others may number them anew
            node = re.search(r"\bnode (\d{1,9})\b", text)
            rank.name, rank.node = text, int(node.group(1)) if node else None

    def tiles(self):
        """Tiles by rank, and how many never arrived. An id may come again once its tile is there."""
        found, missing = collections.defaultdict(list), 0
        for (number, name, _), (begins, ends) in self.ends.items():
            begins.sort(key=lambda x: x[0])
            taken = 0
            for at, args in sorted(ends, key=lambda x: x[0]):
                if taken < len(begins) and begins[taken][0] <= at:
                    begin, more = begins[taken]
                    found[number].append((begin, at - begin, name, dict(args, **more)))
                    taken += 1
            missing += len(begins) - taken
        return found, missing

    def trace(self):
        trace, (tiles, missing) = Trace(), self.tiles()
        starts = [x[0] for rank in self.ranks.values() for spans in rank.spans.values() for x in spans]
        starts += [x[0] for some in tiles.values() for x in some]
        origin = min(starts, default=0)
        outside = 0
        for rank in self.ranks.values():
            outside += arrange(rank, tiles[rank.number], origin)
            parts = [x for spans in rank.spans.values() for x in spans] + rank.tiles + rank.products
            if parts:
                trace.ranks.append(rank)
                trace.seconds = max(trace.seconds, max(x.end for x in parts) / 1e6)
        trace.ranks.sort(key=lambda rank: (rank.node is None, rank.node or 0, rank.number))
        if missing:
            trace.notes.append("%d tiles had not arrived when the trace ended; they are left out" % missing)
        if outside:
            trace.notes.append("%d tiles and spans of work or waiting lie in no finished product; they are drawn, but are "
                               "in no figure" % outside)
        return trace


def arrange(rank, tiles, origin):
    """Sorts what a rank did and finds the product of each part; returns how many that figures count have none."""

    def ordered(raw):
        # Of two that begin and end together a wait is the outer one.
        spans = [Span(begin - origin, begin - origin + length, name, args, None) for begin, length, name, args in raw]
        return sorted(spans, key=lambda x: (x.begin, -x.end, x.name not in WAITS))

    spans = {thread: ordered(raw) for thread, raw in sorted(rank.spans.items())}
    for k, product in enumerate(x for x in spans.get(MAIN, []) if x.name == "product"):
        number = product.args.get("number")
        number = number if type(number) is int else k + 1
        rank.products.append(product._replace(args=dict(product.args, number=number), product=k))
    find = finder(rank.products)
    rank.spans = {thread: [x._replace(product=find(x.begin)) for x in some if thread != MAIN or x.name != "product"]
                  for thread, some in spans.items()}
    rank.tiles = [x._replace(product=find(x.begin)) for x in ordered(tiles)]
    counted = [x for x in rank.spans.get(MAIN, []) if x.name in WORK + WAITS_FOR_TILES] + rank.tiles
    return sum(x.product is None for x in counted)


def finder(products):
    """A function from a time to the index of the product that it lies in, of several the last begun; or None."""
    begins, around = [x.begin for x in products], []

    def lasting(k, time):
        while k >= 0 and products[k].end < time:
            k = around[k]
        return k

    for k, product in enumerate(products):
        around.append(lasting(k - 1, product.begin))

    def find(time):
        k = lasting(bisect.bisect_right(begins, time) - 1, time)
        return k if k >= 0 else None

    return find


def read(path):
    """The Trace in a file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise Unreadable("cannot be read: %s" % (error.strerror or error)) from None
    if not text.strip():
        raise Unreadable("is empty")
    reader = Reader()
    broken, cut = for_each_event(text, reader.take)
    trace, broken = reader.trace(), broken + reader.broken
    if not trace.ranks:
        raise Unreadable("has no events of a rank" + (", and %d that break the format" % broken if broken else ""))
    if not trace.numbers():
        trace.notes.insert(0, "no product was finished: there are no figures")
    if broken:
        trace.notes.insert(0, "%d events break the format; they are left out" % broken)
    if cut:
        trace.notes.insert(0, "the end of the file is missing, as when a job is killed or still runs; "
                              "%d events are whole" % reader.events)
    return trace


# --- the figures ---


def nesting(spans):
    """Yields each span of one thread with the list of those around it, outermost first."""
    around = []
    for span in spans:
        while around and not (span.begin < around[-1].end and span.end <= around[-1].end + SLACK):
            around.pop()
        yield span, around
        around.append(span)


def union(intervals):
    """The same set of times as sorted intervals that do not touch."""
    merged = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        elif end > begin:
            merged.append([begin, end])
    return merged


def common(one, other):
    """Intersection of two unions."""
    found, k = [], 0
    for begin, end in one:
        while k < len(other) and other[k][1] <= begin:
            k += 1
        at = k
        while at < len(other) and other[at][0] < end:
            found.append([max(begin, other[at][0]), min(end, other[at][1])])
            at += 1
    return found


def without(begin, end, holes):
    """An interval less a union."""
    for first, last in common([[begin, end]], holes):
        yield [begin, first]
        begin = last
    yield [begin, end]


def length(intervals):
    return sum(end - begin for begin, end in intervals)


def own_time(spans, outer, inner):
    """Union of the spans with a name in `outer`, each less those with a name in `inner` that are nested in it."""
    holes = collections.OrderedDict()  # by span, which are told apart by identity
    for span, around in nesting(spans):
        if span.name in inner:
            for x in around:
                if id(x) in holes:
                    holes[id(x)][1].append((span.begin, span.end))
        if span.name in outer:
            holes[id(span)] = (span, [])
    return union(part for span, some in holes.values() for part in without(span.begin, span.end, union(some)))


class Figures(collections.namedtuple("Figures", "product exchange waiting busy bytes tiles")):
    """Microseconds, bytes and a number of tiles. Those of several ranks are added up."""
    __slots__ = ()

    @classmethod
    def total(cls, many):
        return cls(*map(sum, zip(cls(0, 0, 0, 0, 0, 0), *many)))

    def hidden(self):
        """The share of the exchange that nobody waited for; None if nothing was exchanged."""
        return 1 - self.waiting / self.exchange if self.exchange else None


def figures_of(product, spans, tiles):
    exchange = union((x.begin, x.end) for x in tiles)
    waiting = common(own_time(spans, WAITS_FOR_TILES, HIDES), exchange)
    sizes = (x.args.get("bytes") for x in tiles)
    received = sum(x for x in sizes if isinstance(x, int) and x > 0)
    return Figures(product.end - product.begin, length(exchange), length(waiting),
                   length(own_time(spans, WORK, WAITS)), received, len(tiles))


def figures(trace):
    """{number of a product: {number of a rank: Figures}}"""
    found = {number: {} for number in trace.numbers()}
    for rank in trace.ranks:
        parts = collections.defaultdict(lambda: ([], []))
        for which, some in enumerate((rank.spans.get(MAIN, []), rank.tiles)):
            for span in some:
                parts[span.product][which].append(span)
        for k, product in enumerate(rank.products):
            of_rank = found[product.args["number"]]
            before = [of_rank[rank.number]] if rank.number in of_rank else []
            of_rank[rank.number] = Figures.total(before + [figures_of(product, *parts[k])])
    return found
