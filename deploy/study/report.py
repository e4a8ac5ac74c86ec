"""What the runs of the study say, as Markdown, CSV and SVG."""

import csv
import math
import statistics

import plot
import settings

_METHODS = {
    "paper": "Algorithm 1 of the paper",
    "tuned": "Algorithm 1, best-tuned form",
    "ours": "ours",
    "vouchers": "ours, by vouchers",
}

_CAVEATS = ("How to read this, what the methods are, which ε is meant and what is simulated: "
            "`deploy/study/RESULTS.md`, under \"How to read the pages\".")

_WHOLE_BATCH = """\
The paper's pseudocode projects the *sum of the batch* to the norm C = aN and adds noise σC to it. A batch
of {batch:.0f} documents holds some {words:.0f} words; {kept:.2g} % of them are left, so that the noise
of {sigma} × 50 words in each entry is all there is: completion perplexity **{perplexity:.0f}**, where the
unigram has {unigram:.0f}. Nor would it be private at the ε that is claimed for it: the projection's
sensitivity is not C but C·max(1, √(2 − 2a/√(1 + a²))), which is **1.342 C** at a = 0.1. (Take a batch of
aN times the word "cat" in topic 1 and add a document of N times "dog" in topic 2: the projected sum
turns away from "cat" by nearly a right angle.) Clipping each document gives C, and keeps its words."""


def _table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _csv(path, header, rows):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"{x:.6g}" if isinstance(x, float) else x for x in row] for row in rows)


def _epsilon(value):
    return f"{value:.3g}" if math.isfinite(value) else "none"


def _range(values, form):
    """The mean, and from where to where if there are several."""
    values = list(values)
    text = format(statistics.mean(values), form)
    if len(values) == 1:
        return text
    return f"{text} ({format(min(values), form)} – {format(max(values), form)})"


class Results:
    """The rows of a study by what they stand for."""

    def __init__(self, study, size, accountant, sigma_of):
        self.about = study.about
        self.size = size
        self.rows = study.rows
        self._accountant = accountant
        self._sigma_of = sigma_of
        self.documents = study.about["documents"]
        self.trainer = min((self.rows[r] for r in settings.yardsticks(size)),
                           key=lambda row: row["perplexity"])
        self.yardstick = min(self.trainer, self.rows[settings.online(3)],
                             key=lambda row: row["perplexity"])

    def gap(self, row, key="perplexity"):
        unigram = self.about["unigram" if key == "perplexity" else "unigram_by_document"]
        return 100 * math.log(unigram / row[key]) / math.log(unigram / self.yardstick[key])

    def grid(self):
        """(sigma, fraction, prices, row) of each setting of the figure."""
        for fraction in self.size.fractions:
            for sigma in self.size.sigmas:
                yield (sigma, fraction, self._prices(sigma, fraction),
                       self.rows[settings.paper(self.documents, fraction, sigma)])

    def _prices(self, sigma, fraction):
        ask = self._accountant.epsilon
        common = (sigma, 1 / fraction, fraction, settings.DELTA)
        return {"paper": ask("moments", *common, more=("--paper-cap",)),
                "moments": ask("moments", *common),
                "strong": ask("strong", *common),
                "exact": ask("pld", *common)}

    def headline(self, real):
        """(method, ε, J, rows, is real), in the order of the table."""
        seeds = range(1, self.size.seeds + 1)
        for epsilon in self.size.epsilons:
            sigma = self._sigma_of("pld", epsilon)
            wanted = [(method, 20, [settings.paper(self.documents, 20, sigma, s, more)
                                    for s in seeds])
                      for method, more in (("paper", ""), ("tuned", settings.TUNED))]
            wanted += [("ours", iterations, [settings.ours(epsilon, iterations, s) for s in seeds])
                       for iterations in self.size.iterations]
            first = self.size.iterations[0]
            wanted.append(("vouchers", first,
                           [settings.ours_by_vouchers(epsilon, first, s) for s in seeds]))
            for method, iterations, recipes in wanted:
                rows = [self.rows[recipe] for recipe in recipes if recipe in self.rows]
                if rows:
                    yield method, epsilon, iterations, rows, False
            for fit in real:
                if fit["epsilon"] == epsilon:
                    yield fit["method"], epsilon, fit["iterations"], [fit["row"]], True

    def exact(self, method, sigma, iterations, delta):
        """Exact ε of a fit whose releases have the multiplier sigma."""
        if method in ("ours", "vouchers"):
            return self._accountant.epsilon("pld", sigma, 1.0, settings.releases(iterations), delta)
        return self._accountant.epsilon("pld", sigma, 0.05, iterations, delta)

    def strong(self):
        """Algorithm 1 with the noise that strong composition asks for at the paper's ε."""
        sigma = self._sigma_of("strong", settings.PAPER_EPSILON)
        return self.rows[settings.paper(self.documents, 20, sigma)]


