#include "api/decode.h"

#include <algorithm>
#include <protozero/exception.hpp>

#include "api/assembly.h"
#include "api/json_objects.h"
#include "api/protobuf_objects.h"

namespace nlc::api {
namespace {

/// The beginning of a text from outside, fit for a log line.
std::string printable(std::string_view text) {
  constexpr std::size_t shown = 200;
  std::string result(text.substr(0, shown));
  while (result.ends_with('\n')) result.pop_back();
  std::ranges::replace_if(
      result, [](char character) { return character < ' ' || character > '~'; }, '?');
  return result;
}

EventType event_type(std::string_view text) {
  if (text == "ADDED") return EventType::Added;
  if (text == "MODIFIED") return EventType::Modified;
  if (text == "DELETED") return EventType::Deleted;
  if (text == "BOOKMARK") return EventType::Bookmark;
  if (text == "ERROR") return EventType::Error;
  throw Unreadable("unknown event type \"" + printable(text) + "\"");
}

Error malformed(std::string_view what) { return {Fault::Malformed, std::string(what)}; }

/// What is wrong with an object, and with which, as far as its name could be read.
template <typename T>
std::string complaint(const T& object, const std::exception& problem) {
  if (object.name.empty()) return problem.what();
  return std::string(T::kind()) + " " + std::string(object.key()) + ": " + problem.what();
}

/// Calls `read`; what makes a text unreadable goes to `complain`. Anything else is our own mistake.
template <typename Read, typename Complain>
void read_or(Read read, Complain complain) {
  try {
    read();
  } catch (const WrongType& problem) {
    complain(problem);
  } catch (const Unreadable& problem) {
    complain(problem);
  } catch (const protozero::exception& problem) {
    complain(problem);
  }
}

std::optional<Status> protobuf_status(std::string_view body) {
  const Envelope envelope = open_envelope(body);
  if (envelope.type.kind != "Status") return std::nullopt;
  return read_status(envelope.raw);
}

std::optional<Status> json_status(std::string_view body) {
  simdjson::dom::parser parser;
  JsonElement root;
  if (parser.parse(body.data(), body.size(), true).get(root) != simdjson::SUCCESS) return {};
  if (text(root, "kind") != "Status") return std::nullopt;
  return read_status(root);
}

/// Refuses what says that it is something else.
template <typename T>
void expect_type(const TypeFields& type) {
  if (!type.kind.empty() && type.kind != T::kind()) {
    throw Unreadable("expected a " + std::string(T::kind()) + ", got kind \"" +
                     printable(type.kind) + "\"");
  }
  if (!type.api_version.empty() && type.api_version != T::api_version()) {
    throw Unreadable("expected a " + std::string(T::kind()) + " of " +
                     std::string(T::api_version()) + ", got apiVersion \"" +
                     printable(type.api_version) + "\"");
  }
}

/// What can be known of an object that cannot be read; without a name where its key cannot.
/// `Object` is JSON, or raw protobuf.
template <typename T, typename Object>
T identified(Object object) {
  T known;
  read_or([&] { set_metadata(known, readable_identity(object)); },
          [&](const std::exception&) { clear(known); });
  return known;
}

/// Reads `object`, of which the type is known; answers what is wrong with it, or nothing. What
/// cannot be read is left with what is known of it.
template <typename T, typename Object>
std::string read_or_identify(Object object, T& target) {
  std::string problem;
  read_or([&] { read(object, target); },
          [&](const std::exception& why) {
            T known = identified<T>(object);
            problem = complaint(known.name.empty() ? target : known, why);
            target = std::move(known);
          });
  return problem;
}

template <typename T, typename Object>
void read_changed(EventType type, Object object, WatchEvent<T>& event) {
  event.problem = read_or_identify(object, event.object);
  // What is gone need not be readable.
  const bool gone = type == EventType::Deleted && !event.object.name.empty();
  if (gone) event.problem.clear();
  if (!event.problem.empty()) return;
  event.resource_version = event.object.resource_version;
  event.type = type;  // last: an event that could not be read stays Malformed
}

template <typename T, typename Object>
void read_event(EventType type, const TypeFields& says, Object object, WatchEvent<T>& event) {
  expect_type<T>(says);
  if (type != EventType::Bookmark) return read_changed(type, object, event);
  const BookmarkFields bookmark = read_bookmark(object);
  event.resource_version = bookmark.resource_version;
  event.ends_initial_events = bookmark.ends_initial_events;
  event.type = type;
}

/// An error ends its stream, whether or not it can be read.
template <typename T, typename Read>
void read_error(Read read, WatchEvent<T>& event) {
  event.type = EventType::Error;
  read_or(
      [&] { event.status = read(); },
      [&](const std::exception& problem) {
        event.status = {.message = std::string("an error that cannot be read: ") + problem.what()};
      });
}

template <typename T>
void clear(WatchEvent<T>& event) {
  if (event.type == EventType::Error) event.status = {};
  event.type = EventType::Malformed;
  clear(event.object);
  event.resource_version.clear();
  event.ends_initial_events = false;
  event.tells_of_object = true;
  event.problem.clear();
}

/// Reads the items of a list one by one: what is wrong with one is no other's trouble.
template <typename T>
class ItemReader {
 public:
  explicit ItemReader(ListPage<T>& page) : page_(page) {}

