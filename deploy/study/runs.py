"""Runs topicwall-study and topicwall-accountant, and keeps what has been run already."""

import hashlib
import json
import pathlib
import subprocess


class Accountant:
    """topicwall-accountant of a build."""

    def __init__(self, programs):
        self._program = str(pathlib.Path(programs).resolve() / "topicwall-accountant")

    def _ask(self, command, accountant, settings, more):
        words = [self._program, command, "--accountant", accountant, "--json", *more]
        for name, value in settings.items():
            words += [f"--{name}", repr(value)]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def epsilon(self, accountant, sigma, rate, steps, delta, more=()):
        """The smallest epsilon that the accountant proves; infinity if it proves none."""
        settings = {"noise-multiplier": sigma, "sampling-rate": rate, "steps": steps,
                    "delta": delta}
        upper = self._ask("epsilon", accountant, settings, more)["epsilon_upper"]
        return float("inf") if upper is None else float(upper)

    def sigma(self, accountant, epsilon, rate, steps, delta):
        """The least noise multiplier at which the accountant proves epsilon."""
        settings = {"epsilon": epsilon, "sampling-rate": rate, "steps": steps, "delta": delta}
        return self._ask("calibrate", accountant, settings, ())["noise_multiplier"]


class Study:
    """topicwall-study on one corpus. What it prints is kept in `folder`; a recipe is run once by
    each build of the program, since another one may have other defaults."""

    def __init__(self, programs, corpus, folder, threads):
        program = pathlib.Path(programs).resolve() / "topicwall-study"
        build = hashlib.sha256(program.read_bytes()).hexdigest()[:8]
        self._command = [str(program), "--json",
                         "--documents", str(corpus["documents"]),
                         "--held-out", str(corpus["held_out"]),
                         "--vocabulary", str(corpus["vocabulary"]),
                         "--threads", str(threads)]
        self._log = pathlib.Path(folder) / f"runs-{build}.jsonl"
        self.about = None
        self.rows = {}
        if self._log.exists():
            self._read(self._log.read_text().splitlines())

    def _read(self, lines):
        for line in lines:
            if not line.endswith("}"):
                continue  # cut off when it was interrupted
            row = json.loads(line)
            if "recipe" in row:
                self.rows[row["recipe"]] = row
            else:
                self.about = row

    def run(self, reference, recipes, tell):
        """All recipes that have not been run; `reference` before them, for its topics."""
        missing = [recipe for recipe in recipes if recipe not in self.rows]
        if self.about is not None and not missing:
            return
        wanted = [reference] + [recipe for recipe in missing if recipe != reference]
        with subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process, self._log.open("a") as log:
            try:
                process.stdin.write("".join(f"{recipe}\n" for recipe in wanted))
                process.stdin.close()
            except BrokenPipeError:
                pass  # it has ended, and its exit code says how
            for line in process.stdout:
                self._read([line.rstrip("\n")])
                log.write(line)
                log.flush()
                tell(line)
        if process.returncode != 0:
            raise RuntimeError(f"topicwall-study ended with exit code {process.returncode}")
