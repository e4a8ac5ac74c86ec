// The private corpus, read from its sealed file.
//
//   TW_ASSIGN_OR_RETURN(auto store, CorpusStore::Open("notes.corpus", key));
//   UnitBlock block;
//   for (int b = 0; b < store->num_blocks(); ++b) {
//     TW_RETURN_IF_ERROR(store->ReadBlock(b, &block));
//     for (int u = 0; u < block.size(); ++u) Use(block.id(u), block.document(u, 0));
//   }
//
// A release reads through block_feed.h, which reads ahead and knows what is in memory.
//
// Opening unseals the manifest: version, privacy unit, tokenizer, vocabulary, attributes, space of
// vectors, how many blocks and units there are. Blocks are unsealed one by one when they are read;
// memory is one block per reading thread, whatever the size of the corpus, and bounded by its shape
// (unit_block.h). The file is opened read-only, is never memory-mapped (a failing disk must
// be an error, not a signal), and stays readable if it is replaced while open.
//
// Errors. NOT_FOUND: no file of that name. DATA_LOSS, always with the same words: a
// missing, moved, shortened, edited or foreign block, a broken manifest, the wrong key.
// Which block or unit it was, is never said. FAILED_PRECONDITION: a newer version sealed it. What
// changes after VerifyAll is noticed before a charge by RequireUndamaged, and else by the read that
// fails.
//
// A corpus of the first format (RequireWholeUnits in corpus_description.h) can be opened,
// described and read, but not charged for.
//
// Privacy: description() and vocabulary() are PUBLIC; everything else is PRIVATE.
// Threads: every method may be called from many threads at once; reading the file is
// serialised, unsealing and parsing are not.
// Cost: about 0.8 ns per stored byte, 8 bytes per distinct term of a document: a third each
// for reading, unsealing, and parsing and the rest.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_STORE_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "model/data/corpus_shape.h"
#include "model/data/vocabulary.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_seal.h"
#include "server/corpus/unit_block.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::corpus {

class CorpusStore {
 public:
  // FAILED_PRECONDITION if the file cannot be opened for want of permission.
  static absl::StatusOr<std::unique_ptr<CorpusStore>> Open(absl::string_view path,
                                                           const sealing::CustodianKey& key);
  CorpusStore(const CorpusStore&) = delete;
  CorpusStore& operator=(const CorpusStore&) = delete;

  const CorpusDescription& description() const { return description_; }
  const lda::Vocabulary& vocabulary() const { return *description_.vocabulary; }

  // PRIVATE: the true number of units is hidden by the guarantee.
  int64_t num_units() const { return num_units_; }
  // U, the most units that it was ingested under: what a wall may promise of it. PUBLIC, but for
  // files made before it was noted, where it is num_units().
  int64_t max_units() const { return max_units_; }
  // PRIVATE: decides which units are held out (server/mechanism/held_out_units.h). The custodian's:
  // the same for every version and corpus, but for those that are unjoinable, of which each version
  // has its own.
  const random::SecretKey& held_out_key() const { return held_out_key_; }
  int num_blocks() const { return num_blocks_; }

  // What a thread that reads blocks gives to each call: memory that is used again.
  class ReadSpace {
   public:
    // Takes, and touches, what the largest block of such a corpus needs.
    void Reserve(const model::CorpusShape& corpus);
    static int64_t BytesReserved(const model::CorpusShape& corpus);

   private:
    friend class CorpusStore;
    std::string sealed_;
    std::string unsealed_;
  };
  // Fills `out` with block 0 <= block < num_blocks(); empty after an error. No unit is in
  // two blocks. INVALID_ARGUMENT for another number.
  absl::Status ReadBlock(int block, UnitBlock* out, ReadSpace* space) const;

  // Unseals everything and recomputes the number of units, their order and the content key.
  // What a server does before it serves, and a backup before it is trusted.
  absl::Status VerifyAll() const;

  // What comes before every charge: OK if the corpus is one that may be charged for and its file
  // is the one that was opened, and was not written to since (file_stamp.h). FAILED_PRECONDITION
  // else, in words for an analyst: PUBLIC. Constant time: nothing is read, since how long that
  // took would tell of the documents. Bytes that the disk itself spoiled go unseen until they
  // are read.
  absl::Status RequireUndamaged() const;

  // All unit ids, ascending: to find units that two corpora share. Ids of corpora with
  // different privacy units are never equal: sharing between those is not seen here.
  absl::StatusOr<std::vector<random::UnitId>> UnitIds() const;

 private:
  struct Parts;
  explicit CorpusStore(Parts parts);
  absl::Status TryToRead(int block, UnitBlock* out, ReadSpace* space) const;
  bool IsWithinBounds(const UnitBlock& block) const;
  absl::Status Damaged() const { return UnsealableCorpus(file_->path()); }

  // Constant after construction.
  const CorpusDescription description_;
  const model::CorpusShape shape_;  // of it: what every block is parsed by
  const int64_t num_units_;
  const int64_t max_units_;
  const int num_blocks_;
  const size_t most_sealed_bytes_;  // of a block
  const base::Digest expected_content_key_;
  const random::SecretKey content_key_secret_;
  const random::SecretKey held_out_key_;
  const CorpusSeal seal_;
  const std::unique_ptr<const CorpusFileReader> file_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_STORE_H_
