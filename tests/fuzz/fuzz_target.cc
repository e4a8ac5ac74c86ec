#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace topicwall::fuzz {
namespace {

// A function's own variable: targets register before main, in no known order.
std::vector<FuzzTarget>& Targets() {
  static auto& targets = *new std::vector<FuzzTarget>();
  return targets;
}

}  // namespace

bool Register(FuzzTarget target) {
  std::vector<FuzzTarget>& targets = Targets();
  targets.push_back(std::move(target));
  std::sort(targets.begin(), targets.end(),
            [](const FuzzTarget& a, const FuzzTarget& b) { return a.name < b.name; });
  return true;
}

const std::vector<FuzzTarget>& AllTargets() { return Targets(); }

void Require(bool holds, absl::string_view claim) {
  if (holds) return;
  std::cerr << "This does not hold: " << std::string(claim) << std::endl;
  std::abort();
}

Verdict Refuse(const absl::Status& status, const RefusalRules& rules) {
  const absl::string_view text = status.message();
  const auto demand = [&](bool holds, absl::string_view rule) {
    if (holds) return;
    Require(false, absl::StrCat(rule, "; got ", absl::StatusCodeToString(status.code()), ", ",
                                text.size(), " bytes: ", text.substr(0, 500)));
  };
  demand(std::count(rules.codes.begin(), rules.codes.end(), status.code()) == 1,
         "a refusal has one of the codes that the header names");
  demand(!text.empty(), "a refusal says why");
  demand(text.size() <= rules.longest_message, "a refusal is short");
  for (const std::string& word : rules.never_said) {
    demand(!absl::StrContains(text, word), "a refusal says nothing private");
  }
  return Verdict::kRefused;
}

}  // namespace topicwall::fuzz