def _figure(results, folder):
    rows = []
    points = {}
    for sigma, fraction, prices, row in results.grid():
        for kind in ("paper", "strong", "exact"):
            points.setdefault((kind, fraction), []).append((prices[kind], row))
        rows.append([sigma, results.documents / fraction, 1 / fraction, fraction, prices["paper"],
                     prices["moments"], prices["strong"], prices["exact"], row["bound"],
                     row["perplexity"], row["by_document"]])
    kinds = {"exact": ("exact", "solid"), "paper": ("moments (paper)", "hollow"),
             "strong": ("strong composition", "dashed")}
    for measure, name in (("bound", "bound"), ("perplexity", "document completion")):
        series = [(f"{kinds[kind][0]}, S = D/{fraction}", results.size.fractions.index(fraction),
                   kinds[kind][1], [(epsilon, row[measure]) for epsilon, row in line])
                  for (kind, fraction), line in sorted(points.items(), key=lambda i: i[0][0])]
        levels = [("without noise", results.rows[settings.without_noise(results.documents)][measure])]
        if measure == "perplexity":
            levels += [("unigram", results.about["unigram"]),
                       ("yardstick", results.yardstick[measure])]
        (folder / f"figure-{measure}.svg").write_text(
            plot.svg(f"Algorithm 1: privacy and perplexity ({name})", "ε at δ = 1e-4",
                     "perplexity of held-out documents", series, levels))
    header = ["sigma", "batch", "sampling_rate", "iterations", "epsilon_moments_paper",
              "epsilon_moments", "epsilon_strong", "epsilon_exact", "bound", "completion",
              "completion_by_document"]
    _csv(folder / "figure.csv", header, rows)
    shown = [[f"{r[0]:g}", f"{r[1]:.0f}", *map(_epsilon, r[4:8]), *(f"{x:.0f}" for x in r[8:])]
             for r in rows]
    return _table(["σ", "S", "ε, moments as in the paper", "moments", "strong", "exact", "bound",
                   "completion", "by document"], shown)


def _words(results):
    """The paper's table: its own ε = 2.44, exactly 0.932, and ours at that."""
    epsilon = min(results.size.epsilons, key=lambda e: abs(e - 0.932))
    columns = [("non-private", results.rows[settings.YARDSTICK]),
               ("moments accountant", results.rows[settings.paper(results.documents, 20,
                                                                  settings.PAPER_SIGMA)]),
               ("strong composition", results.strong()),
               (f"ours, ε = {epsilon:g}, J = {results.size.iterations[0]}",
                results.rows[settings.ours(epsilon, results.size.iterations[0])])]
    rows = []
    for topic in range(3):
        rows.append([f"*topic {row['topics'][topic]['topic']}*" for _, row in columns])
        rows += [[f"{word['term']} {word['probability']:.4f}" for word in words]
                 for words in zip(*(row["topics"][topic]["words"] for _, row in columns))]
    return _table([name for name, _ in columns], rows)


