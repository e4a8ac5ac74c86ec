// The packages of deploy/packages, made from what is built and unpacked into a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class PackagesTest : public FolderTest {
 protected:
  // Once for all tests: it takes seconds.
  static void SetUpTestSuite() {
    made_ = new testing::TemporaryDirectory();
    const Outcome packed =
        RunShell(absl::StrCat("cpack --config ", TOPICWALL_BINARY_DIR, "/../CPackConfig.cmake -B ",
                              made_->Path("packages")));
    ASSERT_EQ(packed.exit_code, 0) << packed.output;
  }
  static void TearDownTestSuite() {
    delete made_;
    made_ = nullptr;
  }

  static std::string Package(const std::string& name) {
    return absl::StrCat(made_->Path("packages"), "/", name, "_*.deb");
  }
  static std::string Field(const std::string& package, const std::string& field) {
    return RunShell(absl::StrCat("dpkg-deb --field ", Package(package), " ", field)).output;
  }
  // Below Path("root").
  void Unpack(const std::string& package) const {
    const Outcome unpacked =
        RunShell(absl::StrCat("dpkg-deb --extract ", Package(package), " ", Path("root")));
    ASSERT_EQ(unpacked.exit_code, 0) << unpacked.output;
  }
  // A line of shell in this test's folder, with $root.
  Outcome Run(const std::string& line) const {
    return RunShell(absl::StrCat("root=", Path("root"), "; cd ", Path(""), " && ", line));
  }

 private:
  static testing::TemporaryDirectory* made_;
};
testing::TemporaryDirectory* PackagesTest::made_ = nullptr;

TEST_F(PackagesTest, NameTheLibrariesThatTheirProgramsLoad) {
  EXPECT_THAT(Field("topicwall", "Depends"),
              AllOf(HasSubstr("libgrpc++1.51"), HasSubstr("libssl3"), Not(HasSubstr("libpq5"))));
  EXPECT_THAT(Field("topicwall-server", "Depends"),
              AllOf(HasSubstr("libseccomp2"), HasSubstr("libsqlite3-0"), HasSubstr("libpq5"),
                    HasSubstr("systemd"), Not(HasSubstr("mpi"))));
  // All that `import topicwall` loads.
  EXPECT_THAT(Field("python3-topicwall", "Depends"),
              AllOf(HasSubstr("python3-numpy"), HasSubstr("python3-pandas"),
                    HasSubstr("python3-scipy"), HasSubstr("python3-sklearn")));
  EXPECT_THAT(Field("topicwall-worker", "Depends"), HasSubstr("openmpi-bin"));
}

TEST_F(PackagesTest, TheUnitStartsWhatThePackageBrings) {
  ASSERT_NO_FATAL_FAILURE(Unpack("topicwall-server"));
  const std::string unit = Run("grep -oE '/usr/[a-z]+/topicwall-[a-z]+' "
                               "$root/usr/lib/systemd/system/topicwall-server.service | sort -u")
                               .output;
  EXPECT_EQ(unit,
            "/usr/bin/topicwall-admin\n/usr/bin/topicwall-gate\n/usr/bin/topicwall-server\n"
            "/usr/bin/topicwall-store\n/usr/bin/topicwall-vault\n");
  for (const absl::string_view program : absl::StrSplit(unit, '\n', absl::SkipEmpty())) {
    EXPECT_EQ(access(absl::StrCat(Path("root"), program).c_str(), X_OK), 0) << program;
  }
}

// As the server demands before it starts: a gate that may read neither key nor data.
TEST_F(PackagesTest, MakeTheUsersAndTheFoldersOfAWall) {
  ASSERT_NO_FATAL_FAILURE(Unpack("topicwall-server"));
  const Outcome users =
      Run("mkdir $root/etc && echo root:x:0:0::/root:/bin/sh >$root/etc/passwd && "
          "echo root:x:0: >$root/etc/group && systemd-sysusers --root=$root");
  ASSERT_EQ(users.exit_code, 0) << users.output;
  const std::string passwd = ReadWholeFile(Path("root/etc/passwd"));
  for (const char* user : {"topicwall", "topicwall-gate", "topicwall-store"}) {
    EXPECT_THAT(passwd, ContainsRegex(absl::StrCat("\n?", user, ":x:[0-9]+:[0-9]+:.*nologin\n")));
  }
  EXPECT_EQ(Run("grep -E '^topicwall-(gate|store):' $root/etc/group | cut -d: -f1,4").output,
            "topicwall-gate:\ntopicwall-store:topicwall\n");
  if (geteuid() != 0) GTEST_SKIP() << "only root can give folders to other users";
  const Outcome folders = Run("systemd-tmpfiles --root=$root --create topicwall-server.conf");
  ASSERT_EQ(folders.exit_code, 0) << folders.output;
  EXPECT_EQ(Run("name() { awk -F: -v id=$2 '$3 == id { print $1 }' $root/etc/$1; }; "
                "for folder in etc/topicwall etc/topicwall/tls var/lib/topicwall; do "
                "echo $(name passwd $(stat -c %u $root/$folder)) "
                "$(name group $(stat -c %g $root/$folder)) $(stat -c '%a' $root/$folder); done")
                .output,
            "root root 755\ntopicwall topicwall-gate 750\ntopicwall topicwall 700\n");
}

