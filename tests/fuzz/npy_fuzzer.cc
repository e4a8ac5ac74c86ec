// NumPy's files of vectors (model/data/npy.h): as the custodian's reader takes them
// (server/corpus/ingest/npy_reader.h) and as the client takes the analyst's own
// (client/evaluate/vector_reader.h), which must agree.
#include "client/evaluate/vector_reader.h"
#include "model/data/bounded_vector.h"
#include "model/data/npy.h"
#include "server/corpus/ingest/document_reader.h"
#include "server/corpus/ingest/npy_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_documents.h"
#include "tests/server/corpus/npy_file.h"

namespace topicwall::fuzz {
namespace {

// Headers name more advice than other refusals do.
const RefusalRules& NpyRules() {
  static const RefusalRules& rules =
      *new RefusalRules{.codes = {absl::StatusCode::kInvalidArgument},
                        .longest_message = 300,
                        .never_said = {"secretive"}};
  return rules;
}

void RequireSameVectors(corpus::DocumentReader& reader,
                        const absl::StatusOr<client::VectorMatrix>& own) {
  corpus::SourceDocument document = {};
  bool all_usable = true;
  size_t rows = 0;
  for (;; ++rows) {
    const absl::StatusOr<bool> next = reader.Next(&document);
    Require(next.ok(), "a file that was opened and does not change is read to its end");
    if (!*next) break;
    if (document.problem != corpus::Problem::kNone) {
      Require(document.problem == corpus::Problem::kBadVector, "a row is a vector or a bad one");
      all_usable = false;
      continue;
    }
    Require(model::IsWithinBound(document.vector), "a vector is within the bound");
    Require(!own.ok() || own->row(rows) == absl::MakeConstSpan(document.vector),
            "both sides read the same");
  }
  Require(own.ok() == all_usable && (!own.ok() || own->rows() == rows),
          "the client takes what has no bad row");
}

Verdict Run(absl::string_view input) {
  static MemoryFile& file = *new MemoryFile();
  const absl::StatusOr<model::NpyHeader> header =
      model::ParseNpyHeader(input.substr(0, model::kMaxNpyHeaderBytes));
  if (!header.ok()) return Refuse(header.status(), NpyRules());
  Require(header->rows >= 0 && header->rows <= model::kMaxNpyRows && header->columns >= 1 &&
              header->columns <= model::kMaxVectorDimension &&
              header->size <= model::kMaxNpyHeaderBytes && header->FileBytes() > 0,
          "a header keeps its bounds");
  const model::VectorSpace space = {.dimension = header->columns, .norm_bound = 1.5};
  const auto own = client::ReadNpy(input, "own.npy", space);
  file.Replace(input);
  const auto reader = corpus::NpyReader::Open(file.path(), space);
  if (!reader.ok()) {
    Require(!own.ok(), "the client takes no file that ingestion refuses");
    return Refuse(reader.status(), NpyRules());
  }
  RequireSameVectors(**reader, own);
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  return {corpus::NpyFile({{1, -0.5}, {0, 40}}, false), corpus::NpyFile({{1e300, 0.1, -7}}, true),
          corpus::NpyFile({{0}, {-1}}, true)};
}

[[maybe_unused]] const bool registered = Register({.name = "npy", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
