// A ledger in a temporary folder with one budget open, and small requests to put to it.
//
//   LedgerForTests wall;
//   ASSERT_OK(wall->Reserve(ReserveRequestFor("alice", 1, SmallPlan(3))));
//   wall.Reopen();                                  // as after a restart
//
// Links topicwall_ledger, which tests/support itself does not.
#ifndef TOPICWALL_TESTS_SUPPORT_LEDGER_FOR_TESTS_H_
#define TOPICWALL_TESTS_SUPPORT_LEDGER_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "accountant/ledger/plan_acts.h"
#include "base/ed25519.h"
#include "proto/matrix_codec.h"
#include "proto/signature.h"
#include "proto/signed_head.h"
#include "proto/wall.pb.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/folded/kept_chains.h"
#include "tests/support/filter_without_gaussian.h"
#include "tests/support/receipt_for_tests.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/topic_plans.h"

namespace topicwall::testing {

inline constexpr char kNotesVersion[] = "notes, version 1";  // 16 bytes
inline constexpr int64_t kManyReleases = 100000;
inline constexpr int kManyPlans = 100000;

inline sealing::SealingKey SealingKeyForTests(uint8_t number = 1) {
  std::array<uint8_t, random::SecretKey::kSize> bytes;
  bytes.fill(number);
  return *sealing::SealingKey::Create(random::SecretKey(bytes));
}

// What follows from the identity is the same for every number, as a rekey leaves it.
inline ledger::LedgerKeys LedgerKeysForTests(uint8_t number = 1) {
  std::array<uint8_t, random::SecretKey::kSize> seed;
  seed.fill(99);
  return {.sealing = SealingKeyForTests(number),
          .signing = *base::SigningKey::Create(seed),
          .seals = random::SecretKey(seed)};
}

inline ledger::LedgerSeals SealsForTests(store::EventStore& store) {
  return *ledger::LedgerSeals::Of(LedgerKeysForTests().seals, store.ReadIdentity()->ledger_id);
}

// ε = 2.44, δ = 1e-6: admits about nine releases of σ = 6.3 at full batch, as budgets did before
// they had a Gaussian witness.
inline ledger::OpenBudgetParams NotesBudget() {
  return {.custodian_id = "library",
          .policy = FilterWithoutGaussian({.epsilon = 2.44, .delta = 1e-6}),
          .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
          .corpus = "notes",
          .corpus_version = kNotesVersion,
          .now_ms = 1000};
}

// The same budget as it is opened now: eleven such releases.
inline ledger::OpenBudgetParams FullBatchNotesBudget() {
  ledger::OpenBudgetParams params = NotesBudget();
  params.policy = *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6});
  return params;
}

inline constexpr char kLettersVersion[] = "letters, first 1";  // 16 bytes

// For another corpus: vouchers (40, 1) × 6 and (20, 1) × 4, drawn in that order.
inline ledger::OpenBudgetParams LettersBudget() {
  ledger::OpenBudgetParams params = NotesBudget();
  params.policy =
      *accountant::MakeInventorySpec({.epsilon = 2.44, .delta = 1e-6}, {{20, 1, 4}, {40, 1, 6}});
  params.corpus = "letters";
  params.corpus_version = kLettersVersion;
  return params;
}

// K = 2; V is up to whoever stores.
inline v1::ReleaseSpec SmallPlan(int iterations, double noise_multiplier = 20) {
  v1::ReleaseSpec plan;
  plan.set_corpus("notes");
  plan.set_corpus_version(kNotesVersion);
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
  plan.set_iterations(iterations);
  plan.set_max_tokens(500);
  AskTopics(&plan, "lda", 2, {0.5});
  return plan;
}

// K = 2 topics of the tenth that is held out; a0 = 100 nats and n0 = 10 words.
inline v1::ReleaseSpec SmallEvaluation(int iterations, double noise_multiplier = 20) {
  v1::ReleaseSpec plan = SmallPlan(iterations, noise_multiplier);
  AskTopics(&plan, "document_completion", 2, {0.5});
  plan.set_held_out_share(0.1);
  plan.set_held_out_only(true);
  plan.set_weights(proto::FloatsToLittleEndian(std::vector<float>{0.01F, 0.1F}));
  return plan;
}

inline v1::ReleaseSpec LettersPlan(int iterations, double noise_multiplier = 20) {
  v1::ReleaseSpec plan = SmallPlan(iterations, noise_multiplier);
  plan.set_corpus("letters");
  plan.set_corpus_version(kLettersVersion);
  return plan;
}

inline ledger::Purse PurseOf(const std::string& principal) {
  return {.principal = principal,
          .epsilon_cap = std::nullopt,
          .max_releases = kManyReleases,
          .max_open_plans = kManyPlans};
}

