# SPDX-License-Identifier: MIT
"""Races frisket's expressions against torch, torch.compile, JAX and SciPy, workload by workload: race.py --help."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
# Peers that may use AVX2 and nothing newer.
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX"}
AVX2_TARGET = "x86-64-avx2"
SLACK = 1.25       # on goals, for what is not a large matrix of float32, half of it specified, and for odd extents
LARGE = 4096
ODD = ("x127", "x37x911", "rank 50", "x300x50")
SPIN_S = 0.25      # after which threads that wait for work have gone to sleep
SAME = 1e-3        # relative distance of totals that rounding explains
UNMASKED = "no mask"  # in the name of a peer that computes all elements


def goals_of(text):
    """The highest ratios that are wanted, with the beginnings of the names of the peers: of "1.25 torch, 1.0 JAX"."""
    goals = (goal.partition(" ") for goal in text.split(", "))
    return [(float(ratio), peers) for ratio, _, peers in goals]


def workloads():
    """Names with their goals."""
    rows = [line.split("\t") for line in (HERE / "workloads.tsv").read_text().splitlines() if not line.startswith("#")]
    return {name: goals_of(goals) for name, goals, _ in rows}


def is_met(mine, peers, goals):
    """True if our time is within every goal that has a peer."""
    wanted = [(ratio, [ms for peer, ms in peers.items() if peer.startswith(begin)]) for ratio, begin in goals]
    return all(mine <= ratio * min(of_peers) for ratio, of_peers in wanted if of_peers)


class Server:
    """A program that answers lines, one by one."""

    def __init__(self, command, environment, log):
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=log)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[0]} ended with status {self.process.wait()}")
        return line.rstrip("\n").split("\t")

    def ask(self, *fields):
        self.process.stdin.write("\t".join(map(str, fields)) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    """bench_peers, of which a peer is the only name."""

    def __init__(self, options, environment, log):
        self.server = Server([options.program, str(options.size), str(options.density / 100), options.dtype],
                             environment, log)
        self.total = None

    def time(self, name, seconds):
        """Milliseconds, and those of the first call; raises ValueError with the program's reason."""
        answer = self.server.ask(name, seconds)
        if answer[1].startswith("error"):
            raise ValueError(answer[1])
        self.total = float(answer[3])
        return float(answer[1]), float(answer[2])


class Others:
    """peers.py, which is started again where a library ends its process."""

    def __init__(self, options, environment, log):
        command = [options.python, str(HERE / "peers.py"), str(options.size), str(options.density / 100),
                   options.dtype, str(options.threads)]
        self.start = lambda: Server(command, environment, log)
        self.totals = {}
        self.server = self.start()
        print("peers:", ", ".join(self.read_names()) or "none")

    def read_names(self):
        while (line := self.server.read())[0] == "absent":
            print(f"absent: {line[1]}")
        return line[1:]

    def names(self, name):
        answer = self.server.ask(name)
        if answer[0].startswith("error"):
            raise ValueError(answer[0])
        return [peer for peer in answer if peer]

    def time(self, name, peer, seconds):
        try:
            answer = self.server.ask(name, peer, seconds)
        except RuntimeError as error:
            self.server = self.start()
            self.read_names()
            self.server.ask(name)
            raise ValueError(f"its process failed: {error}") from error
        if answer[0].startswith("error"):
            raise ValueError(answer[0])
        self.totals[name, peer] = float(answer[1])
        return float(answer[0])


def race(name, options, ours, others):
    """Shortest times of all, in turn, forwards and backwards: ours, and the peers by name; notes on who is out."""
    notes, best = [], {}
    try:
        contenders = ["frisket", *others.names(name)]
    except ValueError as error:
        notes.append(f"no peers: {error}")
        contenders = ["frisket"]
    share = options.seconds / (2 * options.rounds)
    for number in range(2 * options.rounds):
        for contender in contenders if number % 2 == 0 else contenders[::-1]:
            if contender in best and best[contender] is None:
                continue
            try:
                ms = ours.time(name, share)[0] if contender == "frisket" else others.time(name, contender, share)
                best[contender] = min(ms, best.get(contender, ms))
            except ValueError as error:
                best[contender] = None
                notes.append(f"{contender}: {error}")
            time.sleep(SPIN_S)
    for contender in [contender for contender, ms in best.items() if ms and contender != "frisket"]:
        total = others.totals[name, contender]
        is_same = not ours.total or abs(total - ours.total) <= SAME * abs(ours.total)
        if not is_same and UNMASKED not in contender:
            best[contender] = None
            notes.append(f"{contender}: computes something else, a total of {total:.6g}, ours is {ours.total:.6g}")
    return best, notes


