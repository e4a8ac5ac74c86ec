#include "client/commands/spending.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace topicwall::client {

void AddSpendFlags(base::Command command, const std::string& what, const NoiseFlags& flags) {
  std::optional<Spend>& spend = flags.spend;
  command
      .AddParsed(
          "--spend",
          [&spend](const std::string& text) -> absl::Status {
            absl::StatusOr<Spend> parsed = ParseSpend(text);
            if (!parsed.ok()) return parsed.status();
            spend = *std::move(parsed);
            return absl::OkStatus();
          },
          what +
              "what it takes of the budget: an epsilon, a share of what is left, or all; the "
              "least noise for it is found")
      .Called("X|90%|all");
  command
      .Add("--epsilon-alone", flags.epsilon_alone,
           what +
               "instead, its epsilon if nothing else were ever spent, which is more than it "
               "takes")
      .Positive();
}

void AddNoiseFlags(base::Command command, const std::string& what, const NoiseFlags& flags) {
  AddSpendFlags(command, what, flags);
  command
      .Add("--noise-multiplier", flags.noise_multiplier,
           what + "instead, noise standard deviation over clip norm, of each release")
      .Positive();
}

std::string SpendFlagText(const std::optional<Spend>& spend,
                          const std::optional<double>& epsilon_alone) {
  if (spend.has_value()) return absl::StrCat("--spend ", spend->text);
  if (epsilon_alone.has_value()) return absl::StrFormat("--epsilon-alone %g", *epsilon_alone);
  return "";
}

void AddTakingRows(const Taking& taking, const std::string& less, const v1::PlanPrice& price,
                   base::Table& table) {
  table.AddRow({"takes", absl::StrFormat("%s of the %s left (%.4f in all, at delta %g); %s is left "
                                         "then",
                                         TakenText(taking), LeftText(taking), taking.total,
                                         price.delta(), LeftAfterText(taking))});
  if (!less.empty()) table.AddRow({"", less});
  table.AddRow({"", absl::StrFormat("alone it would be epsilon %.4f", price.epsilon_alone())});
}

base::JsonObject TakingJson(const Taking& taking, const v1::PlanPrice& price) {
  return base::JsonObject()
      .SetNumber("taken", taking.taken())
      .SetNumber("left", taking.total - taking.before)
      .SetNumber("left_after", taking.total - taking.after)
      .SetNumber("total", taking.total)
      .SetNumber("delta", price.delta())
      .SetNumber("epsilon_alone", price.epsilon_alone());
}

std::string TookText(double taken, double epsilon_alone, double delta) {
  return absl::StrFormat("%.4f of the budget, at delta %g (alone it would be epsilon %.4f)", taken,
                         delta, epsilon_alone);
}

}  // namespace topicwall::client
