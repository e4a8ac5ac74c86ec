// Nothing of what is behind the wall ever reaches the gate's process: its whole memory is searched
// for planted documents, for the custodian's keys and for the exact sum of a release, after the
// gate has asked for all that it may. That they would be found is tried on the vault's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/models.h"
#include "server/corpus/corpus_store.h"
#include "server/mechanism/grid_scale.h"
#include "server/random/key_derivation.h"
#include "tests/e2e/malicious_gate/acts.h"
#include "tests/e2e/malicious_gate/seat.h"
#include "tests/server/executor/exact_sum.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

// What is looked for, by what it is.
using Canaries = std::map<std::string, std::string>;

template <typename Items>
std::string BytesOf(const Items& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(*items.data())};
}

// Everything that /proc/PID/mem lets its owner's root read; then which of `canaries` it holds.
std::vector<std::string> FoundIn(pid_t process, const Canaries& canaries, int64_t* searched) {
  std::vector<std::string> found;
  std::ifstream maps(absl::StrCat("/proc/", process, "/maps"));
  std::ifstream memory(absl::StrCat("/proc/", process, "/mem"), std::ios::binary);
  std::string line;
  while (std::getline(maps, line)) {
    const uint64_t begin = std::stoull(line, nullptr, 16);
    const uint64_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (line[line.find(' ') + 1] != 'r' || absl::StrContains(line, "[v")) continue;
    std::string bytes(end - begin, '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(begin));
    memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    *searched += memory.gcount();
    for (const auto& [what, canary] : canaries) {
      if (absl::StrContains(bytes, canary)) found.push_back(what);
    }
  }
  return found;
}

constexpr int kCanaryWords = 10;
constexpr double kClipNorm = 4;  // of WallWorld::Header
constexpr char kCanaryId[] = "canary-id-7f3a9c51";
constexpr char kCanaryOwner[] = "canary-owner-91bc04de";
constexpr char kCanaryText[] = "quetzalcoatlus hyperborea unmistakable";

// One document that no other is like, among sixty.
std::string Documents() {
  std::string documents;
  const auto word = [](int number) {
    return absl::StrCat("word", std::string(1, static_cast<char>('a' + number / 10)),
                        std::string(1, static_cast<char>('a' + number % 10)), " ");
  };
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"owner\":\"o", i, "\",\"text\":\"");
    for (int j = 0; j < 8; ++j) absl::StrAppend(&documents, word(10 * (i % 3) + (i + 3 * j) % 10));
    absl::StrAppend(&documents, "\"}\n");
  }
  absl::StrAppend(&documents, "{\"id\":\"", kCanaryId, "\",\"owner\":\"", kCanaryOwner,
                  "\",\"text\":\"", kCanaryText, " ");
  for (int i = 0; i < kCanaryWords; ++i) {
    for (int times = 0; times < 41 + 7 * i; ++times) absl::StrAppend(&documents, word(3 * i));
  }
  return absl::StrCat(documents, "\"}\n");
}

// The canary's document as the vault has it in memory.
std::vector<lda::TermCount> CanaryEntries() {
  std::vector<lda::TermCount> entries;
  for (uint32_t i = 0; i < kCanaryWords; ++i) entries.push_back({3 * i, 41 + 7 * i});
  return entries;
}

class MaliciousMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(geteuid(), 0) << "another process's memory is read as root only";
    vault_ = world_.PidOf("topicwall-vault");
    gate_ = world_.PidOf("topicwall-gate");
    ASSERT_OK_AND_ASSIGN(auto key, sealing::CustodianKey::Read(world_.wall().Path("corpus.key")));
    ASSERT_OK_AND_ASSIGN(auto store,
                         corpus::CorpusStore::Open(world_.wall().Path("data/notes.corpus"), key));
    store_ = std::move(store);
    AddDocument();
    AddKeys(key);
  }
  void TearDown() override { ExpectUnharmed(world_, vault_); }

  void AddDocument() {
    documents_ = {{"id", kCanaryId}, {"owner", kCanaryOwner}, {"text", "quetzalcoatlus"}};
    documents_["counts"] = BytesOf(CanaryEntries());
    corpus::UnitBlock block;
    corpus::CorpusStore::ReadSpace space;
    for (int b = 0; b < store_->num_blocks(); ++b) {
      ASSERT_OK(store_->ReadBlock(b, &block, &space));
      for (int unit = 0; unit < block.size(); ++unit) {
        documents_[absl::StrCat("name of unit ", b, " ", unit)] = BytesOf(block.id(unit));
      }
    }
    ASSERT_EQ(documents_.size(), 4 + 61);
  }

  // The two secrets, as they are and as the file has them, and all that is derived from them.
  void AddKeys(const sealing::CustodianKey& key) {
    const std::string file = world_.wall().ReadFile("corpus.key");
    for (const std::string secret : {"sealing", "identity"}) {
      const std::string hex = file.substr(file.find(secret + " ") + secret.size() + 1, 64);
      const std::string bytes = absl::HexStringToBytes(hex);
      ASSERT_EQ(bytes.size(), 32);
      keys_[secret] = bytes;
      keys_[secret + " in letters"] = hex;
      std::array<uint8_t, 32> raw;
      std::memcpy(raw.data(), bytes.data(), raw.size());
      for (const std::string purpose : {"corpus sealing", "ledger sealing", "signing", "unit ids",
                                        "corpus content", "held-out units"}) {
        ASSERT_OK_AND_ASSIGN(const auto derived,
                             random::Derive(random::SecretKey(raw), purpose, {}));
        keys_[secret + ": " + purpose] = BytesOf(derived.ExposeBytes());
        ASSERT_OK_AND_ASSIGN(const auto cipher,
                             random::Derive(derived, "sealing: AES-256-GCM", {}));
        keys_[secret + ": cipher of " + purpose] = BytesOf(cipher.ExposeBytes());
      }
    }
    ASSERT_OK_AND_ASSIGN(const auto names, key.UnitIdKey());
    ASSERT_EQ(keys_["identity: unit ids"], BytesOf(names.ExposeBytes()))
        << "the keys that are looked for are those that are used";
  }

  // The integers that the noise of a full release of `plan` is added to, in their order in memory:
  // column by column.
  std::vector<uint64_t> ExactSum(const v1::ReleaseSpec& plan) {
    const auto model =
        model::MakeModel(plan.model(), plan.options(), {.vocabulary_size = WallWorld::kVocabulary});
    EXPECT_OK(model);
    const auto inference = (*model)->Bind(WallWorld::LogTopics(), 1);
    EXPECT_OK(inference);
    return executor::GridOf(*store_, **inference,
                            {.unit = {.vocabulary_size = WallWorld::kVocabulary,
                                      .max_words = plan.max_tokens(),
                                      .max_documents = 1},
                             .has_weights = false,
                             .num_threads = 1},
                            plan.gaussian().noise_multiplier(), kClipNorm);
  }

  // Runs of it, as anybody could have them who got hold of it.
  static Canaries OfSum(const std::vector<uint64_t>& sum, const v1::ReleaseSpec& plan) {
    Canaries canaries;
    constexpr size_t kRun = 6;
    for (size_t i = 0; i + kRun <= sum.size(); i += kRun) {
      const std::vector<uint64_t> whole(sum.begin() + static_cast<int64_t>(i),
                                        sum.begin() + static_cast<int64_t>(i + kRun));
      std::vector<uint32_t> low(whole.begin(), whole.end());
      canaries[absl::StrCat("sum from ", i)] = BytesOf(whole);
      canaries[absl::StrCat("lower halves from ", i)] = BytesOf(low);
    }
    const std::vector<float> statistics = StatisticsOf(sum, plan);
    for (size_t i = 0; i + kRun <= sum.size(); i += kRun) {
      canaries[absl::StrCat("statistics from ", i)] =
          BytesOf(absl::MakeConstSpan(statistics).subspan(i, kRun));
    }
    return canaries;
  }

  // As they would be released without noise: topic by topic.
  static std::vector<float> StatisticsOf(const std::vector<uint64_t>& sum,
                                         const v1::ReleaseSpec& plan) {
    const double step = mechanism::GridStep(kClipNorm, plan.gaussian().noise_multiplier());
    std::vector<float> statistics;
    for (int topic = 0; topic < WallWorld::kTopics; ++topic) {
      for (int term = 0; term < WallWorld::kVocabulary; ++term) {
        const uint64_t entry = sum[static_cast<size_t>(term * WallWorld::kTopics + topic)];
        statistics.push_back(static_cast<float>(static_cast<double>(entry) * step));
      }
    }
    return statistics;
  }

  std::vector<std::string> FoundInGate(const Canaries& canaries) {
    int64_t searched = 0;
    std::vector<std::string> found = FoundIn(gate_, canaries, &searched);
    EXPECT_GT(searched, 1'000'000) << "there is no such process's memory";
    return found;
  }
  std::vector<std::string> FoundInVault(const Canaries& canaries) {
    int64_t searched = 0;
    return FoundIn(vault_, canaries, &searched);
  }

  SeatWorld world_{{.epsilon = 1e5, .release_interval_ms = 1500, .documents_jsonl = Documents()}};
  pid_t vault_ = 0, gate_ = 0;
  std::unique_ptr<corpus::CorpusStore> store_;
  Canaries documents_, keys_;
};

