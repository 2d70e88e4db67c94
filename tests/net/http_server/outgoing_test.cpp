#include "net/http_server/outgoing.h"

#include <gtest/gtest.h>
#include <string>

namespace nlc::tests {
namespace {

using net::Outgoing;

std::string next_of(Outgoing& outgoing) {
  const std::vector<std::string_view> slice = outgoing.next();
  std::string bytes;
  for (const std::string_view piece : slice) bytes += piece;
  if (!slice.empty()) outgoing.written();
  return bytes;
}

std::shared_ptr<const std::string> piece(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

TEST(Outgoing, WholeAnswerIsFinishedWhenItsLastSliceIsWritten) {
  Outgoing outgoing;
  outgoing.send("head ", "body");
  EXPECT_FALSE(outgoing.finished());
  EXPECT_EQ(next_of(outgoing), "head body");
  EXPECT_TRUE(outgoing.finished());
}

TEST(Outgoing, LongBodyLeavesInSlices) {
  Outgoing outgoing;
  const std::string body(1'000'000, 'b');
  outgoing.send("", body);
  std::string all;
  int slices = 0;
  while (!outgoing.finished()) {
    all += next_of(outgoing);
    ++slices;
  }
  EXPECT_TRUE(all == body);
  EXPECT_GE(slices, 4);
}

TEST(Outgoing, PiecesThatWaitTogetherLeaveAsOneChunk) {
  Outgoing outgoing;
  outgoing.open("head ", Outgoing::Framing::Chunked);
  outgoing.write(piece("abc"));
  outgoing.write(piece("defghijkl"));
  EXPECT_EQ(next_of(outgoing), "head c\r\nabcdefghijkl\r\n");
  EXPECT_EQ(next_of(outgoing), "");
  outgoing.close();
  EXPECT_FALSE(outgoing.finished());
  EXPECT_EQ(next_of(outgoing), "0\r\n\r\n");
  EXPECT_TRUE(outgoing.finished());
}

TEST(Outgoing, EmptyPieceDoesNotEndTheStream) {
  Outgoing outgoing;
  outgoing.open("head ", Outgoing::Framing::Chunked);
  outgoing.write(piece(""));
  EXPECT_EQ(next_of(outgoing), "head ");
}

TEST(Outgoing, StreamUntilCloseHasNoFraming) {
  Outgoing outgoing;
  outgoing.open("head ", Outgoing::Framing::UntilClose);
  outgoing.write(piece("abc"));
  outgoing.close();
  EXPECT_EQ(next_of(outgoing), "head abc");
  EXPECT_TRUE(outgoing.finished());
}

TEST(Outgoing, BacklogIsWhatWasQueuedSinceItWasForgiven) {
  Outgoing outgoing;
  outgoing.open("", Outgoing::Framing::Chunked);
  outgoing.write(piece(std::string(500'000, 'a')));
  outgoing.forgive();
  EXPECT_EQ(outgoing.backlog(), 0U);
  outgoing.write(piece(std::string(1000, 'b')));
  EXPECT_EQ(outgoing.backlog(), 1000U);
  next_of(outgoing);  // the long one
  EXPECT_EQ(outgoing.backlog(), 1000U);
  next_of(outgoing);
  EXPECT_EQ(outgoing.backlog(), 0U);
}

}  // namespace
}  // namespace nlc::tests
