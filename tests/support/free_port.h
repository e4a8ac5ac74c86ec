#ifndef TOPICWALL_TESTS_SUPPORT_FREE_PORT_H_
#define TOPICWALL_TESTS_SUPPORT_FREE_PORT_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace topicwall::testing {

// Of 127.0.0.1, one that nobody listens on just now: for programs that cannot choose one and say
// which.
inline int FreePort() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(bind(probe, reinterpret_cast<const sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length), 0);
  close(probe);
  return ntohs(address.sin_port);
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_FREE_PORT_H_
