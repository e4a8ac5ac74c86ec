"""Topics of texts that are at hand: count, fit, look, keep.

    python3 local_topics.py FOLDER < texts    # one document a line
"""

import sys

from sklearn.feature_extraction.text import CountVectorizer

import topicwall as tw


def main(folder: str) -> None:
    texts = sys.stdin.read().splitlines()
    # What Topicwall's tokenizer makes of a text: runs of ASCII letters, in lower case, and of whatever is beyond ASCII.
    vectorizer = CountVectorizer(token_pattern="[a-z\x80-\U0010ffff]+", max_features=5000)
    counts = vectorizer.fit_transform(texts)
    lda = tw.LocalLDA(n_components=min(20, len(texts)), max_iter=5, random_state=1).fit(counts)
    print(f"perplexity {lda.perplexity(counts):.1f}")
    model = lda.to_model(vectorizer.get_feature_names_out()).save(folder)
    print(model.topics(n=5).groupby("topic")["word"].agg(" ".join).to_string())
    print(f"{model!r} is in {model.path}")


if __name__ == "__main__":
    main(sys.argv[1])
