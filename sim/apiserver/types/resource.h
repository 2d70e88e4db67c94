#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// The kinds this server knows, as data: what discovery tells about them and which of the general
/// rules of writing hold for them (spec/api-server.md "Writes"). Nothing here changes while the
/// program runs.
namespace nlc::sim {

struct Subresource {
  std::string_view name;
  std::string_view kind;
  std::string_view group;  ///< of `kind`, where it differs from the parent's
  std::string_view version;
  std::span<const std::string_view> verbs;
};

/// What sets a kind apart when it is written.
struct WriteRules {
  bool status_apart = false;        ///< /status takes the status, the main address everything else
  bool counts_generations = false;  ///< 1 at creation, one more for each change of spec
  bool create_on_put = false;       ///< PUT to a missing object creates it
  bool needs_version = false;       ///< a change without resourceVersion is invalid
};

struct Resource {
  std::size_t id;  ///< its place in `resources()`
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  std::string_view singular;
  std::string_view kind;
  std::string_view short_name;
  std::string_view category;
  std::string_view storage_folder;  ///< shows in the text of one error
  std::string_view storage_version_hash;
  bool namespaced;
  WriteRules rules;
  std::span<const std::string_view> verbs;
  std::span<const Subresource> subresources = {};
};

std::span<const Resource> resources();

/// Null when there is no such resource.
const Resource* find_resource(std::string_view group, std::string_view version,
                              std::string_view plural);
/// One of the core group that is there for certain: "nodes".
const Resource& core_resource(std::string_view plural);
const Resource* find_kind(std::string_view api_version, std::string_view kind);
/// Of whatever group and version, for words that say neither; null when there is none.
const Resource* resource_called(std::string_view plural);
const Resource* resource_of_kind(std::string_view kind);

const Subresource* find_subresource(const Resource& resource, std::string_view name);

/// "v1", "coordination.k8s.io/v1".
std::string api_version_of(const Resource& resource);

/// "core", "coordination": what Go calls the package of its internal types.
std::string go_package(const Resource& resource);

/// "nodes", "leases.coordination.k8s.io": how messages name a resource.
std::string qualified_name(const Resource& resource);

}  // namespace nlc::sim
