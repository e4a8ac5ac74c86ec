#include "tests/server/sandbox/confined_process.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "absl/strings/str_cat.h"

namespace topicwall::sandbox {

void Line::Say(const std::string& text) const {
  const std::string line = text + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t now = send(descriptor_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<size_t>(now);
  }
}

std::string Line::Hear() const {
  std::string line;
  for (char byte; read(descriptor_, &byte, 1) == 1 && byte != '\n';) line += byte;
  return line;
}

absl::StatusOr<Confinement> EnterNothing(const Paths&, Strictness) { return Confinement{}; }

ConfinedProcess::ConfinedProcess(const Enter& enter, const Paths& paths, const Body& body) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  pid_ = fork();
  if (pid_ != 0) {
    close(ends[1]);
    ours_ = ends[0];
    line_ = Line(ours_);
    return;
  }
  close(ends[0]);
  const Line line(ends[1]);
  const absl::StatusOr<Confinement> inside = enter(paths, Strictness::kRequired);
  if (!inside.ok()) {
    line.Say(inside.status().ToString());
    _exit(3);
  }
  body(line);
  _exit(0);
}

int ConfinedProcess::End() {
  int status = -1;
  if (pid_ > 0) waitpid(pid_, &status, 0);
  pid_ = -1;
  return status;
}

ConfinedProcess::~ConfinedProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    End();
  }
  if (ours_ >= 0) close(ours_);
}

std::string SaidInside(const Enter& enter, const Paths& paths, const ConfinedProcess::Body& body) {
  ConfinedProcess process(enter, paths, body);
  std::string said, line;
  while (!(line = process.Hear()).empty()) absl::StrAppend(&said, line, "\n");
  const int status = process.End();
  if (status != 0) absl::StrAppend(&said, "ended with status ", status, "\n");
  return said;
}

}  // namespace topicwall::sandbox
