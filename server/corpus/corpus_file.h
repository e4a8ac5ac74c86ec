// The corpus file as a container: an SQLite database of sealed values. This layer knows
// neither keys nor contents.
//
//   table corpus (one row): version BLOB (16 bytes, public), manifest BLOB (sealed)
//   table block:            number INTEGER PRIMARY KEY (0, 1, ...), sealed BLOB
//   application_id 0x54574331 ("TWC1")
//
// The writer builds the file under another name in the same folder (mode 0600), makes it
// durable, and only then renames it: under its final name the file is whole or absent.
// A writer that was killed leaves the unfinished file, PATH.<random>.unfinished: RemoveUnfinished.
//
// The reader opens the file read-only and immutable: no journal beside it is ever applied,
// no lock is taken, nothing is memory-mapped. A block is copied straight into the caller's
// memory: beside that, reading needs eight pages of SQLite's cache and nothing that grows with a
// block. What happens to the file while it is open is noticed by RequireUnchanged.
//
// Errors. Reader: NOT_FOUND (no such file), FAILED_PRECONDITION (no permission), else
// UnsealableCorpus(). Writer: ALREADY_EXISTS, or UNAVAILABLE with the operating system's
// words (disk full, no such folder); nothing then exists under the final name that was not
// there before, and the unfinished file is removed.
//
// Threads: the reader serialises callers; the writer is one thread's.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_FILE_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_FILE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/durable_file.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/file_stamp.h"
#include "server/corpus/sqlite_handle.h"

namespace topicwall::corpus {

// The one error for everything that is wrong with the bytes or the key of a corpus file:
// DATA_LOSS "corpus file PATH cannot be unsealed: ...".
absl::Status UnsealableCorpus(absl::string_view path);
// Of one whose manifest opens under the key and is not understood: a newer version sealed it.
// FAILED_PRECONDITION (proto/strict_parse.h, IsWrittenByNewer).
absl::Status NewerCorpus(absl::string_view path);

// Removes what writers that were killed left in `folder`, of corpora or of other new files, if it
// can. Only for whoever has the right
// to write there: the unfinished file of a writer that is at work goes as well.
void RemoveUnfinished(absl::string_view folder);

class CorpusFileReader {
 public:
  static absl::StatusOr<std::unique_ptr<CorpusFileReader>> Open(absl::string_view path);

  const std::string& path() const { return path_; }
  const CorpusVersion& version() const { return version_; }
  const std::string& sealed_manifest() const { return sealed_manifest_; }

  // Copies the sealed value of block `number` into `sealed`, whose memory is used again. One of
  // more than `most_bytes` is no block of this file. UNAVAILABLE if SQLite lacks memory.
  absl::Status ReadBlock(int64_t number, std::string* sealed,
                         size_t most_bytes = std::numeric_limits<size_t>::max()) const;

  // FAILED_PRECONDITION, in words that anybody may read, if the file under path() is not, or not
  // as it was, the one that was opened (file_stamp.h). PUBLIC time: nothing is read.
  absl::Status RequireUnchanged() const;

 private:
  explicit CorpusFileReader(absl::string_view path) : path_(path) {}
  bool ReadHeader();
  bool FindBlock(int64_t number) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::string path_;
  std::optional<FileStamp> stamp_;  // as it was before it was opened
  CorpusVersion version_ = {};
  std::string sealed_manifest_;
  SqliteDatabase database_;
  mutable absl::Mutex mutex_;
  mutable SqliteBlob block_ ABSL_GUARDED_BY(mutex_);  // found last; closed before database_
};

class CorpusFileWriter {
 public:
  // `if_exists`: what the finished file may do to one that has its name.
  static absl::StatusOr<std::unique_ptr<CorpusFileWriter>> Create(absl::string_view final_path,
                                                                  base::IfExists if_exists);
  // Removes the unfinished file unless Commit succeeded.
  ~CorpusFileWriter();
  CorpusFileWriter(const CorpusFileWriter&) = delete;
  CorpusFileWriter& operator=(const CorpusFileWriter&) = delete;

  const std::string& unfinished_path() const { return unfinished_path_; }

  absl::Status PutBlock(int64_t number, absl::string_view sealed);

  // Writes the header and makes the unfinished file durable; no PutBlock after it.
  absl::Status Finish(const CorpusVersion& version, absl::string_view sealed_manifest);

  // Gives the finished file its final name, durably. Once, after Finish.
  absl::Status Commit();

 private:
  CorpusFileWriter(absl::string_view final_path, base::IfExists if_exists);
  absl::Status Begin();
  absl::Status Failure(absl::string_view what) const;

  std::string final_path_;
  std::string unfinished_path_;  // empty once committed
  base::IfExists if_exists_;
  SqliteDatabase database_;
  SqliteStatement insert_block_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_FILE_H_
