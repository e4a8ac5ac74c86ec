// A program's command line: commands with options, help with an example, and errors of usage.
//
//   CommandLine line({.program = "topicwall", .version = "0.1.0", .description = "…"});
//   Command fit = line.root().AddCommand("fit", "Fit a private topic model");
//   fit.Add("corpus", flags.corpus, "Name of the corpus").Required();
//   fit.Add("--epsilon", flags.epsilon, "Price of the whole fit").Positive();
//   fit.OnParsed([&] { run = RunFit; });
//   if (const std::optional<int> code = line.Parse(argc, argv); code.has_value()) return *code;
//
// Names are as in "--config" and "config,--config" (a value without a name, too). What is parsed
// goes into the variables, which must outlive Parse; an optional is left empty where nothing was
// given. A Command and an Option are handles of what belongs to the CommandLine. Behind it is
// CLI11, whose header is seen by one source alone: it takes seconds to compile.
//
// Threads: one.
#ifndef TOPICWALL_BASE_COMMAND_LINE_H_
#define TOPICWALL_BASE_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace topicwall::base {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required(bool required = true) const;
  // A number above 0.
  Option Positive() const;
  Option OneOf(const std::vector<std::string>& names) const;
  // Help tells the variable's value of now.
  Option ShowDefault() const;
  Option Needs(Option other) const;
  Option Excludes(Option other) const;
  // Where the command line has none.
  Option FromEnvironment(const std::string& variable) const;
  // May be given several times, one value each.
  Option Repeated() const;
  // Its value may be left out.
  Option ValueOptional() const;
  // One value holds several, with `separator` between them.
  Option SeparatedBy(char separator) const;
  // What help calls its value.
  Option Called(const std::string& name) const;

  // After Parse, or in OnParsed.
  bool given() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  using Act = std::function<void()>;
  using Reader = std::function<absl::Status(const std::string&)>;

  explicit Command(CLI::App* app) : app_(app) {}

  Command AddCommand(const std::string& name, const std::string& description);
  // Options that stand together in the help.
  Command AddGroup(const std::string& name, const std::string& description);

  // Value: std::string, int, int64_t, uint64_t or double; an optional of these, left empty where
  // nothing is given; a vector of strings or doubles. (Others do not link.)
  template <typename Value>
  Option Add(const std::string& names, Value& value, const std::string& help);
  // A value that `take` understands; its error is one of usage.
  Option AddParsed(const std::string& names, const Reader& take, const std::string& help);
  // One of `choices`, by name.
  template <typename Value>
  Option AddChoice(const std::string& names, Value& value,
                   const std::map<std::string, Value>& choices, const std::string& help) {
    std::vector<std::string> known;
    for (const auto& [name, choice] : choices) known.push_back(name);
    const Reader take = [&value, choices](const std::string& name) {
      const auto choice = choices.find(name);
      if (choice != choices.end()) value = choice->second;
      return absl::OkStatus();
    };
    return AddParsed(names, take, help).OneOf(known);
  }
  // True once it is given.
  Option AddFlag(const std::string& names, bool& value, const std::string& help);
  // `act` is called where it is given.
  Option AddFlag(const std::string& names, const Act& act, const std::string& help);

  // Prints what `answer` returns, and the program ends well, as after --help.
  Option AddAnswer(const std::string& names, const std::function<std::string()>& answer,
                   const std::string& help);

  void RequireCommand();
  // Of a group's options one; at most one.
  void RequireOption();
  void AllowOneOption();
  // What was added before under this name.
  Option Find(const std::string& name) const;
  Command FindGroup(const std::string& name) const;
  void Footer(const std::string& text);  // below the help: an example
  // Whether what was given goes together, before OnParsed; its error is one of usage.
  void Check(const std::function<absl::Status()>& check);
  void OnParsed(const Act& act);  // called once the command was parsed

 private:
  CLI::App* app_;
};

// Errors of usage are "PROGRAM COMMAND: what, the rule; got the value. See `… --help`."
class CommandLine {
 public:
  static constexpr int kUsage = 2;

  struct Params {
    std::string program;
    std::string version;  // what --version says after the program's name
    std::string description;
    // Told in place of standard error: of which command ("" for none), and what is wrong.
    std::function<void(const std::string& command, const std::string& error)> on_error = {};
  };
  explicit CommandLine(const Params& params);
  ~CommandLine();

  Command root();
  std::string Help() const;  // of all
  // Nothing if the program is to go on; otherwise the code to exit with, after help, the version or
  // what is wrong was printed: 0, 0 or kUsage.
  std::optional<int> Parse(int argc, const char* const* argv);
  std::string command() const;  // the one that was given; "" if there was none

 private:
  std::unique_ptr<CLI::App> app_;
  const std::function<void(const std::string&, const std::string&)> on_error_;
};

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_COMMAND_LINE_H_
