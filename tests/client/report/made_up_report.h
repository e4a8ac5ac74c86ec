// A report of which every part says something: of a model whose truth is known, with two
// prevalences and an evaluation, beside another model, and a ledger of ten plans.
#ifndef TOPICWALL_TESTS_CLIENT_REPORT_MADE_UP_REPORT_H_
#define TOPICWALL_TESTS_CLIENT_REPORT_MADE_UP_REPORT_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/paid_plan.h"
#include "client/evaluate/prevalence_file.h"
#include "client/fit/model_file.h"
#include "client/report/report.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"
#include "tests/client/chain_builder.h"
#include "tests/client/program.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {

class MadeUpReport : public ProgramFrame {
 protected:
  explicit MadeUpReport(const accountant::AdmissionPolicy& policy = ChainBuilder().policy())
      : chain_(policy) {}

  void SetUp() override {
    model_ = MadeUpModel(1, 10);
    model_.set_corpus("notes");
    model_.set_custodian_id("hospital");
    model_.set_plan_id("plan-9-of-the-topics");
    model_.set_unigram_plan_id("plan-8-of-the-words");
    model_.set_epsilon(Alone(8, 8));
    WriteFolder("notes.model", model_);
    v1::ModelFile other = MadeUpModel(2, 10);
    other.set_corpus("mail");
    WriteFolder("mail.model", other);
    ASSERT_OK(WritePaid(PrevalenceByYear(), Path("notes.model/prevalence-year.pb")));
    ASSERT_OK(WritePaid(Evaluation(), Path("notes.model/evaluation-1.pb")));
    FillLedger();
  }

  ReportSources Sources() {
    return {.model = Path("notes.model"),
            .prevalences = {},
            .compare = Path("mail.model"),
            .ledger = chain_.entries(),
            .program_version = "1.2.3"};
  }

  static double NoiseOf(int plan) { return 60 + plan; }
  // What releases of one price cost alone, of which plan number `first` is the first.
  double Alone(int first, int releases) const {
    const v1::LedgerEvent event = ChainBuilder::Reserved("", "", NoiseOf(first), releases);
    return *PriceAlone(chain_.policy(), event.plan_reserved().spec());
  }

  v1::Report Gather() {
    auto report = GatherReport(Sources());
    EXPECT_OK(report);
    return report.ok() ? *std::move(report) : v1::Report();
  }

  // What was paid for about `model` with plan number `plan`.
  template <typename File>
  File PaidFile(int plan, const v1::ModelFile& model) const {
    File file;
    file.set_topics_sha256(TopicsSha256(model));
    file.mutable_plan()->set_plan_id(PlanOf(plan));
    file.mutable_plan()->set_request_id(std::string(16, 'r'));
    file.mutable_plan()->mutable_plan()->set_corpus("notes");
    file.mutable_plan()->mutable_plan()->set_iterations(1);
    file.set_epsilon(Alone(plan, 4));
    file.set_delta(1e-6);
    return file;
  }
  v1::EvaluationFile EvaluationOf(const v1::ModelFile& model) const {
    auto file = PaidFile<v1::EvaluationFile>(7, model);
    file.set_format_version(kEvaluationFormatVersion);
    v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
    plan.set_held_out_share(0.1);
    plan.set_weights(proto::FloatsToLittleEndian({0.05F, 0.1F}));
    return file;
  }

  v1::ModelFile model_;
  ChainBuilder chain_;

 private:
  // 100 documents in each of two years, of which the first topic has 80 and then 30; none in no
  // year.
  v1::PrevalenceFile PrevalenceByYear() const {
    auto file = PaidFile<v1::PrevalenceFile>(10, model_);
    file.set_format_version(kPrevalenceFormatVersion);
    v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
    plan.set_sampling_rate(1);
    v1::PrevalenceOptions options;
    options.mutable_topics()->set_num_topics(kMadeUpTopics);
    options.add_attributes(0);
    plan.set_model(kPrevalence);
    plan.set_options(options.SerializeAsString());
    v1::Attribute& year = *file.add_attributes();
    year.set_name("year");
    year.set_is_date(true);
    for (const char* value : {"2023-01-01", "2024-01-01", "2025-01-01"}) year.add_values(value);
    file.set_clip_norm(1);
    file.set_documents_per_unit(1);
    file.set_noise_standard_deviation(2);
    file.add_releases(proto::FloatsToLittleEndian({80, 15, 5, 100, 30, 50, 20, 100, 0, 0, 0, 0}));
    return file;
  }

  v1::EvaluationFile Evaluation() const {
    v1::EvaluationFile file = EvaluationOf(model_);
    testing::AskTopics(file.mutable_plan()->mutable_plan(), "document_completion", kMadeUpTopics,
                       {0.5});
    file.set_noise_standard_deviation(3);
    file.set_words_per_unit(40);
    file.add_negative_log_likelihoods(6100);
    file.add_words(1020);
    return file;
  }

  static std::string PlanOf(int plan) {
    if (plan == 7) return "plan-7-of-the-perplexity";
    if (plan == 8) return "plan-8-of-the-words";
    if (plan == 9) return "plan-9-of-the-topics";
    if (plan == 10) return "plan-10-of-the-years";
    return absl::StrCat("plan-", plan, "-of-another");
  }

  void FillLedger() {
    for (int plan = 1; plan <= 10; ++plan) {
      const std::string id = PlanOf(plan);
      chain_.Reserve("spiffe://topicwall/analyst/alice", id, NoiseOf(plan), 4);
      for (int iteration = 1; iteration <= 3; ++iteration) {
        chain_.Charge("spiffe://topicwall/analyst/alice", id, iteration);
        chain_.Publish("spiffe://topicwall/analyst/alice", id, iteration);
      }
    }
    chain_.Cancel("spiffe://topicwall/analyst/alice", "plan-2-of-another", 1);
    chain_.TellSum(chain_.SumWith(1, 1e-6));
  }
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_REPORT_MADE_UP_REPORT_H_
