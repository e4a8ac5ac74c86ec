// Who may do what: the one place where it is decided.
//
// A principal is the client certificate's URI SAN, else its common name. The
// configuration lists principals with a role and the corpora they may see; whoever
// is not listed is nobody. An analyst queries and owns plans; an auditor reads the
// budget and the ledger. An unknown corpus and one that is not the caller's give the
// same PERMISSION_DENIED, so that names cannot be probed.
//
// Privacy: a function of configuration and certificate alone.
// Threads: immutable after construction; may be called from many threads at once.
#ifndef TOPICWALL_SERVER_ACCESS_AUTHORIZER_H_
#define TOPICWALL_SERVER_ACCESS_AUTHORIZER_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wall_config.pb.h"

namespace topicwall::server {

// An RPC's caller after authentication.
struct Caller {
  std::string principal;
  bool is_auditor;
};

// A caller who was found allowed to use a corpus.
struct CorpusGrant {
  Caller caller;
  std::string corpus;
  std::optional<double> epsilon_cap;  // of this analyst's plans; none = the whole budget
};

enum class Activity {
  kRead,   // description, vocabulary, budget, ledger: analysts and auditors
  kQuery,  // prices, plans, releases: analysts
};

class Authorizer {
 public:
  // `config` must have passed ReadWallConfig.
  explicit Authorizer(const v1::WallConfig& config);

  // UNAUTHENTICATED for a certificate without a name, PERMISSION_DENIED for a
  // principal whom the configuration does not list.
  absl::StatusOr<Caller> Authenticate(absl::string_view principal) const;

  // PERMISSION_DENIED if the role does not cover the activity or the corpus is
  // unknown or not the caller's.
  absl::StatusOr<CorpusGrant> Authorize(const Caller& caller, absl::string_view corpus,
                                        Activity activity) const;

 private:
  std::map<std::string, v1::Principal, std::less<>> principals_;
};

// The one refusal for what is unknown or somebody else's: corpora, plans, releases.
absl::Status UnknownOrForeign();

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_ACCESS_AUTHORIZER_H_
