"""What the measurements of one pass of a mixture share: kernels, a program's figures, a command."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess


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
