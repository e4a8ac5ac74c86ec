#include "server/store/remote/store_messages.h"

#include <optional>
#include <string>

namespace topicwall::store {

v1::StoreIdentity ToMessage(const Identity& identity) {
  v1::StoreIdentity message;
  message.set_ledger_id(identity.ledger_id);
  message.set_epoch(identity.epoch);
  message.set_is_backup(identity.is_backup);
  message.set_key_check(identity.key_check);
  return message;
}

Identity FromMessage(const v1::StoreIdentity& message) {
  return {message.ledger_id(), message.epoch(), message.is_backup(), message.key_check()};
}

v1::StoreChain ToMessage(const Chain& chain) {
  v1::StoreChain message;
  message.set_budget_id(chain.budget_id);
  message.set_length(chain.length);
  message.set_head(chain.head);
  return message;
}

Chain FromMessage(const v1::StoreChain& message) {
  return {message.budget_id(), message.length(), message.head()};
}

v1::StoreOpenCharge ToMessage(const OpenCharge& row) {
  v1::StoreOpenCharge message;
  message.set_budget_id(row.budget_id);
  message.set_sequence(row.sequence);
  message.set_sealed_key(row.sealed_key);
  message.set_header_sha256(row.header_sha256);
  message.set_release_sha256(row.release_sha256);
  message.set_owner(row.owner);
  return message;
}

OpenCharge FromMessage(const v1::StoreOpenCharge& message) {
  return {message.budget_id(),     message.sequence(),       message.sealed_key(),
          message.header_sha256(), message.release_sha256(), message.owner()};
}

v1::StorePlan ToMessage(const PlanRecord& plan) {
  v1::StorePlan message;
  message.set_plan_id(plan.plan_id);
  message.set_principal(plan.principal);
  message.set_request_id(plan.request_id);
  return message;
}

PlanRecord FromMessage(const v1::StorePlan& message) {
  return {message.plan_id(), message.principal(), message.request_id()};
}

v1::StoreChange ToMessage(const Change& change) {
  v1::StoreChange message;
  for (const Change::Growth& growth : change.chains) {
    v1::StoreChange::Growth& grown = *message.add_chains();
    grown.set_budget_id(growth.budget_id);
    grown.set_expected_head(growth.expected_head);
    for (const v1::LedgerEntry& entry : growth.entries) *grown.add_entries() = entry;
  }
  // Presence says whether there is a row: "none" is what one that is new is compared with.
  for (const Change::Row& row : change.open_charges) {
    v1::StoreChange::Row& changed = *message.add_open_charges();
    if (row.before.has_value()) *changed.mutable_before() = ToMessage(*row.before);
    if (row.after.has_value()) *changed.mutable_after() = ToMessage(*row.after);
  }
  if (change.plan.has_value()) *message.mutable_plan() = ToMessage(*change.plan);
  for (const BlobPart& blob : change.blobs) {
    v1::StoreBlobPart& part = *message.add_blobs();
    part.set_sha256(blob.sha256);
    part.set_part(blob.part);
    part.set_bytes(std::string(blob.bytes));
  }
  if (change.identity.has_value()) *message.mutable_identity() = ToMessage(*change.identity);
  if (change.num_chains.has_value()) message.set_num_chains(*change.num_chains);
  return message;
}

Change FromMessage(const v1::StoreChange& message) {
  // The act's own name names kill points of the file store alone, and does not cross.
  Change change{.name = "remote"};
  for (const v1::StoreChange::Growth& growth : message.chains()) {
    change.chains.push_back({.budget_id = growth.budget_id(),
                             .expected_head = growth.expected_head(),
                             .entries = {growth.entries().begin(), growth.entries().end()}});
  }
  for (const v1::StoreChange::Row& row : message.open_charges()) {
    Change::Row& changed = change.open_charges.emplace_back();
    if (row.has_before()) changed.before = FromMessage(row.before());
    if (row.has_after()) changed.after = FromMessage(row.after());
  }
  if (message.has_plan()) change.plan = FromMessage(message.plan());
  for (const v1::StoreBlobPart& blob : message.blobs()) {
    change.blobs.push_back({.sha256 = blob.sha256(), .part = blob.part(), .bytes = blob.bytes()});
  }
  if (message.has_identity()) change.identity = FromMessage(message.identity());
  if (message.has_num_chains()) change.num_chains = message.num_chains();
  return change;
}

}  // namespace topicwall::store
