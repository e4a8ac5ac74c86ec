#ifndef TOPICWALL_TESTS_SUPPORT_CONNECT_TO_H_
#define TOPICWALL_TESTS_SUPPORT_CONNECT_TO_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace topicwall::testing {

// A connection to that port of 127.0.0.1, which is the caller's to close.
inline int ConnectTo(int port) {
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  return descriptor;
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_CONNECT_TO_H_
