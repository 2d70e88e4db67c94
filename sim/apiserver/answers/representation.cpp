#include "sim/apiserver/answers/representation.h"

#include <nlohmann/json.hpp>

#include "runtime/words.h"
#include "sim/apiserver/answers/table.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_meta(std::string_view media_type) {
  return media_type.find("g=meta.k8s.io") != std::string_view::npos &&
         media_type.find("v=v1") != std::string_view::npos;
}

std::string of_meta(std::string_view kind, Shape shape) {
  return R"({"kind":")" + std::string(kind) + R"(","apiVersion":"meta.k8s.io/)" +
         (shape.beta ? "v1beta1" : "v1") + R"(","metadata":)";
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

std::string partial_metadata(const ObjectView& object, Shape shape) {
  return of_meta("PartialObjectMetadata", shape) + text(metadata_of(object)) + "}";
}

/// Of a pod that has ended: people are shown it as done.
std::string conditions_of_row(const Resource& resource, const ObjectView& object) {
  if (resource.kind != "Pod") return "";
  const Json& phase = member(member(object.json(), "status"), "phase");
  if (phase != "Succeeded" && phase != "Failed") return "";
  const std::string why =
      phase == "Failed" ? "The pod failed." : "The pod has completed successfully.";
  return R"(,"conditions":[{"type":"Completed","status":"True","reason":)" + phase.dump() +
         R"(,"message":")" + why + R"("}])";
}

std::string row(const Resource& resource, const ObjectView& object, Shape shape, WallTime now) {
  std::string result = R"({"cells":)" + text(cells_of(resource, object, now));
  result += conditions_of_row(resource, object);
  if (shape.row_object == RowObject::Metadata) {
    result += R"(,"object":)" + partial_metadata(object, shape);
  } else if (shape.row_object == RowObject::Whole) {
    result += R"(,"object":)" + whole_object(resource, object.stored());
  }
  return result + "}";
}

std::string table_with(Shape shape, std::string_view metadata, std::string_view columns,
                       std::string_view rows) {
  return of_meta("Table", shape) + std::string(metadata) + R"(,"columnDefinitions":)" +
         std::string(columns) + R"(,"rows":[)" + std::string(rows) + "]}";
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
    const bool is_beta = part.find("v=v1beta1") != std::string_view::npos;
    if (part.find("as=Table") != std::string_view::npos) {
      if (is_meta(part)) return {true, Form::Table, is_beta};
    } else if (part.find("as=PartialObjectMetadata") != std::string_view::npos) {
      if (is_meta(part)) return {true, Form::Metadata, is_beta};
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
      return partial_metadata(object, shape);
    case Form::Table:
      return table_with(shape, version_metadata(object.stored().version),
                        column_definitions(resource), row(resource, object, shape, now));
  }
  std::abort();
}

std::string table_row_alone(const Resource& resource, const ObjectView& object, Shape shape,
                            WallTime now) {
  return table_with(shape, version_metadata(object.stored().version), "null",
                    row(resource, object, shape, now));
}

std::string bookmark_object(const Resource& resource, std::uint64_t version,
                            bool ends_initial_events, Shape shape) {
  std::string annotations;
  // What an empty daemon set is written with; an annotation of the whole object only.
  if (resource.kind == "DaemonSet" && shape.form == Form::Object)
    annotations = R"("deprecated.daemonset.template.generation":"0")";
  if (ends_initial_events)
    annotations +=
        (annotations.empty() ? "" : ",") + std::string(R"("k8s.io/initial-events-end":"true")");
  std::string metadata = "{";
  if (!annotations.empty()) metadata += R"("annotations":{)" + annotations + "},";
  metadata += R"("resourceVersion":")" + std::to_string(version) + R"("})";
  if (shape.form != Form::Object) {
    const std::string partial = of_meta("PartialObjectMetadata", shape) + metadata + "}";
    if (shape.form == Form::Metadata) return partial;
    return table_with(shape, version_metadata(version), "null",
                      R"({"cells":[],"object":)" + partial + "}");
  }
  const Around& around = around_metadata(resource);
  return around.before + R"("metadata":)" + metadata + around.behind;
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
  items_ += shape_.form == Form::Table ? row(resource_, view, shape_, now_)
                                       : partial_metadata(view, shape_);
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
    return table_with(shape_, metadata, column_definitions(resource_), items_);
  if (shape_.form == Form::Metadata) {
    return of_meta("PartialObjectMetadataList", shape_) + metadata + R"(,"items":)" +
           (size_ == 0 ? "null" : "[" + items_ + "]") + "}";
  }
  std::string result = R"({"kind":")" + std::string(resource_.kind) + R"(List","apiVersion":")" +
                       api_version_of(resource_) + R"(","metadata":)" + metadata + R"(,"items":[)";
  result.reserve(result.size() + items_.size() + 3);
  result += items_;
  return result + "]}";
}

}  // namespace nlc::sim
