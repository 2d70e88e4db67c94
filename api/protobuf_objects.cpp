#include "api/protobuf_objects.h"

#include <protozero/exception.hpp>

#include "api/protobuf_fields.h"

/// Field numbers as in generated.proto of Kubernetes 1.36; they never change their meaning.
namespace nlc::api {
namespace {

constexpr std::string_view magic("k8s\0", 4);

pbf_reader reader_of(std::string_view raw) { return {raw.data(), raw.size()}; }

/// An ObjectMeta. `more` are fields of it besides those that every kind has.
template <typename... More>
MetadataFields metadata(pbf_reader reader, const More&... more) {
  MetadataFields fields;
  std::optional<WallTime> deleted;
  read_fields(reader, into(1, fields.name), into(3, fields.namespace_), into(5, fields.uid),
              into(6, fields.resource_version), into(7, fields.generation), into(8, fields.created),
              into(9, deleted), more...);
  fields.deleting = deleted.has_value();
  return fields;
}

/// An entry of a map of texts.
template <typename Visit>
void read_entry(pbf_reader reader, Visit visit) {
  std::string_view key;
  std::string_view value;
  read_fields(reader, into(1, key), into(2, value));
  visit(key, value);
}

TaintFields taint(pbf_reader reader) {
  TaintFields fields;
  read_fields(reader, into(1, fields.key), into(2, fields.value), into(3, fields.effect),
              into(4, fields.time_added));
  return fields;
}

TolerationFields toleration(pbf_reader reader) {
  TolerationFields fields;
  read_fields(reader, into(1, fields.key), into(2, fields.operator_), into(3, fields.value),
              into(4, fields.effect), into(5, fields.seconds));
  return fields;
}

/// Of a node or of a pod; a pod's third field is a time that nobody reads.
ConditionFields read_condition(pbf_reader reader) {
  ConditionFields fields;
  read_fields(reader, into(1, fields.type), into(2, fields.status), into(3, fields.last_heartbeat),
              into(4, fields.last_transition), into(5, fields.reason), into(6, fields.message));
  return fields;
}

OwnerFields owner(pbf_reader reader) {
  OwnerFields fields;
  read_fields(reader, into(1, fields.kind), into(6, fields.controller));
  return fields;
}

/// The three parts of every object. Metadata is the first on the wire, so that the rest can be
/// complained about by name.
template <typename Metadata, typename... Rest>
void read_parts(std::string_view raw, Metadata on_metadata, const Rest&... rest) {
  bool identified = false;
  const auto identify = [&](pbf_reader reader) {
    on_metadata(reader);
    identified = true;
  };
  read_fields(reader_of(raw), message(1, identify), rest...);
  if (!identified) throw Unreadable("metadata is missing");
}

}  // namespace

std::optional<WallTime> read_time(pbf_reader reader) {
  std::optional<std::int64_t> seconds;
  std::int64_t nanos = 0;
  bool empty = reader.length() == 0;
  read_fields(reader, into(1, seconds), into(2, nanos));
  constexpr std::int64_t year_1 = -62'135'596'800;
  constexpr std::int64_t year_10000 = 253'402'300'800;
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t whole = seconds.value_or(0);
  if (empty || whole < year_1 || whole >= year_10000) return std::nullopt;
  if (nanos < 0 || nanos >= second) return std::nullopt;
  return WallTime{std::chrono::seconds(whole) + std::chrono::microseconds(nanos / 1000)};
}

bool is_enveloped(std::string_view bytes) { return bytes.starts_with(magic); }

Envelope open_envelope(std::string_view bytes) {
  if (!is_enveloped(bytes)) throw Unreadable("no protobuf of Kubernetes");
  Envelope envelope;
  // As it comes: a type is only compared, and need not be valid text.
  const auto bytes_into = [](std::uint32_t number, std::string_view& target) {
    return message(number, [&target](pbf_reader content) {
      target = {content.data().data(), content.data().size()};
    });
  };
  read_fields(reader_of(bytes.substr(magic.size())),
              message(1,
                      [&](pbf_reader type) {
                        read_fields(type, bytes_into(1, envelope.type.api_version),
                                    bytes_into(2, envelope.type.kind));
                      }),
              bytes_into(2, envelope.raw));
  return envelope;
}

void read(std::string_view raw, Node& node) {
  const auto label = message(11, [&](pbf_reader entry) {
    read_entry(entry,
               [&](std::string_view key, std::string_view value) { add_label(node, key, value); });
  });
  const auto on_annotation = message(12, [&](pbf_reader entry) {
    read_entry(entry, [&](std::string_view key, std::string_view value) {
      if (key == annotation::pause) set_pause(node, value);
    });
  });
  const auto on_taint = message(5, [&](pbf_reader item) { add_taint(node, taint(item)); });
  const auto on_condition =
      message(4, [&](pbf_reader item) { add_condition(node, read_condition(item)); });
  read_parts(
      raw, [&](pbf_reader reader) { set_metadata(node, metadata(reader, label, on_annotation)); },
      message(2,
              [&](pbf_reader spec) { read_fields(spec, into(4, node.unschedulable), on_taint); }),
      message(3, [&](pbf_reader status) { read_fields(status, on_condition); }));
}

void read(std::string_view raw, NodeLease& lease) {
  read_parts(
      raw, [&](pbf_reader reader) { set_metadata(lease, metadata(reader)); },
      message(2, [&](pbf_reader spec) { read_fields(spec, into(4, lease.renewed)); }));
}

void read(std::string_view raw, Pod& pod) {
  const auto on_owner = message(13, [&](pbf_reader item) { add_owner(pod, owner(item)); });
  const auto on_toleration =
      message(22, [&](pbf_reader item) { add_toleration(pod, toleration(item)); });
  const auto on_condition =
      message(2, [&](pbf_reader item) { add_condition(pod, read_condition(item)); });
  read_parts(
      raw, [&](pbf_reader reader) { set_metadata(pod, metadata(reader, on_owner)); },
      message(2,
              [&](pbf_reader spec) {
                std::string_view node;
                read_fields(spec, into(10, node), on_toleration);
                set_node(pod, node);
              }),
      message(3, [&](pbf_reader status) {
        std::string_view phase;
        std::string_view reason;
        read_fields(status, into(1, phase), into(4, reason), on_condition);
        set_phase(pod, phase, reason);
      }));
}

void read(std::string_view raw, ConfigMap& config) {
  const auto entry = message(2, [&](pbf_reader item) {
    read_entry(
        item, [&](std::string_view key, std::string_view value) { add_entry(config, key, value); });
  });
  const auto binary_entry = message(3, [&](pbf_reader item) {
    read_entry(item,
               [&](std::string_view key, std::string_view) { add_entry(config, key, binary); });
  });
  read_parts(
      raw, [&](pbf_reader reader) { set_metadata(config, metadata(reader)); }, entry, binary_entry);
}

MetadataFields readable_identity(std::string_view raw) {
  MetadataFields known;
  const auto identify = [&](pbf_reader metadata) {
    MetadataFields fields;
    read_fields(metadata, into(1, fields.name), into(3, fields.namespace_));
    known = fields;
    read_fields(metadata, into(5, fields.uid), into(6, fields.resource_version));
    known = fields;
  };
  try {
    read_fields(reader_of(raw), message(1, identify));
  } catch (const Unreadable&) {
    return known;
  } catch (const protozero::exception&) {
    return known;
  }
  return known;
}

Status read_status(std::string_view raw) {
  Status status;
  std::string_view text;
  std::string_view reason;
  std::int64_t code = 0;
  const auto on_cause = message(4, [&](pbf_reader item) {
    std::string_view why;
    std::string_view words;
    std::string_view field;
    read_fields(item, into(1, why), into(2, words), into(3, field));
    status.causes.push_back({std::string(why), std::string(words), std::string(field)});
  });
  const auto on_details = message(5, [&](pbf_reader details) {
    std::optional<std::int64_t> seconds;
    read_fields(details, on_cause, into(5, seconds));
    // Zero is left out in JSON, and written here.
    if (seconds.value_or(0) != 0) status.retry_after = believable_wait(*seconds);
  });
  read_fields(reader_of(raw), into(3, text), into(4, reason), on_details, into(6, code));
  status.message = text;
  status.reason = reason;
  status.code = static_cast<int>(code);
  return status;
}

BookmarkFields read_bookmark(std::string_view raw) {
  BookmarkFields bookmark;
  const auto annotation = message(12, [&](pbf_reader entry) {
    read_entry(entry, [&](std::string_view key, std::string_view value) {
      if (key == initial_events_end) bookmark.ends_initial_events = value == "true";
    });
  });
  read_parts(raw, [&](pbf_reader reader) {
    bookmark.resource_version = metadata(reader, annotation).resource_version;
  });
  return bookmark;
}

ListFields read_list(std::string_view raw, const std::function<void(std::string_view)>& visit) {
  ListFields list;
  read_fields(reader_of(raw),
              message(1,
                      [&](pbf_reader head) {
                        read_fields(head, into(2, list.resource_version),
                                    into(3, list.continue_token));
                      }),
              message(2, [&](pbf_reader item) {
                visit({item.data().data(), item.data().size()});
              }));
  return list;
}

EventFields read_event(std::string_view frame) {
  EventFields event;
  read_fields(reader_of(frame), into(1, event.type), message(2, [&](pbf_reader extension) {
                read_fields(extension, message(1, [&](pbf_reader object) {
                              event.object = {object.data().data(), object.data().size()};
                            }));
              }));
  return event;
}

}  // namespace nlc::api
