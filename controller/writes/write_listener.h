#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects.h"
#include "controller/rules/decision.h"
#include "runtime/result.h"

namespace nlc::controller {

/// What became of a write: the object as the server has it now, if it told us, and why it was
/// refused, if it was. After a conflict both are there: the live object has been read.
template <typename T>
struct WriteReport {
  std::optional<T> object;
  std::optional<Error> error;
  bool of_the_past = false;  ///< that object is older than what the write was decided on
};

/// What a `ReadLeases` found.
struct FoundLeases {
  std::vector<api::NodeLease> leases;  ///< absent ones left out
  std::string list_version = {};       ///< of the list; empty where each was read by itself
};

/// Where answers to reads arrive, on the executor.
class ReadListener {
 public:
  virtual ~ReadListener() = default;
  virtual void on_node_read(const NodeRef& node, Result<api::Node> live) = 0;
  /// Perhaps of some of those that were to be read: each is told of once.
  virtual void on_leases(const ReadLeases& asked, Result<FoundLeases> found) = 0;
};

/// Where all answers do.
class WriteListener : public ReadListener {
 public:
  virtual void on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) = 0;
  virtual void on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) = 0;
  /// The two steps of an eviction: its status says why it goes, its deletion.
  virtual void on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) = 0;
  virtual void on_marked(const EvictLostPod& eviction, WriteReport<api::Pod> report) = 0;
  virtual void on_deleted(const EvictPod& eviction, WriteReport<api::Pod> report) = 0;
  virtual void on_deleted(const EvictLostPod& eviction, WriteReport<api::Pod> report) = 0;
};

}  // namespace nlc::controller
