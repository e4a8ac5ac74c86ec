#include "tests/layering/house_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topicwall::layering {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Include {
  std::string path;
  std::string line;
};
void PrintTo(const Include& include, std::ostream* out) {
  *out << include.line << " in " << include.path;
}

class Allowed : public ::testing::TestWithParam<Include> {};
TEST_P(Allowed, IsNoViolation) {
  EXPECT_THAT(CheckIncludes({GetParam().path, GetParam().line + "\n"}), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(
    Arrows, Allowed,
    ::testing::Values(
        Include{"accountant/accountants/renyi_accountant.cc",
                "#include \"accountant/events/dp_event.h\""},
        Include{"accountant/accountants/renyi_accountant.cc", "#include <cmath>"},
        Include{"accountant/accountants/renyi_accountant.cc", "#include <Eigen/Core>"},
        Include{"accountant/main.cc", "#include \"accountant/commands/command.h\""},
        Include{"base/command_line.cc", "#include <CLI/CLI.hpp>"},
        Include{"accountant/ledger/plan_acts.cc",
                "#include \"accountant/filters/admission_policy.h\""},
        Include{"accountant/ledger/plan_acts.cc", "#include \"proto/release_spec.h\""},
        Include{"accountant/commands/input_file.cc", "#include <fstream>"},
        Include{"proto/grpc_status.cc", "#include <grpcpp/support/status.h>"},
        Include{"base/sha256.cc", "#include <openssl/sha.h>"},
        Include{"base/json.cc", "#include <nlohmann/json.hpp>"},
        Include{"base/json.cc", "#include \"base/json.h\""},
        Include{"accountant/commands/report.cc", "#include \"base/json.h\""},
        Include{"server/ledger/folded/folded_ledger.cc",
                "#include \"accountant/filters/budget_filter.h\""},
        Include{"server/ledger/folded/folded_ledger.cc", "#include \"proto/ledger.pb.h\""},
        Include{"server/ledger/folded/folded_ledger.cc",
                "#include \"server/sealing/sealing_key.h\""},
        Include{"server/store/data_directory_lock.cc", "#include <sys/file.h>"},
        Include{"server/corpus/corpus_store.cc", "#include \"model/data/document.h\""},
        Include{"server/mechanism/noise_mechanism.h",
                "#include \"server/ledger/charge_receipt.h\""},
        Include{"server/vault/private_e_step.cc",
                "#include \"server/mechanism/noise_mechanism.h\""},
        Include{"server/admin/main.cc", "#include \"server/ledger/folded/folded_ledger.h\""},
        Include{"server/audit/main.cc", "#include \"server/audit/audit.h\""},
        Include{"server/audit/pairs/pair_replay.cc",
                "#include \"server/executor/thread_executor.h\""},
        Include{"server/executor/thread_executor.cc",
                "#include \"server/mechanism/partial_sum.h\""},
        Include{"server/executor/thread_executor.cc", "#include \"model/statistic_model.h\""},
        Include{"server/mechanism/unit_clipper.h", "#include \"model/sparse_statistic.h\""},
        Include{"model/models.cc", "#include \"model/lda/lda_model.h\""},
        Include{"model/lda/topic_options.cc", "#include \"proto/models/lda.pb.h\""},
        Include{"client/commands/fit.cc", "#include \"client/fit/trainer.h\""},
        Include{"client/fit/trainer.cc", "#include \"model/lda/topics/m_step.h\""},
        Include{"server/sandbox/filter.h", "#include <seccomp.h>"},
        Include{"deploy/study/simulated_wall.cc",
                "#include \"server/mechanism/norm_histogram.h\""}));

class Planted : public ::testing::TestWithParam<Include> {};
TEST_P(Planted, IsFoundWithItsLine) {
  const std::vector<Violation> violations = CheckIncludes(
      {GetParam().path, "// A comment.\n" + GetParam().line + "\n#include <vector>\n"});
  ASSERT_THAT(violations, SizeIs(1));
  EXPECT_EQ(violations[0].path, GetParam().path);
  EXPECT_EQ(violations[0].line, 2);
}
INSTANTIATE_TEST_SUITE_P(
    Arrows, Planted,
    ::testing::Values(
        Include{"accountant/accountants/renyi_accountant.cc",
                "#include \"model/lda/topics/e_step.h\""},
        Include{"accountant/accountants/renyi_accountant.cc", "#include <thread>"},
        Include{"accountant/accountants/renyi_accountant.cc", "#include <fstream>"},
        Include{"accountant/accountants/renyi_accountant.cc",
                "#include \"accountant/commands/report.h\""},
        Include{"accountant/accountants/renyi_accountant.cc", "#include \"absl/time/clock.h\""},
        Include{"accountant/accountants/renyi_accountant.cc", "#include \"base/command_line.h\""},
        Include{"client/commands/command_fit.cc", "#include <CLI/CLI.hpp>"},
        Include{"server/admin/main.cc", "#include <CLI/CLI.hpp>"},
        Include{"accountant/accountants/renyi_accountant.cc",
                "#include <google/protobuf/message.h>"},
        Include{"model/lda/topics/e_step.cc", "#include \"accountant/events/dp_event.h\""},
        Include{"model/lda/kernel/passes/dense_pass.h",
                "#include \"model/lda/denoise/noise_model.h\""},
        Include{"model/lda/denoise/noise_model.cc", "#include \"model/lda/kernel/kernel_task.h\""},
        Include{"model/data/document.cc", "#include \"model/lda/topics/e_step.h\""},
        Include{"base/sha256.cc", "#include \"proto/receipt.h\""},
        Include{"base/json.h", "#include <nlohmann/json.hpp>"},
        Include{"client/json.cc", "#include <nlohmann/json.hpp>"},
        Include{"accountant/pld/loss_frame.cc", "#include \"accountant/filters/budget_filter.h\""},
        Include{"server/vault/wall.cc", "#include \"server/gate/wall_service.h\""},
        Include{"server/vault/wall.cc", "#include <grpcpp/grpcpp.h>"},
        Include{"server/gate/wall_service.cc", "#include \"server/corpus/corpus_store.h\""},
        Include{"server/gate/wall_service.cc", "#include \"server/mechanism/partial_sum.h\""},
        Include{"server/access/call_places.h", "#include \"server/vault/wall.h\""},
        Include{"client/wall/wall_client.cc", "#include \"client/fit/trainer.h\""},
        Include{"model/lda/topics/e_step.cc", "#include <openssl/evp.h>"},
        Include{"accountant/accountants/renyi_accountant.cc",
                "#include \"accountant/ledger/budget_state.h\""},
        Include{"accountant/ledger/plan_acts.cc", "#include \"server/ledger/plan_spec.h\""},
        Include{"accountant/ledger/plan_acts.cc", "#include \"accountant/commands/report.h\""},
        Include{"accountant/ledger/plan_acts.cc", "#include \"proto/wall.grpc.pb.h\""},
        Include{"accountant/ledger/plan_acts.cc", "#include <sqlite3.h>"},
        Include{"accountant/ledger/plan_acts.cc", "#include <fstream>"},
        Include{"accountant/ledger/plan_acts.cc", "#include <chrono>"},
        Include{"accountant/ledger/plan_acts.cc", "#include \"proto/models/lda.pb.h\""},
        Include{"proto/release_spec.cc", "#include \"proto/models/lda.pb.h\""},
        Include{"server/vault/release_request.cc", "#include \"proto/models/lda.pb.h\""},
        Include{"server/ledger/plan_spec.cc", "#include \"proto/models/lda_options.h\""},
        Include{"proto/matrix_codec.cc", "#include <grpcpp/grpcpp.h>"},
        Include{"proto/matrix_codec.cc", "#include \"proto/grpc_status.h\""},
        Include{"proto/matrix_codec.cc", "#include \"model/lda/topics/topic_model.h\""},
        Include{"server/random/keystream.cc", "#include \"model/data/document.h\""},
        Include{"server/random/keystream.cc", "#include <random>"},
        Include{"server/sandbox/sandbox.cc", "#include \"proto/wall_config.pb.h\""},
        Include{"server/vault/wall.cc", "#include <seccomp.h>"},
        Include{"server/ledger/folded/folded_ledger.cc",
                "#include \"server/corpus/corpus_store.h\""},
        Include{"server/ledger/folded/folded_ledger.cc",
                "#include \"server/mechanism/partial_sum.h\""},
        Include{"server/ledger/folded/folded_ledger.cc", "#include \"model/data/document.h\""},
        Include{"server/ledger/folded/folded_ledger.cc", "#include \"proto/wall.grpc.pb.h\""},
        Include{"server/corpus/corpus_store.cc", "#include \"server/ledger/privacy_ledger.h\""},
        Include{"server/corpus/corpus_store.cc", "#include \"model/lda/topics/e_step.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"server/corpus/corpus_store.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"model/data/document.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"model/statistic_model.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"model/lda/topics/e_step.h\""},
        Include{"server/executor/executor.h", "#include \"server/mechanism/noise_mechanism.h\""},
        Include{"server/executor/executor.h", "#include \"server/ledger/charge_receipt.h\""},
        Include{"server/executor/thread_executor.cc", "#include \"server/vault/wall.h\""},
        Include{"server/executor/thread_executor.cc", "#include \"model/lda/topics/e_step.h\""},
        Include{"server/executor/thread_executor.cc",
                "#include \"model/completion/completion_score.h\""},
        Include{"server/gate/wall_service.cc", "#include \"server/executor/executor.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"server/executor/executor.h\""},
        Include{"server/audit/pairs/pair_replay.cc", "#include \"model/lda/topics/e_step.h\""},
        Include{"server/main.cc", "#include \"model/lda/kernel/e_step_kernel.h\""},
        Include{"model/statistic_model.h", "#include \"model/lda/topics/e_step.h\""},
        Include{"model/lda/lda_model.cc", "#include \"model/completion/completion_score.h\""},
        Include{"model/lda/lda_model.cc", "#include \"proto/wall.pb.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"server/ledger/privacy_ledger.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include \"proto/wall.pb.h\""},
        Include{"server/mechanism/partial_sum.cc", "#include <random>"},
        Include{"server/mechanism/partial_sum.cc", "#include \"server/vault/private_e_step.h\""},
        Include{"server/release/release_schedule.cc", "#include \"server/corpus/corpus_store.h\""},
        Include{"server/vault/private_e_step.cc", "#include \"client/fit/trainer.h\""},
        Include{"server/vault/private_e_step.cc", "#include \"server/admin/rekey.h\""},
        Include{"server/vault/private_e_step.cc", "#include \"server/audit/pairs/grid_reading.h\""},
        Include{"server/vault/private_e_step.cc", "#include <sqlite3.h>"},
        Include{"server/mechanism/partial_sum.cc",
                "#include \"server/audit/pairs/grid_reading.h\""},
        Include{"server/audit/pairs/made_up_pairs.cc", "#include <random>"},
        Include{"server/audit/audit.cc", "#include \"server/admin/outcome.h\""},
        Include{"server/admin/main.cc", "#include \"server/audit/audit.h\""},
        Include{"server/admin/commands/command_rekey.cc", "#include \"server/audit/audit.h\""},
        Include{"client/fit/trainer.cc", "#include \"server/mechanism/norm_histogram.h\""},
        Include{"client/commands/fit.cc", "#  include \"server/wall_config.h\"  // why not"},
        Include{"client/fit/trainer.cc", "#include <sqlite3.h>"},
        Include{"client/fit/trainer.cc", "#include \"deploy/study/recipe.h\""},
        Include{"deploy/study/main.cc", "#include \"server/ledger/folded/folded_ledger.h\""},
        Include{"client/fit/trainer.cc", "#include \"tests/support/status_matchers.h\""},
        Include{"client/fit/trainer.cc", "#include \"trainer.h\""},
        Include{"client/fit/trainer.cc", "#include \"../lda/m_step.h\""},
        Include{"client/fit/trainer.cc", "#include <boost/asio.hpp>"}));

TEST(CheckIncludes, RefusesAFileOutsideTheRooms) {
  const std::vector<Violation> violations = CheckIncludes({"util/strings.h", ""});
  ASSERT_THAT(violations, SizeIs(1));
  EXPECT_THAT(violations[0].rule, HasSubstr("no room"));
}

TEST(CheckWaits, FindsEveryTimedWaitOfAbseilAndNoOther) {
  for (const char* wait :
       {"changed_.WaitWithTimeout(&mutex_, kPoll);", "changed_.WaitWithDeadline(&mutex_, end);",
        "while (!over_.WaitForNotificationWithTimeout(kPoll)) {",
        "over_.WaitForNotificationWithDeadline(end);",
        "mutex_.AwaitWithTimeout(absl::Condition(&due), kPoll);",
        "mutex_.LockWhenWithDeadline(absl::Condition(&due), end);"}) {
    EXPECT_THAT(CheckWaits({"server/vault/wall.cc", absl::StrCat("\n", wait, "\n")}), SizeIs(1))
        << wait;
  }
  for (const char* wait : {"changed_.Wait(&mutex_);", "changed_.WaitFor(&mutex_, kPoll);",
                           "mutex_.Await(absl::Condition(&due));"}) {
    EXPECT_THAT(CheckWaits({"server/vault/wall.cc", wait}), IsEmpty()) << wait;
  }
}

TEST(CheckNumbers, FindsWhatReadsByTheLocaleAndNothingElse) {
  for (const char* call :
       {"std::strtod(text.c_str(), nullptr)", "std::stod(text)", "x = atof(text);",
        "strtof (text, nullptr)", "std::sscanf(text, \"%lf\", &x)"}) {
    EXPECT_THAT(CheckNumbers({"client/report/x.cc", call}), SizeIs(1)) << call;
  }
  for (const char* call : {"absl::SimpleAtod(text, &x)", "// Not strtod: it reads by the locale",
                           "std::stoi(text)", "restod(x)"}) {
    EXPECT_THAT(CheckNumbers({"client/report/x.cc", call}), IsEmpty()) << call;
  }
}

TEST(CheckSize, HoldsHeadersAndSourcesToTheirLimits) {
  const std::string longest_header(kMaxHeaderLines, '\n');
  const std::string longest_source(kMaxSourceLines, '\n');
  EXPECT_THAT(CheckSize({"model/lda/topics/e_step.h", longest_header}), IsEmpty());
  EXPECT_THAT(CheckSize({"model/lda/topics/e_step.h", longest_header + "\n"}), SizeIs(1));
  EXPECT_THAT(CheckSize({"model/lda/topics/e_step.cc", longest_source}), IsEmpty());
  EXPECT_THAT(CheckSize({"model/lda/topics/e_step.cc", longest_source + "\n"}), SizeIs(1));
}

// The house itself.
class House : public ::testing::Test {
 protected:
  const std::vector<SourceFile> files_ = ReadRooms(TOPICWALL_SOURCE_DIR);
};

TEST_F(House, HasFilesToCheck) { EXPECT_GT(files_.size(), 50u); }

TEST_F(House, IncludesFollowTheArrows) {
  for (const SourceFile& file : files_) EXPECT_THAT(CheckIncludes(file), IsEmpty());
}

TEST_F(House, NoWaitEndsByTheWallClock) {
  for (const SourceFile& file : files_) EXPECT_THAT(CheckWaits(file), IsEmpty());
}

TEST_F(House, NoNumberIsReadByTheLocale) {
  for (const SourceFile& file : files_) EXPECT_THAT(CheckNumbers(file), IsEmpty());
}

TEST_F(House, FilesAreShort) {
  for (const SourceFile& file : files_) EXPECT_THAT(CheckSize(file), IsEmpty());
}

}  // namespace
}  // namespace topicwall::layering
