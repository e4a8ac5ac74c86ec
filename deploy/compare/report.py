"""What measure.py measured, as Markdown tables."""

import math
import statistics

_NAMES = {"gensim": "gensim", "sklearn": "scikit-learn"}


def _table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _thousands(number):
    return f"{number:,.0f}"


def _times(row, peer):
    ratio = row["times"].get(peer)
    return "–" if ratio is None or row["engine"] in _NAMES else f"{ratio:.1f}×"


def _optional(row, key, form):
    return format(row[key], form) if key in row else "–"


def _median_seconds(row):
    return statistics.median(row["cpu_seconds"])


def _mean_and_deviation(values):
    """Of the rounds; the standard deviation says how much a random start moves one of them."""
    mean = f"{statistics.mean(values):.1f}"
    return f"{mean} ± {statistics.stdev(values):.1f}" if len(values) > 1 else mean


def _e_step_table(e_step, about):
    rows = [
        [
            _NAMES.get(row["engine"], row["engine"]),
            _thousands(row["best"]),
            _thousands(row["median"]),
            _times(row, "gensim"),
            _times(row, "sklearn"),
            _optional(row, "completion", ".1f"),
            _optional(row, "distance", ".1e"),
            _thousands(row["peak_megabytes"]),
        ]
        for row in e_step["rows"]
    ]
    header = ["engine", "docs/s, best", "median", "to gensim", "to scikit-learn"]
    header += ["perplexity", "distance", "peak MB"]
    return (
        f"E-step, {about['origin']} ({about['tokens']:.1f} tokens, "
        f"{about['distinct_terms']:.1f} distinct words each), K = {e_step['num_topics']}, "
        f"{_thousands(e_step['documents'])} documents a run; unigram's perplexity "
        f"{e_step['unigram']:.1f}:\n\n" + _table(header, rows)
    )


def _epoch_table(epoch, about):
    rows = [
        [
            _NAMES.get(row["engine"], row["engine"]),
            f"{min(row['cpu_seconds']):.2f}",
            f"{_median_seconds(row):.2f}",
            _times(row, "gensim"),
            _times(row, "sklearn"),
            _mean_and_deviation(row["bound"]),
            _mean_and_deviation(row["completion"]),
            _thousands(row["peak_megabytes"]),
        ]
        for row in epoch["rows"]
    ]
    header = ["engine", "CPU s, best", "median", "to gensim", "to scikit-learn"]
    header += ["bound", "completion", "peak MB"]
    return (
        f"One epoch of online variational Bayes, {about['origin']}, K = {epoch['num_topics']}, "
        f"{_thousands(epoch['documents'])} documents, batches of {epoch['batch_size']}:\n\n"
        + _table(header, rows)
    )


def _ours(rows, summed=True):
    """Our rows, the fastest kernel first."""
    return [
        row
        for row in rows
        if row["engine"] not in _NAMES and row["engine"].endswith("sum left out") != summed
    ]


def _summary(measured):
    """Medians only: a line for each corpus and number of topics, a column for each engine."""
    kernels = [row["engine"] for row in _ours(measured["e_step"][0]["rows"])]
    header = ["documents a second", "K", *_NAMES.values(), *kernels]
    header += ["to gensim", "to scikit-learn"]
    rows = []
    for e_step in measured["e_step"]:
        about = measured["corpora"][e_step["corpus"]]
        medians = {row["engine"]: _thousands(row["median"]) for row in e_step["rows"]}
        fastest = _ours(e_step["rows"])[0]
        rows.append(
            [f"{about['distinct_terms']:.0f} distinct words", str(e_step["num_topics"])]
            + [medians.get(name, "–") for name in [*_NAMES, *kernels]]
            + [_times(fastest, peer) for peer in _NAMES]
        )
    for epoch in measured["epoch"]:
        medians = {row["engine"]: f"{_median_seconds(row):.2f} s" for row in epoch["rows"]}
        fastest = _ours(epoch["rows"])[0]
        rows.append(
            [f"an epoch of {_thousands(epoch['documents'])}", str(epoch["num_topics"])]
            + [medians.get(name, "–") for name in [*_NAMES, *kernels]]
            + [_times(fastest, peer) for peer in _NAMES]
        )
    return _table(header, rows)


def _growth(measured):
    """The exponent p of cost ~ K^p between the fewest and the most topics, for our first kernel."""
    first = measured["e_step"][0]["corpus"]
    speeds = {}
    for e_step in measured["e_step"]:
        if e_step["corpus"] == first:
            ours = _ours(e_step["rows"])[0]
            speeds[e_step["num_topics"]] = (ours["engine"], ours["median"])
    few, many = min(speeds), max(speeds)
    if few == many:
        return ""
    exponent = math.log(speeds[few][1] / speeds[many][1]) / math.log(many / few)
    return f"Cost of {speeds[few][0]} grows like K^{exponent:.2f} from K = {few} to {many}."


def markdown(measured):
    machine = measured["machine"]
    engines = machine["engines"]
    blas = sorted({path for about in engines.values() for path in about["blas"]})
    parts = [
        f"{machine['processor']}, one core, one thread. gensim {engines['gensim']['version']}, "
        f"scikit-learn {engines['sklearn']['version']}, NumPy {engines['gensim']['numpy']}; "
        f"BLAS: {', '.join(blas) or 'none found'}. {measured['rounds']} rounds, engines in turn; "
        "float32; mean change of gamma below 1e-3 or 100 iterations; processor time.",
        _summary(measured),
    ]
    parts += [
        _e_step_table(e_step, measured["corpora"][e_step["corpus"]])
        for e_step in measured["e_step"]
    ]
    parts.append(_growth(measured))
    parts += [
        _epoch_table(epoch, measured["corpora"][epoch["corpus"]]) for epoch in measured["epoch"]
    ]
    return "\n\n".join(part for part in parts if part)
