#pragma once

#include <string>
#include <string_view>

#include "runtime/clock.h"
#include "runtime/time.h"
#include "sim/apiserver/registry/selectors.h"
#include "sim/apiserver/registry/storage.h"

/// In which form objects go to a client: whole, as metadata only, or as rows of a table for people.
namespace nlc::sim {

enum class Form : std::uint8_t { Object, Metadata, Table };

/// What the Accept header asks for, best first.
struct Accepted {
  bool acceptable = true;
  Form form = Form::Object;
  bool beta = false;  ///< in meta.k8s.io/v1beta1, where the form is of that group
};

/// JSON is the only encoding spoken; a client that lists anything JSON-like or a wildcard gets it.
Accepted accepted_form(std::string_view accept);

/// How rows carry their objects (query `includeObject`).
enum class RowObject : std::uint8_t { None, Metadata, Whole };
RowObject row_object(std::string_view option);

struct Shape {
  Form form = Form::Object;
  RowObject row_object = RowObject::Metadata;
  bool beta = false;

  bool operator==(const Shape&) const = default;
};

/// The Date header of what is answered now, which has whole seconds.
inline WallTime date_of(const Clock& clock) {
  return std::chrono::floor<std::chrono::seconds>(clock.wall_now());
}

/// One object with kind and apiVersion.
std::string whole_object(const Resource& resource, const StoredObject& object);

/// One object in that form; as a table: one row with the column heads, or the row
/// alone.
std::string represented(const Resource& resource, const ObjectView& object, Shape shape,
                        WallTime now);
std::string table_row_alone(const Resource& resource, const ObjectView& object, Shape shape,
                            WallTime now);

/// What a bookmark carries: the kind's empty object with a version.
std::string bookmark_object(const Resource& resource, std::uint64_t version,
                            bool ends_initial_events, Shape shape);

/// Gathers one list answer.
class ListBody {
 public:
  ListBody(const Resource& resource, Shape shape, WallTime now);

  void add(const ObjectRef& object, const Storage& storage);
  std::size_t size() const { return size_; }

  /// `continue_token` empty: nothing follows. `remaining` < 0: not told.
  std::string finish(std::uint64_t version, std::string_view continue_token,
                     long long remaining) &&;

 private:
  const Resource& resource_;
  const Shape shape_;
  const WallTime now_;
  std::size_t size_ = 0;
  std::string items_;
};

}  // namespace nlc::sim
