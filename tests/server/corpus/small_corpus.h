// Small corpora for tests, and everything a corpus holds as plain values to compare.
#ifndef TOPICWALL_TESTS_SERVER_CORPUS_SMALL_CORPUS_H_
#define TOPICWALL_TESTS_SERVER_CORPUS_SMALL_CORPUS_H_

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "model/data/document.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "server/corpus/corpus_manifest.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/ingest/corpus_writer.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::corpus {

inline sealing::CustodianKey NewKey() { return *sealing::CustodianKey::Generate(); }

inline std::shared_ptr<const lda::Vocabulary> Words(std::vector<std::string> terms) {
  return std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::Create(std::move(terms)));
}

struct PlainDocument {
  std::string id;
  std::string owner;
  std::vector<lda::TermCount> counts;
  std::vector<uint16_t> attributes = {};  // as many as the params have
  std::vector<float> vector = {};         // of a corpus of vectors, without counts
};

// Document i over five terms; owners ann, bob, cyd in turn.
inline std::vector<PlainDocument> PlainDocuments(int n) {
  std::vector<PlainDocument> documents;
  for (int i = 0; i < n; ++i) {
    const uint32_t number = static_cast<uint32_t>(i);
    documents.push_back(
        {.id = absl::StrCat("doc-", i),
         .owner = std::vector<std::string>{"ann", "bob", "cyd"}[number % 3],
         .counts = {{.term = number % 3, .count = number + 1}, {.term = 4, .count = 1}}});
  }
  return documents;
}

inline CorpusParams ParamsOf(v1::PrivacyUnit privacy_unit) {
  return {{.privacy_unit = privacy_unit,
           .tokenizer = lda::kTokenizerName,
           .vocabulary = Words({"alpha", "beta", "gamma", "delta", "secretive"}),
           .duplicates = v1::DUPLICATE_RULE_REFUSE},
          /*max_units=*/int64_t{1} << 26};
}

// Of vectors of so many dimensions, x1, x2, …, within a bound of 2.
inline CorpusParams VectorParamsOf(v1::PrivacyUnit privacy_unit, int dimension) {
  std::vector<std::string> names;
  for (int i = 1; i <= dimension; ++i) names.push_back(absl::StrCat("x", i));
  CorpusParams params = ParamsOf(privacy_unit);
  params.tokenizer = lda::kVectorsTokenizerName;
  params.vocabulary =
      std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::CreateOpaque(std::move(names)));
  params.vectors = {.dimension = dimension, .norm_bound = 2};
  return params;
}

// Vector i is 1/(i + 1) in direction i mod d; owners ann, bob, cyd in turn.
inline std::vector<PlainDocument> PlainVectors(int n, int dimension) {
  std::vector<PlainDocument> documents = PlainDocuments(n);
  for (int i = 0; i < n; ++i) {
    PlainDocument& document = documents[static_cast<size_t>(i)];
    document.counts.clear();
    document.vector.assign(static_cast<size_t>(dimension), 0);
    document.vector[static_cast<size_t>(i % dimension)] = 1.0F / static_cast<float>(i + 1);
  }
  return documents;
}

// "north", "south" and other; January, February and other.
inline std::vector<model::Attribute> WardAndMonth() {
  return {{.name = "ward", .values = {"north", "south"}},
          {.name = "month", .values = {"2024-01-01", "2024-02-01", "2024-03-01"}, .is_date = true}};
}

inline absl::StatusOr<WrittenCorpus> WriteCorpus(const std::string& path,
                                                 const CorpusParams& params,
                                                 const std::vector<PlainDocument>& documents,
                                                 const sealing::CustodianKey& key) {
  absl::StatusOr<std::unique_ptr<CorpusWriter>> writer = CorpusWriter::Create(path, params, key);
  if (!writer.ok()) return writer.status();
  for (const PlainDocument& document : documents) {
    const absl::Status added = (*writer)->Add(document.id, document.owner, document.counts, 0,
                                              document.attributes, document.vector);
    if (!added.ok()) return added;
  }
  return (*writer)->Finish();
}

// Changes one byte of a block's sealed value.
inline void DamageBlock(const std::string& path, int number) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const std::string sql =
      absl::StrCat("UPDATE block SET sealed = CAST(substr(sealed, 1, length(sealed) - 1) || ",
                   "CASE WHEN substr(sealed, -1) = x'00' THEN x'01' ELSE x'00' END AS BLOB) ",
                   "WHERE number = ", number);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

// Gives `use` the block, the unit's and the document's number of every document.
template <typename Use>
absl::Status ForEachDocument(const CorpusStore& store, Use use) {
  UnitBlock block;
  CorpusStore::ReadSpace space;
  for (int number = 0; number < store.num_blocks(); ++number) {
    const absl::Status status = store.ReadBlock(number, &block, &space);
    if (!status.ok()) return status;
    for (int unit = 0; unit < block.size(); ++unit) {
      for (int i = 0; i < block.num_documents(unit); ++i) use(block, unit, i);
    }
  }
  return absl::OkStatus();
}

// Every unit with its documents.
using PlainUnits = std::map<random::UnitId, std::vector<std::vector<lda::TermCount>>>;

inline absl::StatusOr<PlainUnits> ReadUnits(const CorpusStore& store) {
  PlainUnits units;
  const absl::Status status =
      ForEachDocument(store, [&units](const UnitBlock& block, int unit, int i) {
        const lda::DocumentView document = block.document(unit, i);
        units[block.id(unit)].emplace_back(document.begin(), document.end());
      });
  if (!status.ok()) return status;
  return units;
}

// Every unit with its documents' values of the attributes.
using PlainValues = std::map<random::UnitId, std::vector<std::vector<uint16_t>>>;

inline absl::StatusOr<PlainValues> ReadValues(const CorpusStore& store) {
  PlainValues units;
  const absl::Status status =
      ForEachDocument(store, [&units](const UnitBlock& block, int unit, int i) {
        const absl::Span<const uint16_t> values = block.attributes(unit, i);
        units[block.id(unit)].emplace_back(values.begin(), values.end());
      });
  if (!status.ok()) return status;
  return units;
}

// Every unit with its vectors.
using PlainVectorUnits = std::map<random::UnitId, std::vector<std::vector<float>>>;

inline absl::StatusOr<PlainVectorUnits> ReadVectors(const CorpusStore& store) {
  PlainVectorUnits units;
  const absl::Status status =
      ForEachDocument(store, [&units](const UnitBlock& block, int unit, int i) {
        const absl::Span<const float> vector = block.vector(unit, i);
        units[block.id(unit)].emplace_back(vector.begin(), vector.end());
      });
  if (!status.ok()) return status;
  return units;
}

inline absl::StatusOr<PlainUnits> ReadUnits(const std::string& path,
                                            const sealing::CustodianKey& key) {
  const absl::StatusOr<std::unique_ptr<CorpusStore>> store = CorpusStore::Open(path, key);
  if (!store.ok()) return store.status();
  return ReadUnits(**store);
}

}  // namespace topicwall::corpus

#endif  // TOPICWALL_TESTS_SERVER_CORPUS_SMALL_CORPUS_H_
