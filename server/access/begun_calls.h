// How many calls of one principal have begun and are not over, and who is kept out for too many.
//
//   if (begun.Begin("alice", base::SteadyNow())) ...      // too many: end alice's connections
//   begun.End("alice");
//   if (begun.IsBarred("alice", base::SteadyNow())) ...
//
// A call that its client takes back (HTTP/2's RST_STREAM) is gone for the client and counts no more
// among those that a connection may have at once, while here it has a thread until the connection's
// other work lets it go. So whoever begins calls and takes them back as fast as they can
// (CVE-2023-44487) soon has every thread, and no limit on calls of a connection helps; those that
// then wait for a thread are without number. The threads show it first.
//
// PUBLIC: depends on requests alone. Threads: the owner sees to it that they come one at a time.
// Memory: a record for each name, so names must be those of the configuration.
#ifndef TOPICWALL_SERVER_ACCESS_BEGUN_CALLS_H_
#define TOPICWALL_SERVER_ACCESS_BEGUN_CALLS_H_

#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/access/call_places.h"

namespace topicwall::server {

class BegunCalls {
 public:
  // No honest use comes near: 96 of a principal's calls do their work at once at most, and what is
  // beyond is refused in a moment; the project's own client has a call or two at once, and Ctrl-C,
  // a deadline or a retry takes back as many. More than a connection each of all that may be open.
  static constexpr int kAtOnce = 2 * CallPlaces::kMost;
  static constexpr absl::Duration kBarred = absl::Seconds(10);

  // True if with this one they are more than kAtOnce: the principal is barred from now on, unless
  // that was so already.
  bool Begin(absl::string_view principal, absl::Duration steady_now) {
    Record& record = records_[std::string(principal)];
    if (++record.calls <= kAtOnce || steady_now < record.barred_until) return false;
    record.barred_until = steady_now + kBarred;
    return true;
  }
  // One that Begin was told of is over.
  void End(absl::string_view principal) { --records_.find(principal)->second.calls; }

  bool IsBarred(absl::string_view principal, absl::Duration steady_now) const {
    const auto found = records_.find(principal);
    return found != records_.end() && steady_now < found->second.barred_until;
  }

 private:
  struct Record {
    int calls = 0;
    absl::Duration barred_until = -absl::InfiniteDuration();
  };
  std::map<std::string, Record, std::less<>> records_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_ACCESS_BEGUN_CALLS_H_
