// Options by name, as a Python dictionary has them, read into fields that may stay open.
//
//   OptionReader options(dict);
//   options.Take("topics", &spec.num_topics);     // None, or not there: as it is
//   options.TakeNoise(&spec);                     // spend, epsilon_alone, noise_multiplier
//   options.CheckAllTaken();
//
// topicwall.Error for a value of another type, and for a name that nobody took. With the
// interpreter's lock.
#ifndef TOPICWALL_CLIENT_PYTHON_OPTIONS_H_
#define TOPICWALL_CLIENT_PYTHON_OPTIONS_H_

#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/audit/spend.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"

namespace topicwall::client {

class OptionReader {
 public:
  explicit OptionReader(const pybind11::dict& options) : options_(options) {}

  template <typename T>
  void Take(const char* name, T* field) {
    const pybind11::object value = Find(name);
    if (value.is_none()) return;
    try {
      *field = value.cast<T>();
    } catch (const pybind11::cast_error&) {
      ThrowUnlessOk(absl::InvalidArgumentError(absl::StrCat(
          name, " cannot be ", std::string(pybind11::repr(value)), ": it is of another type.")));
    }
  }
  void TakeNoise(PlanNoise* noise) {
    Take("epsilon_alone", &noise->epsilon);
    Take("noise_multiplier", &noise->noise_multiplier);
    std::string text;
    Take("spend", &text);
    if (text.empty()) return;
    absl::StatusOr<Spend> spend = ParseSpend(text);
    if (!spend.ok()) {
      spend = absl::InvalidArgumentError(absl::StrCat("spend ", spend.status().message(), "."));
    }
    noise->spend = ValueOrThrow(std::move(spend));
  }
  void CheckAllTaken() const {
    for (const auto& [key, value] : options_) {
      const std::string name = key.cast<std::string>();
      if (taken_.count(name) != 0) continue;
      ThrowUnlessOk(absl::InvalidArgumentError(absl::StrCat("there is no option ", name, ".")));
    }
  }

 private:
  pybind11::object Find(const char* name) {
    taken_.insert(name);
    return options_.contains(name) ? pybind11::object(options_[name]) : pybind11::none();
  }

  const pybind11::dict& options_;
  std::set<std::string> taken_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_OPTIONS_H_