// `number` tells the requests of one principal apart.
inline ledger::ReserveRequest ReserveRequestFor(const std::string& principal, int number,
                                                const v1::ReleaseSpec& plan) {
  std::string id(ledger::kRequestIdSize, '\0');
  for (int byte = 0; byte < 4; ++byte) id[byte] = static_cast<char>(number >> (8 * byte));
  return {.purse = PurseOf(principal), .request_id = id, .plan = plan, .now_ms = 2000};
}

// A plan of alice's that costs nothing, put in by whoever may write where the ledger is kept and
// has no key of the custodian's.
inline void ForgePlan(store::EventStore& store, const std::string& plan_id) {
  ledger::KeptState state;
  ASSERT_OK(state.TakeFrom(store, nullptr));
  ASSERT_OK_AND_ASSIGN(const auto forged, Decide(state.ledger, accountant::ledger::ReserveAct{
                                                                   .purse = PurseOf("alice"),
                                                                   .plan = SmallPlan(3),
                                                                   .plan_id = plan_id,
                                                                   .now_ms = 2000}));
  ASSERT_OK_AND_ASSIGN(const auto another,
                       ledger::LedgerSeals::Of(random::SecretKey(std::array<uint8_t, 32>{7}),
                                               store.ReadIdentity()->ledger_id));
  store::Change change{.name = "forge"};
  ASSERT_OK(AddEvents(state.ledger, forged.events, another, &change));
  change.plan = {.plan_id = plan_id, .principal = "alice", .request_id = "forged"};
  ASSERT_OK(store.Append(change));
}

inline v1::Protection ProtectionOf(int64_t interval_ms, int free_processors = 1) {
  v1::Protection protection;
  protection.set_release_interval_ms(interval_ms);
  protection.set_free_processors(free_processors);
  return protection;
}

inline v1::ComputedWith ComputedWithForTests() {
  v1::ComputedWith with;
  with.set_kernel_name("portable");
  with.set_build("a build");
  with.set_max_documents_per_unit(3);
  return with;
}

// `content` stands for the topics sent: another content is another request.
inline ledger::ChargeRequest ChargeRequestFor(const v1::PlanState& plan, int iteration,
                                              uint8_t content = 7) {
  ledger::ChargeRequest request{.principal = plan.principal(),
                                .plan_id = plan.plan_id(),
                                .iteration = iteration,
                                .request_digest = {},
                                .now_ms = int64_t{3000} + iteration,
                                .protection = ProtectionOf(60000),
                                .computed_with = ComputedWithForTests()};
  request.request_digest.fill(content);
  return request;
}

// The receipt of a charge that was made, without the mechanism between.
inline ledger::NoisedReceipt Noised(absl::StatusOr<ledger::ChargeOutcome> outcome) {
  return ledger::ChargeReceiptTestPeer::Noised(
      std::get<ledger::ChargeReceipt>(*std::move(outcome)));
}

// Of so many statistics.
inline v1::StoredRelease SmallHeader(size_t entries = 6, int64_t rows = 2) {
  v1::StoredRelease header;
  header.set_rows(rows);
  header.set_columns(static_cast<int64_t>(entries) / rows);
  header.set_clip_norm(4);
  header.set_kernel_name("portable");
  header.set_noise_standard_deviation(25.2);
  header.add_norm_histogram(1.5f);
  header.set_histogram_noise_standard_deviation(3);
  return header;
}

inline ledger::Publication PublicationOf(const v1::PlanState& plan, int iteration,
                                         int intervals_waited = 1) {
  return {.plan_id = plan.plan_id(),
          .iteration = iteration,
          .readable_at_ms = 60000 * intervals_waited,
          .intervals_waited = intervals_waited};
}

// Everything ReadRelease hands out.
struct CollectedRelease : ledger::ReleaseSink {
  absl::Status Header(v1::ReleaseHeader read) override {
    header = std::move(read);
    return absl::OkStatus();
  }
  absl::Status Statistics(int64_t first_entry, std::string values) override {
    EXPECT_EQ(first_entry * 4, static_cast<int64_t>(bytes.size()));
    bytes += values;
    return absl::OkStatus();
  }
  v1::ReleaseHeader header;
  std::string bytes;
};

inline std::vector<v1::LedgerEntry> EntriesSeenBy(ledger::PrivacyLedger& ledger,
                                                  const ledger::Reader& reader) {
  std::vector<v1::LedgerEntry> entries;
  EXPECT_OK(ledger.ReadEvents(kNotesVersion, reader, 0, [&](const v1::LedgerEntry& entry) {
    entries.push_back(entry);
    return absl::OkStatus();
  }));
  return entries;
}