  template <typename Item>
  void take(Item item) {
    T object;
    std::string problem;
    read_or(
        [&] {
          expect_type<T>(type_of(item));
          problem = read_or_identify(item, object);
        },
        [&](const std::exception& foreign) { problem = foreign.what(); });
    if (problem.empty()) {
      page_.items.push_back(std::move(object));
    } else {
      page_.malformed.push_back({.key = object.name.empty() ? std::string() : object.key(),
                                 .problem = "item " + std::to_string(index_) + ": " + problem});
    }
    ++index_;
  }

 private:
  ListPage<T>& page_;
  std::size_t index_ = 0;
};

template <typename T>
void expect_list(const TypeFields& type) {
  constexpr std::string_view suffix = "List";
  const std::string_view kind = T::kind();
  if (type.kind.size() != kind.size() + suffix.size() || !type.kind.starts_with(kind) ||
      !type.kind.ends_with(suffix)) {
    throw Unreadable("expected a " + std::string(kind) + "List, got kind \"" +
                     printable(type.kind) + "\"");
  }
  expect_type<T>({.api_version = type.api_version});
}

/// Without a version there is nothing to watch from, and nothing that says how new the list is.
void expect_version(std::string_view version) {
  if (version.empty()) throw Unreadable("metadata.resourceVersion is missing");
}

template <typename T>
ListPage<T> json_list(JsonElement root) {
  expect_list<T>(type_of(root));
  ListPage<T> page;
  if (const std::optional<JsonElement> metadata = field(root, "metadata")) {
    page.resource_version = text(*metadata, "resourceVersion");
    page.continue_token = text(*metadata, "continue");
  }
  expect_version(page.resource_version);
  // Old servers write null for a list without items; one that breaks off writes nothing.
  if (root.at_key("items").error() != simdjson::SUCCESS) throw Unreadable("items are missing");
  ItemReader<T> items(page);
  each(root, "items", [&](JsonElement item) { items.take(item); });
  return page;
}

template <typename T>
ListPage<T> protobuf_list(std::string_view body) {
  const Envelope envelope = open_envelope(body);
  expect_list<T>(envelope.type);
  ListPage<T> page;
  ItemReader<T> items(page);
  const ListFields list = read_list(envelope.raw, [&](std::string_view item) { items.take(item); });
  page.resource_version = list.resource_version;
  page.continue_token = list.continue_token;
  expect_version(page.resource_version);
  return page;
}

constexpr std::string_view json_type = "application/json";
constexpr std::string_view protobuf_type = "application/vnd.kubernetes.protobuf";

/// Without the parameters behind it.
std::string_view media_type(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';'));
}

}  // namespace

Encoding encoding_of(std::string_view content_type) {
  return media_type(content_type) == protobuf_type ? Encoding::Protobuf : Encoding::Json;
}

