// What a command of topicwall-admin has to say once it is done. Commands print nothing
// themselves: main.cc prints the text, or with --json the object.
//
// Privacy: for the custodian's terminal. Unless a command says otherwise it is PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_OUTCOME_H_
#define TOPICWALL_SERVER_ADMIN_OUTCOME_H_

#include <string>
#include <vector>

#include "base/json.h"

namespace topicwall::admin {

struct Outcome {
  std::string text;            // for people: whole lines
  base::JsonObject json = {};  // the same for programs
  // What the custodian should act on although the command did its work: to standard error,
  // and with --json into the object as "warnings".
  std::vector<std::string> warnings = {};
  // The command did its work, and what it found is bad: exit code 1.
  bool bad_news = false;
};

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_OUTCOME_H_
