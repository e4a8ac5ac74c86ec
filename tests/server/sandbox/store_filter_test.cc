#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "server/sandbox/filter.h"
#include "server/sandbox/sandbox.h"
#include "tests/server/sandbox/attempts.h"
#include "tests/server/sandbox/confined_process.h"

namespace topicwall::sandbox {
namespace store_filter_test {

class StoreFilterTest : public RoomFrame {};

// The errors of: connecting by TCP to where somebody listens, and by a path; listening; a socket of
// the kernel's own.
TEST_F(StoreFilterTest, CallsAndIsNotCalled) {
  const base::FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 8), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  sockaddr_un path{.sun_family = AF_UNIX, .sun_path = {}};
  absl::StrCat(directory_.path(), "/socket").copy(path.sun_path, sizeof(path.sun_path) - 1);
  const base::FileDescriptor named(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(named.get(), reinterpret_cast<const sockaddr*>(&path), sizeof(path)), 0);
  ASSERT_EQ(listen(named.get(), 8), 0);
  const std::string said = SaidInside(EnterStore, folders_.paths(), [&](const Line& line) {
    const auto error = [](int result) { return result < 0 ? errno : 0; };
    const int tcp = socket(AF_INET, SOCK_STREAM, 0), unix_socket = socket(AF_UNIX, SOCK_STREAM, 0);
    const int connected =
        error(connect(tcp, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
    const int by_path =
        error(connect(unix_socket, reinterpret_cast<const sockaddr*>(&path), sizeof(path)));
    const int listening = error(listen(socket(AF_INET, SOCK_STREAM, 0), 1));
    const int netlink = error(socket(AF_NETLINK, SOCK_RAW, 0));
    line.Say(absl::StrCat(connected, " ", by_path, " ", listening, " ", netlink));
  });
  EXPECT_EQ(said, absl::StrCat("0 0 ", EPERM, " ", EPERM, "\n"));
}

// A name without a file: the door of topicwall-admin, who under one user could not tell it apart.
TEST_F(StoreFilterTest, ComesInByNoNameOfOthersWhereTheKernelHasScopes) {
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string unique = directory_.path().substr(directory_.path().rfind('/') + 1);
  unique.copy(name.sun_path + 1, sizeof(name.sun_path) - 2);  // behind a zero
  const auto* address = reinterpret_cast<const sockaddr*>(&name);
  const base::FileDescriptor door(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(door.get(), address, sizeof(name)), 0);
  ASSERT_EQ(listen(door.get(), 8), 0);
  const auto error_inside = [&](const Enter& enter) {
    return SaidInside(enter, folders_.paths(), [&](const Line& line) {
      const int caller = socket(AF_UNIX, SOCK_STREAM, 0);
      line.Say(absl::StrCat(connect(caller, address, sizeof(name)) < 0 ? errno : 0));
    });
  };
  EXPECT_EQ(error_inside(EnterNothing), "0\n");
  const bool has_scopes = OfferedByThisKernel().landlock_abi >= 6;
  EXPECT_EQ(error_inside(EnterStore), absl::StrCat(has_scopes ? EPERM : 0, "\n"));
}

}  // namespace store_filter_test
}  // namespace topicwall::sandbox
