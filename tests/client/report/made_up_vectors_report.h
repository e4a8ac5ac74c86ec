// A report of a mixture of Gaussians with round numbers, by two of the plans in the ledger of
// made_up_report.h.
#ifndef TOPICWALL_TESTS_CLIENT_REPORT_MADE_UP_VECTORS_REPORT_H_
#define TOPICWALL_TESTS_CLIENT_REPORT_MADE_UP_VECTORS_REPORT_H_

#include "client/report/report.h"
#include "tests/client/report/made_up_report.h"
#include "tests/client/topics/made_up_gaussians.h"

namespace topicwall::client {

class MadeUpVectorsReport : public MadeUpReport {
 protected:
  void SetUp() override {
    MadeUpReport::SetUp();
    faces_ = MadeUpGaussians();
    faces_.set_corpus("notes");
    faces_.set_plan_id("plan-9-of-the-topics");
    faces_.set_epsilon(Alone(8, 8));
    faces_.set_delta(1e-6);
    faces_.mutable_spec()->set_algorithm("gaussian");
    faces_.mutable_spec()->set_sampling_rate(1);
    faces_.mutable_spec()->set_clip_norm(1.42);
    faces_.mutable_spec()->set_seed(1);
    faces_.mutable_spec()->set_iterations(12);
    faces_.mutable_spec()->set_max_words(500);
    faces_.mutable_gaussian()->set_vectors(4000);
    AddStage("whole", "plan-8-of-the-words", 1);
    AddStage("components", "plan-9-of-the-topics", 12);
  }
  void AddStage(const char* name, const char* plan, int releases) {
    v1::ModelStage& stage = *faces_.mutable_gaussian()->add_stages();
    stage.set_name(name);
    stage.set_plan_id(plan);
    stage.set_releases(releases);
  }
  absl::StatusOr<v1::Report> ReportOfFaces() {
    WriteFolder("faces.model", faces_);
    ReportSources sources = Sources();
    sources.model = Path("faces.model");
    sources.compare.clear();
    return GatherReport(sources);
  }

  v1::ModelFile faces_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_REPORT_MADE_UP_VECTORS_REPORT_H_
