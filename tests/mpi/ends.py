# SPDX-License-Identifier: MIT
"""Kills and stops ranks: every process must end within 10 s after the time-out, and one line must name the rank.

Usage: ends.py FAULT PROGRAM MPIRUN...   FAULT: kill, stop, compute, save, return or call
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

fault, program, mpirun = sys.argv[1], sys.argv[2], sys.argv[3:]
ranks = 4


class Job:
    """A run of the program, whose output is read as it comes."""

    def __init__(self, time_out, folder="-", pause=0, *fault_of_rank):
        self.process = subprocess.Popen([*mpirun, str(ranks), program, str(time_out), folder, str(pause), *fault_of_rank],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def text(self):
        return "\n".join(self.lines)

    def pids(self):
        return dict((int(rank), int(pid)) for rank, pid in re.findall(r"rank (\d+) is process (\d+)", self.text()))

    def wait_for_step(self, step, seconds=120):
        end = time.monotonic() + seconds
        while f"step {step}" not in self.lines:
            if time.monotonic() > end or self.process.poll() is not None:
                fail(f"no step {step} within {seconds} s", self)
            time.sleep(0.02)


def fail(fault_text, job):
    print(f"{fault_text}; the program said:\n{job.text()[-3000:]}")
    for pid in job.pids().values():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.process.kill()
    sys.exit(1)


def is_running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def check_end(job, begin, most, rank):
    """All processes end within `most` seconds of `begin`, and a line names the rank."""
    while job.process.poll() is None or any(is_running(pid) for pid in job.pids().values()):
        if time.monotonic() - begin > most:
            fail(f"not all processes have ended after {most} s", job)
        time.sleep(0.02)
    job.reader.join(10)
    print(f"rank {rank}: all processes had ended after {time.monotonic() - begin:.1f} s")
    named = [line for line in job.lines if re.search(rf"\brank {rank}\b", line) and "is process" not in line]
    if job.process.returncode == 0 or not named:
        fail(f"the end names no rank {rank}, or was a success", job)
    print(f"  {named[0]}")


def end_a_rank(number, time_out):
    for rank in (0, 2):
        job = Job(time_out)
        job.wait_for_step(3)
        begin = time.monotonic()
        os.kill(job.pids()[rank], number)
        check_end(job, begin, time_out / 1000 + 10, rank)


def differ(faults):
    """A rank that returns from main, or makes a different call, ends all, and is named with the call."""
    time_out = 2000
    for one in faults:
        for rank in (0, 2):
            with tempfile.TemporaryDirectory() as folder:
                job = Job(time_out, folder, 0, one, str(rank))
                job.wait_for_step(3)
                check_end(job, time.monotonic(), time_out / 1000 + 10, rank)
                if not any(re.search(r"call \d+, step", line) for line in job.lines):
                    fail("no line names the call", job)


def compute():
    """A rank that computes for long is not taken for dead: with a time-out of 1 s, 6 s."""
    job = Job(1000, "-", 6000)
    job.wait_for_step(1)
    print("a rank that called nothing for 6 s lives, with a time-out of 1 s")
    job.process.terminate()
    job.process.wait()


def save():
    """Whatever moment of a save a rank is killed in, the folder holds a checkpoint that can be read."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(6):
            job = Job(2000, folder)
            job.wait_for_step(2)
            time.sleep(moments.random() * 0.2)
            os.kill(job.pids()[moments.randrange(ranks)], signal.SIGKILL)
            check_end(job, time.monotonic(), 12, r"\d")
            found = subprocess.run([str(pathlib.Path(program).with_name("read_checkpoint")), folder],
                                   capture_output=True, text=True, check=False)
            print(f"  {(found.stdout + found.stderr).strip()}")
            if found.returncode != 0:
                fail("the checkpoint cannot be read", job)


{"kill": lambda: end_a_rank(signal.SIGKILL, 2000), "stop": lambda: end_a_rank(signal.SIGSTOP, 2000),
 "compute": compute, "save": save, "return": lambda: differ(["return"]), "call": lambda: differ(["lookup", "save"])}[fault]()
