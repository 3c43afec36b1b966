#!/usr/bin/env python3
"""Traces for tstTimeline.py, written as the engine writes them, with figures that are known.

usage: timeline_traces.py FILE.json [RANKS]    # writes an invented run, to look at its page by eye
"""
import json
import random
import sys

EPOCH = 1_790_000_000_000_000  # traces count microseconds since 1970
WORK = {"multiply", "sum", "gather", "convert", "map back"}
HIDES = {"multiply", "sum", "gather"}
WAITS = {"wait A", "wait B", "wait node", "wait finish", "wait queue", "agree"}
FOR_TILES = {"wait A", "wait B", "wait node"}


class Recorder:
    """A trace as the engine writes it. Times are microseconds since EPOCH."""

    def __init__(self):
        self.lines, self.spans, self.tiles = [], [], []

    def event(self, **event):
        self.lines.append(json.dumps(event, separators=(",", ":")))

    def name(self, rank, node, text=None):
        text = text or f"rank {rank}, node {node}, slice 0"
        self.event(ph="M", name="process_name", pid=rank, tid=0, args={"name": text})
        for tid, thread in enumerate(["main", "sender A", "sender B"]):
            self.event(ph="M", name="thread_name", pid=rank, tid=tid, args={"name": thread})

    def span(self, rank, name, begin, end, tid=0, **args):
        self.spans.append((rank, tid, name, begin, end, args))
        self.event(ph="X", cat="trident", name=name, pid=rank, tid=tid, ts=EPOCH + begin, dur=end - begin, args=args)

    def tile(self, rank, operand, begin, end, **args):
        name, key = f"receive {operand}", f"{rank}:{len(self.tiles) % 50}"
        self.tiles.append((rank, 0, name, begin, end, args))
        common = {"cat": "tile", "id": key, "name": name, "pid": rank, "tid": 0}
        self.event(ph="b", ts=EPOCH + begin, args=args, **common)
        self.event(ph="e", ts=EPOCH + end, **common)

    def text(self):
        end = '{"ph":"M","name":"trace_end","pid":0,"tid":0,"args":{}}'
        return '{"displayTimeUnit":"ms","traceEvents":[\n' + ",\n".join(self.lines + [end]) + "\n]}\n"


