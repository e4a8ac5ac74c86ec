// One loop: start whoever is due, give both a new session if they need one, wait for a signal or a
// word, bury the dead. When a child is started again follows from starts, deaths and pauses alone,
// and from nothing that is computed.
#include "server/supervisor/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/supervisor/control_line.h"

namespace topicwall::supervisor {
namespace {

constexpr int kSignalExit = 128;  // as a shell has it

sigset_t Awaited() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  return signals;
}

// Connected, or not valid. Bytes, not messages: what crosses has its own bounds
// (server/acts/frame_connection.h).
std::array<base::FileDescriptor, 2> NewSession() {
  std::array<int, 2> pair{-1, -1};
  socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data());
  return {base::FileDescriptor(pair[0]), base::FileDescriptor(pair[1])};
}

int ExitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalExit + WTERMSIG(status);
}

}  // namespace

Supervisor::Supervisor(Params params)
    : params_(std::move(params)),
      vault_{.name = "vault", .launch = params_.vault},
      gate_{.name = "gate", .launch = params_.gate},
      signals_(-1) {
  if (params_.store.has_value()) store_ = Child{.name = "store", .launch = *params_.store};
  if (params_.job.has_value()) job_ = Child{.name = "job", .launch = *params_.job};
}

// The job not before there is a door for it.
std::vector<Supervisor::Child*> Supervisor::Children() {
  std::vector<Child*> children;
  if (store_.has_value()) children.push_back(&*store_);
  if (job_.has_value() && serving_) children.push_back(&*job_);
  children.insert(children.end(), {&vault_, &gate_});
  return children;
}

absl::StatusOr<int> Supervisor::Run() {
  const sigset_t awaited = Awaited();
  // Read from a descriptor instead of handled: no code runs at a moment that nobody chose.
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  signals_ = base::FileDescriptor(signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.valid()) return absl::UnavailableError("signals cannot be awaited");
  while (!stopping_) {
    const absl::StatusOr<std::optional<int>> failed = Turn();
    if (failed.ok() && !failed->has_value()) continue;
    End();
    if (!failed.ok()) return failed.status();
    // A child that ended well before anybody was served is a failure all the same.
    return **failed == 0 ? 1 : **failed;
  }
  return End();
}

absl::StatusOr<std::optional<int>> Supervisor::Turn() {
  TW_RETURN_IF_ERROR(StartDue());
  OfferSessions();
  Await();
  return HearAndBury();
}

// The gate last: the others take longer, and an act that comes before they are there waits in it.
absl::Status Supervisor::StartDue() {
  for (Child* child : Children()) {
    if (child->process.has_value() || Clock::now() < child->start_at) continue;
    absl::StatusOr<ChildProcess> started = ChildProcess::Start(child->launch);
    child->started = Clock::now();
    child->served = false;
    if (!started.ok()) {
      if (!serving_) return started.status();
      // What the machine is short of now it may have later.
      params_.on_death(child->name);
      StartLater(*child);
      continue;
    }
    child->process = *std::move(started);
    child->last = child->process->pid();
    needs_session_ = needs_session_ || child == &vault_ || child == &gate_;
    if (child == &vault_) gates_end_ = base::FileDescriptor(-1);
    if (store_.has_value() && (child == &*store_ || child == &vault_)) needs_store_session_ = true;
  }
  return absl::OkStatus();
}

void Supervisor::OfferSessions() {
  if (needs_store_session_) {
    needs_store_session_ = !Connect(vault_, With::kStore, *store_, With::kOther);
  }
  if (!needs_session_ || !vault_.process.has_value() || !gate_.process.has_value()) return;
  // The vault first, and the gate once it has taken its end: a process that dies closes its
  // sessions before it can be waited for, and what a gate sent to it then would be lost.
  if (!gates_end_.valid()) {
    std::array<base::FileDescriptor, 2> ends = NewSession();
    if (!vault_.process->Offer(ends[0].get(), With::kOther)) return;
    gates_end_ = std::move(ends[1]);
  }
  if (!vault_.process->HasTakenAll()) return;
  needs_session_ = !gate_.process->Offer(gates_end_.get(), With::kOther);
  gates_end_ = base::FileDescriptor(-1);
}

bool Supervisor::Connect(Child& first, With with_second, Child& second, With with_first) {
  if (!first.process.has_value() || !second.process.has_value()) return false;
  const auto [of_first, of_second] = NewSession();
  // A half that nobody took is closed with these, and the other side sees it.
  // The supervisor keeps neither half: it could not read an act if it wanted to.
  return first.process->Offer(of_first.get(), with_second) &&
         second.process->Offer(of_second.get(), with_first);
}

// The job is who may come. Also one that has written and died since, and is waited for by now.
bool Supervisor::IsOfOurs(int connection) const {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return true;
  return peer.pid == vault_.last || peer.pid == gate_.last ||
         (store_.has_value() && peer.pid == store_->last);
}

void Supervisor::Accept(size_t door) {
  const base::FileDescriptor connection = params_.doors[door].accept(listeners_[door].get());
  // Without a vault it is closed here, and whoever waits for an answer sees that.
  if (!connection.valid() || !vault_.process.has_value()) return;
  // Under one user all that a door asks for is true of a store that was taken over, too.
  if (IsOfOurs(connection.get())) return;
  vault_.process->Offer(connection.get(), params_.doors[door].with);
  if (params_.doors[door].with == With::kJob && job_.has_value()) job_->served = true;
}

