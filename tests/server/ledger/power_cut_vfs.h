// A disk that can fail: a layer over SQLite's own file system that knows which bytes were
// synced, takes pictures of what a disk would hold if the process or the machine stopped,
// and refuses writes or syncs on demand. A sync that failed has forgotten its bytes, as Linux
// does: the process goes on reading them, and a later sync that succeeds does not save them.
//
//   PowerCutVfs& disk = PowerCutVfs::Install();
//   disk.StartPictures();
//   ... one act of the ledger ...
//   for (const DiskPicture& picture : disk.TakePictures()) { ... open a copy of it ... }
//
// Installed as the process's default, for tests that open their databases afterwards. One
// thread. What it does not model: a disk that reports a sync it has not done, but for single
// writes (LostWritePictures).
#ifndef TOPICWALL_TESTS_SERVER_LEDGER_POWER_CUT_VFS_H_
#define TOPICWALL_TESTS_SERVER_LEDGER_POWER_CUT_VFS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace topicwall::ledger {

// File contents by path.
using DiskPicture = std::map<std::string, std::string>;

class PowerCutVfs {
 public:
  static PowerCutVfs& Install();

  // From now on, before every write and every sync, three pictures of the disk:
  //   killed    everything written so far
  //   cut       only what was synced
  //   torn      what was synced, and every other one of the writes since
  void StartPictures();
  // The different ones among them.
  std::set<DiskPicture> TakePictures();

  // Since StartPictures: what the disk would hold now if one of the writes had never reached it,
  // though it was reported done; one picture for each write. To be called before TakePictures.
  std::vector<DiskPicture> LostWritePictures() const;

  // Only what was synced, now.
  DiskPicture Synced() const;

  // The write (or sync) number `which` from now, from 1, and all later ones fail with
  // `code`; 0 ends it.
  // `half`: what fails has written the first half of its bytes.
  void FailWrites(int which, int code, bool half = false);
  void FailSyncs(int which, int code);
  int writes() const { return writes_; }
  int syncs() const { return syncs_; }

  // Called by the layer itself.
  void Opened(const std::string& path);
  void Deleted(const std::string& path);
  // How much to write of `size`, and with what result.
  struct Verdict {
    int size;
    int code;
  };
  Verdict BeforeWrite(const std::string& path, int64_t offset, const void* bytes, int size);
  int BeforeTruncate(const std::string& path, int64_t size);
  int BeforeSync(const std::string& path);

 private:
  struct Write {
    int64_t offset;
    std::string bytes;  // a truncation to `offset` if `truncates`
    bool truncates;
  };
  struct File {
    std::string written;
    std::string synced;
    std::vector<Write> unsynced;
  };
  static void Apply(const Write& write, std::string& content);
  void Keep(const std::string& path, Write write);
  void TakePicture();

  std::map<std::string, File> files_;
  bool picturing_ = false;
  std::set<DiskPicture> pictures_;
  DiskPicture at_start_;  // of the pictures
  std::vector<std::pair<std::string, Write>> since_start_;
  int writes_ = 0, syncs_ = 0;
  int failing_write_ = 0, write_code_ = 0, failing_sync_ = 0, sync_code_ = 0;
  bool half_writes_ = false;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_TESTS_SERVER_LEDGER_POWER_CUT_VFS_H_
