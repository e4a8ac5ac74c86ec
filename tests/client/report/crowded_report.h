// A report with as much in it as one may have to show: 50 topics with long words, 22 years, 30
// groups with long names, plans of somebody whose name is long. What is read on a telephone has to
// be read of this one, too. Its numbers are drawn, and mean nothing.
#ifndef TOPICWALL_TESTS_CLIENT_REPORT_CROWDED_REPORT_H_
#define TOPICWALL_TESTS_CLIENT_REPORT_CROWDED_REPORT_H_

#include <cmath>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/report.pb.h"

namespace topicwall::client {

inline constexpr int kCrowd = 50;

namespace crowded {

inline void AddTopic(int number, std::mt19937_64& engine, v1::Report& report) {
  std::uniform_real_distribution<double> uniform;
  v1::ReportedTopic topic = report.topics(number % 3);
  topic.set_number(number);
  topic.set_share(0.08 * std::pow(0.93, number));
  topic.set_recurs(uniform(engine));
  topic.set_is_weak(topic.recurs() < 0.5);
  topic.set_x(2 * uniform(engine) - 1);
  topic.set_y(2 * uniform(engine) - 1);
  topic.clear_neighbours();
  for (const int step : {7, 19, 31}) {
    v1::ReportedNeighbour& neighbour = *topic.add_neighbours();
    neighbour.set_number(1 + (number + step) % kCrowd);
    neighbour.set_likeness(uniform(engine));
  }
  topic.mutable_words(0)->set_term("electroencephalographically");
  topic.mutable_words(1)->set_term("donaudampfschifffahrtsgesellschaft");
  topic.mutable_words(2)->set_above(0.87F);
  *report.add_topics() = topic;
}

// By year, or by a name of 20 letters.
inline v1::ReportedPrevalence Prevalence(bool is_date, int groups, const v1::Report& report) {
  v1::ReportedPrevalence prevalence = report.prevalences(0);
  prevalence.set_is_date(is_date);
  prevalence.set_attribute(is_date ? "year" : "department-of-the-hospital");
  prevalence.clear_groups();
  for (int g = 0; g < groups; ++g) {
    v1::ReportedGroup& group = *prevalence.add_groups();
    group.set_label(g + 1 == groups ? "other"
                    : is_date       ? absl::StrCat(2000 + g, "-01-01")
                                    : absl::StrCat("neurological-ward-", g));
    group.set_documents(123456);
    group.set_documents_error(57);
    for (int k = 0; k < kCrowd; ++k) {
      v1::ReportedShare& share = *group.add_topics();
      share.set_share(0.02F + 0.01F * static_cast<float>((k * g) % 7));
      share.set_low(share.share() - 0.01F);
      share.set_high(share.share() + 0.01F);
    }
  }
  return prevalence;
}

}  // namespace crowded

inline v1::Report CrowdedReport(const v1::Report& of) {
  v1::Report report = of;
  std::mt19937_64 engine(1);
  v1::Report few = of;
  for (int number = 1; number <= kCrowd; ++number) crowded::AddTopic(number, engine, few);
  *report.mutable_topics() = {few.topics().begin() + of.topics_size(), few.topics().end()};
  report.mutable_model()->set_num_topics(kCrowd);
  report.clear_prevalences();
  *report.add_prevalences() = crowded::Prevalence(true, 23, of);
  *report.add_prevalences() = crowded::Prevalence(false, 31, of);
  v1::ReportedComparison& other = *report.mutable_comparison();
  const v1::ReportedMatch match = other.matches(0);
  other.clear_matches();
  for (int number = 1; number <= kCrowd - 5; ++number) {
    v1::ReportedMatch& next = *other.add_matches() = match;
    next.set_number(number);
    next.set_other_number(kCrowd + 1 - number);
    next.set_likeness(1 - 0.01 * number);
    next.add_other_words("electroencephalographically");
  }
  for (v1::ReportedPlan& plan : *report.mutable_ledger()->mutable_plans()) {
    plan.set_principal("spiffe://university.example/department/analyst/a-long-name");
    plan.set_model("document_completion");
    plan.set_time_ms(1795484160000);
  }
  return report;
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_REPORT_CROWDED_REPORT_H_
