#include "server/admin/store_timing.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/sha256.h"

namespace topicwall::admin {
namespace {

using Clock = std::chrono::steady_clock;

// The slowest counts, for the time that is set aside must be enough every time. Eight mebibytes are
// a release of two million entries.
constexpr int kTimes = 3;
constexpr int kMebibytes = 8;

bool WriteAndSync(int descriptor, const std::string& bytes, off_t place) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = pwrite(descriptor, bytes.data() + done, bytes.size() - done,
                                   place + static_cast<off_t>(done));
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return fdatasync(descriptor) == 0;
}

}  // namespace

absl::StatusOr<double> StoreMsPerMebibyte(const std::string& directory) {
  std::string path = absl::StrCat(directory, "/.store-timing-XXXXXX");
  const base::FileDescriptor file(mkostemp(path.data(), O_CLOEXEC));
  // At once: whatever ends this process, nothing stays in the data directory.
  if (file.valid()) unlink(path.c_str());
  const std::string bytes(size_t{kMebibytes} << 20, 'x');
  double slowest = 0;
  bool good = file.valid();
  for (int time = 0; good && time < kTimes; ++time) {
    const Clock::time_point start = Clock::now();
    base::Sha256Of(bytes);
    // A release is written twice before it is stored, into the ledger's log and from there into its
    // file, each with a sync of its own.
    good = WriteAndSync(file.get(), bytes, 0) &&
           WriteAndSync(file.get(), bytes, static_cast<off_t>(bytes.size()));
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    slowest = std::max(slowest, taken.count() / kMebibytes);
  }
  if (good) return slowest;
  return absl::UnavailableError(absl::StrCat("cannot write in ", directory,
                                             "; check its permissions and the room on its disk"));
}

}  // namespace topicwall::admin
