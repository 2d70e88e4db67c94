#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "api/status.h"
#include "runtime/result.h"

/// Reading what an API server says, in protobuf or in JSON.
namespace nlc::api {

enum class Encoding : std::uint8_t { Json, Protobuf };

/// What an answer of that media type is encoded in; a watch's type has a parameter behind it.
Encoding encoding_of(std::string_view content_type);

/// Whether that media type is one that a `Decoder` reads. An answer that states none is taken for
/// JSON; a proxy's page of text/html is not.
bool is_readable(std::string_view content_type);

/// The Accept header of whoever reads objects with a `Decoder`: protobuf where the server can.
inline constexpr std::string_view accepted_encodings =
    "application/vnd.kubernetes.protobuf,application/json";

/// An item of a list that could not be read.
struct MalformedItem {
  std::string key;      ///< of the object that it is; empty where not even that could be read
  std::string problem;  ///< which item, and why
};

template <typename T>
struct ListPage {
  std::vector<T> items;
  std::string resource_version;  ///< never empty
  std::string continue_token;    ///< empty on the last page
  std::vector<MalformedItem> malformed;
};

enum class EventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error, Malformed };

/// Tells of an object as it is now.
constexpr bool shows_object(EventType type) {
  return type == EventType::Added || type == EventType::Modified;
}

template <typename T>
struct WatchEvent {
  EventType type = EventType::Malformed;
  /// For Added and Modified. Of a Deleted one only the identity is certain: its deletion counts
  /// though the rest cannot be read. For Malformed its identity; without a name where not even its
  /// key could be read.
  T object;
  std::string resource_version;      ///< also of a bookmark
  bool ends_initial_events = false;  ///< the bookmark annotated k8s.io/initial-events-end
  Status status;                     ///< for Error
  std::string problem;               ///< for Malformed: what could not be read
  bool tells_of_object = true;       ///< for Malformed: false for a bookmark
};

/// Decodes objects of type T: Node, NodeLease, Pod or ConfigMap. Keeps its buffers between calls,
/// so it belongs to one thread. An object that cannot be read is named and skipped; it never spoils
/// its neighbours. What says that it is of another kind or apiVersion than T is not read either; a
/// single object or item that says nothing is believed. A condition whose status is none of True,
/// False and Unknown is no condition: nobody may be evicted for a word that we do not know. The
/// same object is the same value in either encoding.
template <typename T>
class Decoder {
 public:
  explicit Decoder(Encoding encoding = Encoding::Json);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  Result<T> object(std::string_view body);
  /// Malformed is also what is no list of T: another kind, no items, no version. An empty cluster
  /// is an answer that says so.
  Result<ListPage<T>> list(std::string_view body);

  /// A line of a JSON stream, or a frame of a protobuf stream without its length. What the event
  /// held before is gone, but its memory is used again: a heartbeat allocates nothing.
  void watch_event(std::string_view piece, WatchEvent<T>& event);
  WatchEvent<T> watch_event(std::string_view piece);

 private:
  struct Parser;
  Encoding encoding_;
  std::unique_ptr<Parser> parser_;
};

/// The Status in a refusal's body, in either encoding. A body that is none (an overloaded server
/// answers in plain text) becomes the message, cut and with every byte that is not printable
/// replaced.
Status decode_status(std::string_view body);

extern template class Decoder<Node>;
extern template class Decoder<NodeLease>;
extern template class Decoder<Pod>;
extern template class Decoder<ConfigMap>;

}  // namespace nlc::api
