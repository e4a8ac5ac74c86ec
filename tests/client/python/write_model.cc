// A made-up model in a folder, for the tests in Python: write-model
// {denoised|long|noise|mixture|gaussian} SEED FOLDER.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "client/fit/model_directory.h"
#include "tests/client/topics/made_up_gaussians.h"
#include "tests/client/topics/made_up_model.h"

int main(int argc, char** argv) {
  using namespace topicwall::client;  // NOLINT: a program of a test
  if (argc != 4) return 2;
  constexpr float kTau = 15;
  topicwall::v1::ModelFile file = MadeUpModel(std::stoull(argv[2]), kTau);
  if (std::string(argv[1]) == "mixture") {
    file.set_algorithm("mixture");
    for (const double weight : {0.5, 0.3, 0.2}) file.add_component_weights(weight);
  }
  // As of long documents: with noise along the topics.
  if (std::string(argv[1]) == "long") {
    for (const float deviation : {20.0F, 30.0F, 40.0F}) file.add_mass_deviations(deviation);
  }
  // All sums together are less than that.
  if (std::string(argv[1]) == "noise") {
    for (int k = 0; k < kMadeUpTopics; ++k) file.add_mass_deviations(1e5F);
  }
  if (std::string(argv[1]) == "gaussian") file = MadeUpGaussians();
  const auto directory = ModelDirectory::OpenNew(argv[3]);
  const absl::Status written = directory.ok() ? (*directory)->Finish(file) : directory.status();
  if (!written.ok()) std::cerr << written << "\n";
  return written.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
