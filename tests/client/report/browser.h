// Chromium, without a window, told what to do over a pipe (the DevTools protocol).
//
//   Browser browser(folder);
//   browser.Open(path, {.width = 390});
//   browser.Evaluate("document.title");            // JSON of the value
//   browser.complaints();                          // of its console, of what it would not load
//
// Debian's package `chromium`; a test without it fails. One page at a time. What it keeps lies in
// `folder`. Killed with the object, and if it says nothing for three minutes, which fails the test.
#ifndef TOPICWALL_TESTS_CLIENT_REPORT_BROWSER_H_
#define TOPICWALL_TESTS_CLIENT_REPORT_BROWSER_H_

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace topicwall::client {

class Browser {
 public:
  explicit Browser(const std::string& folder);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  struct View {
    int width = 1280;
    int height = 900;
    bool runs_scripts = true;
    std::string medium = {};  // "print": as on paper; else a screen
  };
  // Waits until all of the page is there.
  void Open(const std::string& path, const View& view);
  // Null if the script throws, which is a complaint.
  nlohmann::json Evaluate(const std::string& script);
  // A key goes down and up again: "Tab", "Enter", "ArrowRight", "a".
  void Press(const std::string& key);
  // What is told to a screen reader: nodes of the accessibility tree, but for those left out of it.
  nlohmann::json AccessibleNodes();
  // As it would be printed on the paper that the page asks for: a PDF.
  std::string Print();

  const std::vector<std::string>& complaints() const { return complaints_; }
  // Addresses that were asked for, the page's own among them.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  nlohmann::json Call(const std::string& method, const nlohmann::json& parameters);
  nlohmann::json Read();
  void Note(const nlohmann::json& message);

  pid_t pid_ = -1;
  int commands_ = -1;
  int answers_ = -1;
  int calls_ = 0;
  bool is_loaded_ = false;
  std::string session_;
  std::string unread_;
  std::vector<std::string> complaints_;
  std::vector<std::string> requests_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_REPORT_BROWSER_H_
