#include "client/wall/wall_try.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/threads/steady_wait.h"
#include "client/exit_code.h"
#include "client/wall/admission.h"
#include "client/wall/wall_channel.h"
#include "proto/grpc_status.h"

namespace topicwall::client {
namespace {

// Of a wait, until it is asked again whether to stop.
constexpr absl::Duration kPieceOfWait = absl::Milliseconds(100);

}  // namespace

TryContext::TryContext(const WallConnection& params, absl::Duration deadline) : params_(params) {
  context_.set_deadline(absl::ToChronoTime(absl::Now() + deadline));
  if (params_.on_call) params_.on_call([this] { context_.TryCancel(); });
}

TryContext::~TryContext() {
  if (params_.on_call) params_.on_call({});
}

absl::Status ToldBy(const grpc::Status& answer) {
  absl::Status told = proto::FromGrpcStatus(answer);
  if (absl::IsUnauthenticated(told) || absl::IsPermissionDenied(told)) {
    return NotAdmitted(
        "list",
        WithNote(std::move(told), "Asked as the caller that the profile's certificate names."));
  }
  if (absl::IsCancelled(told)) {
    told = absl::UnavailableError(absl::StrCat("the wall ended the call: ", told.message()));
  }
  if (ExitCodeOf(told) != ExitCode::kUnavailable) return told;
  // TLS does not let a caller tell a refused certificate, or one whose name is on no list, from an
  // absent server.
  return WithNote(
      std::move(told),
      absl::StrCat("If it stays so, check the profile's server, CA and certificate and this "
                   "machine's clock, and ask the custodian whether you are on their list.",
                   ProxySentence()));
}

absl::Status WaitForTry(const WallConnection& params, absl::Duration delay,
                        const absl::Status& error) {
  if (params.on_wait) params.on_wait(error);
  const absl::Duration end = base::SteadyNow() + delay;
  while (true) {
    if (params.should_stop && params.should_stop()) {
      return absl::CancelledError(absl::StrCat("stopped while the wall did not answer (",
                                               error.message(),
                                               "). What is reserved or paid is kept: the same "
                                               "command goes on, and pays nothing twice."));
    }
    const absl::Duration left = end - base::SteadyNow();
    if (left <= absl::ZeroDuration()) return absl::OkStatus();
    absl::SleepFor(std::min(left, kPieceOfWait));
  }
}

}  // namespace topicwall::client
