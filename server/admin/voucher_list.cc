#include "server/admin/voucher_list.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace topicwall::admin {

absl::StatusOr<accountant::VoucherKind> ParseVoucher(absl::string_view text) {
  const std::vector<absl::string_view> fields = absl::StrSplit(text, ',');
  accountant::VoucherKind kind{};
  // SimpleAto* pass over blanks around a number.
  if (fields.size() != 3 || !absl::SimpleAtod(fields[0], &kind.noise_multiplier) ||
      !absl::SimpleAtod(fields[1], &kind.sampling_rate) ||
      !absl::SimpleAtoi(fields[2], &kind.count)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a voucher must be SIGMA,NU,COUNT: noise multiplier, sampling rate, how many; got \"", text,
        "\"."));
  }
  return kind;
}

absl::StatusOr<std::vector<accountant::VoucherKind>> ReadVouchers(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path, "."));
  // The order of the lines does not matter: the inventory has its own, in which vouchers are drawn.
  std::vector<accountant::VoucherKind> kinds;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const absl::string_view text =
        absl::StripAsciiWhitespace(absl::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    const absl::StatusOr<accountant::VoucherKind> kind = ParseVoucher(text);
    if (!kind.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ", line ", number, ": ", kind.status().message()));
    }
    kinds.push_back(*kind);
  }
  if (file.bad()) return absl::NotFoundError(absl::StrCat("cannot read ", path, " to its end."));
  return kinds;
}

}  // namespace topicwall::admin
