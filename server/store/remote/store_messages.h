// The words of event_store.h as messages, and back. Nothing is judged. Pure; threads: any.
#ifndef TOPICWALL_SERVER_STORE_REMOTE_STORE_MESSAGES_H_
#define TOPICWALL_SERVER_STORE_REMOTE_STORE_MESSAGES_H_

#include "proto/store.pb.h"
#include "server/store/event_store.h"

namespace topicwall::store {

v1::StoreIdentity ToMessage(const Identity& identity);
Identity FromMessage(const v1::StoreIdentity& message);

v1::StoreChain ToMessage(const Chain& chain);
Chain FromMessage(const v1::StoreChain& message);

v1::StoreOpenCharge ToMessage(const OpenCharge& row);
OpenCharge FromMessage(const v1::StoreOpenCharge& message);

v1::StorePlan ToMessage(const PlanRecord& plan);
PlanRecord FromMessage(const v1::StorePlan& message);

v1::StoreChange ToMessage(const Change& change);
// Its blobs point into the message.
Change FromMessage(const v1::StoreChange& message);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_REMOTE_STORE_MESSAGES_H_
