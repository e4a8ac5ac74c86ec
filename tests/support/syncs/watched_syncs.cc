// The program's own definitions of these names stand before libc's, which are looked up behind
// them.
#include "tests/support/syncs/watched_syncs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace topicwall::testing {
namespace {

std::mutex mutex;
bool watched = false;
std::string folder, failing;
std::vector<std::string> seen;

// Empty for what is not under the folder.
std::string NameOf(absl::string_view path) {
  if (path == folder) return ".";
  if (path.substr(0, folder.size()) != folder) return "";
  path.remove_prefix(folder.size());
  return path.substr(0, 1) == "/" ? std::string(path.substr(1)) : "";
}

// Whether it is to be made.
bool NoteSync(int file) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!watched) return true;
  std::array<char, 4096> target;
  const ssize_t length =
      readlink(absl::StrCat("/proc/self/fd/", file).c_str(), target.data(), target.size());
  if (length < 0) return true;
  const std::string name = NameOf({target.data(), static_cast<size_t>(length)});
  if (name.empty()) return true;
  seen.push_back(absl::StrCat("sync ", name));
  if (name != failing) return true;
  errno = EIO;
  return false;
}

void NoteRename(const char* from, const char* to) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (watched && !NameOf(to).empty()) {
    seen.push_back(absl::StrCat("rename ", NameOf(from), " ", NameOf(to)));
  }
}

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

WatchedSyncs::WatchedSyncs(std::string under, std::string fails) {
  const std::lock_guard<std::mutex> lock(mutex);
  folder = std::move(under);
  failing = std::move(fails);
  seen.clear();
  watched = true;
}

WatchedSyncs::~WatchedSyncs() {
  const std::lock_guard<std::mutex> lock(mutex);
  watched = false;
}

std::vector<std::string> WatchedSyncs::acts() const {
  const std::lock_guard<std::mutex> lock(mutex);
  return seen;
}

}  // namespace topicwall::testing

extern "C" {

int fsync(int file) {
  static auto* const real = topicwall::testing::Real<int(int)>("fsync");
  return topicwall::testing::NoteSync(file) ? real(file) : -1;
}

int fdatasync(int file) {
  static auto* const real = topicwall::testing::Real<int(int)>("fdatasync");
  return topicwall::testing::NoteSync(file) ? real(file) : -1;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = topicwall::testing::Real<int(const char*, const char*)>("rename");
  topicwall::testing::NoteRename(from, to);
  return real(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) noexcept {
  static auto* const real =
      topicwall::testing::Real<int(int, const char*, int, const char*, unsigned int)>("renameat2");
  topicwall::testing::NoteRename(from, to);
  return real(from_folder, from, to_folder, to, flags);
}

}  // extern "C"
