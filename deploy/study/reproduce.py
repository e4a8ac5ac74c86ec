"""Runs the study and writes its results: see deploy/reproduce-paper --help."""

import argparse
import dataclasses
import pathlib
import subprocess
import sys

import corpus
import report
import runs
import settings

_HERE = pathlib.Path(__file__).resolve().parent


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, help="folder of the built programs")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--catalogue", type=pathlib.Path)
    parser.add_argument("--uci", nargs=2, metavar=("DOCWORD", "VOCAB"))
    parser.add_argument("--held-out")
    parser.add_argument("--simulated-only", action="store_true")
    return parser.parse_args()


def _tell(line):
    print(line[:100].rstrip(), file=sys.stderr, flush=True)


def _walls(size, is_catalogue, accountant):
    """The decisive fits: (name, what it stands for, options of fit-across-wall)."""
    epsilon, iterations = (2.44 if is_catalogue else 0.932), size.iterations[0]
    ours = {"method": "ours", "epsilon": epsilon, "iterations": iterations}
    paper = {"method": "paper", "epsilon": 0.932, "iterations": 20}
    fit = ["--", "--epsilon-alone", str(epsilon), "--iterations", str(iterations)]
    releases = settings.releases(iterations)
    sigma = accountant.sigma("pld", epsilon, 1.0, releases, settings.DELTA)
    return [
        ("ours", ours, ["--epsilon", str(epsilon), *fit]),
        ("vouchers", {**ours, "method": "vouchers"},
         ["--epsilon", str(epsilon), "--voucher", f"{sigma},1,{releases}", *fit]),
        # Its exact price is 0.932; what the wall's filter takes for it fits in the paper's 2.44.
        ("paper", paper,
         ["--epsilon", str(settings.PAPER_EPSILON), "--",
          "--algorithm", "paper", "--noise-multiplier", str(settings.PAPER_SIGMA),
          "--sampling-rate", "0.05", "--iterations", "20", "--clip-norm", "50"]),
    ]


def _fit_across_wall(name, options, files, documents, work):
    """Returns the recipe that scores the model."""
    folder = work / "walls" / name
    model = folder / "alice" / "fit.model"
    if not (model / "model.pb").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [str(_HERE / "fit-across-wall"), "--directory", str(folder),
                   "--documents", str(files["documents"]), "--format", files["format"],
                   "--vocabulary", str(files["vocabulary"]), "--size", str(documents),
                   "--delta", str(settings.DELTA), *options]
        log = folder / "fit.log"
        print(f"a fit across the wall: {name}; log: {log}", file=sys.stderr, flush=True)
        with log.open("a") as output:
            subprocess.run(command, check=True, stdout=output, stderr=subprocess.STDOUT)
    return settings.fitted(model)


def main():
    arguments = _arguments()
    size = settings.QUICK if arguments.quick else settings.FULL
    if arguments.seeds:
        size = dataclasses.replace(size, seeds=arguments.seeds)
    work = arguments.work
    if arguments.uci:
        files = corpus.given(*arguments.uci, arguments.held_out, work / "corpus")
    else:
        files = corpus.catalogue(arguments.catalogue, _HERE.parent / "debian-words.txt")
    accountant = runs.Accountant(arguments.programs)

    def sigma_of(name, epsilon):
        return accountant.sigma(name, epsilon, 0.05, 20, settings.DELTA)

    study = runs.Study(arguments.programs, files, work, arguments.threads)
    study.run(settings.YARDSTICK, [settings.YARDSTICK], _tell)
    documents = study.about["documents"]
    study.run(settings.YARDSTICK, settings.all_recipes(size, documents, sigma_of), _tell)
    real = []
    if not arguments.simulated_only:
        for name, what, options in _walls(size, not arguments.uci, accountant):
            recipe = _fit_across_wall(name, options, files, documents, work)
            study.run(settings.YARDSTICK, [recipe], _tell)
            real.append({**what, "row": study.rows[recipe]})
    report.write(arguments.output, files["name"], study, size, accountant, sigma_of, real)


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"reproduce-paper: {error}")
