// Many short documents, sealed and summed by two ranks: memory must not grow with their number.
//
//   TOPICWALL_SOAK_DOCUMENTS=4000000 cluster_soak_test
//
// By default 100 million, which takes some 15 GB of the disk and under an hour on two processors.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "tests/server/cluster/large_job.h"

namespace topicwall::cluster {
namespace cluster_soak_test {

constexpr int kTopics = 50;
constexpr int kTerms = 1000;
constexpr int kWords = 5;  // of a document
constexpr int kRanks = 2;
constexpr int64_t kDocuments = 100'000'000;
constexpr int64_t kLessBy = 100;  // how many times fewer there are in what it is compared with
constexpr int64_t kMayGrowByMiB = 32;

int64_t Documents() {
  const char* const asked = std::getenv("TOPICWALL_SOAK_DOCUMENTS");
  if (asked == nullptr) return kDocuments;
  int64_t documents = 0;
  EXPECT_TRUE(absl::SimpleAtoi(asked, &documents)) << asked;
  return documents;
}

// SplitMix64.
uint64_t Scatter(uint64_t counter) {
  uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::vector<float> LogTopics() {
  std::vector<float> values;
  for (uint64_t i = 0; i < uint64_t{kTopics} * kTerms; ++i) {
    values.push_back(-10.0F * static_cast<float>(Scatter(i) >> 40) * 0x1p-24F);
  }
  return values;
}

absl::Status Write(int64_t documents, corpus::CorpusWriter& writer) {
  std::vector<lda::TermCount> document;
  for (int64_t number = 0; number < documents; ++number) {
    document.clear();
    for (int word = 0; word < kWords; ++word) {
      const auto counter = static_cast<uint64_t>(number * kWords + word);
      document.push_back({static_cast<uint32_t>(Scatter(counter) % kTerms), 1});
    }
    std::sort(document.begin(), document.end(),
              [](const auto& left, const auto& right) { return left.term < right.term; });
    document.erase(
        std::unique(document.begin(), document.end(),
                    [](const auto& left, const auto& right) { return left.term == right.term; }),
        document.end());
    TW_RETURN_IF_ERROR(writer.Add(absl::StrCat(number), "", document));
  }
  return absl::OkStatus();
}

class Watch {
 public:
  ~Watch() { std::cout << std::endl; }
  void Say(const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    std::cout << ", " << what << " " << std::chrono::duration<double>(now - last_).count() << " s"
              << std::flush;
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Of the rank that took most, after it has summed so many documents.
void SumOf(int64_t documents, int64_t* peak_mib) {
  std::cout << documents << " documents";
  Watch watch;
  auto scene =
      LargeJobScene::Make({.folder = std::filesystem::temp_directory_path().string(),
                           .topics = kTopics,
                           .terms = kTerms,
                           .log_topics = LogTopics()},
                          [&](corpus::CorpusWriter& writer) { return Write(documents, writer); });
  ASSERT_OK(scene);
  watch.Say("sealed in");
  ASSERT_OK_AND_ASSIGN(auto ranks, (*scene)->Start({.num_ranks = kRanks, .config = ""}));
  watch.Say("job ready in");
  ASSERT_OK_AND_ASSIGN(const auto sum, (*scene)->SumBy(*ranks));
  watch.Say("summed in");
  *peak_mib = PeakMiBOfARank(*ranks->mpirun);
  ASSERT_OK_AND_ASSIGN(const auto threads, (*scene)->SumByThreads(kRanks));
  watch.Say("by threads in");
  EXPECT_TRUE(sum.entries == threads.entries) << "the bits must be the same";
  std::cout << ", " << (std::filesystem::file_size((*scene)->corpus_path()) >> 20)
            << " MiB of file, " << *peak_mib << " MiB a rank";
}

TEST(ClusterSoakTest, MemoryDoesNotGrowWithTheDocumentsAndTheBitsAreThoseOfThreads) {
  int64_t few = 0;
  int64_t many = 0;
  SumOf(std::max<int64_t>(1, Documents() / kLessBy), &few);
  SumOf(Documents(), &many);
  EXPECT_GT(few, 0);
  EXPECT_LE(many, few + kMayGrowByMiB);
}

}  // namespace cluster_soak_test
}  // namespace topicwall::cluster
