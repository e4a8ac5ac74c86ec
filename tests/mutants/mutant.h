// Known defects, written as edits of our sources, and the sources with all of them built in.
//
// A mutant is a file defects/<name>.mutant:
//
//   title: The noise is divided by √2
//   caught by: statistical_test NoiseStatisticsTest.*
//   === server/mechanism/noise_mechanism.cc
//   noise.Draw(stream)
//   === becomes
//   noise.Draw(stream) / (MUTANT ? 1.41 : 1)
//
// One line `caught by` for every check that must fail while the mutant is on: a test program as
// it is called in the build folder and the tests of it that are run (--gtest_filter); or `audit`
// and the part of it (topicwall-audit --part), which other options may follow. Then any
// number of edits: the source, the text replaced, and what it becomes. The text must occur exactly
// once in the source, whole lines or a part of one, so that no mutant outlives the code it is
// about. MUTANT is an expression: true if this mutant is the one chosen at run time
// (mutant_switch.h). ORIGINAL is the text replaced. Two mutants may replace the same text if both
// use ORIGINAL; otherwise no two edits may overlap.
//
// A probe, defects/<name>.probe, is written the same way and is always on: it watches.
//
// Production sources know nothing of all this: what is compiled with the mutants in it are
// copies in the build folder, for test programs only.
//
// Errors: INVALID_ARGUMENT names the mutant, and the source and text where it is about an edit.
#ifndef TOPICWALL_TESTS_MUTANTS_MUTANT_H_
#define TOPICWALL_TESTS_MUTANTS_MUTANT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::mutants {

struct Edit {
  std::string source;  // from the root of the tree
  std::string original;
  std::string replacement;
};

struct Catcher {
  std::string program;
  std::string filter;

  bool is_audit() const { return program == "audit"; }
};

struct Mutant {
  std::string name;
  std::string title;
  std::vector<Catcher> caught_by;  // at least one; a probe has none
  std::vector<Edit> edits;         // at least one
  bool is_probe;
};

absl::StatusOr<Mutant> ParseMutant(absl::string_view name, absl::string_view text, bool is_probe);

// All mutants of the folder, then all its probes, each sorted by name. NOT_FOUND if there is none.
absl::StatusOr<std::vector<Mutant>> ReadMutants(const std::string& folder);

// `text`, which is that of `source`, with the edits of all `mutants` that are about it.
absl::StatusOr<std::string> Mutate(absl::string_view source, absl::string_view text,
                                   absl::Span<const Mutant> mutants);

}  // namespace topicwall::mutants

#endif  // TOPICWALL_TESTS_MUTANTS_MUTANT_H_
