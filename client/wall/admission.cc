// One question, the health of the whole server: it names no corpus, so that all an answer can
// depend on is whether the caller is let in. What goes wrong before there is an answer (names, TCP,
// TLS) reaches a gRPC client as UNAVAILABLE with a text and no code of its own; ExplainNoConnection
// goes by that text, from the most telling to the vaguest. A text that it does not know falls to
// the last case, so another version of gRPC makes the advice worse and nothing else.
#include "client/wall/admission.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/exit_code.h"
#include "client/wall/wall_channel.h"
#include "proto/grpc_status.h"

namespace topicwall::client {
namespace {

// Somebody sits before it. A wall that is there answers without a wait, whatever it computes.
constexpr std::chrono::seconds kPatience{5};
// grpc.health.v1.HealthCheckRequest of the whole server: field 1, empty.
constexpr char kWholeServer[] = {0x0a, 0x00};

// By hand, since a generated client for a request of two bytes would bring a second proto file.
absl::Status AskHealth(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  grpc::CompletionQueue queue;
  const grpc::Slice request(kWholeServer, sizeof(kWholeServer));
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check",
                                    grpc::ByteBuffer(&request, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return proto::FromGrpcStatus(status);
}

}  // namespace

absl::Status NotAdmitted(absl::string_view reason, absl::Status status) {
  return WithDetail(
      std::move(status),
      base::JsonObject().SetString("kind", "not_admitted").SetString("reason", reason));
}

absl::Status ExplainNoConnection(const std::string& server, absl::string_view message) {
  const std::string said = absl::StrCat(" (", message, ")");
  const std::string lower = absl::AsciiStrToLower(message);
  if (absl::StrContains(lower, "handshake failed") ||
      absl::StrContains(lower, "certificate verify failed") ||
      // Of the CA, and of another host: gRPC looks at the name when TLS is done.
      absl::StrContains(lower, "is not in peer certificate") ||
      absl::StrContains(lower, "hostname verification")) {
    return NotAdmitted("ca", absl::FailedPreconditionError(
                                 absl::StrCat("CA: the certificate that ", server,
                                              " shows is not one of --ca, or not for that host, or "
                                              "it or --ca has expired or is not yet valid by this "
                                              "machine's clock. Look at the clock, ask the "
                                              "custodian for the CA, and take the host's name as "
                                              "it stands in the certificate.",
                                              said)));
  }
  // What gRPC makes of credentials that TLS cannot use.
  if (absl::StrContains(lower, "empty address list")) {
    return NotAdmitted("key", absl::FailedPreconditionError(
                                  absl::StrCat("key: TLS cannot use the files. --key must be the "
                                               "private key of --certificate, and all "
                                               "three must be whole PEM files.",
                                               said)));
  }
  // In TLS 1.3 the client is done with its handshake before the server has looked at its
  // certificate: one that is refused, whether by TLS or because its name is on no list, shows as a
  // connection that opens and then closes.
  if (absl::StrContains(lower, "socket closed") || absl::StrContains(lower, "connection reset") ||
      absl::StrContains(lower, "broken pipe")) {
    return NotAdmitted(
        "certificate",
        absl::FailedPreconditionError(
            absl::StrCat("certificate: ", server,
                         " answered and closed the connection. Most likely it does not "
                         "accept --certificate: the custodian's list has nobody whom it names, it "
                         "has expired, is not yet valid by the server's "
                         "clock, is not of the custodian's CA for analysts, or its authority is "
                         "over. `openssl x509 -noout -dates -ext subjectAltName -in` the file "
                         "tells its dates and its name: wait for the first date, or ask the "
                         "custodian for a new one, or to be put on the list.",
                         said)));
  }
  return absl::UnavailableError(absl::StrCat("network: nobody answers at ", server,
                                             ". The host or the port is another one, the server is "
                                             "down, or a firewall is in between.",
                                             ProxySentence(), said));
}

absl::Status CheckAdmission(const std::string& server, const Credentials& credentials) {
  TW_RETURN_IF_ERROR(CheckComplete(credentials));
  const absl::Status answer = AskHealth(MakeChannel(server, credentials));
  // A firewall that drops packets gives no error at all, only the end of the patience.
  if (absl::IsUnavailable(answer) || absl::IsDeadlineExceeded(answer)) {
    return ExplainNoConnection(server, answer.message());
  }
  return answer;
}

}  // namespace topicwall::client
