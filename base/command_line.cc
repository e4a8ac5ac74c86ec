// All of CLI11 that the programs use goes through here. It reports by exceptions; they are caught
// in Parse and leave this file as an exit code.
#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/standard_streams.h"

namespace topicwall::base {
namespace {

// "--topics: must be …" → "--topics must be …": all the same, whoever found it.
std::string OfValue(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(": ", 1));
  return absl::StartsWith(parts.second, "must ") ? absl::StrCat(parts.first, " ", parts.second)
                                                 : text;
}

// A value that no number could be made of.
std::string OfNumber(const CLI::App& app, const std::string& text) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "Could not convert: ")) return text;
  const std::pair<std::string, std::string> parts = absl::StrSplit(rest, absl::MaxSplits(" = ", 1));
  const CLI::Option* const option = app.get_option_no_throw(parts.first);
  const bool any = option != nullptr && absl::StartsWith(option->get_type_name(), "FLOAT");
  return absl::StrCat(
      parts.first, any ? " must be a number; got " : " must be a whole number; got ", parts.second);
}

// Of a group of options one is wanted: "exactly 1 of --a, --b is required and 2 were given".
std::string OfGroup(const std::string& text) {
  const size_t list = text.find('[', text.find("from"));
  const size_t end = text.find(']', list);
  if (list == std::string::npos || end == std::string::npos) return text;
  const std::string options =
      absl::StrReplaceAll(text.substr(list + 1, end - list - 1), {{",", ", "}});
  const bool too_many = absl::StrContains(text, "were given") || absl::StrContains(text, "at most");
  return absl::StrCat(too_many ? "only one may be given of " : "one is required of ", options);
}

// In our words, as far as they are more of a help than CLI11's. `rest`: what nothing took.
std::string WordsOf(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& rest) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return OfValue(text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return OfNumber(app, text);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    return absl::StrCat(absl::StrReplaceAll(text, {{" excludes ", " and "}}),
                        " exclude each other");
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
    return absl::StrCat(parts.first, " wants a value");
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return absl::StrCat("there is no such argument here: ", absl::StrJoin(rest, " "));
  }
  if (absl::StrContains(text, "option from [") ||
      absl::StrContains(text, "options be given from [")) {
    return OfGroup(text);
  }
  if (text != "A subcommand is required") return text;
  return rest.empty() ? "a command is required"
                      : absl::StrCat("there is no such command: ", rest[0]);
}

// Refuses a whole number that the variable does not hold: CLI11 would take -1 for the largest of
// those without a sign, and say of others that they are no whole number.
template <typename Value>
void HoldToRange(const Value& /*variable*/, CLI::Option* option) {
  if constexpr (std::is_integral_v<Value>) {
    option->check([](const std::string& text) {
      Value value = 0;
      const bool is_whole =
          text.find_first_not_of("0123456789", text.find('-') == 0 ? 1 : 0) == std::string::npos;
      if (!is_whole || absl::SimpleAtoi(text, &value)) return std::string();
      using Limits = std::numeric_limits<Value>;
      return absl::StrCat("must be a whole number from ", Limits::min(), " to ", Limits::max(),
                          "; got ", text);
    });
  }
}
template <typename Value>
void HoldToRange(const std::optional<Value>& /*variable*/, CLI::Option* option) {
  HoldToRange(Value(), option);
}

}  // namespace

Option Option::Required(bool required) const {
  option_->required(required);
  return *this;
}

Option Option::Positive() const {
  option_->check(CLI::Validator(
      [](std::string& text) {
        // CLI11's own PositiveNumber speaks, in its error, of a range up to 1.8e308.
        double value = 0;
        const bool positive = CLI::detail::lexical_cast(text, value) && value > 0;
        return positive ? std::string() : absl::StrCat("must be positive; got ", text);
      },
      "> 0"));
  return *this;
}

Option Option::OneOf(const std::vector<std::string>& names) const {
  option_->check(CLI::Validator(
      [names](std::string& text) {
        const bool known = std::find(names.begin(), names.end(), text) != names.end();
        return known ? std::string()
                     : absl::StrCat("must be one of ", absl::StrJoin(names, ", "), "; got ", text);
      },
      absl::StrCat("{", absl::StrJoin(names, ","), "}")));
  return *this;
}

Option Option::ShowDefault() const {
  option_->capture_default_str();
  return *this;
}

Option Option::Needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::Excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::FromEnvironment(const std::string& variable) const {
  option_->envname(variable);
  return *this;
}