// As Debian's programs do.
TEST_F(PackagesTest, EveryProgramHasAManualPage) {
  for (const char* package : {"topicwall", "topicwall-server", "topicwall-worker"}) {
    ASSERT_NO_FATAL_FAILURE(Unpack(package));
  }
  EXPECT_EQ(
      Run("for program in $root/usr/bin/*; do name=${program##*/}; "
          "zgrep -q \"^$name .. [a-z]\" $root/usr/share/man/man1/$name.1.gz || echo $name; done")
          .output,
      "");
}

constexpr char kWall[] = R"(cat >wall.textproto <<'END'
custodian_id: "packed"
listen_address: "127.0.0.1:0"
tls { certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }
data_directory: "data"
key_file: "corpus.key"
sandbox: SANDBOX_BEST_EFFORT
principals { name: "spiffe://topicwall/analyst/alice" role: ANALYST access { corpus: "notes" } }
corpora {
  name: "notes"
  nominal_size: 10
  limits { max_tokens: 100 max_documents_per_unit: 1 max_parameters_per_term: 2 max_iterations: 10
           max_model_iterations: 10 min_noise_multiplier: 0.5 max_releases: 10 queue_length: 2 }
  timing_protection: TIMING_PROTECTION_NONE
}
e_step_threads: 1
max_matrix_bytes: 1048576
END
mkdir -m 0700 data
PATH=$root/usr/bin:/usr/bin:/bin share=$root/usr/share/topicwall-server
export TOPICWALL_PROFILE=$PWD/profile.textproto
$share/make-certificates --output tls --analyst alice >made
topicwall-admin keys --output corpus.key >made
echo '{"id": "1", "text": "a package of programs"}' >notes.jsonl
topicwall-admin ingest --config wall.textproto --corpus notes --documents notes.jsonl \
  --vocabulary $share/debian-words.txt --privacy-unit document >made 2>&1 || cat made
topicwall-admin open-budget --config wall.textproto --corpus notes --epsilon 1 --delta 1e-6 >made
topicwall-server --config wall.textproto --ready-file ready >log 2>&1 &
while ! [ -s ready ] && kill -0 $!; do sleep 0.05; done
topicwall login --server $(cat ready) --ca tls/ca.pem --certificate tls/alice.pem \
  --key tls/alice.key && topicwall describe notes
kill $!; wait $!; cat log
)";

// Programs that find one another, the words and the authority: nothing of the build tree.
TEST_F(PackagesTest, AWallServesAndIsAskedFromItsPackages) {
  ASSERT_NO_FATAL_FAILURE(Unpack("topicwall-server"));
  ASSERT_NO_FATAL_FAILURE(Unpack("topicwall"));
  const std::string said = Run(kWall).output;
  EXPECT_THAT(said,
              AllOf(HasSubstr(" lets you in."), HasSubstr("(1.0000, 1e-06)-differentially private"),
                    HasSubstr("server_stopped")));
}

// Files as the source names them, and links from one page to another. A line that speaks of "the
// source" names what is only there.
constexpr char kNamed[] = R"sh(cd $root/usr
places="share/topicwall-server share/doc/topicwall-server share/doc/topicwall"
installed() { for place in $places; do [ -e $place/$1 ] && return; done; return 1; }
named() {
  grep -v 'the source' |
    grep -oE '\b(deploy/[A-Za-z0-9_./-]*[A-Za-z0-9_]|(client|proto|server)/[A-Za-z_/]+\.(md|proto))' |
    sort -u | while read -r name; do installed $name || echo "$1: $name"; done
}
for file in $(find share/doc share/topicwall-server lib/systemd lib/*.d -type f); do
  named $file <$file
done
for program in bin/*; do
  for command in '' $($program --help | sed -nE '/ommands:$/,/^$/s/^  ([a-z][a-z-]+) .*/\1/p'); do
    $program $command --help | named "$program $command --help"
  done
done
for page in $(find share/doc -name '*.md'); do
  grep -oE '\]\([^):#]+[#)]' $page | sed -E 's/^..//; s/.$//' | while read -r link; do
    [ -e $(dirname $page)/$link ] || echo "$page: link to $link"
  done
done
)sh";

// To whoever has only the packages a name of anything else is a dead end.
TEST_F(PackagesTest, WhatADocumentOrAHelpNamesIsInstalled) {
  for (const char* package :
       {"topicwall", "topicwall-server", "topicwall-worker", "libtopicwall-accountant-dev"}) {
    ASSERT_NO_FATAL_FAILURE(Unpack(package));
  }
  EXPECT_EQ(Run(kNamed).output, "");
  EXPECT_EQ(access(Path("root/usr/share/doc/topicwall-server/deploy/RUNBOOK.md").c_str(), R_OK), 0);
}

TEST_F(PackagesTest, AStrangersProgramHasTheAccountantAlone) {
  ASSERT_NO_FATAL_FAILURE(Unpack("libtopicwall-accountant-dev"));
  const Outcome built =
      Run(absl::StrCat("cmake -G Ninja -S ", TOPICWALL_SOURCE_DIR,
                       "/tests/deploy/packages/stranger -B built -DCMAKE_PREFIX_PATH=$root/usr "
                       "&& cmake --build built && built/stranger"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  // Of the paper's plan, by the certified privacy loss distribution (accountant/README.md).
  EXPECT_THAT(built.output, HasSubstr("\n0.9320\n"));
  EXPECT_THAT(Run("readelf -d built/stranger").output,
              Not(ContainsRegex("proto|grpc|ssl|crypto|sqlite")));
  EXPECT_THAT(
      Run("grep -rlE '#include \"(base|proto|model|server|client)/' $root/usr/include").output, "");
}

}  // namespace
}  // namespace topicwall::deploy
