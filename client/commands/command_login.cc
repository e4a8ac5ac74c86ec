// `topicwall login`: the files are checked, the profile is written, then the wall is asked, in this
// order. The key that it pins is checked for its form alone: only the custodian can say whose it
// is.
#include <string>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/wall/admission.h"
#include "client/wall/profile.h"
#include "client/wall/receipt_book.h"

namespace topicwall::client {
namespace {

absl::Status Login(const v1::Profile& asked, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::string path, ProfilePath(invocation.profile));
  TW_RETURN_IF_ERROR(SigningKeyOfHex(asked.custodian_key()).status());
  TW_ASSIGN_OR_RETURN(const v1::Profile written, WriteProfile(path, asked));
  TW_ASSIGN_OR_RETURN(const std::string pinned, SigningKeyOfHex(written.custodian_key()));
  TW_ASSIGN_OR_RETURN(const Credentials credentials, LoadCredentials(written));
  // A profile may be written before the server runs, or the caller is let in: it is kept.
  const absl::Status admitted = CheckAdmission(asked.server(), credentials);
  if (invocation.json) {
    terminal.Print(base::JsonObject()
                       .SetString("profile", path)
                       .SetString("server", asked.server())
                       // Printed either way; why not, and the exit code, come with the error.
                       .SetBool("admitted", admitted.ok())
                       .SetString("custodian_key", base::Hex(pinned))
                       .Text());
    return admitted;
  }
  terminal.Print(absl::StrCat("profile written: ", path));
  terminal.Print(absl::StrCat(
      "custodian's key: ",
      pinned.empty() ? "none: the first that is met is noted with the profile" : base::Hex(pinned),
      pinned.empty() || !asked.custodian_key().empty() ? "" : ", as in the profile before"));
  if (admitted.ok()) terminal.Print(absl::StrCat(asked.server(), " lets you in."));
  return admitted;
}

}  // namespace

void AddLogin(base::Command app, Invocation& invocation) {
  auto [command, profile] = AddCommand(
      app, invocation,
      {.name = "login",
       .description =
           "Write a profile: which wall to talk to, and as whom. Exit code 1 if the wall "
           "does not let you in, 4 if it does not answer",
       .example = "topicwall login --server localhost:8443 --ca ca.pem --certificate alice.pem "
                  "--key alice.key"},
      Login);
  command.Add("--profile", invocation.profile,
              "Name or file of the profile (otherwise $TOPICWALL_PROFILE, otherwise "
              "\"default\")");
  command.Add("--server", *profile->mutable_server(), "HOST:PORT of the wall").Required();
  command
      .Add("--ca", *profile->mutable_ca_file(), "PEM of the CA that signed the wall's certificate")
      .Required();
  command
      .Add("--certificate", *profile->mutable_certificate_file(), "PEM of the caller's certificate")
      .Required();
  command.Add("--key", *profile->mutable_private_key_file(), "PEM of the caller's private key")
      .Required();
  AddCustodianKey(command, profile->mutable_custodian_key());
}

}  // namespace topicwall::client
