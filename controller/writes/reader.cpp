#include "controller/writes/reader.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "client/verbs.h"

namespace nlc::controller {

void Reader::perform(const ReadNode& asked) {
  client::get_node(
      transport_, asked.node.name,
      [this, node = asked.node](Result<api::Node> live) {
        listener_.on_node_read(node, std::move(live));
      },
      asked.attempt);
}

void Reader::perform(const ReadLeases& asked) {
  if (!asked.in_one_list) return asked.dated ? read_each_by_list(asked) : read_each(asked);
  read_pages(std::make_shared<LeaseList>(LeaseList{.asked = asked}), {});
}

/// A lease that does not exist has not moved.
void Reader::read_each(const ReadLeases& asked) {
  ReadLeases one = asked;
  for (const std::string& node : asked.nodes) {
    one.nodes = {node};
    client::get_node_lease(transport_, node, [this, node, one](Result<api::NodeLease> lease) {
      if (lease && lease->name != node) {
        return listener_.on_leases(
            one, Error{Fault::Malformed, "the lease of " + lease->name + " was answered"});
      }
      if (lease) return listener_.on_leases(one, FoundLeases{{std::move(*lease)}});
      if (lease.error().fault == Fault::NotFound) return listener_.on_leases(one, FoundLeases{});
      listener_.on_leases(one, std::move(lease.error()));
    });
  }
}

/// The version of a list of one lease dates it, and it costs the server no more than the lease.
void Reader::read_each_by_list(const ReadLeases& asked) {
  ReadLeases one = asked;
  for (const std::string& node : asked.nodes) {
    one.nodes = {node};
    client::get_page<api::NodeLease>(
        transport_, {.field_selector = "metadata.name=" + node},
        [this, node, one](Result<api::ListPage<api::NodeLease>> page) {
          if (!page) return listener_.on_leases(one, std::move(page.error()));
          const bool of_others = std::ranges::any_of(
              page->items, [&](const api::NodeLease& lease) { return lease.name != node; });
          if (of_others || !page->malformed.empty()) {
            return listener_.on_leases(
                one, Error{Fault::Malformed, "a list of the lease of " + node + " has another"});
          }
          listener_.on_leases(one, FoundLeases{.leases = std::move(page->items),
                                               .list_version = page->resource_version});
        });
  }
}

void Reader::read_pages(std::shared_ptr<LeaseList> list, std::string continue_token) {
  client::get_page<api::NodeLease>(
      transport_, {.continue_token = std::move(continue_token)},
      [this, list](Result<api::ListPage<api::NodeLease>> page) {
        if (!page) return listener_.on_leases(list->asked, std::move(page.error()));
        const bool goes_on =
            list->pages.go_on({.version = page->resource_version,
                               .continue_token = page->continue_token,
                               .objects = page->items.size() + page->malformed.size(),
                               .first_key = client::first_key(*page)});
        if (!goes_on) {
          return listener_.on_leases(list->asked,
                                     Error{Fault::Malformed, "the list of leases has no end"});
        }
        std::ranges::move(page->items, std::back_inserter(list->found.leases));
        for (api::MalformedItem& item : page->malformed) {
          list->unreadable.insert(std::move(item.key));
        }
        if (list->found.list_version.empty()) list->found.list_version = page->resource_version;
        if (page->continue_token.empty()) return tell_list(*list);
        read_pages(list, std::move(page->continue_token));
      });
}

/// A lease that cannot be read has not been seen unmoved, and one that has no name may be
/// anybody's.
void Reader::tell_list(const LeaseList& list) {
  ReadLeases read = list.asked;
  read.nodes.clear();
  ReadLeases unread = read;
  std::set<std::string_view> found;
  for (const api::NodeLease& lease : list.found.leases) found.insert(lease.name);
  for (const std::string& node : list.asked.nodes) {
    const bool hidden =
        !found.contains(node) && (list.unreadable.contains(node) || list.unreadable.contains(""));
    (hidden ? unread : read).nodes.push_back(node);
  }
  if (!unread.nodes.empty()) {
    listener_.on_leases(unread, Error{Fault::Malformed, "a lease in a list cannot be read"});
  }
  if (!read.nodes.empty()) listener_.on_leases(read, list.found);
}

}  // namespace nlc::controller
