// What a prevalence report is made of, made up: for tests of the report, and of how it is shown.
#ifndef TOPICWALL_TESTS_CLIENT_EVALUATE_MADE_UP_PREVALENCE_H_
#define TOPICWALL_TESTS_CLIENT_EVALUATE_MADE_UP_PREVALENCE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/evaluate/prevalence_report.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"
#include "tests/client/small_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {

// Two topics, wards north and south, two years: next to no noise, so that shares are what the sums
// say. Of the north 100 documents in 2023 (80 of the first topic) and 50 in 2024 (10 of it), none
// in no year; of the south 10 a year, all of the first topic; no documents of another ward.
class MadeUpPrevalence : public ::testing::Test {
 protected:
  MadeUpPrevalence() {
    model_ = SmallModel({"bird", "car", "day"}, {9, 1, 1, 1, 9, 1}, 0.1, 0.1);

    v1::ReleaseSpec& plan = *file_.mutable_plan()->mutable_plan();
    plan.set_corpus("notes");
    plan.set_iterations(1);
    plan.set_sampling_rate(1);
    v1::PrevalenceOptions options;
    options.mutable_topics()->set_num_topics(2);
    options.add_attributes(0);
    options.add_attributes(1);
    plan.set_model(kPrevalence);
    plan.set_options(options.SerializeAsString());
    v1::Attribute& ward = *file_.add_attributes();
    ward.set_name("ward");
    for (const char* value : {"north", "south, \"deep\""}) ward.add_values(value);
    v1::Attribute& year = *file_.add_attributes();
    year.set_name("year");
    year.set_is_date(true);
    for (const char* value : {"2023-01-01", "2024-01-01", "2025-01-01"}) year.add_values(value);
    file_.set_documents_per_unit(1);
    file_.set_noise_standard_deviation(0.1);
    file_.add_releases(
        proto::FloatsToLittleEndian({80, 20, 100, 10, 40, 50, 0, 0, 0, 10, 0, 10, 10, 0,
                                     10, 0,  0,   0,  0,  0,  0, 0, 0, 0,  0, 0,  0}));
  }

  PrevalenceReport Report(const std::vector<std::string>& by,
                          const std::vector<std::vector<int>>& merged = {}) {
    const auto report = ReportOf(file_, {.by = by, .merged = merged});
    EXPECT_OK(report);
    return *report;
  }

  v1::ModelFile model_;
  v1::PrevalenceFile file_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_EVALUATE_MADE_UP_PREVALENCE_H_
