#include "sim/apiserver/answers/representation.h"

#include <nlohmann/json.hpp>

#include "runtime/words.h"
#include "sim/apiserver/answers/table.h"
#include "sim/apiserver/types/typed_object.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_meta_v1(std::string_view media_type) {
  return media_type.find("g=meta.k8s.io") != std::string_view::npos &&
         media_type.find("v=v1") != std::string_view::npos;
}

/// With room for what follows.
std::string head_of(const Resource& resource, std::size_t room = 0) {
  std::string head = R"({"kind":")";
  head.reserve(64 + room);
  head.append(resource.kind).append(R"(","apiVersion":")");
  if (!resource.group.empty()) head.append(resource.group).append("/");
  return head.append(resource.version).append(R"(",)");
}

/// Of a daemon set the count of its template's changes is an annotation in the whole object only.
Json metadata_of(const ObjectView& object) {
  Json metadata = object.json().at("metadata");
  const auto annotations = metadata.find("annotations");
  if (annotations == metadata.end()) return metadata;
  annotations->erase("deprecated.daemonset.template.generation");
  if (annotations->empty()) metadata.erase("annotations");
  return metadata;
}

std::string partial_metadata(const ObjectView& object) {
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" +
         text(metadata_of(object)) + "}";
}

std::string row(const Resource& resource, const ObjectView& object, Shape shape, WallTime now) {
  std::string result = R"({"cells":)" + text(cells_of(resource, object, now));
  if (shape.row_object == RowObject::Metadata) {
    result += R"(,"object":)" + partial_metadata(object);
  } else if (shape.row_object == RowObject::Whole) {
    result += R"(,"object":)" + whole_object(resource, object.stored());
  }
  return result + "}";
}

std::string table_with(std::string_view metadata, std::string_view columns, std::string_view rows) {
  return R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)" + std::string(metadata) +
         R"(,"columnDefinitions":)" + std::string(columns) + R"(,"rows":[)" + std::string(rows) +
         "]}";
}

std::string version_metadata(std::uint64_t version) {
  return R"({"resourceVersion":")" + std::to_string(version) + R"("})";
}

/// What stands before and behind the metadata of an empty object. It is the same each time, and
/// every stream is told of one each minute.
struct Around {
  std::string before;
  std::string behind;
};

const Around& around_metadata(const Resource& resource) {
  static const std::vector<Around> known = [] {
    std::vector<Around> all;
    for (const Resource& each : resources()) {
      Json object{{"metadata", {{"resourceVersion", "0"}}}};
      (void)read_typed(each.kind, object);
      const std::string here = R"("metadata":)" + text(object["metadata"]);
      const std::string whole = head_of(each) + text(object).substr(1);
      const std::size_t at = whole.find(here);
      all.push_back({whole.substr(0, at), whole.substr(at + here.size())});
    }
    return all;
  }();
  return known[resource.id];
}

}  // namespace

Accepted accepted_form(std::string_view accept) {
  if (accept.empty()) return {};
  for (const std::string_view entry : split(accept, ',')) {
    const std::string_view part = trimmed(entry);
    const std::string_view type = part.substr(0, part.find(';'));
    if (type == "*/*" || type == "application/*") return {};
    if (type != "application/json") continue;
    if (part.find("as=Table") != std::string_view::npos) {
      if (is_meta_v1(part)) return {true, Form::Table};
    } else if (part.find("as=PartialObjectMetadata") != std::string_view::npos) {
      if (is_meta_v1(part)) return {true, Form::Metadata};
    } else {
      return {};
    }
  }
  return {.acceptable = false};
}

RowObject row_object(std::string_view option) {
  if (option == "None") return RowObject::None;
  return option == "Object" ? RowObject::Whole : RowObject::Metadata;
}

std::string whole_object(const Resource& resource, const StoredObject& object) {
  return head_of(resource, object.bytes.size()).append(object.bytes, 1, std::string::npos);
}

std::string represented(const Resource& resource, const ObjectView& object, Shape shape,
                        WallTime now) {
  switch (shape.form) {
    case Form::Object:
      return whole_object(resource, object.stored());
    case Form::Metadata:
      return partial_metadata(object);
    case Form::Table:
      return table_with(version_metadata(object.stored().version), column_definitions(resource),
                        row(resource, object, shape, now));
  }
  std::abort();
}

std::string table_row_alone(const Resource& resource, const ObjectView& object, Shape shape,
                            WallTime now) {
  return table_with(version_metadata(object.stored().version), "null",
                    row(resource, object, shape, now));
}

std::string bookmark_object(const Resource& resource, std::uint64_t version,
                            bool ends_initial_events, Form form) {
  std::string metadata = R"("metadata":{)";
  if (ends_initial_events) metadata += R"("annotations":{"k8s.io/initial-events-end":"true"},)";
  metadata += R"("resourceVersion":")" + std::to_string(version) + R"("})";
  if (form != Form::Object) {
    const std::string partial =
        R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)" + metadata + "}";
    if (form == Form::Metadata) return partial;
    return table_with(version_metadata(version), "null",
                      R"({"cells":[],"object":)" + partial + "}");
  }
  const Around& around = around_metadata(resource);
  return around.before + metadata + around.behind;
}

ListBody::ListBody(const Resource& resource, Shape shape, WallTime now)
    : resource_(resource), shape_(shape), now_(now) {}

void ListBody::add(const ObjectRef& object, const Storage& storage) {
  if (size_++ > 0) items_ += ",";
  if (shape_.form == Form::Object) {
    items_ += object->bytes;
    return;
  }
  const ObjectView view(storage, object);
  items_ +=
      shape_.form == Form::Table ? row(resource_, view, shape_, now_) : partial_metadata(view);
}

std::string ListBody::finish(std::uint64_t version, std::string_view continue_token,
                             long long remaining) && {
  std::string metadata = R"({"resourceVersion":")" + std::to_string(version) + "\"";
  if (!continue_token.empty()) metadata += R"(,"continue":")" + std::string(continue_token) + "\"";
  if (!continue_token.empty() && remaining >= 0) {
    metadata += R"(,"remainingItemCount":)" + std::to_string(remaining);
  }
  metadata += "}";
  if (shape_.form == Form::Table)
    return table_with(metadata, column_definitions(resource_), items_);
  const bool partial = shape_.form == Form::Metadata;
  std::string result = R"({"kind":")";
  result += partial ? "PartialObjectMetadata" : std::string(resource_.kind);
  result += R"(List","apiVersion":")";
  result += partial ? "meta.k8s.io/v1" : api_version_of(resource_);
  result += R"(","metadata":)" + metadata + R"(,"items":[)";
  result.reserve(result.size() + items_.size() + 3);
  result += items_;
  return result + "]}";
}

}  // namespace nlc::sim
