#include "client/interruption.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace topicwall::client {
namespace {

// What a handler may touch.
std::atomic<bool> was_requested{false};
std::atomic<const char*> said{nullptr};

void Handle(int /*signal*/) {
  const int error = errno;  // of whoever is interrupted
  was_requested = true;
  const char* const text = said;
  // Nobody could be told of a failure.
  (void)!::write(STDERR_FILENO, text, std::strlen(text));
  errno = error;
}

}  // namespace

Interruption::Interruption(const char* text) : before_() {
  was_requested = false;
  // Both before the handler is there, which reads them.
  said = text;
  ::sigaction(SIGINT, nullptr, &before_);
  // As a shell starts what a script puts into the background, whose Ctrl-C is not meant for it.
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = Handle;
  // The second finds the system's own. No SA_RESTART: a question that waits for its answer ends.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

Interruption::~Interruption() { ::sigaction(SIGINT, &before_, nullptr); }

bool Interruption::requested() const { return was_requested; }

}  // namespace topicwall::client
