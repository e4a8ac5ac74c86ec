// SQLite is here for one thing, to find block n in a large file and read it without the rest.
// Everything else that it can do is switched off: a corpus is written once, in one transaction,
// under a name that means nothing, and read by a process that must not be surprised by it.
//
// A file that somebody has tampered with is seen by the seal of what is read from it. What SQLite
// itself does with such a file, before a seal is looked at, is what the pragmas of kReadCarefully
// are about.
#include "server/corpus/corpus_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/durable_file.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "proto/strict_parse.h"
#include "server/random/secure_random.h"

namespace topicwall::corpus {
namespace {

constexpr char kUnfinished[] = ".unfinished";
constexpr size_t kRandomSuffix = 33;     // before it: a dot and VersionHex of what was drawn
constexpr char kPartial[] = ".partial";  // of a new file (base/durable_file.h)
constexpr size_t kPartialSuffix = 17;

// Blocks are some 100 KB: large pages make short overflow chains. One transaction,
// no journal: until it has its final name the file may be thrown away at any time. That first: the
// application_id is written, too.
constexpr char kBegin[] =
    "PRAGMA journal_mode = OFF;"
    "PRAGMA page_size = 16384;"
    "PRAGMA application_id = 0x54574331;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA mmap_size = 0;"
    "BEGIN EXCLUSIVE;"
    "CREATE TABLE corpus(version BLOB NOT NULL, manifest BLOB NOT NULL) STRICT;"
    "CREATE TABLE block(number INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;";

// What a file could do to its reader, and what a file system could:
//   mmap_size        a disk that fails is an error of a read, and not a signal that ends the server
//   trusted_schema   views and triggers in the file may call nothing that has an effect
//   cell_size_check  a damaged page is found before what stands in it is used as a length
//   query_only       in case the file could be written to after all
//   cache_size       as many pages are kept of any corpus: what is left for a release must not
//                    depend on it
constexpr char kReadCarefully[] =
    "PRAGMA mmap_size = 0;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;"
    "PRAGMA query_only = ON;"
    "PRAGMA cache_size = 8;";

SqliteStatement Prepare(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
  return SqliteStatement(statement);
}

bool Run(sqlite3* database, const char* sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

absl::string_view BlobAt(sqlite3_stmt* statement, int column) {
  const void* bytes = sqlite3_column_blob(statement, column);
  // A text or a number in its place would be converted without a word.
  if (bytes == nullptr || sqlite3_column_type(statement, column) != SQLITE_BLOB) return {};
  return {static_cast<const char*>(bytes),
          static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

// A file name as SQLite's URI syntax wants it.
std::string ImmutableUri(absl::string_view path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      absl::StrAppend(&uri, "%", absl::Hex(static_cast<unsigned char>(c)));
    } else if (!(c == '/' && uri.back() == '/')) {  // "//" would begin a host name
      uri.push_back(c);
    }
  }
  return absl::StrCat(uri, "?mode=ro&immutable=1");
}

// What the operating system says of the file before SQLite is asked, to which a file that is
// missing, one that is forbidden and one that is no database are much alike. Without O_NONBLOCK a
// pipe that has the name would make the server wait for somebody to write into it.
absl::Status CheckReadable(const std::string& path) {
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    const std::string message =
        absl::StrCat("cannot open corpus file ", path, ": ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::FailedPreconditionError(message);
  }
  struct stat status;
  if (fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("corpus file ", path, " is no regular file"));
}

absl::Status AlreadyThere(absl::string_view path) {
  return absl::AlreadyExistsError(
      absl::StrCat("corpus file ", path, " exists. Choose another name or remove it."));
}

}  // namespace

absl::Status UnsealableCorpus(absl::string_view path) {
  // One text for all of it. Which block does not open says something of the units in it, and this
  // text is read by whoever watches a release fail.
  return absl::DataLossError(absl::StrCat("corpus file ", path,
                                          " cannot be unsealed: restore it from its backup or "
                                          "check that the key file is the right one"));
}

// Every format that was ever written is read, and nobody but the custodian's programs can seal one.
absl::Status NewerCorpus(absl::string_view path) {
  return proto::WrittenByNewer(absl::StrCat("corpus file ", path));
}

void RemoveUnfinished(absl::string_view folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(std::string(folder), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    const size_t random = path.stem().extension().native().size();
    const bool is_unfinished = (path.extension() == kUnfinished && random == kRandomSuffix) ||
                               (path.extension() == kPartial && random == kPartialSuffix);
    if (is_unfinished) unlink(path.c_str());
  }
}

absl::StatusOr<std::unique_ptr<CorpusFileReader>> CorpusFileReader::Open(absl::string_view path) {
  TW_RETURN_IF_ERROR(CheckReadable(std::string(path)));
  std::unique_ptr<CorpusFileReader> reader(new CorpusFileReader(path));
  // Before the file is opened. If it is replaced in between, the stamp is of another file than the
  // one that is read, and RequireUnchanged says so; the other way round it would not be noticed.
  reader->stamp_ = StampOf(reader->path_);
  sqlite3* database = nullptr;
  const int result =
      sqlite3_open_v2(ImmutableUri(path).c_str(), &database,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  reader->database_.reset(database);
  if (result != SQLITE_OK || !Run(database, kReadCarefully) || !reader->ReadHeader()) {
    return UnsealableCorpus(path);
  }
  return reader;
}

bool CorpusFileReader::ReadHeader() {
  const SqliteStatement header = Prepare(database_.get(), "SELECT version, manifest FROM corpus");
  if (header == nullptr || sqlite3_step(header.get()) != SQLITE_ROW) return false;
  const absl::string_view version = BlobAt(header.get(), 0);
  if (version.size() != version_.size()) return false;
  std::copy(version.begin(), version.end(), version_.begin());
  sealed_manifest_ = std::string(BlobAt(header.get(), 1));
  // Only that there is such a table: blocks are not counted here, the manifest says how many there
  // are.
  return Prepare(database_.get(), "SELECT number, sealed FROM block") != nullptr;
}

// A handle that is there moves without memory of its own; one that failed once stays failed.
bool CorpusFileReader::FindBlock(int64_t number) const {
  if (block_ != nullptr && sqlite3_blob_reopen(block_.get(), number) == SQLITE_OK) return true;
  sqlite3_blob* found = nullptr;
  sqlite3_blob_open(database_.get(), "main", "block", "sealed", number, /*flags=*/0, &found);
  block_.reset(found);
  return found != nullptr;
}

absl::Status CorpusFileReader::ReadBlock(int64_t number, std::string* sealed,
                                         size_t most_bytes) const {
  absl::MutexLock lock(&mutex_);
  if (FindBlock(number)) {
    // The file's word for it, so it is compared before memory is taken.
    const int size = sqlite3_blob_bytes(block_.get());
    if (static_cast<size_t>(size) <= most_bytes) {
      sealed->resize(static_cast<size_t>(size));
      if (sqlite3_blob_read(block_.get(), sealed->data(), size, 0) == SQLITE_OK) {
        return absl::OkStatus();
      }
    }
  }
  sealed->clear();
  // Nothing is wrong with the file then, and what is paid for can be computed again.
  if (sqlite3_errcode(database_.get()) == SQLITE_NOMEM) {
    return absl::UnavailableError("not enough memory to read a corpus; try again later");
  }
  return UnsealableCorpus(path_);
}

absl::Status CorpusFileReader::RequireUnchanged() const {
  if (stamp_.has_value() && StampOf(path_) == stamp_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the corpus file was changed while it was served, and nothing is charged. The custodian "
      "restores it if need be and starts the server again, which checks all of it");
}

CorpusFileWriter::CorpusFileWriter(absl::string_view final_path, base::IfExists if_exists)
    : final_path_(final_path), if_exists_(if_exists) {}

CorpusFileWriter::~CorpusFileWriter() {
  insert_block_.reset();
  database_.reset();
  if (!unfinished_path_.empty()) unlink(unfinished_path_.c_str());
}

absl::Status CorpusFileWriter::Failure(absl::string_view what) const {
  return absl::UnavailableError(
      absl::StrCat("cannot write corpus file ", final_path_, ": ", what,
                   ". Check the folder and the room on its disk, and that its "
                   "file system has POSIX locks."));
}

absl::StatusOr<std::unique_ptr<CorpusFileWriter>> CorpusFileWriter::Create(
    absl::string_view final_path, base::IfExists if_exists) {
  std::unique_ptr<CorpusFileWriter> writer(new CorpusFileWriter(final_path, if_exists));
  if (if_exists == base::IfExists::kRefuse && base::NameIsTaken(writer->final_path_)) {
    return AlreadyThere(final_path);
  }
  TW_RETURN_IF_ERROR(writer->Begin());
  return writer;
}

absl::Status CorpusFileWriter::Begin() {
  // Two attempts at one corpus never share an unfinished file, whatever became of the first.
  TW_ASSIGN_OR_RETURN(const auto random, random::Random128());
  const std::string path = absl::StrCat(final_path_, ".", VersionHex(random), kUnfinished);
  // Created here and not by SQLite, which would let others read it.
  const absl::Status created = base::WriteNewFileDurably(path, "");
  if (!created.ok()) return Failure(created.message());
  unfinished_path_ = path;

  sqlite3* database = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (result != SQLITE_OK || !Run(database, kBegin)) return Failure(sqlite3_errmsg(database));
  insert_block_ = Prepare(database, "INSERT INTO block(number, sealed) VALUES(?1, ?2)");
  return insert_block_ != nullptr ? absl::OkStatus() : Failure(sqlite3_errmsg(database));
}

absl::Status CorpusFileWriter::PutBlock(int64_t number, absl::string_view sealed) {
  sqlite3_stmt* const insert = insert_block_.get();
  sqlite3_bind_int64(insert, 1, number);
  // Not copied: `sealed` outlives the step.
  sqlite3_bind_blob64(insert, 2, sealed.data(), sealed.size(), SQLITE_STATIC);
  const bool done = sqlite3_step(insert) == SQLITE_DONE;
  absl::Status status = done ? absl::OkStatus() : Failure(sqlite3_errmsg(database_.get()));
  sqlite3_reset(insert);
  return status;
}

absl::Status CorpusFileWriter::Finish(const CorpusVersion& version,
                                      absl::string_view sealed_manifest) {
  const SqliteStatement header =
      Prepare(database_.get(), "INSERT INTO corpus(version, manifest) VALUES(?1, ?2)");
  if (header == nullptr) return Failure(sqlite3_errmsg(database_.get()));
  sqlite3_bind_blob64(header.get(), 1, version.data(), version.size(), SQLITE_STATIC);
  sqlite3_bind_blob64(header.get(), 2, sealed_manifest.data(), sealed_manifest.size(),
                      SQLITE_STATIC);
  // The commit also syncs the file: synchronous = FULL.
  if (sqlite3_step(header.get()) != SQLITE_DONE || !Run(database_.get(), "COMMIT")) {
    return Failure(sqlite3_errmsg(database_.get()));
  }
  return absl::OkStatus();
}

absl::Status CorpusFileWriter::Commit() {
  insert_block_.reset();
  // The database is closed before the file has its name, so that nothing writes to it under that
  // name.
  database_.reset();
  const absl::Status renamed = base::RenameDurably(unfinished_path_, final_path_, if_exists_);
  if (absl::IsAlreadyExists(renamed)) return AlreadyThere(final_path_);
  if (!renamed.ok()) return Failure(renamed.message());
  unfinished_path_.clear();
  return absl::OkStatus();
}

}  // namespace topicwall::corpus