Option Option::Repeated() const {
  // One value each time, or "--part noise file" would take the file for a part.
  option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Option Option::ValueOptional() const {
  option_->expected(0, 1);
  return *this;
}

Option Option::SeparatedBy(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option Option::Called(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

Command Command::AddCommand(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

Command Command::AddGroup(const std::string& name, const std::string& description) {
  return Command(app_->add_option_group(name, description));
}

template <typename Value>
Option Command::Add(const std::string& names, Value& value, const std::string& help) {
  CLI::Option* const option = app_->add_option(names, value, help);
  HoldToRange(value, option);
  return Option(option);
}

// The types there are. add_option is a template of CLI11's: instantiated here, its header stays
// here.
template Option Command::Add(const std::string&, std::string&, const std::string&);
template Option Command::Add(const std::string&, int&, const std::string&);
template Option Command::Add(const std::string&, int64_t&, const std::string&);
template Option Command::Add(const std::string&, uint64_t&, const std::string&);
template Option Command::Add(const std::string&, double&, const std::string&);
template Option Command::Add(const std::string&, std::optional<std::string>&, const std::string&);
template Option Command::Add(const std::string&, std::optional<int>&, const std::string&);
template Option Command::Add(const std::string&, std::optional<int64_t>&, const std::string&);
template Option Command::Add(const std::string&, std::optional<double>&, const std::string&);
template Option Command::Add(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::Add(const std::string&, std::vector<double>&, const std::string&);

Option Command::AddParsed(const std::string& names, const Reader& take, const std::string& help) {
  return Option(app_->add_option_function<std::string>(
      names,
      [names, take](const std::string& text) {
        const absl::Status taken = take(text);
        if (taken.ok()) return;
        const absl::string_view what = absl::StripSuffix(taken.message(), ".");
        throw CLI::ValidationError(names, absl::StrContains(what, "; got ")
                                              ? std::string(what)
                                              : absl::StrCat(what, "; got ", text));
      },
      help));
}

Option Command::AddFlag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Option Command::AddFlag(const std::string& names, const Act& act, const std::string& help) {
  return Option(app_->add_flag_callback(names, act, help));
}

Option Command::AddAnswer(const std::string& names, const std::function<std::string()>& answer,
                          const std::string& help) {
  return AddFlag(
      names,
      [answer] {
        std::cout << answer();
        // As --help does: parsing ends at once, before what is required is missed.
        throw CLI::Success();
      },
      help);
}

void Command::RequireCommand() { app_->require_subcommand(1); }

void Command::RequireOption() { app_->require_option(1); }

void Command::AllowOneOption() { app_->require_option(0, 1); }

Option Command::Find(const std::string& name) const { return Option(app_->get_option(name)); }

Command Command::FindGroup(const std::string& name) const {
  return Command(app_->get_option_group(name));
}

void Command::Footer(const std::string& text) { app_->footer(text); }

// Before the callback of OnParsed, while an error is still one of usage.
void Command::Check(const std::function<absl::Status()>& check) {
  app_->parse_complete_callback([check] {
    const absl::Status status = check();
    if (!status.ok()) throw CLI::ValidationError(std::string(status.message()));
  });
}

void Command::OnParsed(const Act& act) { app_->callback(act); }

CommandLine::CommandLine(const Params& params)
    : app_(std::make_unique<CLI::App>(params.description, params.program)),
      on_error_(params.on_error) {
  app_->set_version_flag("--version", absl::StrCat(params.program, " ", params.version));
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return Command(app_.get()); }

std::string CommandLine::Help() const { return app_->help(); }

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Prints help or the version.
    if (error.get_exit_code() == 0) return CodeAfterPrinting(app_->get_name(), app_->exit(error));
    const std::string program = app_->get_name(), given = command();
    const std::string all = given.empty() ? program : absl::StrCat(program, " ", given);
    const CLI::App& app = given.empty() ? *app_ : *app_->get_subcommands().front();
    const std::string message =
        absl::StrCat(absl::StripSuffix(WordsOf(app, error, app_->remaining(/*recurse=*/true)), "."),
                     ". See `", all, " --help`.");
    if (on_error_) {
      on_error_(given, message);
    } else {
      std::cerr << all << ": " << message << std::endl;
    }
    return kUsage;
  }
  return std::nullopt;
}

std::string CommandLine::command() const {
  const std::vector<CLI::App*> given = app_->get_subcommands();
  return given.empty() ? "" : given.front()->get_name();
}

}  // namespace topicwall::base
