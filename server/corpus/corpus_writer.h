// Makes a corpus file from counted documents.
//
//   TW_ASSIGN_OR_RETURN(auto writer, CorpusWriter::Create("notes.corpus", params, key));
//   TW_RETURN_IF_ERROR(writer->Add("note-1", "ann", counts));
//   TW_ASSIGN_OR_RETURN(WrittenCorpus written, writer->Finish());
//
// Documents are grouped into privacy units, units are sorted by their keyed ids (which
// leaves nothing of the order they came in) and sealed kUnitsPerBlock to a block under a
// freshly drawn version. The same documents, in any order, make the same units, blocks
// and content key; version and nonces differ every time.
//
// Under its final name the file is whole or absent (corpus_file.h). Destroying an
// unfinished writer leaves nothing behind.
//
// Memory: the ids by which a document given twice is found, 20 to 60 bytes each (a hash set,
// which grows by doubling), and beside them some 40 MB however many documents there are: those
// are sorted in pieces that are sealed and put into the output's folder (document_sorter.h),
// which needs room for the corpus twice. Measured: 52 MB for 500,000 documents of 36 words,
// 231 MB for 5 million, whose file is 1.5 GB.
// Privacy: everything given in and counted here is PRIVATE; errors name no content.
// Threads: one thread's object. Cost: about 5 µs a document.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_WRITER_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lda/document.h"
#include "lda/vocabulary.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_seal.h"
#include "server/corpus/document_sorter.h"
#include "server/corpus/unit_block.h"
#include "server/corpus/unit_naming.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::corpus {

// A block ends with its 256th unit, or earlier once it holds 2^20 entries (8 MiB).
inline constexpr int kUnitsPerBlock = 256;
inline constexpr size_t kEntriesPerBlock = size_t{1} << 20;
// The most entries (distinct terms, summed over its documents) of one unit: what one
// sealed value can hold.
inline constexpr size_t kMaxEntriesPerUnit = size_t{1} << 26;

struct CorpusParams {
  PrivacyUnit privacy_unit;
  std::string tokenizer;  // lda::kTokenizerName or lda::kCountsTokenizerName
  std::shared_ptr<const lda::Vocabulary> vocabulary;
  int64_t max_units;  // 1 .. kMaxUnits (corpus_manifest.h): more are refused by Finish
};

struct WrittenCorpus {
  CorpusVersion version;  // PUBLIC
  int64_t num_units;      // PRIVATE
};

class CorpusWriter {
 public:
  // ALREADY_EXISTS if `path` does: a corpus is never written over. UNAVAILABLE if its
  // folder cannot be written to. INVALID_ARGUMENT for params out of their domain.
  static absl::StatusOr<std::unique_ptr<CorpusWriter>> Create(absl::string_view path,
                                                              CorpusParams params,
                                                              const sealing::CustodianKey& key);

  // `owner` is ignored if the unit is a document. After an error the document is not in:
  // ALREADY_EXISTS: a document of that id is; INVALID_ARGUMENT: no owner, or counts that
  // are empty or not canonical (lda/document.h). UNAVAILABLE if the disk is full; the writer
  // must not be used further.
  absl::Status Add(absl::string_view document_id, absl::string_view owner,
                   lda::DocumentView counts);

  // Seals and writes everything; the writer is used up. INVALID_ARGUMENT: no document, too
  // many units or too large a unit; else as in corpus_file.h. After an error there is no
  // file.
  absl::StatusOr<WrittenCorpus> Finish();

 private:
  struct Keys;

  // What is known of the whole before its first block can be sealed.
  struct Totals {
    int64_t num_units;
    int64_t num_blocks;
    random::Sha256Digest content_key;
  };

  CorpusWriter(CorpusDescription description, int64_t max_units, Keys keys,
               std::unique_ptr<CorpusFileWriter> file, std::unique_ptr<DocumentSorter> sorter);
  // Gives `use` every block of the corpus, in order; the same ones each time.
  absl::Status ForEachBlock(const std::function<absl::Status(const UnitBlock&)>& use) const;
  absl::StatusOr<Totals> Measure() const;
  absl::Status WriteBlocks(int64_t num_blocks);

  // Constant after construction.
  const CorpusDescription description_;
  const int64_t max_units_;
  const UnitNaming naming_;
  const CorpusSeal seal_;
  const random::SecretKey content_key_secret_;

  std::unique_ptr<CorpusFileWriter> file_;
  std::unique_ptr<DocumentSorter> sorter_;
  absl::flat_hash_set<random::UnitId> document_ids_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_WRITER_H_