bool is_readable(std::string_view content_type) {
  const std::string_view type = media_type(content_type);
  return type.empty() || type == json_type || type == protobuf_type;
}

template <typename T>
struct Decoder<T>::Parser {
  simdjson::dom::parser parser;

  /// Copies the text into a buffer with the padding that the parser needs behind it.
  JsonElement parse(std::string_view text) {
    JsonElement root;
    const auto error = parser.parse(text.data(), text.size(), true).get(root);
    if (error != simdjson::SUCCESS) throw Unreadable(simdjson::error_message(error));
    return root;
  }

  void read_json_event(std::string_view line, WatchEvent<T>& event) {
    const JsonElement json = parse(line);
    const EventType type = event_type(text(json, "type"));
    event.tells_of_object = type != EventType::Bookmark;
    const auto object = [&] {
      const std::optional<JsonElement> found = field(json, "object");
      if (!found) throw Unreadable("object is missing");
      return *found;
    };
    if (type == EventType::Error) return read_error([&] { return read_status(object()); }, event);
    const JsonElement changed = object();
    read_event(type, type_of(changed), changed, event);
  }

  void read_protobuf_event(std::string_view frame, WatchEvent<T>& event) {
    const EventFields fields = api::read_event(frame);
    const EventType type = event_type(fields.type);
    event.tells_of_object = type != EventType::Bookmark;
    const auto object = [&] {
      if (fields.object.empty()) throw Unreadable("object is missing");
      return open_envelope(fields.object);
    };
    if (type == EventType::Error) {
      return read_error([&] { return read_status(object().raw); }, event);
    }
    const Envelope envelope = object();
    read_event(type, envelope.type, envelope.raw, event);
  }
};

template <typename T>
Decoder<T>::Decoder(Encoding encoding) : encoding_(encoding), parser_(std::make_unique<Parser>()) {}
template <typename T>
Decoder<T>::Decoder(Decoder&&) noexcept = default;
template <typename T>
Decoder<T>& Decoder<T>::operator=(Decoder&&) noexcept = default;
template <typename T>
Decoder<T>::~Decoder() = default;

template <typename T>
Result<T> Decoder<T>::object(std::string_view body) {
  T object;
  std::optional<Error> error;
  read_or(
      [&] {
        if (encoding_ == Encoding::Json) {
          const JsonElement json = parser_->parse(body);
          expect_type<T>(type_of(json));
          read(json, object);
        } else {
          const Envelope envelope = open_envelope(body);
          expect_type<T>(envelope.type);
          read(envelope.raw, object);
        }
      },
      [&](const std::exception& problem) { error = malformed(complaint(object, problem)); });
  if (error) return *std::move(error);
  return object;
}

template <typename T>
Result<ListPage<T>> Decoder<T>::list(std::string_view body) {
  Result<ListPage<T>> page = ListPage<T>{};
  read_or(
      [&] {
        page = encoding_ == Encoding::Json ? json_list<T>(parser_->parse(body))
                                           : protobuf_list<T>(body);
      },
      [&](const std::exception& problem) { page = malformed(problem.what()); });
  return page;
}

template <typename T>
void Decoder<T>::watch_event(std::string_view piece, WatchEvent<T>& event) {
  clear(event);
  read_or(
      [&] {
        if (encoding_ == Encoding::Json) {
          parser_->read_json_event(piece, event);
        } else {
          parser_->read_protobuf_event(piece, event);
        }
      },
      [&](const std::exception& problem) { event.problem = problem.what(); });
}

template <typename T>
WatchEvent<T> Decoder<T>::watch_event(std::string_view piece) {
  WatchEvent<T> event;
  watch_event(piece, event);
  return event;
}

Status decode_status(std::string_view body) {
  std::optional<Status> status;
  read_or([&] { status = is_enveloped(body) ? protobuf_status(body) : json_status(body); },
          [](const std::exception&) {});  // no Status after all
  if (status) return *std::move(status);
  return Status{.message = printable(body)};
}

template class Decoder<Node>;
template class Decoder<NodeLease>;
template class Decoder<Pod>;
template class Decoder<ConfigMap>;

}  // namespace nlc::api
