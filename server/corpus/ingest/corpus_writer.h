// Makes a corpus file from counted documents, or from vectors.
//
//   TW_ASSIGN_OR_RETURN(auto writer, CorpusWriter::Create("notes.corpus", params, key));
//   TW_RETURN_IF_ERROR(writer->Add("note-1", "ann", counts));
//   TW_ASSIGN_OR_RETURN(WrittenCorpus written, writer->Finish());
//
// Documents are grouped into privacy units, units are sorted by their keyed ids (which
// leaves nothing of the order they came in) and sealed in blocks (unit_block.h) under a
// freshly drawn version. What a unit holds follows from its own lines alone (unit_content.h). The
// same lines, in any order, make the same units, blocks and content key; version and nonces
// differ every time.
//
// Under its final name the file is whole or absent (corpus_file.h). Destroying an
// unfinished writer leaves nothing behind.
//
// Memory: some 40 MB, and a 256th of the documents or the largest unit: they are sorted in pieces
// that are sealed and put into the output's folder (document_sorter.h), which needs room for the
// corpus twice.
// Privacy: everything given in and counted here is PRIVATE; errors name no content.
// Threads: one thread's object. Cost: about 5 µs a document.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_CORPUS_WRITER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_CORPUS_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/corpus_shape.h"
#include "model/data/document.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_seal.h"
#include "server/corpus/ingest/document_sorter.h"
#include "server/corpus/ingest/repeated_lines.h"
#include "server/corpus/ingest/unit_naming.h"
#include "server/corpus/unit_block.h"
#include "server/random/secret_key.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::corpus {

struct CorpusParams : CorpusKind {
  int64_t max_units;  // 1 .. kMaxUnits (corpus_manifest.h): more are refused by Finish
};

struct WrittenCorpus {
  CorpusVersion version;  // PUBLIC; the rest PRIVATE
  int64_t num_units;
  int64_t repeated_lines;  // beside the first of their name: merged, or left out
  int64_t cut_units;       // some of whose documents did not fit
};

class CorpusWriter {
 public:
  // ALREADY_EXISTS if `path` does: a corpus is never written over. UNAVAILABLE if its
  // folder cannot be written to. INVALID_ARGUMENT for params out of their domain.
  static absl::StatusOr<std::unique_ptr<CorpusWriter>> Create(absl::string_view path,
                                                              const CorpusParams& params,
                                                              const sealing::CustodianKey& key);

  // `owner` is ignored if the unit is a document; `line` is where the document was found, for
  // errors; `attributes` has a value of each; a document has counts or, of a corpus of vectors, a
  // vector. After an error the document is not in: INVALID_ARGUMENT: no owner, counts that are
  // empty or not canonical (model/data/document.h), a vector that is none of ScaleToBound
  // (model/data/bounded_vector.h), or values that are none of the attributes'. UNAVAILABLE if the
  // disk is full; the writer must not be used further.
  absl::Status Add(absl::string_view document_id, absl::string_view owner, lda::DocumentView counts,
                   int64_t line = 0, absl::Span<const uint16_t> attributes = {},
                   absl::Span<const float> vector = {});

  // Seals and writes everything; the writer is used up. INVALID_ARGUMENT: no document, too
  // many units, or lines of one name under v1::DUPLICATE_RULE_REFUSE, which it names; else as in
  // corpus_file.h. After an error there is no file.
  absl::StatusOr<WrittenCorpus> Finish();

 private:
  struct Keys;

  absl::Status CheckContent(lda::DocumentView counts, absl::Span<const float> vector) const;

  // What is known of the whole before its first block can be sealed.
  struct Totals {
    int64_t num_units;
    int64_t num_blocks;
    RepeatedLines repeated;
    int64_t cut_units;
    base::Digest content_key;
  };

  CorpusWriter(CorpusDescription description, int64_t max_units, Keys keys,
               std::unique_ptr<CorpusFileWriter> file, std::unique_ptr<DocumentSorter> sorter);
  // Gives `use` every block of the corpus, in order, the same ones each time; `totals`, unless it
  // is null, learns what became of the lines.
  absl::Status ForEachBlock(const std::function<absl::Status(const UnitBlock&)>& use,
                            Totals* totals) const;
  absl::StatusOr<Totals> Measure() const;
  absl::Status WriteBlocks(int64_t num_blocks);

  // Constant after construction.
  const CorpusDescription description_;
  const model::CorpusShape shape_;  // of it
  const int64_t max_units_;
  const UnitNaming naming_;
  const CorpusSeal seal_;
  const random::SecretKey content_key_secret_;

  std::unique_ptr<CorpusFileWriter> file_;
  std::unique_ptr<DocumentSorter> sorter_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_CORPUS_WRITER_H_
