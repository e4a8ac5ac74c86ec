// All of CLI11 that the programs use goes through here. It reports by exceptions; they are caught
// in Parse and leave this file as an exit code.
#include "base/command_line.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::base {

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
  option_->check(CLI::IsMember(names));
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
  return Option(app_->add_option(names, value, help));
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
        if (!taken.ok()) throw CLI::ValidationError(names, std::string(taken.message()));
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
    : app_(std::make_unique<CLI::App>(params.description, params.program)) {
  app_->set_version_flag("--version", absl::StrCat(params.program, " ", params.version));
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return Command(app_.get()); }

std::string CommandLine::Help() const { return app_->help(); }

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Prints help, or what is wrong; --help is not an error.
    return app_->exit(error) == 0 ? 0 : kUsage;
  }
  return std::nullopt;
}

}  // namespace topicwall::base
