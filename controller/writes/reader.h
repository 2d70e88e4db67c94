#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "client/list_pages.h"
#include "client/transport.h"
#include "controller/rules/decision.h"
#include "controller/writes/write_listener.h"

namespace nlc::controller {

/// Performs those decisions that only ask: it cannot change anything. On the executor's thread; the
/// listener must outlive it.
class Reader {
 public:
  Reader(client::Transport& transport, ReadListener& listener)
      : transport_(transport), listener_(listener) {}

  void perform(const ReadLeases& asked);
  void perform(const ReadNode& asked);

 private:
  /// A list of leases that is being read.
  struct LeaseList {
    ReadLeases asked;
    FoundLeases found;
    std::set<std::string, std::less<>> unreadable;  ///< their names; empty: unknown
    client::ListPages pages;
  };

  void read_each(const ReadLeases& asked);
  void read_each_by_list(const ReadLeases& asked);
  void read_pages(std::shared_ptr<LeaseList> list, std::string continue_token);
  void tell_list(const LeaseList& list);

  client::Transport& transport_;
  ReadListener& listener_;
};

}  // namespace nlc::controller
