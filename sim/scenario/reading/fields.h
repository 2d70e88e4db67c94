#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/time.h"
#include "runtime/words.h"
#include "sim/scenario/model/checks.h"
#include "sim/scenario/model/outcome.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {

/// "5s (newer tree: 1s)" without the remark; "1h", "-10s". Of ten years at most.
Duration duration_of(const Yaml& node);
std::string without_remark(std::string text);

TaintName taint_of(const Yaml& node);
/// "node0 Ready is Unknown", "node0 has key:NoExecute".
Fact fact_of(const Yaml& node);
/// A number, or {min, max}: of what is counted or measured, so none is below 0.
Amount amount_of(const Yaml& node);
FieldWish wish_of(const Yaml& node);
/// Values as a command line would carry them: remarks in parentheses are gone, true and false are
/// written in the way of flags.
Settings settings_of(const Yaml& node);

/// What could not be understood in one case: it fails by that, and the others of its file run.
struct Problems {
  std::string file;
  std::vector<Failure> found;
  void add(int line, const std::string& words);
  void add(Malformed problem);
};

/// The keys of one map, each asked for once. Whatever nobody asked for is a key we do not know:
/// `finish` adds it to the problems. Notes are for readers and known everywhere. The map outlives
/// them; of one that is absent there are none.
class Fields {
 public:
  /// `what` says what this map describes: "a heartbeat".
  Fields(const Yaml& map, std::string what, Problems& problems);

  bool has(std::string_view key);
  /// Absent when the key is.
  const Yaml& find(std::string_view key);
  const Yaml& need(const std::string& key);

  std::string text(const std::string& key);  ///< empty when absent
  std::optional<std::string> given_text(const std::string& key);
  std::string need_text(const std::string& key);
  std::vector<std::string> texts(const std::string& key);  ///< a list, or a single one
  std::optional<Duration> duration(const std::string& key);
  std::optional<Duration> span(const std::string& key);  ///< a duration that is not below 0
  Duration need_span(const std::string& key);
  std::optional<bool> truth(const std::string& key);
  std::optional<long long> whole(const std::string& key);
  std::optional<long long> count(const std::string& key);  ///< from 1 on
  std::optional<double> share(const std::string& key);     ///< "5%" is 0.05
  std::optional<Amount> amount(const std::string& key);
  /// What the word stands for that the key says, one of `words`; unset when the key is absent.
  /// `named` begins a refusal: "the state ".
  template <typename Meaning, std::size_t size>
  std::optional<Meaning> choice(const std::string& key, const std::string& named,
                                const std::pair<const char*, Meaning> (&words)[size]) {
    if (!has(key)) return std::nullopt;
    const std::string said = text(key);
    std::vector<std::string> known;
    for (const auto& [word, meaning] : words) {
      if (said == word) return meaning;
      known.emplace_back(word);
    }
    refuse(named + said, alternatives(known));
  }
  std::vector<TaintName> taints(const std::string& key);
  FieldWishes wishes(const std::string& key);

  /// All that is left is wished for, field by field.
  FieldWishes remaining_wishes();

  void finish();
  int line() const;
  /// What the whole map says, and what it should.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;
  const Yaml& node() const { return map_; }
  Problems& problems() { return problems_; }

 private:
  const Yaml& map_;
  const std::string what_;
  Problems& problems_;
  std::vector<bool> asked_;  ///< in the order of the map
};

}  // namespace nlc::sim::scenario
