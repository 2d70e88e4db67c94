#include "arrows.h"

#include <vector>

namespace nlc::architecture {
namespace {

struct Room {
  std::string name;  ///< empty: the folder's own files
  std::set<std::string> without = {};
};

std::string path_of(const std::string& folder, const std::string& room) {
  return room.empty() ? folder : folder + "/" + room;
}

/// Rooms in the order in which they stand on each other: each may include all before it, but for
/// those that it is `without`.
void stack(Arrows& arrows, const std::string& folder, const std::vector<Room>& rooms) {
  std::vector<std::string> below;
  for (const Room& room : rooms) {
    Folders& may_include = arrows[path_of(folder, room.name)];
    for (const std::string& lower : below) {
      if (!room.without.contains(lower)) may_include.insert(path_of(folder, lower));
    }
    below.push_back(room.name);
  }
}

/// The rooms that stand on few others, and what a room needs of another folder's.
Arrows single_arrows() {
  return {
      {"client", {}},  // the seam knows neither limits nor streams
      {"client/limits", {"client"}},
      {"client/streams", {"client"}},
      {"election/lock", {"election"}},
      {"election", {"election/lock"}},
      {"election/asio", {"election"}},
      {"election/sidecar", {"election"}},
      {"net/process", {}},
      {"net/loop", {}},
      {"net/log", {}},
      {"net/http", {}},
      {"net/config", {"net/process", "net/http"}},
      {"net/credentials", {"net/process", "net/config"}},
      {"net/http_client", {"net/process", "net/loop", "net/http", "net/config", "net/credentials"}},
      {"net/http_server", {"net/process", "net/loop", "net/http", "net/credentials"}},
      {"net/rest", {"net/process", "net/http", "net/config", "net/credentials", "net/http_client"}},
      {"sim", {}},
      {"sim/kubelet", {}},
      {"sim/rules", {"sim/apiserver/registry"}},
      {"sim/scenario/model", {"sim", "sim/kubelet", "sim/rules"}},
      {"sim/scenario/reading",
       {"sim", "sim/kubelet", "sim/rules", "sim/apiserver", "sim/apiserver/types",
        "sim/apiserver/validation"}},
      {"sim/scenario/stage",
       {"sim", "sim/kubelet", "sim/rules", "sim/apiserver", "sim/apiserver/answers",
        "sim/apiserver/requests", "sim/apiserver/registry", "sim/apiserver/types"}},
      {"sim/scenario/checking",
       {"sim", "sim/kubelet", "sim/rules", "sim/apiserver/registry", "sim/apiserver/types"}},
      {"sim/scenario", {"sim", "sim/kubelet", "sim/rules"}},
      {"sim/experiment",
       {"sim/kubelet", "sim/scenario", "sim/scenario/model", "sim/scenario/reading",
        "sim/scenario/stage"}},
      {"sim/fuzz", {"sim/scenario", "sim/scenario/model", "sim/scenario/stage"}},
      {"nlc/console", {}},
      {"nlc/cluster", {"nlc/console"}},
      {"nlc/demo", {"nlc/cluster", "nlc/console"}},
      {"nlc/fuzz", {"nlc/console"}},
      {"nlc/scenario", {"nlc/console"}},
      {"nlc/why", {"nlc/console"}}};
}

}  // namespace

const Arrows& arrows() {
  static const Arrows allowed{
      {"runtime", {}},
      {"yaml", {"runtime"}},
      {"metrics", {}},
      {"api", {"runtime", "metrics"}},
      {"client", {"api", "runtime", "metrics"}},
      {"informer", {"client", "api", "runtime", "metrics"}},
      {"election", {"client", "api", "runtime", "metrics"}},
      {"controller", {"informer", "client", "api", "runtime", "metrics"}},
      {"program",
       {"report", "controller", "election", "informer", "client", "api", "runtime", "metrics"}},
      {"net", {"client", "api", "yaml", "runtime", "metrics"}},
      {"report", {"api", "runtime", "metrics"}},
      // A simulated world holds whole programs.
      {"sim",
       {"report", "program", "controller", "election", "informer", "client", "api", "yaml",
        "runtime", "metrics"}},
      {"nlc",
       {"sim", "report", "program", "controller", "election", "informer", "client", "api",
        "runtime", "metrics"}}};
  return allowed;
}

const Arrows& arrows_of_rooms() {
  static const Arrows allowed = [] {
    Arrows rooms = single_arrows();
    stack(rooms, "controller",
          {{"rules"},
           {"options"},
           {"server"},
           {"writes", {"options", "server"}},
           {"zones", {"writes"}},
           {"pause", {"writes"}},
           {"nodes"},
           {"pods", {"options", "server", "zones", "pause", "nodes"}},
           {"decisions"},
           {"reports"},
           {"observe"},
           {"", {"observe"}},
           // Nothing that decides knows who explains it, or holds it against others.
           {"loop"},
           {"why", {"observe", "loop"}},
           {"live", {"observe", "loop"}}});
    stack(rooms, "sim/apiserver",
          {{"types"},
           {"validation"},
           {"registry"},
           {"requests"},
           {"answers", {"validation", "requests"}},
           {""}});
    stack(rooms, "sim/scenario", {{"model"}, {"reading"}, {"stage"}, {"checking"}, {""}});
    return rooms;
  }();
  return allowed;
}

/// A judge who shares code with whom he judges would make the same mistakes.
const Arrows& rooms_apart() {
  static const Arrows allowed{{"sim/rules", {"api", "runtime"}}};
  return allowed;
}

const Arrows& arrows_of_mains() {
  static const Arrows allowed{{"program", {"net"}}, {"election", {"net"}}, {"nlc", {"net"}}};
  return allowed;
}

}  // namespace nlc::architecture