// What an auditor's export of notes would hold.
inline v1::LedgerExport ExportOf(ledger::PrivacyLedger& ledger,
                                 const ledger::Reader& reader = {"ann", true},
                                 absl::string_view corpus_version = kNotesVersion) {
  v1::LedgerExport events;
  events.set_corpus("notes");
  EXPECT_OK(ledger.ReadEvents(corpus_version, reader, 0, [&](const v1::LedgerEntry& entry) {
    *events.add_entries() = entry;
    return absl::OkStatus();
  }));
  if (events.entries_size() == 0) return events;
  v1::LedgerEntry& last = *events.mutable_entries(events.entries_size() - 1);
  *events.mutable_signed_head() = last.signed_head();
  return events;
}

// Signs the head of a chain that was edited, as only the budget's own key can.
inline void SignEnd(v1::LedgerExport& events) {
  v1::HeadStatement statement;
  ASSERT_TRUE(statement.ParseFromString(events.signed_head().statement()));
  const v1::LedgerEntry& last = events.entries(events.entries_size() - 1);
  statement.set_sequence(last.sequence());
  statement.set_head(last.head());
  v1::SignedHead& head = *events.mutable_signed_head();
  head.set_statement(proto::BytesOf(statement));
  head.set_signature(*LedgerKeysForTests().signing.Sign(
      proto::TextToSign(proto::SignedMatter::kHead, head.statement())));
}

// Every receipt that these principals could have kept.
inline ledger::ThawEvidence ReceiptsOf(ledger::PrivacyLedger& ledger,
                                       const std::vector<std::string>& principals) {
  ledger::ThawEvidence evidence;
  for (const std::string& principal : principals) {
    auto page = ledger.ListPlans({.principal = principal});
    EXPECT_OK(page);
    for (const v1::PlanState& listed : page->plans) {
      auto plan = ledger.GetPlan(principal, listed.plan_id());
      EXPECT_OK(plan);
      evidence.receipts.push_back(plan->reservation_receipt());
      if (plan->has_cancellation_receipt()) {
        evidence.receipts.push_back(plan->cancellation_receipt());
      }
      for (const v1::IterationState& iteration : plan->iterations()) {
        CollectedRelease release;
        if (!iteration.readable()) continue;
        EXPECT_OK(ledger.ReadRelease(principal, plan->plan_id(), iteration.iteration(), release));
        evidence.receipts.push_back(release.header.charge_receipt());
        evidence.receipts.push_back(release.header.release_receipt());
      }
    }
  }
  return evidence;
}

// Charges, stores and publishes one iteration with the given statistics.
inline void Release(ledger::PrivacyLedger& ledger, const v1::PlanState& plan, int iteration,
                    const std::vector<float>& statistics = {1, 2, 3, 4, 5, 6}) {
  auto outcome = ledger.Charge(ChargeRequestFor(plan, iteration));
  ASSERT_OK(outcome);
  ASSERT_TRUE(std::holds_alternative<ledger::ChargeReceipt>(*outcome));
  const int64_t rows = plan.plan().model() == "lda" ? 2 : 1;
  ASSERT_OK(
      ledger.Store(Noised(std::move(outcome)), SmallHeader(statistics.size(), rows), statistics));
  ASSERT_OK(ledger.Publish(PublicationOf(plan, iteration)));
}

class LedgerForTests {
 public:
  explicit LedgerForTests(const ledger::OpenBudgetParams& params = NotesBudget()) {
    auto lock = store::DataDirectoryLock::Acquire(directory());
    EXPECT_OK(lock);
    auto made = ledger::FoldedLedger::Create(*std::move(lock), LedgerKeysForTests());
    EXPECT_OK(made);
    ledger_ = *std::move(made);
    auto budget = ledger_->OpenBudget(params);
    EXPECT_OK(budget);
    budget_id_ = *std::move(budget);
  }

  const std::string& directory() const { return directory_.path(); }
  const std::string& budget_id() const { return budget_id_; }
  ledger::FoldedLedger& operator*() { return *ledger_; }
  ledger::FoldedLedger* operator->() { return ledger_.get(); }

  void Close() { ledger_.reset(); }

  absl::Status TryToOpen() {
    Close();
    auto lock = store::DataDirectoryLock::Acquire(directory());
    if (!lock.ok()) return lock.status();
    auto opened = ledger::FoldedLedger::Open(*std::move(lock), LedgerKeysForTests());
    if (!opened.ok()) return opened.status();
    ledger_ = *std::move(opened);
    return absl::OkStatus();
  }
  void Reopen() { EXPECT_OK(TryToOpen()); }

 private:
  TemporaryDirectory directory_;
  std::string budget_id_;
  std::unique_ptr<ledger::FoldedLedger> ledger_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_LEDGER_FOR_TESTS_H_
