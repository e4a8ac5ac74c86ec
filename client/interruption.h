// Ctrl-C during something that is paid for: the first asks to stop where stopping loses nothing,
// the second ends the program at once, as it would without this.
//
//   const Interruption interruption(kStopsAfterRelease);   // what the first one says
//   while (!interruption.requested()) …
//
// The text goes to standard error from within the signal's handler. Handles SIGINT while it lives,
// unless it was ignored; what handled it before does so afterwards. One object at a time. Threads:
// any may ask.
#ifndef TOPICWALL_CLIENT_INTERRUPTION_H_
#define TOPICWALL_CLIENT_INTERRUPTION_H_

#include <signal.h>

namespace topicwall::client {

// Of releases that are paid for one by one.
inline constexpr char kStopsAfterRelease[] =
    "\nStopping when the release that is under way is there: it is paid, and kept. Ctrl-C again "
    "ends at once. Either way the same command goes on, and pays nothing twice.\n";

class Interruption {
 public:
  // `text` must outlive the object.
  explicit Interruption(const char* text);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const;

 private:
  struct sigaction before_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_INTERRUPTION_H_
