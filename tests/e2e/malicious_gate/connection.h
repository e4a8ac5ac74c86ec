// A connection to malicious_gate.cc. PUBLIC. Threads: any.
#ifndef TOPICWALL_TESTS_E2E_MALICIOUS_GATE_CONNECTION_H_
#define TOPICWALL_TESTS_E2E_MALICIOUS_GATE_CONNECTION_H_

#include <string>

namespace topicwall::testing {

// `kind` as malicious_gate.cc has it. The socket is the caller's; what it receives nothing on for
// 30 seconds fails.
int ConnectToGate(const std::string& address, char kind);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_MALICIOUS_GATE_CONNECTION_H_
