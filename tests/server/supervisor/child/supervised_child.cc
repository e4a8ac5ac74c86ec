// A process for the supervisor's tests to start: says in a file what happens to it.
//
//   supervised-child NAME FILE MODES, any of which may be among
//     serves   tells the supervisor that it serves "place"
//     fails    ends with 3 at once
//     loses    tells the supervisor, once, that it has lost its session
//     deaf     takes no session
//     late     tells it of each that it has lost it only when it has the next
//     stays    does not end when it is told to
//     leaves   ends the line once it has a session, and lives on
//     knocks   connects by the custodian's door, "c" beside FILE, when it has a session
//     threads  writes into its log how many threads it could make, and ends
#include <dirent.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "server/supervisor/control_line.h"

namespace {

using topicwall::supervisor::NextSession;
using topicwall::supervisor::Session;
using topicwall::supervisor::TellLost;
using topicwall::supervisor::TellSupervisor;
using topicwall::supervisor::With;

std::string Descriptors() {
  std::string all;
  DIR* const folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.' || std::stoi(entry->d_name) == dirfd(folder)) continue;
    all += std::string(" ") + entry->d_name;
  }
  closedir(folder);
  return all;
}

// What is read there: the first letter of whom it was led to, '-' if it was hung up on.
char Knock(const std::string& file) {
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path =
      file.substr(0, file.rfind('/') + 1) + static_cast<char>(With::kCustodian);
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  while (connect(door, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) usleep(2000);
  char theirs = '-';
  const char mine = 'k';
  const bool crossed = write(door, &mine, 1) == 1 && read(door, &theirs, 1) == 1;
  close(door);
  return crossed ? theirs : '-';
}

int CountThreads() {
  constexpr int kMost = 1000;
  int count = 0;
  try {
    for (; count < kMost; ++count) std::thread([] { pause(); }).detach();
  } catch (const std::system_error&) {
  }
  const std::string told = std::to_string(count) + "\n";
  const bool written = write(topicwall::supervisor::kLog, told.data(), told.size()) > 0;
  _exit(written ? 0 : 1);
}

}  // namespace

int main(int /*argc*/, char** argv) {
  const std::string name = argv[1];
  const std::string modes = argv[3];
  const auto is = [&](const char* mode) { return modes.find(mode) != std::string::npos; };
  const auto say = [&](const std::string& what) {
    std::ofstream(argv[2], std::ios::app) << name + " " + what + "\n" << std::flush;
  };
  signal(SIGPIPE, SIG_IGN);  // as ours have it
  say("started as " + std::to_string(getpid()) + " with" + Descriptors());
  if (is("fails")) return 3;
  if (is("threads")) return CountThreads();
  if (is("serves")) TellSupervisor(std::string(topicwall::supervisor::kServing) + " place");
  std::thread sessions([&] {
    if (is("deaf")) return;
    for (;;) {
      Session offered = NextSession();
      if (!offered.socket.valid()) return;
      if (is("late")) TellLost(offered.number - 1);
      std::thread([&, session = std::move(offered)] {  // which may wait for the other side
        const char mine = name[0];
        char theirs = '?';
        const bool crossed = write(session.socket.get(), &mine, 1) == 1 &&
                             read(session.socket.get(), &theirs, 1) == 1;
        const std::string of = session.with == With::kCustodian ? "custodian's "
                               : session.with == With::kStore   ? "store's "
                                                                : "";
        say(of + "session with " + (crossed ? theirs : '?'));
        if (is("knocks")) say(std::string("knocked: ") + Knock(argv[2]));
        // Not close(2): the other thread reads from it.
        if (is("leaves")) shutdown(topicwall::supervisor::kControl, SHUT_RDWR);
        if (is("loses") && session.number == 1) TellLost(session.number);
      })
          .detach();
    }
  });
  sessions.detach();
  do {
    topicwall::supervisor::AwaitStop();
    say("told to stop");
  } while (is("stays"));
  _exit(0);
}
