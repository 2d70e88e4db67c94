#include "report/deed.h"

namespace nlc::report {
namespace {

struct Words {
  std::string_view name;
  std::string_view title;
};
constexpr std::array<Words, all_deeds.size()> words{{{"unknown", "Unknown"},
                                                     {"no_schedule", "NoSchedule"},
                                                     {"no_execute", "NoExecute"},
                                                     {"pods_deleted", "pods deleted"},
                                                     {"pods_not_ready", "pods NotReady"}}};

}  // namespace

std::string_view name_of(Deed deed) { return words[index_of(deed)].name; }

std::string_view title_of(Deed deed) { return words[index_of(deed)].title; }

}  // namespace nlc::report
