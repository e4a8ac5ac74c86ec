// Writes a source of ours with every mutant that is about it built in.
//
//   mutate-source TREE SOURCE OUTPUT      mutants: TREE/tests/mutants/defects
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/mutants/mutant.h"

namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

absl::Status MutateFile(const std::string& tree, const std::string& source,
                        const std::string& output) {
  const auto mutants = topicwall::mutants::ReadMutants(tree + "/tests/mutants/defects");
  if (!mutants.ok()) return mutants.status();
  const auto mutated = topicwall::mutants::Mutate(source, TextOf(tree + "/" + source), *mutants);
  if (!mutated.ok()) return mutated.status();
  // A mutant of another source must not make this one compile again.
  if (TextOf(output) == *mutated) return absl::OkStatus();
  std::ofstream written(output, std::ios::binary | std::ios::trunc);
  written << *mutated;
  return written.flush() ? absl::OkStatus() : absl::UnavailableError("cannot write " + output);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: mutate-source TREE SOURCE OUTPUT\n");
    return 2;
  }
  const absl::Status status = MutateFile(argv[1], argv[2], argv[3]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "mutate-source: %s\n", std::string(status.message()).c_str());
  return 1;
}
