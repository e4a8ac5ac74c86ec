"""Documents of one's own in files of other programs: the same documents, whatever the file."""

import csv
import json

import numpy as np
import pytest
from made_up import topicwall, write_model

# What a table's fields may hold that ends a field, a row or a file where it should not.
HOSTILE = ['"', '""', ',', '\n', '\r\n', '\r', ' ', ';', '\t', "'", '\\', '\ufeff', '\0',
           '""",\n"', '",']


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "a.model")


@pytest.fixture(scope="module")
def words(model, tmp_path_factory):
    topics = topicwall("topics", model, "--top", 40)["topics"]
    return sorted({word["term"] for topic in topics for word in topic["words"]})


def hostile_texts(words, rng, number):
    pieces = [*words, *HOSTILE, *HOSTILE]
    return ["".join(rng.choice(pieces, rng.integers(0, 12))) for _ in range(number)]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("columns", [["text"], ["id", "text", "a,b\r\n\"c\""]])
def test_what_pythons_csv_writes_is_read_as_the_same_documents(
        model, words, tmp_path, quoting, encoding, columns):
    rng = np.random.default_rng(len(columns) + quoting)
    texts = hostile_texts(words, rng, 300)
    with open(tmp_path / "a.csv", "w", newline="", encoding=encoding) as file:
        rows = csv.writer(file, quoting=quoting)
        rows.writerow(columns)
        for text in texts:
            others = hostile_texts(words, rng, len(columns))
            rows.writerow([text if column == "text" else other
                           for column, other in zip(columns, others)])
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in texts))
    told = [topicwall("transform", model, "--documents", tmp_path / f"a.{name}", "--format", name)
            for name in ("csv", "jsonl")]
    assert len(told[0]["documents"]) == 300
    assert told[0] == told[1]
    assert sum(document["known_words"] for document in told[0]["documents"]) > 100
