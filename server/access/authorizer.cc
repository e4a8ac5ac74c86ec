#include "server/access/authorizer.h"

#include "absl/strings/str_cat.h"

namespace topicwall::server {

absl::Status UnknownOrForeign() {
  return absl::PermissionDeniedError(
      "no such corpus or plan, or it is not yours; ask the custodian for access");
}

Authorizer::Authorizer(const v1::WallConfig& config) {
  for (const v1::Principal& principal : config.principals()) {
    principals_.emplace(principal.name(), principal);
  }
}

absl::StatusOr<Caller> Authorizer::Authenticate(absl::string_view principal) const {
  if (principal.empty()) {
    return absl::UnauthenticatedError(
        "the client certificate has neither a URI nor a common name; ask the custodian for a new "
        "one");
  }
  const auto found = principals_.find(principal);
  if (found == principals_.end()) {
    return absl::PermissionDeniedError(
        absl::StrCat("principal ", principal, " is not listed in the custodian's configuration"));
  }
  return Caller{.principal = found->first,
                .is_auditor = found->second.role() == v1::Principal::AUDITOR};
}

// The role is looked at before the corpus, so that an auditor is told the same whatever corpus they
// name.
absl::StatusOr<CorpusGrant> Authorizer::Authorize(const Caller& caller, absl::string_view corpus,
                                                  Activity activity) const {
  const auto found = principals_.find(caller.principal);
  if (found == principals_.end()) return UnknownOrForeign();
  if (activity == Activity::kQuery && found->second.role() != v1::Principal::ANALYST) {
    return absl::PermissionDeniedError(
        "an auditor reads budget and ledger; prices, plans and releases need an analyst's "
        "certificate");
  }
  for (const v1::CorpusAccess& access : found->second.access()) {
    if (access.corpus() != corpus) continue;
    CorpusGrant grant{.caller = caller, .corpus = access.corpus(), .epsilon_cap = std::nullopt};
    if (access.has_epsilon_cap()) grant.epsilon_cap = access.epsilon_cap();
    return grant;
  }
  // Unknown, or another's: in the same words, or refusals would list the corpora.
  return UnknownOrForeign();
}

}  // namespace topicwall::server
