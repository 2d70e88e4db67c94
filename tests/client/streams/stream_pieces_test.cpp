#include "client/streams/stream_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nlc::client {
namespace {

using testing::ElementsAre;

struct Taken final : StreamPieces::Taker {
  void on_piece(std::string_view piece) override {
    pieces.emplace_back(piece);
    lay_at = piece.data();
  }
  void on_overlong() override { ++overlong; }

  std::vector<std::string> pieces;
  const void* lay_at = nullptr;  ///< the last of them
  int overlong = 0;
};

/// What stands before a frame of that size.
std::string head(std::size_t size) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes += static_cast<char>((size >> shift) & 0xFFU);
  }
  return bytes;
}

constexpr std::size_t limit = StreamPieces::limit;

TEST(StreamPieces, ALineIsAsLongAsTheLimitAtMost) {
  Taken taken;
  StreamPieces pieces;
  pieces.take(std::string(limit, 'x'), taken);
  pieces.take("\n", taken);
  EXPECT_EQ(taken.pieces.back().size(), limit);
  EXPECT_EQ(taken.overlong, 0);
  pieces.take(std::string(limit + 1, 'x'), taken);
  pieces.take("\nnext\n", taken);
  EXPECT_EQ(taken.pieces.back(), "next");
  EXPECT_EQ(taken.overlong, 1);
}

TEST(StreamPieces, AFrameIsAsLongAsTheLimitAtMost) {
  Taken taken;
  StreamPieces pieces(StreamPieces::Cut::Frames);
  pieces.take(head(limit) + std::string(limit, 'x'), taken);
  EXPECT_EQ(taken.pieces.back().size(), limit);
  EXPECT_EQ(taken.overlong, 0);
  pieces.take(head(limit + 1) + std::string(limit + 1, 'x') + head(4) + "next", taken);
  EXPECT_EQ(taken.pieces.back(), "next");
  EXPECT_EQ(taken.overlong, 1);
}

TEST(StreamPieces, AnEmptyFrameAndOneThatIsTooLongAreSkippedWhereverTheirHeadsAreCut) {
  const std::string bytes = head(0) + head(limit + 1) + std::string(limit + 1, 'x');
  for (const std::size_t cut : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    Taken taken;
    StreamPieces pieces(StreamPieces::Cut::Frames);
    pieces.take(std::string_view(bytes).substr(0, cut), taken);
    pieces.take(std::string_view(bytes).substr(cut), taken);
    pieces.take(head(4) + "next", taken);
    EXPECT_THAT(taken.pieces, ElementsAre("next")) << cut;
    EXPECT_EQ(taken.overlong, 1) << cut;
  }
}

TEST(StreamPieces, AFrameThatIsThereAsAWholeIsReadWhereItLies) {
  Taken taken;
  StreamPieces pieces(StreamPieces::Cut::Frames);
  const std::string bytes = head(4) + "next";
  pieces.take(bytes, taken);
  EXPECT_EQ(taken.lay_at, bytes.data() + 4);
}

}  // namespace
}  // namespace nlc::client
