#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "nlc/cluster/fleet.h"
#include "nlc/cluster/observer_watch.h"
#include "report/silence_book.h"

namespace nlc::workbench {

/// What --report and its companion ask for.
struct ReportFlags {
  std::string file;  ///< empty: no report
  Duration grace = std::chrono::seconds(50);
};

/// The report of one fleet, into a file that can be read while it is written; or none. On the
/// executor's thread.
class FleetReport {
 public:
  explicit FleetReport(ReportFlags flags) : flags_(std::move(flags)) {}

  /// Nothing when the file can be written, or is not asked for; else what is wrong.
  std::string open();
  /// Begins to watch; before the cluster is built.
  void begin(sim::HollowCluster::Env env);

  /// For `HollowClusterOptions`.
  informer::StoreListener<api::Pod>* pods_watcher() { return watch_ ? &*watch_ : nullptr; }
  /// The same audience, with the report in it.
  FleetPlay::Audience with(FleetPlay::Audience audience);
  /// Ends it; its summary, empty without a report.
  std::string close();
  /// What is wrong once it is closed: a part of it could not be written. Else nothing.
  std::string trouble() const { return trouble_; }

 private:
  void write(const std::string& line);
  void remember_failure();

  const ReportFlags flags_;
  std::ofstream file_;
  std::string trouble_;
  const Clock* clock_ = nullptr;
  std::optional<report::SilenceBook> book_;
  std::optional<ObserverWatch> watch_;
};

}  // namespace nlc::workbench
