#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace nlc::bench {

/// What `nlc hollow --report` told of one power cut.
struct Deaths {
  std::size_t told = 0;
  /// By mark, in milliseconds after the end of the grace; of nodes where it was seen.
  std::vector<double> unknown;
  std::vector<double> no_schedule;
  std::vector<double> pods_not_ready;
};

/// Reads the report while it is written.
class DeathReport {
 public:
  explicit DeathReport(std::filesystem::path file) : file_(std::move(file)) {}

  /// What has been told since the last call.
  Deaths take_deaths();
  /// Healthy nodes that were called Unknown since the last call.
  std::size_t take_condemned();

 private:
  void read_on();

  const std::filesystem::path file_;
  std::streamoff read_ = 0;
  Deaths deaths_;
  std::size_t false_positives_ = 0;
};

}  // namespace nlc::bench
