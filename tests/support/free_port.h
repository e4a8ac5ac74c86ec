#ifndef TOPICWALL_TESTS_SUPPORT_FREE_PORT_H_
#define TOPICWALL_TESTS_SUPPORT_FREE_PORT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <random>

namespace topicwall::testing {

// Of 127.0.0.1, one that nobody listens on just now: for programs that cannot choose one and say
// which. Not of those that the system gives to whoever names none, or somebody had it meanwhile.
inline int FreePort() {
  std::random_device random;
  for (;;) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(20'000 + random() % 12'000));
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int bound = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    close(probe);
    if (bound == 0) return ntohs(address.sin_port);
  }
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_FREE_PORT_H_
