// libFuzzer's entry point, for the one target that is linked with it.
//
// With TOPICWALL_FUZZ_SEEDS in the environment the program writes the target's seeds, numbered,
// into that folder and ends: libFuzzer begins from files.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/fuzz_target.h"

using topicwall::fuzz::AllTargets;
using topicwall::fuzz::Require;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  Require(AllTargets().size() == 1, "a fuzzer has one target");
  const char* folder = std::getenv("TOPICWALL_FUZZ_SEEDS");
  google::protobuf::SetLogHandler(nullptr);  // a line for every string that is not UTF-8
  if (folder == nullptr) return 0;
  int number = 0;
  for (const std::string& seed : AllTargets()[0].seeds()) {
    std::ofstream file(absl::StrCat(folder, "/seed-", number++), std::ios::binary);
    file << seed;
    if (!file.flush()) {
      std::cerr << "cannot write seeds to " << folder << "\n";
      std::exit(1);
    }
  }
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const auto run = AllTargets()[0].run;
  run(absl::string_view(reinterpret_cast<const char*>(bytes), size));
  return 0;
}
