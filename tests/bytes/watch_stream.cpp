#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/streams/watch_reader.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {
namespace {

using client::StreamPieces;

struct Pieces final : StreamPieces::Taker {
  void on_piece(std::string_view piece) override {
    must_hold(!piece.empty(), "no piece is empty");
    texts.emplace_back(piece);
  }
  void on_overlong() override { texts.emplace_back(); }  // no piece is empty
  std::vector<std::string> texts;
};

/// Calls `take` with portions of `bytes`, each of that size.
template <typename Take>
void in_portions(std::string_view bytes, std::size_t size, Take take) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size())))
    take(bytes.substr(0, size));
}

std::vector<std::string> pieces_of(StreamPieces::Cut cut, std::string_view bytes,
                                   std::size_t portion) {
  StreamPieces stream(cut);
  Pieces pieces;
  in_portions(bytes, portion, [&](std::string_view part) { stream.take(part, pieces); });
  return std::move(pieces.texts);
}

/// What a watch of nodes shows, in words.
class Shown final : public client::WatchListener<api::Node> {
 public:
  void on_open() override {}
  void on_events(std::span<api::WatchEvent<api::Node>> batch,
                 std::optional<Instant> /*since*/) override {
    for (const api::WatchEvent<api::Node>& event : batch) {
      words += std::to_string(static_cast<int>(event.type)) + " " + event.object.name + " " +
               event.resource_version + " " + event.problem + "\n";
    }
  }
  void on_end(client::StreamEnd /*end*/) override {}
  std::string words;
};

std::string shown_by(std::string_view content_type, std::string_view bytes, std::size_t portion) {
  Shown shown;
  client::WatchReader<api::Node> reader(shown);
  reader.on_head(content_type);
  reader.on_open({});
  in_portions(bytes, portion, [&](std::string_view part) {
    reader.on_bytes(part);
    if (const std::function<void()> deliver = reader.take(std::nullopt)) deliver();
  });
  reader.on_end({});
  return std::move(shown.words);
}

}  // namespace

/// The body of a watch: the first byte says in which portions it comes.
void read_watch_stream(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t portion = static_cast<unsigned char>(bytes.front()) % 64U * 4U + 1U;
  bytes.remove_prefix(1);
  for (const auto cut : {StreamPieces::Cut::Lines, StreamPieces::Cut::Frames}) {
    must_hold(pieces_of(cut, bytes, bytes.size()) == pieces_of(cut, bytes, portion),
              "where a stream is cut changes nothing of its pieces");
  }
  for (const std::string_view type :
       {"application/json", "application/vnd.kubernetes.protobuf;stream=watch"}) {
    must_hold(shown_by(type, bytes, bytes.size()) == shown_by(type, bytes, portion),
              "where a stream is cut changes nothing of its events");
  }
}

}  // namespace nlc::bytes
