#include "api/decode.h"

#include <algorithm>
#include <protozero/exception.hpp>

#include "api/assembly.h"
#include "api/json_objects.h"
#include "api/protobuf_objects.h"

namespace nlc::api {
namespace {

EventType event_type(std::string_view text) {
  if (text == "ADDED") return EventType::Added;
  if (text == "MODIFIED") return EventType::Modified;
  if (text == "DELETED") return EventType::Deleted;
  if (text == "BOOKMARK") return EventType::Bookmark;
  if (text == "ERROR") return EventType::Error;
  throw Unreadable("unknown event type \"" + std::string(text) + "\"");
}

Error malformed(std::string_view what) { return {Fault::Malformed, std::string(what)}; }

/// What is wrong with an object, and with which, as far as its name could be read.
template <typename T>
std::string complaint(const T& object, const std::exception& problem) {
  if (object.name.empty()) return problem.what();
  return std::string(T::kind()) + " " + std::string(object.key()) + ": " + problem.what();
}

/// Calls `deed`; what makes a text unreadable goes to `complain`. Anything else is our own mistake.
template <typename Deed, typename Complain>
void read_or(Deed deed, Complain complain) {
  try {
    deed();
  } catch (const WrongType& problem) {
    complain(problem);
  } catch (const Unreadable& problem) {
    complain(problem);
  } catch (const protozero::exception& problem) {
    complain(problem);
  }
}

/// The beginning of a text from outside, fit for a log line.
std::string printable(std::string_view text) {
  constexpr std::size_t shown = 200;
  std::string result(text.substr(0, shown));
  while (result.ends_with('\n')) result.pop_back();
  std::ranges::replace_if(
      result, [](char character) { return character < ' ' || character > '~'; }, '?');
  return result;
}

std::optional<Status> protobuf_status(std::string_view body) {
  const Envelope envelope = open_envelope(body);
  if (envelope.kind != "Status") return std::nullopt;
  return read_status(envelope.raw);
}

std::optional<Status> json_status(std::string_view body) {
  simdjson::dom::parser parser;
  Json root;
  if (parser.parse(body.data(), body.size(), true).get(root) != simdjson::SUCCESS) return {};
  if (text(root, "kind") != "Status") return std::nullopt;
  return read_status(root);
}

/// `Object` is JSON, or raw protobuf.
template <typename T, typename Object>
void read_event(EventType type, Object object, WatchEvent<T>& event) {
  if (type == EventType::Error) {
    event.status = read_status(object);
  } else if (type == EventType::Bookmark) {
    const BookmarkFields bookmark = read_bookmark(object);
    event.resource_version = bookmark.resource_version;
    event.ends_initial_events = bookmark.ends_initial_events;
  } else {
    read(object, event.object);
    event.resource_version = event.object.resource_version;
  }
  event.type = type;  // last: an event that could not be read stays Malformed
}

template <typename T>
void clear(WatchEvent<T>& event) {
  if (event.type == EventType::Error) event.status = {};
  event.type = EventType::Malformed;
  clear(event.object);
  event.resource_version.clear();
  event.ends_initial_events = false;
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
    read_or(
        [&] {
          read(item, object);
          page_.items.push_back(std::move(object));
        },
        [&](const std::exception& problem) {
          page_.malformed.push_back("item " + std::to_string(index_) + ": " +
                                    complaint(object, problem));
        });
    ++index_;
  }

 private:
  ListPage<T>& page_;
  std::size_t index_ = 0;
};

void expect_list(std::string_view kind) {
  if (kind.ends_with("List")) return;
  throw Unreadable("expected a list, got kind \"" + std::string(kind) + "\"");
}

template <typename T>
ListPage<T> json_list(Json root) {
  expect_list(text(root, "kind"));
  ListPage<T> page;
  if (const std::optional<Json> metadata = field(root, "metadata")) {
    page.resource_version = text(*metadata, "resourceVersion");
    page.continue_token = text(*metadata, "continue");
  }
  ItemReader<T> items(page);
  each(root, "items", [&](Json item) { items.take(item); });
  return page;
}

template <typename T>
ListPage<T> protobuf_list(std::string_view body) {
  const Envelope envelope = open_envelope(body);
  expect_list(envelope.kind);
  ListPage<T> page;
  ItemReader<T> items(page);
  const ListFields list = read_list(envelope.raw, [&](std::string_view item) { items.take(item); });
  page.resource_version = list.resource_version;
  page.continue_token = list.continue_token;
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
  Json parse(std::string_view text) {
    Json root;
    const auto error = parser.parse(text.data(), text.size(), true).get(root);
    if (error != simdjson::SUCCESS) throw Unreadable(simdjson::error_message(error));
    return root;
  }

  void read_json_event(std::string_view line, WatchEvent<T>& event) {
    const Json json = parse(line);
    const EventType type = event_type(text(json, "type"));
    const std::optional<Json> object = field(json, "object");
    if (!object) throw Unreadable("object is missing");
    read_event(type, *object, event);
  }

  void read_protobuf_event(std::string_view frame, WatchEvent<T>& event) {
    const EventFields fields = api::read_event(frame);
    const EventType type = event_type(fields.type);
    if (fields.object.empty()) throw Unreadable("object is missing");
    read_event(type, open_envelope(fields.object).raw, event);
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
          read(parser_->parse(body), object);
        } else {
          read(open_envelope(body).raw, object);
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
      [&](const std::exception& problem) { event.problem = complaint(event.object, problem); });
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

}  // namespace nlc::api