def _headline(results, real, folder):
    shown, rows = [], []
    points = {}
    for method, epsilon, iterations, fits, is_real in results.headline(real):
        sigma = fits[0]["noise_multiplier"]
        exact = at_size = float("nan")
        if not is_real:
            exact = results.exact(method, sigma, iterations, settings.DELTA)
            at_size = results.exact(method, sigma, iterations, 1 / results.documents)
            points.setdefault((method, iterations), []).append(
                (epsilon, statistics.mean(f["perplexity"] for f in fits)))
        shown.append([f"{epsilon:g}", _METHODS[method], str(iterations), "real" if is_real else str(len(fits)),
                      "" if is_real else f"{exact:.3f}", "" if is_real else f"{at_size:.3f}",
                      _range((f["perplexity"] for f in fits), ".0f"),
                      _range((f["by_document"] for f in fits), ".0f"),
                      _range(map(results.gap, fits), ".1f") + " %",
                      _range((results.gap(f, "by_document") for f in fits), ".1f") + " %"])
        rows += [[epsilon, method, iterations, int(is_real), sigma, exact, at_size, f["perplexity"],
                  f["by_document"], f["bound"], results.gap(f), results.gap(f, "by_document"),
                  f["clip_norm"], f["kept_words"], f["cpu_seconds"]] for f in fits]
    _csv(folder / "headline.csv",
         ["epsilon", "method", "iterations", "real", "noise_multiplier", "epsilon_exact",
          "epsilon_exact_at_1_over_D", "completion", "completion_by_document", "bound",
          "gap_closed", "gap_closed_by_document", "clip_norm", "kept_words", "cpu_seconds"], rows)
    lines = [(f"{_METHODS[method]}, J = {iterations}", number, "solid", line)
             for number, ((method, iterations), line) in enumerate(points.items())]
    (folder / "headline.svg").write_text(
        plot.svg("Privacy and perplexity (document completion)", "ε at δ = 1e-4",
                 "perplexity of held-out documents", lines,
                 [("unigram", results.about["unigram"]),
                  ("yardstick", results.yardstick["perplexity"])]))
    return _table(["ε", "method", "J", "runs", "exact ε", "exact ε at δ = 1/D", "completion",
                   "by document", "gap closed", "gap closed, by document"], shown)


def _whole_batch(results):
    row = results.rows[settings.paper(results.documents, 20, settings.PAPER_SIGMA,
                                      more="whole_batch=1")]
    batch = results.documents / 20
    return _WHOLE_BATCH.format(batch=batch, sigma=settings.PAPER_SIGMA,
                               words=batch * results.about["words"] / results.documents,
                               kept=100 * row["kept_words"], perplexity=row["perplexity"],
                               unigram=results.about["unigram"])


def _without_privacy(results):
    rows = [["unigram of the training documents", f"{results.about['unigram']:.1f}",
             f"{results.about['unigram_by_document']:.1f}", "", "0.0 %"]]
    published = results.rows[settings.without_noise(results.documents)]
    for name, row, bound in (
        # The bound is the paper's. Priors as small as ours make one of e^(1/λ) for a word that no
        # topic has.
        ("Algorithm 1 without noise and clip, one epoch", published, f"{published['bound']:.1f}"),
        ("our trainer without noise and clip", results.trainer, ""),
        ("`topicwall fit --no-privacy`, 3 passes", results.rows[settings.online(3)], ""),
    ):
        rows.append([name, f"{row['perplexity']:.1f}", f"{row['by_document']:.1f}", bound,
                     f"{results.gap(row):.1f} %"])
    return _table(["without privacy", "completion", "by document", "bound", "gap closed"], rows)


def write(folder, corpus, study, size, accountant, sigma_of, real):
    """RESULTS.md, figure.csv, headline.csv and three plots in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(study, size, accountant, sigma_of)
    about = study.about
    parts = [
        f"# Private topic modeling reproduced: {corpus}",
        f"{about['documents']:,} documents of {about['words'] / about['documents']:.1f} words over "
        f"{about['terms']:,} terms, {about['held_out_documents']:,} others held out; "
        f"K = {settings.NUM_TOPICS}; {size.seeds} seed(s). Made by `deploy/reproduce-paper`.",
        "## The headline", _headline(results, real, folder), "![perplexity by method](headline.svg)",
        _without_privacy(results), _CAVEATS,
        "## The paper's figure", "Algorithm 1, one epoch each; the same runs under four "
        "accountants. *Moments as in the paper* stops at order σ² ln(1/(νσ)); \"none\" where that "
        "leaves no order.", _figure(results, folder),
        "![bound](figure-bound.svg)\n![completion](figure-perplexity.svg)",
        "## The paper's table", "Ten most probable words of the topics that are most like three of "
        "the non-private model, those at a quarter, half and three quarters of its order by size. "
        f"Moments: σ = {settings.PAPER_SIGMA}, for which the paper says ε = 2.44 and 0.932 is exact. "
        "Strong composition: the noise that it needs for ε = 2.44.", _words(results),
        "## The clip of the whole batch", _whole_batch(results),
    ]
    (folder / "RESULTS.md").write_text("\n\n".join(parts) + "\n")
    print(folder / "RESULTS.md")
