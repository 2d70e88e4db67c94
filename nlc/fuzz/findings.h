#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>

namespace nlc::workbench {

/// What all runs have found that were given one folder, which is made at once, not after hours of
/// playing, and taken away again where nothing was found. `found.txt` has a line of each day, from
/// the moment on at which it was found; what was left of a day when it was cut down is a scenario
/// file. Nothing stands there twice, and nothing takes the place of what was there.
class Findings {
 public:
  explicit Findings(std::filesystem::path folder);
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;
  ~Findings();

  /// Why nothing can be kept there.
  const std::error_code& error() const { return error_; }

  /// Adds the line to found.txt, unless that has it.
  void note(const std::string& line);

  struct File {
    std::string path;  ///< empty: it could not be written, which was complained of
    bool is_new = true;
  };
  /// Writes a scenario file of that name, or of one with a number behind it where the name is
  /// taken. Where a file says the same already it is that one: days, times and names of objects
  /// differ from one day to the next, and are not compared.
  File keep(const std::string& name, const std::string& text);

 private:
  std::filesystem::path unused(const std::string& name) const;

  const std::filesystem::path folder_;
  std::error_code error_;
  const bool made_;
  std::set<std::string> noted_;
  std::map<std::string, std::string> files_;  ///< by what they say but for its numbers
};

}  // namespace nlc::workbench
