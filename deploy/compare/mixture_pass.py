"""What the measurements of one pass of a mixture share: kernels, a program's figures, a command."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np


def figures_of(command):
    """What a program of one measurement prints."""
    output = subprocess.run(
        [str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return json.loads(output)


def kernels(programs):
    listed = subprocess.run(
        [programs / "e_step_docs_per_second", "--list-kernels"],
        check=True, stdout=subprocess.PIPE, text=True,
    )
    return listed.stdout.split()


def check_sums(listed, folder, ours, expected, peer):
    """All agree on the sums, or nothing is worth timing. `ours`: runs a kernel, with options."""
    for kernel in listed:
        path = folder / f"{kernel}.statistics.f32"
        ours(kernel, "--statistics-out", path)
        sums = np.fromfile(path, dtype="<f4").reshape(expected.shape)
        distance = np.abs(sums - expected).sum() / np.abs(expected).sum()
        if not distance < 1e-3:
            raise ValueError(f"{kernel} is off by {distance:.1e} of {peer}'s sums")


def in_turns(what, rounds, passes):
    """{name: seconds of each round}. `passes`: what measures one pass, by name."""
    runs = {name: [] for name in passes}
    for number in range(1, rounds + 1):
        print(f"   {what}: round {number} of {rounds}", file=sys.stderr, flush=True)
        for name, seconds in passes.items():
            runs[name].append(seconds())
    return runs


def times_as_fast(runs, name, peer):
    """The median over the rounds."""
    return statistics.median(theirs / own for theirs, own in zip(runs[peer], runs[name]))


def run(description, options, measure, markdown):
    """The command: `options` are (name, arguments of add_argument) beside the common ones."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--documents", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--num-components", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    for name, settings in options:
        parser.add_argument(name, **settings)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        measured = measure(arguments)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"compare-engines: {error}") from error
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n")
    print(markdown(measured))
