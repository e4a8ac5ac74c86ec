"""The engines as measure.py sees them: `run(topics, output)` answers with one measured run,
{"cpu_seconds", "peak_kilobytes"}. `output`, where it is not None, is the beginning of the names
of the files of results (peer.py names them). `stop()` ends what runs.

Nothing here may import NumPy: a process that starts another passes its own peak memory on, so
that this one's, about 15 MB, is the least that is reported of a program.
"""

import json
import os
import pathlib
import subprocess
import sys

_HERE = pathlib.Path(__file__).resolve().parent


class EngineError(Exception):
    """A program failed; the message is what it said."""


def run_program(command):
    """(its standard output as JSON, its peak memory in KiB)."""
    process = subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode != 0:
        raise EngineError(f"{command[0]} failed ({process.returncode}): {errors.strip()}")
    return json.loads(output), usage.ru_maxrss


class Peer:
    """peer.py in a process that stays, with everything loaded, from one round to the next."""

    def __init__(self, engine, work, arguments):
        self.name = engine
        command = [sys.executable, _HERE / "peer.py", engine, work, *arguments]
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.about = self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise EngineError(f"{self.name} ended early (exit code {self._process.wait()})")
        return json.loads(line)

    def run(self, topics, output):
        wanted = {"topics": str(topics), "output": output and str(output)}
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def stop(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


class OurEStep:
    """e_step_docs_per_second: `passes` passes over the sample, so that it takes a while."""

    def __init__(self, programs, kernel, folder, passes, summed=True):
        self.name = f"topicwall {kernel}" + ("" if summed else ", sum left out")
        self._command = [programs / "e_step_docs_per_second", "--kernel", kernel]
        self._sample = ["--docword", folder / "sample.docword", "--repeat", passes]
        self._sample += ["--sum"] if summed else []
        self._folder = folder
        self._summed = summed

    def run(self, topics, output):
        command = self._command + ["--topics", topics.with_suffix(".log.f32")]
        answer, peak_kilobytes = run_program(command + self._sample)
        if output and self._summed:
            for docword, option, suffix in (
                ("check", "--statistics-out", ".statistics.f32"),
                ("observed", "--gamma-out", ".gamma.f32"),
            ):
                once = ["--docword", self._folder / f"{docword}.docword", "--repeat", 1]
                run_program(command + once + [option, output.with_suffix(suffix)])
        return {"cpu_seconds": answer["mean_cpu_seconds"], "peak_kilobytes": peak_kilobytes}

    def stop(self):
        pass


class OurEpoch:
    """online_epoch: one pass of online variational Bayes, started from documents by itself."""

    def __init__(self, programs, kernel, arguments):
        self.name = f"topicwall {kernel}"
        self._command = [programs / "online_epoch", "--kernel", kernel, "--passes", 1, *arguments]
        self._rounds = 0

    def run(self, _, output):
        self._rounds += 1
        answer, peak_kilobytes = run_program(
            self._command
            + ["--seed", self._rounds, "--topics-out", output.with_suffix(".lambda.f32")]
        )
        return {
            "cpu_seconds": answer["init_cpu_seconds"] + answer["cpu_seconds"],
            "peak_kilobytes": peak_kilobytes,
        }

    def stop(self):
        pass