// The one place where something comes from the process that strangers speak to: two words. (The
// store and the vault say no others.) Anything else is nothing, and an address is believed once.
absl::Status Supervisor::Hear(Child& child, absl::string_view said) {
  if (absl::ConsumePrefix(&said, kLostSession)) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(said, &number) || number != child.process->offered()) {
      return absl::OkStatus();
    }
    if (store_.has_value() && &child == &*store_) needs_store_session_ = true;
    if (&child == &gate_) needs_session_ = true;
  } else if (absl::ConsumePrefix(&said, kServing)) {
    child.served = true;
    if (&child != &gate_ || serving_ || !absl::ConsumePrefix(&said, " ")) return absl::OkStatus();
    serving_ = true;
    for (const Params::Door& door : params_.doors) listeners_.push_back(door.listen());
    return params_.on_serving(std::string(said));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<int>> Supervisor::HearAndBury() {
  for (Child* child : Children()) {
    if (!child->process.has_value()) continue;
    int status = 0;
    // Before its words are read: of one that is dead by now all of them are there.
    const bool is_dead = waitpid(child->process->pid(), &status, WNOHANG) > 0;
    // One word a round, of a child that may never stop talking; of one that is dead all.
    do {
      const std::optional<std::string> said = child->process->Said();
      if (!said.has_value()) break;
      TW_RETURN_IF_ERROR(Hear(*child, *said));
    } while (is_dead);
    // It would wake this for ever, and can be told nothing any more.
    if (!is_dead && !child->launch.is_foreign && child->process->HasLeft()) {
      child->process->Signal(SIGKILL);
    }
    if (!is_dead) continue;
    child->process.reset();
    TOPICWALL_KILL_POINT("child-died");
    TOPICWALL_KILLS_OF_THE_NEXT();
    // Whoever cannot start once will not start the next time: the custodian reads why, instead of a
    // loop that hides it.
    if (!serving_) return ExitCode(status);
    if (stopping_) continue;
    params_.on_death(child->name);
    StartLater(*child);
  }
  return std::nullopt;
}

// What had started well will do so again, and calls wait for it; what had not is left more time.
void Supervisor::StartLater(Child& child) {
  const auto now = Clock::now();
  if (child.served) {
    child.start_at = std::max(now + kFirstPause, child.started + kApart);
    child.pause = kFirstPause;
  } else {
    child.start_at = now + child.pause;
    child.pause = std::min(2 * child.pause, kLongestPause);
  }
}

void Supervisor::Await() {
  const auto readable = [](int descriptor) {
    return pollfd{.fd = descriptor, .events = POLLIN, .revents = 0};  // none if negative
  };
  const auto word_of = [](const Child& child) {
    return child.process.has_value() ? child.process->control() : -1;
  };
  std::vector<pollfd> awaited;
  for (const base::FileDescriptor& listener : listeners_) {
    awaited.push_back(readable(listener.get()));
  }
  awaited.push_back(readable(signals_.get()));
  // Not the vault's: its one word counts at its death alone (StartLater), when all are read.
  awaited.push_back(readable(word_of(gate_)));
  if (store_.has_value()) awaited.push_back(readable(word_of(*store_)));
  int timeout_ms = needs_session_ || needs_store_session_ ? static_cast<int>(kLook.count()) : -1;
  for (const Child* child : Children()) {
    if (!child->process.has_value()) timeout_ms = static_cast<int>(kLook.count());
  }
  poll(awaited.data(), awaited.size(), timeout_ms);
  for (size_t door = 0; door < listeners_.size(); ++door) {
    if (awaited[door].revents != 0) Accept(door);
  }
  signalfd_siginfo signal{};
  while (read(signals_.get(), &signal, sizeof(signal)) == sizeof(signal)) {
    if (signal.ssi_signo != SIGCHLD) stopping_ = true;
  }
}

int Supervisor::End() {
  stopping_ = true;
  const auto deadline = Clock::now() + kPatience;
  int code = 0;
  // Both are told at once. The vault waits for longer than the gate drains, whose last calls need
  // it; store and job are only told when the vault has gone.
  std::vector<Child*> children = Children();
  std::reverse(children.begin(), children.end());
  // Whoever has answered nobody yet has nothing to bring to an end; and a vault that starts reads
  // its documents, which the end of the server must not date.
  if (vault_.process.has_value() &&
      absl::StartsWith(vault_.process->Said().value_or(""), kServing)) {
    vault_.served = true;
  }
  const auto is_ended = [this](const Child* child) {
    return !serving_ || (child == &vault_ && !child->served);
  };
  const auto tell = [&](Child* child) {
    if (child->process.has_value()) child->process->Signal(is_ended(child) ? SIGKILL : SIGTERM);
  };
  tell(&gate_);
  tell(&vault_);
  for (Child* child : children) {
    if (child != &gate_ && child != &vault_) tell(child);
    while (child->process.has_value()) {
      int status = 0;
      if (waitpid(child->process->pid(), &status, WNOHANG) != 0) {
        child->process.reset();
        if (code == 0 && !is_ended(child) && !child->launch.is_foreign) code = ExitCode(status);
      } else if (Clock::now() >= deadline) {
        child->process->Signal(SIGKILL);
        waitpid(child->process->pid(), &status, 0);
        child->process.reset();
      } else {
        pollfd signals{.fd = signals_.get(), .events = POLLIN, .revents = 0};
        poll(&signals, 1, static_cast<int>(kFirstPause.count()));
        signalfd_siginfo signal{};
        while (read(signals_.get(), &signal, sizeof(signal)) == sizeof(signal)) {
          if (signal.ssi_signo != SIGCHLD) tell(&vault_);
        }
      }
    }
  }
  return code;
}

}  // namespace topicwall::supervisor
