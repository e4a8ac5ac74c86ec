// What a whole audit found, and the table that a custodian reads.
//
//   std::cout << TableOf(report);
//
//   seed 00112233445566778899aabbccddeeff
//
//   part     verdict       claim
//   replay   holds         adding a unit moves the integer sum by at most M
//                          tried     121 neighbouring pairs, 21 of them by name
//                          measured  at most 1.000000 M (a million words)
//                          bound     M
//                          would see 1 lattice step
//
// PUBLIC. Threads: values.
#ifndef TOPICWALL_SERVER_AUDIT_AUDIT_REPORT_H_
#define TOPICWALL_SERVER_AUDIT_AUDIT_REPORT_H_

#include <string>
#include <vector>

#include "base/json.h"
#include "server/audit/finding.h"

namespace topicwall::audit {

struct AuditReport {
  std::string seed;  // of everything that was chosen by chance: 32 hexadecimal digits
  std::vector<Finding> findings;
  int releases;  // as asked for
  int pairs;
  double false_alarm_probability;  // of the whole run
  std::string kernel_name;         // of the E-step that was audited
  double seconds;                  // it took

  // Every finding holds, and there is one.
  bool Holds() const;
  // Findings with that verdict.
  int Count(Verdict verdict) const;
};

// Whole lines, at most 100 columns wide, UTF-8.
std::string TableOf(const AuditReport& report);
// The same for programs.
base::JsonObject JsonOf(const AuditReport& report);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_AUDIT_REPORT_H_
