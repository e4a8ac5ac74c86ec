#include "client/interruption.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

namespace topicwall::client {
namespace {

// What a handler may touch.
std::atomic<bool> was_requested{false};
std::atomic<const char*> said{nullptr};

void Handle(int /*signal*/) {
  was_requested = true;
  const char* const text = said;
  // Nobody could be told of a failure.
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

}  // namespace

Interruption::Interruption(const char* text) : before_() {
  was_requested = false;
  // Both before the handler is there, which reads them.
  said = text;
  struct sigaction action = {};
  action.sa_handler = Handle;
  // The second finds the system's own. No SA_RESTART: a question that waits for its answer ends.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before_);
}

Interruption::~Interruption() { ::sigaction(SIGINT, &before_, nullptr); }

bool Interruption::requested() const { return was_requested; }

}  // namespace topicwall::client
