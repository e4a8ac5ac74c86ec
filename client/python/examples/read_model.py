"""What a model says, how far to believe it, and what it makes of texts.

    python3 read_model.py MODEL REPORT < texts    # one document a line
"""

import sys

import numpy as np

import topicwall as tw


def main(folder: str, report: str) -> None:
    model = tw.load(folder)
    print(model.topics(n=5)[["topic", "word", "p", "probability"]].to_string(index=False))
    print(model.quality[["share", "share_margin", "comes_again"]].to_string())
    print(model.tree())
    texts = sys.stdin.read().splitlines()
    theta = model.transform(texts)
    for text, topic in zip(texts, np.argmax(theta, axis=1) + 1):
        print(f"{topic}: {text[:60]}")
    print(f"perplexity {model.perplexity(texts).document_completion:.1f}")
    print(model.coherence(texts).mean())
    model.report(report)


if __name__ == "__main__":
    main(*sys.argv[1:])
