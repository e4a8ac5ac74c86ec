"""What an analyst's script may look like; mypy --strict reads it (test_types.py)."""

from __future__ import annotations

import topicwall as tw


def buy(profile: str, folder: str) -> float:
    """Fits within half of what is left, and returns what that took."""
    wall = tw.connect(profile)
    notes = wall["notes"]
    quote = notes.quote(topics=50, spend="50%", held_out_share=0.1)
    if not quote.fits:
        raise SystemExit(quote.verdict)

    def show(now: tw.Progress) -> None:
        print(f"{now.stage}: {now.done} of {now.total}")

    try:
        model = notes.fit(quote, path=folder, progress=show, buy=True)
    except tw.BudgetRefused as refusal:
        left: float = refusal.left
        fits: int = refusal.fits
        raise SystemExit(f"{left} is left, {fits} releases fit") from refusal
    score: tw.Evaluation = notes.evaluate(model, spend=0.02, buy=True)
    print(score.perplexity, notes.prevalence(model, by=["ward"], spend=0.02, buy=True))
    audit: tw.Audit = wall.ledger("notes").verify(model)
    print(audit.ok, audit.head, wall.corpora())
    return quote.taken
