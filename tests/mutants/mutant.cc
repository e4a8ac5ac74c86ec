#include "tests/mutants/mutant.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace topicwall::mutants {
namespace {

constexpr absl::string_view kDivider = "=== ";

absl::Status Wrong(absl::string_view mutant, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("mutant ", mutant, ": ", what));
}

// Takes the lines up to the next divider, or all that are left.
std::string TakeText(const std::vector<std::string>& lines, size_t* next) {
  const size_t first = *next;
  while (*next < lines.size() && !absl::StartsWith(lines[*next], kDivider)) ++*next;
  return absl::StrJoin(lines.begin() + static_cast<std::ptrdiff_t>(first),
                       lines.begin() + static_cast<std::ptrdiff_t>(*next), "\n");
}

// The lines before the first edit.
absl::Status ParseHead(const std::vector<std::string>& lines, size_t* next, Mutant* mutant) {
  for (; *next < lines.size() && !absl::StartsWith(lines[*next], kDivider); ++*next) {
    absl::string_view line = lines[*next];
    if (absl::ConsumePrefix(&line, "title: ")) {
      mutant->title = std::string(line);
    } else if (absl::ConsumePrefix(&line, "caught by: ")) {
      const std::pair<std::string, std::string> words =
          absl::StrSplit(line, absl::MaxSplits(' ', 1));
      mutant->caught_by.push_back({.program = words.first, .filter = words.second});
    } else {
      return Wrong(mutant->name, absl::StrCat("not understood: ", line));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Edit> ParseEdit(const std::vector<std::string>& lines, size_t* next,
                               const Mutant& mutant) {
  Edit edit;
  edit.source = lines[(*next)++].substr(kDivider.size());
  edit.original = TakeText(lines, next);
  if (*next == lines.size() || lines[*next] != "=== becomes") {
    return Wrong(mutant.name, absl::StrCat("an edit of ", edit.source, " becomes nothing"));
  }
  ++*next;
  edit.replacement = TakeText(lines, next);
  if (edit.original.empty()) {
    return Wrong(mutant.name, absl::StrCat("an edit of ", edit.source, " replaces nothing"));
  }
  return edit;
}

std::string TextOf(const Edit& edit, const Mutant& mutant, absl::string_view original) {
  return absl::StrReplaceAll(
      edit.replacement, {{"MUTANT", absl::StrCat("TOPICWALL_MUTANT_IS_ON(\"", mutant.name, "\")")},
                         {"ORIGINAL", original}});
}

// What is put in the place of text[first, first + size).
struct Patch {
  size_t size;
  std::string text;
  const Mutant* mutant;  // the last one that wrote it
};

// Adds the edit to those of the source by where they begin.
absl::Status AddPatch(absl::string_view text, const Mutant& mutant, const Edit& edit,
                      std::map<size_t, Patch>* patches) {
  const size_t first = text.find(edit.original);
  const bool once = first != absl::string_view::npos &&
                    text.find(edit.original, first + 1) == absl::string_view::npos;
  if (!once) {
    return Wrong(mutant.name, absl::StrCat("what it replaces must be in ", edit.source,
                                           " exactly once:\n", edit.original));
  }
  const auto at_same = patches->find(first);
  if (at_same != patches->end() && at_same->second.size == edit.original.size() &&
      absl::StrContains(edit.replacement, "ORIGINAL")) {
    at_same->second.text = TextOf(edit, mutant, at_same->second.text);
    at_same->second.mutant = &mutant;
    return absl::OkStatus();
  }
  const auto after = patches->lower_bound(first);
  const Patch* overlapped = nullptr;
  if (after != patches->end() && after->first < first + edit.original.size()) {
    overlapped = &after->second;
  }
  if (after != patches->begin()) {
    const auto& [start, before] = *std::prev(after);
    if (start + before.size > first) overlapped = &before;
  }
  if (overlapped != nullptr) {
    return Wrong(mutant.name, absl::StrCat("its edit of ", edit.source, " overlaps that of ",
                                           overlapped->mutant->name));
  }
  patches->emplace(first,
                   Patch{edit.original.size(), TextOf(edit, mutant, edit.original), &mutant});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Mutant>> ReadKind(const std::string& folder, bool are_probes) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == (are_probes ? ".probe" : ".mutant")) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Mutant> mutants;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    absl::StatusOr<Mutant> mutant = ParseMutant(path.stem().string(), text, are_probes);
    if (!mutant.ok()) return mutant.status();
    mutants.push_back(*std::move(mutant));
  }
  return mutants;
}

}  // namespace

absl::StatusOr<Mutant> ParseMutant(absl::string_view name, absl::string_view text, bool is_probe) {
  Mutant mutant{
      .name = std::string(name), .title = "", .caught_by = {}, .edits = {}, .is_probe = is_probe};
  const std::vector<std::string> lines = absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  size_t next = 0;
  if (absl::Status head = ParseHead(lines, &next, &mutant); !head.ok()) return head;
  while (next < lines.size()) {
    absl::StatusOr<Edit> edit = ParseEdit(lines, &next, mutant);
    if (!edit.ok()) return edit.status();
    mutant.edits.push_back(*std::move(edit));
  }
  if (mutant.title.empty()) return Wrong(name, "has no title");
  if (mutant.edits.empty()) return Wrong(name, "edits nothing");
  if (mutant.caught_by.empty() != is_probe) {
    return Wrong(name, is_probe ? "a probe is not caught" : "no check must catch it");
  }
  const bool has_switch =
      std::any_of(mutant.edits.begin(), mutant.edits.end(),
                  [](const Edit& edit) { return absl::StrContains(edit.replacement, "MUTANT"); });
  if (has_switch == is_probe) {
    return Wrong(name, is_probe ? "a probe is always on" : "no edit has MUTANT in it");
  }
  return mutant;
}

absl::StatusOr<std::vector<Mutant>> ReadMutants(const std::string& folder) {
  absl::StatusOr<std::vector<Mutant>> mutants = ReadKind(folder, /*are_probes=*/false);
  if (!mutants.ok()) return mutants;
  if (mutants->empty()) return absl::NotFoundError(absl::StrCat("no mutant in ", folder));
  absl::StatusOr<std::vector<Mutant>> probes = ReadKind(folder, /*are_probes=*/true);
  if (!probes.ok()) return probes;
  std::move(probes->begin(), probes->end(), std::back_inserter(*mutants));
  return mutants;
}

absl::StatusOr<std::string> Mutate(absl::string_view source, absl::string_view text,
                                   absl::Span<const Mutant> mutants) {
  std::map<size_t, Patch> patches;
  for (const Mutant& mutant : mutants) {
    for (const Edit& edit : mutant.edits) {
      if (edit.source != source) continue;
      const absl::Status added = AddPatch(text, mutant, edit, &patches);
      if (!added.ok()) return added;
    }
  }
  std::string mutated =
      absl::StrCat("#include \"tests/mutants/mutant_switch.h\"\n#line 1 \"", source, "\"\n");
  size_t copied = 0;
  for (const auto& [first, patch] : patches) {
    absl::StrAppend(&mutated, text.substr(copied, first - copied), patch.text);
    copied = first + patch.size;
  }
  absl::StrAppend(&mutated, text.substr(copied));
  return mutated;
}

}  // namespace topicwall::mutants