def sample(ranks, rounds=12, products=3, seed=1):
    """An invented run on nodes of four ranks: rounds with tiles ahead of their use, every other product by requests."""
    trace, draw = Recorder(), random.Random(seed)
    for rank in range(ranks):
        trace.name(rank, rank // 4)
        now = draw.randrange(200)
        for number in range(1, products + 1):
            begin, tiles, free = now, [], {"A": now, "B": now}
            trace.span(rank, "meet", now, now + 180)
            trace.span(rank, "convert", now + 180, now + 700)
            now += 700
            for t in range(rounds):
                at = dict(i=rank // 4, r=t, k=rank % 4, round=t)
                for operand in "AB":
                    asked = max(begin + 700, now - draw.randrange(600, 2400))
                    other, size = draw.randrange(ranks), draw.randrange(2000, 900000)
                    tiles.append(asked + draw.randrange(300, 1800) + size // 900)
                    trace.tile(rank, operand, asked, tiles[-1], bytes=size, **{"from": other}, **at)
                    if number % 2 == 0:
                        first = max(asked, free[operand])
                        free[operand] = first + size // 4000 + 20
                        thread = "AB".index(operand) + 1
                        trace.span(rank, f"serve {operand}", first, free[operand], thread, to=other, **at)
                for operand, there in zip("AB", tiles[-2:]):
                    ends = max(now + 5, min(there, now + 1500))
                    if ends - now > 300:
                        trace.span(rank, "multiply", now + 20, ends - 120, i=rank // 4, r=t, k=0, round=max(0, t - 1))
                    trace.span(rank, f"wait {operand}", now, ends, **at)
                    now = ends
                trace.span(rank, "gather", now, now + 90, round=t)
                trace.span(rank, "wait node", now + 90, now + 90 + draw.randrange(1, 160), round=t)
                now += 250
                work = draw.randrange(150, 1100)
                trace.span(rank, "multiply", now, now + work, **at)
                now += work
            trace.span(rank, "wait finish", now, now + 40)
            trace.span(rank, "sum", now + 40, now + 400)
            trace.span(rank, "map back", now + 400, now + 620)
            trace.span(rank, "agree", now + 620, now + 680)
            engine = ["requests (RMA)", "scheduled"][number % 2]
            trace.span(rank, "product", begin, now + 690, engine=engine, number=number)
            now += 700 + draw.randrange(400)
    return trace


def by_hand():
    """One rank; what its figures must be stands beside what makes them."""
    trace = Recorder()
    trace.name(0, 0)
    for operand, begin, end, size in [("A", 100, 300, 1000), ("B", 250, 500, 200), ("A", 700, 800, 30)]:
        trace.tile(0, operand, begin, end, i=0, r=1, k=2, round=0, bytes=size, **{"from": 0})  # exchange 400 + 100
    trace.span(0, "convert", 0, 50)
    trace.span(0, "multiply", 220, 260)
    trace.span(0, "wait A", 200, 320)  # 20 + 60 without the product inside
    trace.span(0, "wait node", 450, 550)  # 50: the last tile is there at 500
    trace.span(0, "wait node", 570, 580)
    trace.span(0, "gather", 560, 600)  # busy but for the wait inside, when no tile is on its way
    trace.span(0, "multiply", 600, 780)
    trace.span(0, "wait B", 780, 790)  # 10
    trace.span(0, "wait finish", 790, 800)  # not for tiles
    trace.span(0, "sum", 900, 920)
    trace.span(0, "map back", 920, 960)
    trace.span(0, "product", 0, 1000, engine="scheduled", number=1)
    trace.span(0, "agree", 1001, 1010)  # between products: no reason for a note
    return trace, (1000, 500, 140, 360, 1230, 3)


def overlapping():
    """Products that overlap and nest: of several the one that began last has the part. {number: figures}"""
    trace = Recorder()
    trace.span(3, "product", 0, 100, number=1)
    trace.span(3, "product", 60, 200, number=2)
    trace.span(3, "product", 120, 150, number=3)
    trace.tile(3, "A", 10, 50, bytes=1)  # of 1
    trace.tile(3, "A", 70, 110, bytes=10)  # of 2
    trace.tile(3, "B", 120, 140, bytes=100)  # of 3
    trace.tile(3, "B", 155, 165, bytes=1000)  # of 2 again
    trace.tile(3, "B", 300, 310, bytes=10000)  # of none
    trace.span(3, "wait A", 20, 25)
    trace.span(3, "wait A", 90, 115)  # 20 of it
    trace.span(3, "wait B", 130, 140)
    trace.span(3, "product", 400, 450, number=4)  # exchanges nothing
    return trace, {1: (100, 40, 5, 0, 1, 1), 2: (140, 50, 20, 0, 1010, 2), 3: (30, 20, 10, 0, 100, 1),
                   4: (50, 0, 0, 0, 0, 0)}


def scattered(ranks, seed):
    """Spans of random kinds, nested at random, and tiles at random times, in products one after the other."""
    trace, draw = Recorder(), random.Random(seed)
    names = sorted(WORK | WAITS | {"meet", "request", "unheard of"})

    def inside(rank, begin, end, depth):
        while end - begin > 4 and draw.random() < 0.9:
            first = draw.randrange(begin, end - 2)
            last = draw.randrange(first + 1, min(end, first + 60) + 1)
            if depth < 3:
                inside(rank, first, last, depth + 1)
            trace.span(rank, draw.choice(names), first, last)
            begin = last

    for rank in range(ranks):
        trace.name(rank, rank % 7)
        now = draw.randrange(50)
        for number in range(1, 4):
            end = now + draw.randrange(20, 300)
            inside(rank, now, end, 0)
            for _ in range(draw.randrange(12)):
                first = draw.randrange(now, end)
                trace.tile(rank, draw.choice("AB"), first, draw.randrange(first, end + 1), bytes=draw.randrange(99))
            trace.span(rank, "product", now, end, number=number)
            now = end + 1 + draw.randrange(20)
    return trace


def counted(trace, rank, number):
    """Figures of one rank's product, microsecond by microsecond; spans are recorded when they end, inner ones first."""
    (begin, end), = [(b, e) for r, _, name, b, e, args in trace.spans
                     if r == rank and name == "product" and args["number"] == number]
    mine = [(n, b, e) for r, _, n, b, e, _ in trace.spans if r == rank and begin <= b < end and n != "product"]
    tiles = [(b, e, args) for r, _, _, b, e, args in trace.tiles if r == rank and begin <= b < end]
    exchange = waiting = busy = 0
    for t in range(begin, end):
        names = [n for n, b, e in mine if b <= t < e]  # innermost first
        asked = any(b <= t < e for b, e, _ in tiles)
        exchange += asked
        of_wait = next((n for n in names if n in FOR_TILES or n in HIDES), None)
        waiting += asked and of_wait in FOR_TILES
        busy += next((n for n in names if n in WORK or n in WAITS), None) in WORK
    return end - begin, exchange, waiting, busy, sum(args["bytes"] for *_, args in tiles), len(tiles)


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(sample(int(sys.argv[2]) if len(sys.argv) > 2 else 36).text())
