// Runs every mutant through its checks and writes the table of them to standard output.
#include <iostream>
#include <utility>

#include "tests/mutants/mutant_table.h"

int main() {
  using topicwall::mutants::TableRow;
  const auto mutants =
      topicwall::mutants::ReadMutants(TOPICWALL_SOURCE_DIR "/tests/mutants/defects");
  if (!mutants.ok()) {
    std::cerr << mutants.status().message() << "\n";
    return 1;
  }
  std::vector<TableRow> rows;
  for (const topicwall::mutants::Mutant& mutant : *mutants) {
    if (mutant.is_probe) continue;
    TableRow row{.mutant = mutant, .results = {}};
    for (const topicwall::mutants::Catcher& check : mutant.caught_by) {
      row.results.push_back(topicwall::mutants::RunCheck(check, mutant.name));
      std::cerr << mutant.name << ": " << row.results.back().outcome << "\n";
    }
    rows.push_back(std::move(row));
  }
  std::cout << topicwall::mutants::TableOf(rows);
  return 0;
}
