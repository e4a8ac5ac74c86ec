#include "tests/e2e/malicious_gate/seat.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/ledger.pb.h"
#include "proto/status_details.h"
#include "tests/e2e/malicious_gate/acts.h"
#include "tests/e2e/malicious_gate/connection.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr size_t kLengthBytes = 4;

WorldOptions WithTheMaliciousGate(WorldOptions options) {
  options.server_program = "malicious/topicwall-server";
  return options;
}

bool ReceiveAll(int socket, char* bytes, size_t size) {
  return recv(socket, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

std::string LengthOf(size_t size) {
  std::string bytes(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<char>(size >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace

int ConnectToGate(const std::string& address, char kind) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.find(':') + 1), &port));
  to.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  const int at_once = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  EXPECT_EQ(send(connection, &kind, 1, MSG_NOSIGNAL), 1);
  return connection;
}

SeatWorld::SeatWorld(WorldOptions options) : wall_(WithTheMaliciousGate(std::move(options))) {
  EXPECT_TRUE(wall_.StartServer()) << wall_.ServerOutput();
}

int64_t SeatWorld::VaultKib(const std::string& field) {
  std::ifstream status(absl::StrCat("/proc/", PidOf("topicwall-vault"), "/status"));
  int64_t number = -1;
  for (std::string word; status >> word;) {
    if (word == field + ":") status >> number;
  }
  return number;
}

Session::Session(SeatWorld& world) : socket_(ConnectToGate(world.address(), 's')) {}

Session::~Session() { close(socket_); }

uint64_t Session::Begin(const v1::Act& act, const std::vector<std::string>& messages) {
  const uint64_t number = ++last_;
  Send(LastPartOf(number, act.SerializeAsString()));
  for (const std::string& message : messages) Send(LastPartOf(number, message));
  Send(NoMoreOf(number));
  return number;
}

Answer Session::Await(uint64_t act) {
  while (!ended_.contains(act)) {
    if (!Receive())
      return {.status = absl::UnavailableError("the session is lost"), .messages = {}};
  }
  return ended_[act];
}

bool Session::AwaitCredit(uint64_t act) {
  while (credit_[act] == 0) {
    if (!Receive()) return false;
  }
  credit_[act] = 0;
  return true;
}

void Session::Send(const v1::Frame& frame) {
  const std::string bytes = frame.SerializeAsString();
  SendBytes(LengthOf(bytes.size()) + bytes);
}

void Session::SendBytes(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the vault has hung up: IsEnded says so
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

bool Session::IsEnded() {
  while (Receive()) {
  }
  char byte = 0;
  const ssize_t got = recv(socket_, &byte, 1, MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

bool Session::Receive() {
  std::string length(kLengthBytes, '\0');
  if (!ReceiveAll(socket_, length.data(), length.size())) return false;
  size_t size = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    size |= static_cast<size_t>(static_cast<unsigned char>(length[i])) << (8 * i);
  }
  std::string bytes(size, '\0');
  v1::Frame frame;
  if (!ReceiveAll(socket_, bytes.data(), size) || !frame.ParseFromString(bytes)) return false;
  credit_[frame.act()] += frame.credit();
  Answer& answer = answers_[frame.act()];
  if (frame.has_part() || frame.has_last_part()) {
    // No answer that is asked for here has a message of several parts.
    answer.messages.push_back(frame.has_part() ? frame.part() : frame.last_part());
  }
  if (frame.has_end()) {
    answer.status = proto::FromStatusDetails(frame.end());
    ended_[frame.act()] = std::move(answer);
  }
  return true;
}

v1::Frame PartOf(uint64_t act, absl::string_view bytes) {
  v1::Frame frame;
  frame.set_act(act);
  frame.mutable_part()->assign(bytes.data(), bytes.size());
  return frame;
}

v1::Frame LastPartOf(uint64_t act, absl::string_view bytes) {
  v1::Frame frame;
  frame.set_act(act);
  frame.mutable_last_part()->assign(bytes.data(), bytes.size());
  return frame;
}

v1::Frame NoMoreOf(uint64_t act) {
  v1::Frame frame;
  frame.set_act(act);
  frame.set_no_more(true);
  return frame;
}

void ExpectUnharmed(SeatWorld& world, pid_t vault) {
  EXPECT_EQ(world.PidOf("topicwall-vault"), vault) << "the vault has died";
  Session session(world);
  EXPECT_OK(session.Ask(DescribeAct(Analyst("alice"))).status) << "a new session is not answered";
  const Answer told = session.Ask(BudgetAct(Auditor("ann")));
  ASSERT_OK(told.status);
  ASSERT_EQ(told.messages.size(), 1);
  v1::BudgetStatus budget;
  ASSERT_TRUE(budget.ParseFromString(told.messages[0]));
  EXPECT_LE(budget.epsilon_spent(), budget.epsilon_total());
  const Finished verified =
      world.wall().Admin({"verify-ledger", "--config", world.wall().Path("wall.textproto")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

int ChargesIn(Session& session) {
  v1::Act act;
  act.set_principal(Auditor("ann"));
  act.mutable_read_ledger()->set_corpus("notes");
  const Answer ledger = session.Ask(act);
  EXPECT_OK(ledger.status);
  int charges = 0;
  for (const std::string& message : ledger.messages) {
    v1::LedgerEntry entry;
    v1::LedgerEvent event;
    EXPECT_TRUE(entry.ParseFromString(message) && event.ParseFromString(entry.event()));
    charges += event.has_iteration_charged();
  }
  return charges;
}

}  // namespace topicwall::testing
