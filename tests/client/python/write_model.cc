// A made-up model in a folder, for the tests in Python: write-model
// {denoised|long|mixture|gaussian} SEED FOLDER.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
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
  // Two components in three dimensions, of vectors at most 2 long.
  if (std::string(argv[1]) == "gaussian") {
    file = {};
    file.set_format_version(kModelFormatVersion);
    file.set_algorithm("gaussian");
    file.set_corpus("faces");
    file.set_tokenizer("vectors");
    file.set_num_topics(2);
    file.set_vocabulary_size(3);
    for (const char* name : {"x1", "x2", "x3"}) file.add_terms(name);
    for (const double weight : {0.25, 0.75}) file.add_component_weights(weight);
    for (const double mean : {0.5, 0.0, 0.0, 0.0, -0.25, 0.5})
      file.mutable_gaussian()->add_means(mean);
    for (int i = 0; i < 6; ++i) file.mutable_gaussian()->add_variances(0.01);
    file.mutable_gaussian()->set_norm_bound(2);
    file.mutable_gaussian()->set_weight_deviation(0.1);
  }
  const auto directory = ModelDirectory::OpenNew(argv[3]);
  const absl::Status written = directory.ok() ? (*directory)->Finish(file) : directory.status();
  if (!written.ok()) std::cerr << written << "\n";
  return written.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