def first_calls(name, options, environment, log):
    """Milliseconds of the first call of a process: with an empty folder of loops, and with what that one kept."""
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for _ in range(2):
            ours = Ours(options, {**environment, "FRISKET_CACHE_DIR": folder}, log)
            try:
                times.append(ours.time(name, 0)[1])
            finally:
                ours.server.close()
        return times


def parse():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("only", nargs="*", help="parts of the names of workloads; all without")
    options.add_argument("--program", default="build-release/bin/bench_peers")
    options.add_argument("--python", default=sys.executable, help="interpreter that has the other libraries")
    options.add_argument("--size", type=int, default=LARGE, help="extents of square matrices (1000: in cache)")
    options.add_argument("--density", type=float, default=50, help="percent of elements that masks specify")
    options.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    options.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--avx2", action="store_true", help="limit all to AVX2")
    options.add_argument("--seconds", type=float, default=2, help="of calls, for each contender of a workload")
    options.add_argument("--rounds", type=int, default=2, help="turns in each order")
    options.add_argument("--no-first", action="store_true", help="leave the first calls out")
    options.add_argument("--first-only", action="store_true", help="first calls alone, without peers")
    options.add_argument("--tsv", help="a file to which rows are added")
    options.add_argument("--log", default=os.devnull, help="a file for what the programs print to stderr")
    return options.parse_args()


def row_of(name, goals, options, ours, others, environment, log):
    """A row of the table and the notes on it."""
    is_usual = (options.size, options.density, options.dtype, options.avx2) == (LARGE, 50, "float32", False)
    slack = 1 if is_usual and not any(extents in name for extents in ODD) else SLACK
    goals = [(goal * slack, peers) for goal, peers in goals]
    best, notes = race(name, options, ours, others) if others else ({}, [])
    row = {"workload": name, "goal": ", ".join(f"{goal:.2f} {peers}".strip() for goal, peers in goals)}
    peers = {peer: ms for peer, ms in best.items() if peer != "frisket" and ms is not None}
    mine = best.get("frisket")
    if mine is not None:
        row["ours ms"] = f"{mine:.4g}"
    if peers:
        fastest = min(peers, key=peers.get)
        row["best peer"], row["its ms"] = fastest, f"{peers[fastest]:.4g}"
        row["others"] = ", ".join(f"{peer} {ms:.4g}" for peer, ms in peers.items() if peer != fastest)
        if mine is not None:
            row["ratio"] = f"{mine / peers[fastest]:.2f}"
            row["met"] = "yes" if is_met(mine, peers, goals) else "no"
    if not options.no_first:
        try:
            row["first ms"], row["from disk ms"] = (f"{ms:.4g}" for ms in first_calls(name, options, environment, log))
        except (ValueError, RuntimeError) as error:
            notes.append(f"first call: {error}")
    return row, notes


def main():
    options = parse()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
    environment |= {"FRISKET_NUM_THREADS": str(options.threads), "OMP_NUM_THREADS": str(options.threads)}
    of_ours, of_others = dict(environment), dict(environment)
    if options.avx2:
        of_ours["FRISKET_TARGET"] = AVX2_TARGET
        of_others |= AVX2
    columns = ["workload", "ours ms", "best peer", "its ms", "ratio", "goal", "met", "first ms", "from disk ms", "others"]
    widths = [32, 8, 16, 8, 6, 21, 4, 8, 12, 0]
    print(f"size {options.size}, density {options.density:g} %, {options.dtype}, {options.threads} threads"
          f"{', AVX2' if options.avx2 else ''}")
    met = count = 0
    with open(options.log, "a") as log:
        others = None if options.first_only else Others(options, of_others, log)
        ours = None if options.first_only else Ours(options, of_ours, log)
        print(*(column.ljust(width) for column, width in zip(columns, widths)), sep=" ", flush=True)
        for name, goals in workloads().items():
            if options.only and not any(part in name for part in options.only):
                continue
            row, notes = row_of(name, goals, options, ours, others, of_ours, log)
            print(*(row.get(column, "-").ljust(width) for column, width in zip(columns, widths)), sep=" ")
            for note in notes:
                print(f"    {note}")
            sys.stdout.flush()
            count += "met" in row
            met += row.get("met") == "yes"
            if options.tsv:
                with open(options.tsv, "a") as table:
                    print(options.size, options.density, options.dtype, "avx2" if options.avx2 else "native",
                          *(row.get(column, "") for column in columns), sep="\t", file=table)
    print(f"{met} of {count} workloads are at their goal")


main()