TEST_F(MaliciousMemoryTest, NothingOfTheVaultsIsInTheGatesWholeMemory) {
  const std::string alice = Analyst("alice");
  v1::ReleaseSpec plan;
  std::vector<float> noisy;
  {
    Session session(world_);
    plan = SeatPlan(session, /*noise_multiplier=*/0.1, /*iterations=*/3);
    const std::string plan_id = ReservePlan(session, plan, 'p');
    // Every act, while a release is under way and when it can be read.
    const uint64_t run = session.Begin(RunAct(alice, plan_id, 2), TopicMessages());
    for (int times = 0; times < 2; ++times) {
      for (const KindOfAct& kind : EveryKindOfAct(plan, plan_id)) {
        session.Ask(kind.act, kind.messages);
      }
    }
    const Answer answer = session.Await(run);
    EXPECT_OK(answer.status);
    for (const std::string& message : answer.messages) {
      v1::ReleaseChunk chunk;
      ASSERT_TRUE(chunk.ParseFromString(message));
      const std::string& values = chunk.statistics().values();
      noisy.resize(noisy.size() + values.size() / sizeof(float));
      std::memcpy(noisy.data() + noisy.size() - values.size() / sizeof(float), values.data(),
                  values.size());
    }
  }

  const std::vector<uint64_t> sum = ExactSum(plan);
  ASSERT_EQ(noisy.size(), sum.size());
  const std::vector<float> exact = StatisticsOf(sum, plan);
  for (size_t i = 0; i < sum.size(); ++i) {  // 12 standard deviations: it is this sum
    ASSERT_NEAR(noisy[i], exact[i], 12 * 0.1 * kClipNorm);
  }
  EXPECT_THAT(FoundInGate(documents_), ::testing::IsEmpty());
  EXPECT_THAT(FoundInGate(keys_), ::testing::IsEmpty());
  EXPECT_THAT(FoundInGate(OfSum(sum, plan)), ::testing::IsEmpty());
  // The searches find what is there: what the gate was told, and what the vault has.
  EXPECT_THAT(FoundInGate({{"release", BytesOf(noisy).substr(0, 64)}}),
              ::testing::Contains("release"));
  EXPECT_THAT(FoundInVault(documents_), ::testing::Contains("counts"));
  EXPECT_THAT(FoundInVault(keys_), ::testing::Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace topicwall::testing
