// Vouchers as the custodian types them: "SIGMA,NU,COUNT", on the command line or a line of a file.
//
//   TW_ASSIGN_OR_RETURN(const accountant::VoucherKind kind, ParseVoucher("6.3,1,10"));
//
// SIGMA is the least noise multiplier, NU the largest sampling rate a release that uses one may
// have, COUNT how many there are. PUBLIC: typed from no document. Pure, but for the file.
#ifndef TOPICWALL_SERVER_ADMIN_VOUCHER_LIST_H_
#define TOPICWALL_SERVER_ADMIN_VOUCHER_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/filters/inventory_spec.h"

namespace topicwall::admin {

// INVALID_ARGUMENT, repeating the text, unless it is three numbers, the last a whole one. What
// the numbers may be is MakeInventorySpec's to say.
absl::StatusOr<accountant::VoucherKind> ParseVoucher(absl::string_view text);

// One voucher kind a line; empty lines and what follows a # are passed over. NOT_FOUND if the file
// cannot be read; INVALID_ARGUMENT naming the line.
absl::StatusOr<std::vector<accountant::VoucherKind>> ReadVouchers(const std::string& path);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_VOUCHER_LIST_H_
