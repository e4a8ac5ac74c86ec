// The tables of a ledger, as SQL: for ledger_schema.cc alone, which makes and upgrades them.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_TABLES_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_TABLES_H_

namespace topicwall::ledger {

// Every table but `event` can be derived from the events, except sealed keys, plans' full
// text and the releases themselves; ledger_verification.h compares. Ids are hexadecimal
// text; versions, digests, request ids and cost vectors (see spent_vector.h) are blobs.
inline constexpr char kSchema[] = R"sql(
CREATE TABLE ledger (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  ledger_id TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  is_backup INTEGER NOT NULL CHECK (is_backup IN (0, 1)),
  key_check BLOB NOT NULL
) STRICT;

CREATE TABLE budget (
  budget_id TEXT NOT NULL UNIQUE,
  privacy_unit INTEGER NOT NULL,
  policy BLOB NOT NULL,                   -- a serialized PolicyRecord
  spent BLOB NOT NULL,                    -- charged or reserved, by everybody
  events INTEGER NOT NULL,                -- length of the chain
  head BLOB NOT NULL,
  restored_at INTEGER NOT NULL            -- number of the BudgetRestored event; 0 unless frozen
) STRICT;

CREATE TABLE analyst (
  budget_id TEXT NOT NULL REFERENCES budget (budget_id),
  principal TEXT NOT NULL,
  spent BLOB NOT NULL,
  PRIMARY KEY (budget_id, principal)
) STRICT;

CREATE TABLE corpus (
  corpus_version BLOB NOT NULL UNIQUE,
  corpus TEXT NOT NULL,
  budget_id TEXT NOT NULL REFERENCES budget (budget_id),
  overruns INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL           -- of the overruns and the voided
) STRICT;

CREATE TABLE plan (
  plan_id TEXT NOT NULL UNIQUE,
  corpus_version BLOB NOT NULL REFERENCES corpus (corpus_version),
  principal TEXT NOT NULL,
  request_id BLOB NOT NULL,
  spec BLOB NOT NULL,                     -- a serialized PlanSpec, but for term_weights
  cost BLOB NOT NULL,                     -- of one release; under an inventory, of the plan
  reserved_at_ms INTEGER NOT NULL,
  state INTEGER NOT NULL,                 -- PlanState.State
  iterations INTEGER NOT NULL,            -- J
  reserved_iterations INTEGER NOT NULL,   -- J, less what a cancel gave back
  refundable INTEGER NOT NULL,            -- 0 once a restore took what was left for charged
  UNIQUE (principal, request_id)
) STRICT;

CREATE TABLE charge (
  charge_id INTEGER PRIMARY KEY AUTOINCREMENT,
  plan_id TEXT NOT NULL REFERENCES plan (plan_id),
  iteration INTEGER NOT NULL,
  request_digest BLOB NOT NULL,
  charged_at_ms INTEGER NOT NULL,
  state INTEGER NOT NULL,                 -- ChargeState of plan_table.h
  recomputations INTEGER NOT NULL,
  sealed_release_key BLOB,                -- while the state is charged
  header BLOB,                            -- a serialized StoredRelease, once stored
  header_sha256 BLOB,
  release_sha256 BLOB,                    -- of the statistics
  readable_at_ms INTEGER NOT NULL,        -- 0 until published
  intervals_waited INTEGER NOT NULL,
  UNIQUE (plan_id, iteration),
  CHECK ((state = 1) = (sealed_release_key IS NOT NULL))
) STRICT;

CREATE TABLE release_chunk (
  charge_id INTEGER NOT NULL REFERENCES charge (charge_id),
  first_entry INTEGER NOT NULL,
  statistics BLOB NOT NULL,               -- little-endian float32
  PRIMARY KEY (charge_id, first_entry)
) STRICT;

CREATE TABLE event (
  budget_id TEXT NOT NULL REFERENCES budget (budget_id),
  sequence INTEGER NOT NULL,
  event BLOB NOT NULL,                    -- a serialized LedgerEvent: the bytes that were hashed
  salt BLOB NOT NULL,
  commitment BLOB NOT NULL,
  head BLOB NOT NULL,
  PRIMARY KEY (budget_id, sequence)
) STRICT;
)sql";

// Since version 3; UpgradeTables makes it in older ledgers.
inline constexpr char kSigningKeyColumn[] = R"sql(
ALTER TABLE budget ADD COLUMN signing_key BLOB NOT NULL DEFAULT x'';
)sql";
inline constexpr char kReceiptTable[] = R"sql(
CREATE TABLE receipt (
  plan_id TEXT NOT NULL,
  act INTEGER NOT NULL,                   -- LedgerEvent.ActCase
  iteration INTEGER NOT NULL,             -- 0 for acts on the whole plan
  budget_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  spent BLOB NOT NULL,                    -- charged or reserved, by everybody, after the event
  PRIMARY KEY (plan_id, act, iteration),
  FOREIGN KEY (budget_id, sequence) REFERENCES event (budget_id, sequence)
) STRICT;
)sql";

// Since version 4; likewise.
inline constexpr char kVoidColumns[] = R"sql(
-- T of the schedule; 0 without timing protection, -1 charged before this was recorded
ALTER TABLE charge ADD COLUMN release_interval_ms INTEGER NOT NULL DEFAULT -1;
ALTER TABLE charge ADD COLUMN kernel_name TEXT NOT NULL DEFAULT '';
ALTER TABLE charge ADD COLUMN free_processors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charge ADD COLUMN restarted_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charge ADD COLUMN void_ground INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus ADD COLUMN voided INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus ADD COLUMN unreadable INTEGER NOT NULL DEFAULT 0;
)sql";

// Since version 4. Term weights are as large as a vocabulary, and many plans have the same.
inline constexpr char kWeightsTable[] = R"sql(
CREATE TABLE term_weights (
  sha256 BLOB NOT NULL PRIMARY KEY,
  weights BLOB NOT NULL                   -- PlanSpec.term_weights
) STRICT;
)sql";

inline constexpr char kPlanColumns[] = R"sql(
ALTER TABLE plan ADD COLUMN weights_sha256 BLOB REFERENCES term_weights (sha256);
ALTER TABLE plan ADD COLUMN expired INTEGER NOT NULL DEFAULT 0;
)sql";

// Since version 4: each BudgetThawed of a budget, which its guarantee tells for ever.
inline constexpr char kThawTable[] = R"sql(
CREATE TABLE thaw (
  budget_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (budget_id, sequence),
  FOREIGN KEY (budget_id, sequence) REFERENCES event (budget_id, sequence)
) STRICT;
)sql";

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_TABLES_H_
