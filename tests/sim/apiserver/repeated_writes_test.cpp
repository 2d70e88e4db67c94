#include "tests/sim/apiserver/api_client.h"

/// What is stored without being read is what reading it would have stored: the same writes go to
/// two servers, and to the second with a space behind each, which nothing can come from but which
/// no body before it had as well.
namespace nlc::sim {
namespace {

const std::string config_maps = "/api/v1/namespaces/default/configmaps";
const std::string leader = "control-plane.alpha.kubernetes.io/leader";

struct TwoServers {
  ApiWorld quick;
  ApiWorld thorough;
  std::string spaces;

  void make(const std::string& collection, const Json& object) {
    quick.post(collection, object);
    thorough.post(collection, object);
  }
  /// As a client does: what it read, changed.
  template <typename Change>
  Heard put(const std::string& path, Change change) {
    Json object = quick.get(path).json();
    change(object);
    spaces += " ";
    const Heard read = thorough.ask("PUT", path, object.dump() + spaces);
    Heard heard = quick.ask("PUT", path, object.dump());
    EXPECT_EQ(heard.status(), read.status());
    EXPECT_EQ(heard.response->body, read.response->body);
    EXPECT_EQ(heard.warning, read.warning);
    EXPECT_EQ(quick.get(path).response->body, thorough.get(path).response->body);
    return heard;
  }
};

auto renewed(int second) {
  return [second](Json& lease) {
    lease["spec"]["renewTime"] = "2026-11-21T09:00:0" + std::to_string(second) + ".000000Z";
  };
}

TEST(RepeatedWrites, ARenewalIsStoredAnsweredAndToldAsIfItHadBeenRead) {
  TwoServers servers;
  servers.make(leases, lease("a"));
  const OpenCall quick = servers.quick.watch(leases + "?watch=1&resourceVersion=0");
  const OpenCall thorough = servers.thorough.watch(leases + "?watch=1&resourceVersion=0");
  for (int second = 1; second < 9; ++second) {
    EXPECT_EQ(servers.put(leases + "/a", renewed(second)).status(), 200);
  }
  EXPECT_EQ(quick->story(), thorough->story());
  EXPECT_EQ(quick->bytes, thorough->bytes);
}

TEST(RepeatedWrites, ARecordInAnAnnotationIsRenewedAsWell) {
  TwoServers servers;
  servers.make(config_maps, {{"apiVersion", "v1"},
                             {"kind", "ConfigMap"},
                             {"metadata", {{"name", "lock"}, {"namespace", "default"}}}});
  for (int second = 1; second < 9; ++second) {
    const Json record{{"holderIdentity", "a"},
                      {"renewTime", "2026-11-21T09:00:0" + std::to_string(second) + "Z"}};
    const Heard heard = servers.put(config_maps + "/lock", [&record](Json& object) {
      object["metadata"]["annotations"][leader] = record.dump();
    });
    EXPECT_EQ(heard.json()["metadata"]["annotations"][leader], record.dump());
  }
}

TEST(RepeatedWrites, WhatDiffersInMoreThanItsTimeIsRead) {
  TwoServers servers;
  servers.make(leases, lease("a"));
  servers.put(leases + "/a", renewed(1));
  servers.put(leases + "/a", renewed(2));
  const Heard taken = servers.put(leases + "/a", [](Json& lease) {
    lease["spec"]["holderIdentity"] = "b";
    lease["spec"]["renewTime"] = "2026-11-21T09:00:03.000000Z";
  });
  EXPECT_EQ(taken.json()["spec"]["holderIdentity"], "b");
  EXPECT_EQ(servers.put(leases + "/a", renewed(4)).json()["spec"]["holderIdentity"], "b");
}

TEST(RepeatedWrites, LocksThatAreRenewedInTurnStayWhatTheyAre) {
  TwoServers servers;
  for (const char* name : {"a", "b"}) servers.make(leases, lease(name));
  for (int second = 1; second < 5; ++second) {
    for (const char* name : {"a", "b"}) {
      const Heard heard = servers.put(leases + "/" + name, renewed(second));
      EXPECT_EQ(heard.json()["metadata"]["name"], name);
    }
  }
}

TEST(RepeatedWrites, ALockThatIsMadeAnewIsRead) {
  TwoServers servers;
  servers.make(leases, lease("a"));
  for (int second = 1; second < 4; ++second) servers.put(leases + "/a", renewed(second));
  const Json before = servers.quick.get(leases + "/a").json();
  for (ApiWorld* world : {&servers.quick, &servers.thorough}) world->remove(leases + "/a");
  servers.make(leases, lease("a"));
  const Heard renewed_again = servers.put(leases + "/a", renewed(4));
  EXPECT_NE(renewed_again.json()["metadata"]["uid"], before["metadata"]["uid"]);
}

TEST(RepeatedWrites, AWriteForAnotherVersionConflicts) {
  TwoServers servers;
  servers.make(leases, lease("a"));
  servers.put(leases + "/a", renewed(1));
  const Heard stale = servers.put(leases + "/a", [](Json& lease) {
    renewed(2)(lease);
    lease["metadata"]["resourceVersion"] = "1";
  });
  EXPECT_EQ(stale.status(), 409);
}

TEST(RepeatedWrites, ATimeThatIsNoneIsRefusedAndTheSameOneChangesNothing) {
  TwoServers servers;
  servers.make(leases, lease("a"));
  const std::string version = version_of(servers.put(leases + "/a", renewed(1)));
  EXPECT_EQ(version_of(servers.put(leases + "/a", renewed(1))), version);
  const Heard refused = servers.put(leases + "/a", [](Json& lease) {
    lease["spec"]["renewTime"] = "2026-13-21T09:00:02.000000Z";
  });
  EXPECT_EQ(refused.status(), 400);
}

TEST(RepeatedWrites, ALabelOfThatNameIsNotTakenForTheVersion) {
  TwoServers servers;
  servers.make(config_maps, {{"apiVersion", "v1"},
                             {"kind", "ConfigMap"},
                             {"metadata", {{"name", "lock"}, {"namespace", "default"}}}});
  for (int second = 1; second < 4; ++second) {
    const Heard heard = servers.put(config_maps + "/lock", [second](Json& object) {
      object["data"]["renewTime"] = "2026-11-21T09:00:0" + std::to_string(second) + "Z";
      object["metadata"]["labels"]["resourceVersion"] = version_of(object);
      object["metadata"].erase("resourceVersion");
    });
    EXPECT_EQ(heard.status(), 200);
  }
}

TEST(RepeatedWrites, AWebhookSeesEveryRenewal) {
  ApiWorld world;
  Json object = world.post(leases, lease("a")).json();
  int seen = 0;
  world.server.options().admit = [&seen](const RequestInfo&, const client::IncomingRequest&,
                                         const Json*, Json&) {
    ++seen;
    return false;
  };
  for (int second = 1; second < 4; ++second) {
    renewed(second)(object);
    object = world.put(leases + "/a", object).json();
  }
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace nlc::sim
