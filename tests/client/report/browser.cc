#include "tests/client/report/browser.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace topicwall::client {
namespace {

constexpr int kPatienceMs = 180000;

// Chromium reads commands from descriptor 3 and writes answers to 4.
[[noreturn]] void BecomeBrowser(int commands, int answers, const std::string& folder) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  const int log = ::open((folder + "/chromium.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int from = ::fcntl(commands, F_DUPFD, 10);
  const int to = ::fcntl(answers, F_DUPFD, 10);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(from, 3);
  ::dup2(to, 4);
  ::setenv("HOME", folder.c_str(), 1);
  ::setenv("TMPDIR", folder.c_str(), 1);  // it is killed in the end, and clears nothing away
  const std::string profile = "--user-data-dir=" + folder + "/chromium";
  // The sandbox needs rights that a test has not, and the page is the test's own.
  ::execl("/usr/bin/chromium", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
          "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
          "--disable-background-networking", "--remote-debugging-pipe", profile.c_str(),
          "about:blank", nullptr);
  ::_exit(127);
}

}  // namespace

Browser::Browser(const std::string& folder) {
  std::array<int, 2> commands, answers;
  if (::pipe2(commands.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipe";
    return;
  }
  ::signal(SIGPIPE, SIG_IGN);  // of a browser that died there is no answer, which is told
  pid_ = ::fork();
  if (pid_ == 0) BecomeBrowser(commands[0], answers[1], folder);
  ::close(commands[0]);
  ::close(answers[1]);
  commands_ = commands[1];
  answers_ = answers[0];
  const nlohmann::json target = Call("Target.createTarget", {{"url", "about:blank"}});
  const nlohmann::json attached = Call(
      "Target.attachToTarget", {{"targetId", target.value("targetId", "")}, {"flatten", true}});
  session_ = attached.value("sessionId", "");
  for (const char* domain : {"Page", "Runtime", "Log", "Network", "Accessibility"}) {
    Call(absl::StrCat(domain, ".enable"), nlohmann::json::object());
  }
}

Browser::~Browser() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (commands_ >= 0) ::close(commands_);
  if (answers_ >= 0) ::close(answers_);
}

void Browser::Open(const std::string& path, const View& view) {
  Call("Emulation.setDeviceMetricsOverride", {{"width", view.width},
                                              {"height", view.height},
                                              {"deviceScaleFactor", 1},
                                              {"mobile", view.width < 600}});
  Call("Emulation.setEmulatedMedia", {{"media", view.medium}});
  Call("Emulation.setScriptExecutionDisabled", {{"value", !view.runs_scripts}});
  is_loaded_ = false;
  Call("Page.navigate", {{"url", "file://" + path}});
  while (!is_loaded_) {
    const nlohmann::json message = Read();
    if (message.is_null()) return;
    Note(message);
  }
}

nlohmann::json Browser::Evaluate(const std::string& script) {
  const nlohmann::json answer =
      Call("Runtime.evaluate", {{"expression", script}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) {
    complaints_.push_back(answer["exceptionDetails"].dump());
    return nullptr;
  }
  const nlohmann::json result = answer.value("result", nlohmann::json::object());
  return result.contains("value") ? result["value"] : nlohmann::json();
}

void Browser::Press(const std::string& key) {
  const int code = key == "Tab" ? 9 : key == "Enter" ? 13 : key == "ArrowRight" ? 39 : key[0] - 32;
  nlohmann::json event = {
      {"type", "keyDown"}, {"key", key}, {"code", key}, {"windowsVirtualKeyCode", code}};
  if (key == "Enter") event["text"] = "\r";
  if (key.size() == 1) event["text"] = key;
  Call("Input.dispatchKeyEvent", event);
  event["type"] = "keyUp";
  event.erase("text");
  Call("Input.dispatchKeyEvent", event);
}

nlohmann::json Browser::AccessibleNodes() {
  nlohmann::json told = nlohmann::json::array();
  const nlohmann::json tree = Call("Accessibility.getFullAXTree", nlohmann::json::object());
  for (const nlohmann::json& node : tree.value("nodes", nlohmann::json::array())) {
    if (!node.value("ignored", false)) told.push_back(node);
  }
  return told;
}

std::string Browser::Print() {
  const nlohmann::json answer =
      Call("Page.printToPDF", {{"preferCSSPageSize", true}, {"printBackground", false}});
  std::string pdf;
  absl::Base64Unescape(answer.value("data", ""), &pdf);
  return pdf;
}

nlohmann::json Browser::Call(const std::string& method, const nlohmann::json& parameters) {
  const int id = ++calls_;
  nlohmann::json command = {{"id", id}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) command["sessionId"] = session_;
  const std::string text = command.dump();
  // With the 0 that ends it.
  if (::write(commands_, text.c_str(), text.size() + 1) < 0) {
    ADD_FAILURE() << "chromium takes no command; is the package chromium installed?";
    return nlohmann::json::object();
  }
  while (true) {
    nlohmann::json message = Read();
    if (message.is_null()) return nlohmann::json::object();
    if (message.value("id", 0) != id) {
      Note(message);
      continue;
    }
    EXPECT_FALSE(message.contains("error")) << method << ": " << message.dump();
    return message.value("result", nlohmann::json::object());
  }
}

// The next message; null if there is none, which fails the test.
nlohmann::json Browser::Read() {
  size_t end;
  while ((end = unread_.find('\0')) == std::string::npos) {
    pollfd wait = {.fd = answers_, .events = POLLIN, .revents = 0};
    std::array<char, 65536> buffer;
    const ssize_t count =
        ::poll(&wait, 1, kPatienceMs) == 1 ? ::read(answers_, buffer.data(), buffer.size()) : 0;
    if (count <= 0) {
      ADD_FAILURE() << "chromium does not answer; is the package chromium installed?";
      return nullptr;
    }
    unread_.append(buffer.data(), static_cast<size_t>(count));
  }
  nlohmann::json message = nlohmann::json::parse(unread_.substr(0, end), nullptr, false);
  unread_.erase(0, end + 1);
  return message;
}

void Browser::Note(const nlohmann::json& message) {
  const std::string method = message.value("method", "");
  if (method == "Page.loadEventFired") is_loaded_ = true;
  if (method == "Network.requestWillBeSent") {
    requests_.push_back(message["params"]["request"].value("url", ""));
  }
  if (method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown" ||
      method == "Log.entryAdded") {
    complaints_.push_back(message.dump());
  }
}

}  // namespace topicwall::client
