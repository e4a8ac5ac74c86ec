"""Which runs the study is made of: recipes of topicwall-study (recipe.h) and what each stands for.

The paper's settings are at D = 400,000. On a corpus of another size its sampling rates are kept,
not its batch sizes: S = D/80, D/40, D/20.
"""

import dataclasses

DELTA = 1e-4
NUM_TOPICS = 50
PAPER_SIGMA = 1.24
PAPER_EPSILON = 2.44  # what the paper says of PAPER_SIGMA and S = D/20
SIGMAS = (1.0, 1.1, 1.24, 1.5, 2.0)
FRACTIONS = (80, 40, 20)  # D/S, which is also the number of iterations of one epoch
EPSILONS = (0.5, 0.932, 1.0, 2.44)
# Iterations of ours: what `topicwall fit` does by itself, and half as many.
ITERATIONS = (40, 20)

# The best model without privacy that was found, by the same trainer. It must be the first recipe:
# the words of all other models are shown for the topics most like its.
YARDSTICK = "no_noise=1 step_power=1e9 first_exponent=.5 anneal_until=.8"
TUNED = "tau0=1 kappa=.5 signed_average=1 unpaid_quantile=.25"


@dataclasses.dataclass(frozen=True)
class Size:
    """How much of the study to run."""

    sigmas: tuple
    fractions: tuple
    epsilons: tuple
    iterations: tuple
    seeds: int


QUICK = Size(sigmas=(1.0, 1.24, 2.0), fractions=(80, 20), epsilons=(0.932, 2.44),
             iterations=(40,), seeds=1)
FULL = Size(sigmas=SIGMAS, fractions=FRACTIONS, epsilons=EPSILONS, iterations=ITERATIONS, seeds=3)


def yardsticks(size):
    """The best of these is what a gap is measured to."""
    return [YARDSTICK] + [f"{YARDSTICK} seed={seed}" for seed in range(2, size.seeds + 1)]


def paper(documents, fraction, sigma, seed=1, more=""):
    """Algorithm 1 with its constants; `more` changes some."""
    text = f"algorithm=paper batch={documents / fraction:.10g} sigma={sigma:.10g} seed={seed}"
    return f"{text} {more}".strip()


def without_noise(documents):
    """Algorithm 1 without noise and clip: what the paper calls non-private."""
    return f"algorithm=paper batch={documents / 20:.10g} no_noise=1"


def online(passes):
    """`topicwall fit --no-privacy`: the trainer of ours; alpha learned at the end."""
    return f"algorithm=online passes={passes}"


def ours(epsilon, iterations, seed=1):
    """`topicwall fit` with its defaults, priced by the adaptive filter."""
    return f"epsilon={epsilon:g} delta={DELTA:g} iterations={iterations} seed={seed}"


def ours_by_vouchers(epsilon, iterations, seed=1):
    """The same from a budget of vouchers made for it, which are priced exactly."""
    return f"{ours(epsilon, iterations, seed)} inventory=1"


def releases(iterations):
    """Of ours: those of the topics and that of the unigram (client/fit/algorithms/denoised_fit.h)."""
    return iterations + 1


def fitted(folder):
    """A model that a fit across the real wall left."""
    return f"algorithm=file model={folder}"


def all_recipes(size, documents, sigma_of):
    """Every simulated run, cheap ones first. sigma_of: (accountant, epsilon) -> sigma, at D/20."""
    seeds = range(1, size.seeds + 1)
    recipes = [*yardsticks(size), without_noise(documents), online(3)]
    recipes += [paper(documents, f, s) for f in size.fractions for s in size.sigmas]
    recipes.append(paper(documents, 20, sigma_of("strong", PAPER_EPSILON)))
    recipes.append(paper(documents, 20, PAPER_SIGMA, more="whole_batch=1"))
    for seed in seeds:
        for epsilon in size.epsilons:
            sigma = sigma_of("pld", epsilon)
            recipes.append(paper(documents, 20, sigma, seed))
            recipes.append(paper(documents, 20, sigma, seed, TUNED))
    for iterations in size.iterations:
        for seed in seeds:
            recipes += [ours(epsilon, iterations, seed) for epsilon in size.epsilons]
    for seed in seeds:
        recipes += [ours_by_vouchers(epsilon, size.iterations[0], seed)
                    for epsilon in size.epsilons]
    return list(dict.fromkeys(recipes))
