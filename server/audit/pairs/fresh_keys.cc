#include "server/audit/pairs/fresh_keys.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/random/secret_key.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kBytes = kKeysDrawnByEach * random::SecretKey::kSize;
using Drawn = std::array<uint8_t, kBytes>;

bool Draw(Drawn* drawn) {
  for (std::size_t at = 0; at < kBytes; at += random::SecretKey::kSize) {
    const absl::StatusOr<random::SecretKey> key = random::SecretKey::Generate();
    if (!key.ok()) return false;
    std::copy(key->ExposeBytes().begin(), key->ExposeBytes().end(), drawn->begin() + at);
  }
  return true;
}

// In the child: nothing of the parent's is flushed or destroyed.
[[noreturn]] void DrawAndWrite(int pipe_end) {
  Drawn drawn;
  const bool drew = Draw(&drawn);
  const bool wrote = drew && write(pipe_end, drawn.data(), kBytes) == static_cast<ssize_t>(kBytes);
  _exit(wrote ? 0 : 1);
}

bool ReadAll(int pipe_end, Drawn* drawn) {
  std::size_t at = 0;
  while (at < kBytes) {
    const ssize_t got = read(pipe_end, drawn->data() + at, kBytes - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

void AppendKeys(const Drawn& drawn, std::vector<std::vector<uint8_t>>* keys) {
  for (std::size_t at = 0; at < kBytes; at += random::SecretKey::kSize) {
    keys->emplace_back(drawn.begin() + at, drawn.begin() + at + random::SecretKey::kSize);
  }
}

}  // namespace

absl::StatusOr<bool> KeysDifferAcrossFork() {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return absl::UnavailableError("no pipe to a child process");
  const pid_t child = fork();
  if (child == 0) DrawAndWrite(ends[1]);
  close(ends[1]);
  Drawn of_child;
  const bool was_read = child > 0 && ReadAll(ends[0], &of_child);
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  Drawn own;
  if (!was_read || !Draw(&own)) return absl::UnavailableError("keys could not be drawn");
  std::vector<std::vector<uint8_t>> keys;
  AppendKeys(own, &keys);
  AppendKeys(of_child, &keys);
  return AllDifferent(&keys);
}

bool AllDifferent(std::vector<std::vector<uint8_t>>* keys) {
  std::sort(keys->begin(), keys->end());
  return std::adjacent_find(keys->begin(), keys->end()) == keys->end();
}

}  // namespace topicwall::audit
