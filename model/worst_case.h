// What an analyst may ask of a model to make its units take longest: for whoever measures how long
// a release can take, which a custodian's schedule must be longer than.
//
//   TW_ASSIGN_OR_RETURN(const auto cases, WorstCases("lda", limits));   // models.h
//
// Every model states its own, over documents or vectors of model/data/spread_document.h. A unit may
// take as long as all cases of a model together.
//
// PUBLIC: a function of the custodian's limits.
#ifndef TOPICWALL_MODEL_WORST_CASE_H_
#define TOPICWALL_MODEL_WORST_CASE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace topicwall::model {

// Of the custodian's limits those that models are asked within. All >= 1 but the last.
struct AnalystLimits {
  int64_t vocabulary_size;      // V
  int64_t words;                // N, of a document
  int64_t parameters_per_term;  // of all parameters, over V
  int iterations;               // of one document
  int vector_dimension = 0;     // d, of a corpus of vectors; 0 of one of text
};

struct WorstCase {
  std::string name;                                // of what makes it long, for people
  std::string options;                             // of the model
  std::function<std::vector<float>()> parameters;  // made when asked for: they may be large
  // Taken with fewer iterations than allowed, so that one document can be timed at all: with all of
  // them it takes at most so many times as long.
  double times;
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_WORST_CASE_H_
