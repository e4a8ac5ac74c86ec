#include "tests/server/ledger/power_cut_vfs.h"

#include <sqlite3.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

namespace topicwall::ledger {
namespace {

PowerCutVfs* disk = nullptr;
sqlite3_vfs* below = nullptr;

// SQLite allocates szOsFile bytes for each file: ours, then those of the layer below.
struct WatchedFile {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
static_assert(sizeof(WatchedFile) % alignof(std::max_align_t) == 0);

WatchedFile* Of(sqlite3_file* file) { return reinterpret_cast<WatchedFile*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return Of(file)->real(); }

int Close(sqlite3_file* file) {
  const int code = Real(file)->pMethods->xClose(Real(file));
  delete std::exchange(Of(file)->path, nullptr);
  return code;
}
int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return Real(file)->pMethods->xRead(Real(file), bytes, size, offset);
}
int WriteAt(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const PowerCutVfs::Verdict verdict = disk->BeforeWrite(*Of(file)->path, offset, bytes, size);
  if (verdict.size > 0) {
    const int code = Real(file)->pMethods->xWrite(Real(file), bytes, verdict.size, offset);
    if (code != SQLITE_OK) return code;
  }
  return verdict.code;
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = disk->BeforeTruncate(*Of(file)->path, size)) return code;
  return Real(file)->pMethods->xTruncate(Real(file), size);
}
int Sync(sqlite3_file* file, int /*flags*/) {
  return disk->BeforeSync(
      *Of(file)->path);  // what is synced is in the model: the real disk need not
}
int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}
int Lock(sqlite3_file* file, int kind) { return Real(file)->pMethods->xLock(Real(file), kind); }
int Unlock(sqlite3_file* file, int kind) { return Real(file)->pMethods->xUnlock(Real(file), kind); }
int CheckReservedLock(sqlite3_file* file, int* result) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), result);
}
// File control can move bytes past the layer; SQLite does without. Looking is no harm.
int FileControl(sqlite3_file* file, int operation, void* argument) {
  if (operation != SQLITE_FCNTL_HAS_MOVED) return SQLITE_NOTFOUND;
  return Real(file)->pMethods->xFileControl(Real(file), operation, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
// What SQLite takes for granted on Linux, and no more: that writing some bytes leaves their
// neighbours alone. (Without it a commit is padded with frames whose end only the next commit
// syncs; where a failed sync forgets them, that commit is lost. Ours are not padded.)
int DeviceCharacteristics(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file)) &
         SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, memory);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int erase) {
  return Real(file)->pMethods->xShmUnmap(Real(file), erase);
}

const sqlite3_io_methods kMethods = {2,
                                     Close,
                                     Read,
                                     WriteAt,
                                     Truncate,
                                     Sync,
                                     FileSize,
                                     Lock,
                                     Unlock,
                                     CheckReservedLock,
                                     FileControl,
                                     SectorSize,
                                     DeviceCharacteristics,
                                     ShmMap,
                                     ShmLock,
                                     ShmBarrier,
                                     ShmUnmap,
                                     nullptr,
                                     nullptr};

int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  WatchedFile* watched = Of(file);
  watched->base.pMethods = nullptr;
  watched->path = new std::string(name == nullptr ? "" : name);
  const int code = below->xOpen(below, name, watched->real(), flags, out_flags);
  if (code != SQLITE_OK) {
    delete std::exchange(watched->path, nullptr);
    return code;
  }
  watched->base.pMethods = &kMethods;
  disk->Opened(*watched->path);
  return SQLITE_OK;
}
int Delete(sqlite3_vfs*, const char* name, int sync) {
  disk->Deleted(name);
  return below->xDelete(below, name, sync);
}

}  // namespace

PowerCutVfs& PowerCutVfs::Install() {
  if (disk != nullptr) return *disk;
  disk = new PowerCutVfs;  // as long as the process, like SQLite's list of layers
  below = sqlite3_vfs_find(nullptr);
  auto* layer = new sqlite3_vfs(*below);
  layer->zName = "power-cut";
  layer->pNext = nullptr;
  layer->szOsFile = static_cast<int>(sizeof(WatchedFile)) + below->szOsFile;
  layer->xOpen = Open;
  layer->xDelete = Delete;
  sqlite3_vfs_register(layer, 1);
  return *disk;
}

