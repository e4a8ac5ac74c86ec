"""Buys a fit within half of what is left of a budget, judges it, and verifies what it cost.

    python3 buy_a_fit.py PROFILE CORPUS FOLDER
"""

from __future__ import annotations

import sys

import topicwall as tw


def show(now: tw.Progress) -> None:
    print(f"{now.stage}: {now.done} of {now.total}")


def main(profile: str, corpus: str, folder: str) -> None:
    wall = tw.connect(profile)
    documents = wall[corpus]
    quote = documents.quote(topics=3, spend="50%", held_out_share=0.1)
    try:
        model = documents.fit(quote, path=folder, progress=show, buy=True)
    except tw.BudgetRefused as refusal:
        raise SystemExit(f"{refusal.left} is left, {refusal.fits} releases fit") from refusal
    print(model.topics(n=5))
    score = documents.evaluate(model, spend="50%", buy=True)
    if isinstance(score, tw.Evaluation):  # of documents; of vectors it is a density
        print(f"perplexity {score.perplexity:.1f} +- {score.standard_error:.1f}")
    audit = wall.ledger(corpus).verify(model)
    print("the ledger holds" if audit.ok else audit.findings, audit.head)


if __name__ == "__main__":
    main(*sys.argv[1:4])
