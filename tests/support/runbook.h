// What deploy/RUNBOOK.md gives a custodian to paste, run to the letter in a folder of a test: a
// block is pasted as a whole, and a line that fails does not keep the next one from running.
//
//   // A folder with wall.textproto, corpus.key, tls/, data/ and backup/.
//   RunbookIn runbook(world.path(), binaries, source);
//   WriteWholeFile(script, runbook.Script("before-rekey", "2027"));  // for bash
//
// What the machine of a test has not is put in its place: its folders for /etc/topicwall,
// /var/lib/topicwall and /backup, its own user for the vault's, and nothing for systemctl, apt and
// the audit. Whether a release fits its interval (check-config --strict) is not asked.
#ifndef TOPICWALL_TESTS_SUPPORT_RUNBOOK_H_
#define TOPICWALL_TESTS_SUPPORT_RUNBOOK_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {

class RunbookIn {
 public:
  // `binaries`: the folder of the programs; `source`: of this repository.
  RunbookIn(std::string folder, std::string binaries, std::string source)
      : folder_(std::move(folder)), binaries_(std::move(binaries)), source_(std::move(source)) {}

  // The one block that has `part` in it, as a script for bash. `date` says `moment`, and
  // wall-DATE is the backup of that moment.
  std::string Script(absl::string_view part, const std::string& moment) const {
    return absl::StrCat(
        "cd ", folder_, "\nPATH=", binaries_, ":$PATH\nconfig=", folder_,
        "/wall.textproto\ndate() { echo ", moment, "; }\n", kStandIns,
        absl::StrReplaceAll(Block(part), {{"/etc/topicwall", folder_},
                                          {"/var/lib/topicwall", folder_ + "/data"},
                                          {"/backup/", folder_ + "/backup/"},
                                          {"wall-DATE", "wall-" + moment},
                                          {"/usr/share/topicwall-server/", source_ + "/deploy/"},
                                          {"-o topicwall -g topicwall ", ""},
                                          {" --strict", ""}}));
  }

 private:
  static constexpr absl::string_view kStandIns = R"sh(
admin() { topicwall-admin "$@"; }
systemctl() { :; }
apt() { :; }
topicwall-audit() { :; }
topicwall-server() { :; }
)sh";

  std::string Block(absl::string_view part) const {
    const std::string page = ReadWholeFile(source_ + "/deploy/RUNBOOK.md");
    // Text and blocks take turns.
    const std::vector<std::string> parts = absl::StrSplit(page, "\n```\n");
    std::vector<std::string> found;
    for (size_t i = 1; i < parts.size(); i += 2) {
      if (absl::StrContains(parts[i], part)) found.push_back(parts[i] + "\n");
    }
    EXPECT_EQ(found.size(), 1u) << part;
    return found.size() == 1 ? found[0] : "exit 1\n";
  }

  const std::string folder_, binaries_, source_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_RUNBOOK_H_