void PowerCutVfs::Opened(const std::string& path) {
  if (path.empty()) return;
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // What lay there before this process is on the disk.
  files_.try_emplace(path, File{content, content, {}});
}

void PowerCutVfs::Deleted(const std::string& path) { files_.erase(path); }

void PowerCutVfs::Apply(const Write& write, std::string& content) {
  const std::size_t offset = static_cast<std::size_t>(write.offset);
  if (write.truncates) {
    content.resize(offset);
    return;
  }
  if (content.size() < offset + write.bytes.size()) content.resize(offset + write.bytes.size());
  content.replace(offset, write.bytes.size(), write.bytes);
}

void PowerCutVfs::Keep(const std::string& path, Write write) {
  Apply(write, files_[path].written);
  if (picturing_) since_start_.emplace_back(path, write);
  files_[path].unsynced.push_back(std::move(write));
}

PowerCutVfs::Verdict PowerCutVfs::BeforeWrite(const std::string& path, int64_t offset,
                                              const void* bytes, int size) {
  TakePicture();
  ++writes_;
  Verdict verdict{size, SQLITE_OK};
  if (failing_write_ != 0 && writes_ >= failing_write_) {
    verdict = {half_writes_ ? size / 2 : 0, write_code_};
  }
  if (verdict.size > 0) {
    const std::size_t written = static_cast<std::size_t>(verdict.size);
    Keep(path, {offset, {static_cast<const char*>(bytes), written}, false});
  }
  return verdict;
}

int PowerCutVfs::BeforeTruncate(const std::string& path, int64_t size) {
  TakePicture();
  Keep(path, {size, "", true});
  return SQLITE_OK;
}

int PowerCutVfs::BeforeSync(const std::string& path) {
  TakePicture();
  ++syncs_;
  File& file = files_[path];
  const std::vector<Write> unsynced = std::exchange(file.unsynced, {});
  if (failing_sync_ != 0 && syncs_ >= failing_sync_) return sync_code_;
  for (const Write& write : unsynced) Apply(write, file.synced);
  return SQLITE_OK;
}

void PowerCutVfs::FailWrites(int which, int code, bool half) {
  half_writes_ = half;
  failing_write_ = which == 0 ? 0 : writes_ + which;
  write_code_ = code;
}

void PowerCutVfs::FailSyncs(int which, int code) {
  failing_sync_ = which == 0 ? 0 : syncs_ + which;
  sync_code_ = code;
}

void PowerCutVfs::StartPictures() {
  pictures_.clear();
  since_start_.clear();
  at_start_.clear();
  for (const auto& [path, file] : files_) at_start_[path] = file.written;
  picturing_ = true;
}

std::set<DiskPicture> PowerCutVfs::TakePictures() {
  TakePicture();
  picturing_ = false;
  return std::exchange(pictures_, {});
}

std::vector<DiskPicture> PowerCutVfs::LostWritePictures() const {
  std::vector<DiskPicture> pictures;
  for (std::size_t lost = 0; lost < since_start_.size(); ++lost) {
    DiskPicture& picture = pictures.emplace_back(at_start_);
    for (std::size_t i = 0; i < since_start_.size(); ++i) {
      if (i != lost) Apply(since_start_[i].second, picture[since_start_[i].first]);
    }
  }
  return pictures;
}

DiskPicture PowerCutVfs::Synced() const {
  DiskPicture picture;
  for (const auto& [path, file] : files_) picture[path] = file.synced;
  return picture;
}

void PowerCutVfs::TakePicture() {
  if (!picturing_) return;
  DiskPicture killed, torn;
  for (const auto& [path, file] : files_) {
    killed[path] = file.written;
    torn[path] = file.synced;
    for (std::size_t i = (writes_ + syncs_) % 2; i < file.unsynced.size(); i += 2) {
      Apply(file.unsynced[i], torn[path]);
    }
  }
  pictures_.insert(std::move(killed));
  pictures_.insert(Synced());
  pictures_.insert(std::move(torn));
}

}  // namespace topicwall::ledger
