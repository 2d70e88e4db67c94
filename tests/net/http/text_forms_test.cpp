#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "net/http/http_date.h"
#include "net/http/listen_address.h"
#include "net/http/server_address.h"
#include "net/log/log_line.h"

namespace nlc::tests {
namespace {

using net::LogFormat;

TEST(ListenAddress, PortAloneMeansEveryAddress) {
  EXPECT_EQ(*net::parse_listen_address(":10290"), (net::ListenAddress{.host = "", .port = 10290}));
  EXPECT_EQ(*net::parse_listen_address("127.0.0.1:0"),
            (net::ListenAddress{.host = "127.0.0.1", .port = 0}));
  EXPECT_EQ(*net::parse_listen_address("[::]:8080"),
            (net::ListenAddress{.host = "::", .port = 8080}));
  EXPECT_EQ(net::parse_listen_address("localhost:1")->host, "127.0.0.1");
}

TEST(ListenAddress, WhatIsNoAddressIsRefusedWithExamples) {
  for (const std::string text : {"", "10290", ":", ":x", ":65536", ":-1", "::1:80", "[x]:1",
                                 "[::1]", "example:80", "1.2.3:80", ":1 "}) {
    const auto address = net::parse_listen_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_THAT(address.error().path,
                testing::StartsWith("\"" + text + "\" is no address to listen on: "));
    EXPECT_THAT(address.error().path, testing::HasSubstr("127.0.0.1:0"));
  }
}

TEST(ListenAddress, HostAloneIsAnIpAddressOrEverywhere) {
  for (const char* everywhere : {"", "0.0.0.0", "::"}) {
    EXPECT_EQ(*net::listen_address_of(everywhere, 7), (net::ListenAddress{.host = "", .port = 7}));
  }
  EXPECT_EQ(net::listen_address_of("127.0.0.1", 7)->host, "127.0.0.1");
  EXPECT_EQ(net::listen_address_of("::1", 7)->host, "::1");
  for (const char* text : {"banana", "[::1]", "1.2.3", "127.0.0.1:80", " "}) {
    EXPECT_FALSE(net::listen_address_of(text, 7)) << text;
  }
}

TEST(ServerAddress, SchemeGivesTlsAndPort) {
  EXPECT_EQ(
      *net::parse_server_address("https://api.example"),
      (net::ServerAddress{.tls = true, .host = "api.example", .port = 443, .path_prefix = ""}));
  EXPECT_EQ(
      *net::parse_server_address("http://[::1]:8080/k8s/c-1//"),
      (net::ServerAddress{.tls = false, .host = "::1", .port = 8080, .path_prefix = "/k8s/c-1"}));
}

TEST(ServerAddress, SchemeMayBeWrittenInCapitals) {
  EXPECT_EQ(*net::parse_server_address("HTTPS://x/P"),
            (net::ServerAddress{.tls = true, .host = "x", .port = 443, .path_prefix = "/P"}));
  EXPECT_EQ(*net::parse_server_address("Http://x"),
            (net::ServerAddress{.tls = false, .host = "x", .port = 80, .path_prefix = ""}));
}

TEST(ServerAddress, WhatIsNoSuchUrlIsNothing) {
  for (const std::string text :
       {"", "api", "10.0.0.1:6443", "ftp://x", "https://", "https://:1", "https://x:0",
        "https://x:99999", "https://u@x", "https://x?a", "https://[::1", "https://[x]",
        "https://[%]", "https://[::1%]", "https://[:]", "https://a b"}) {
    EXPECT_FALSE(net::parse_server_address(text)) << text;
  }
}

TEST(HttpDate, DatesComeBack) {
  for (const char* const text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2024 23:59:59 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
    const auto time = net::parse_http_date(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(net::http_date(*time), text);
  }
}

TEST(HttpDate, WhatIsNoDateIsNothing) {
  for (const char* const text :
       {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08-49-37 GMT",
        "Sun, 06 Xyz 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:60 GMT"}) {
    EXPECT_EQ(net::parse_http_date(text), std::nullopt) << text;
  }
}

TEST(LogLine, PlainValuesStandBareAndOthersInQuotes) {
  EXPECT_EQ(net::log_line(
                LogFormat::Text, "T", LogLevel::Info, "node was tainted",
                {{"node", "n1"}, {"empty", ""}, {"why", "a=b \"c\"\\\n"}, {"umlaut", "\xC3\xA4"}}),
            "time=T level=info msg=\"node was tainted\" node=n1 empty=\"\" why=\"a=b "
            "\\\"c\\\"\\\\\\n\" umlaut=\"\xC3\xA4\"");
}

TEST(LogLine, JsonIsOneObject) {
  EXPECT_EQ(net::log_line(LogFormat::Json, "T", LogLevel::Warning, "x", {{"node", "a\"\x01"}}),
            "{\"time\":\"T\",\"level\":\"warning\",\"msg\":\"x\",\"node\":\"a\\\"\\u0001\"}");
}

TEST(LogLine, OfWhatOthersWroteAtLengthTheBeginningIsShown) {
  EXPECT_THAT(
      net::log_line(LogFormat::Text, "T", LogLevel::Info, "m",
                    {{"holder", std::string(500'000, 'x')}}),
      testing::AllOf(testing::SizeIs(testing::Lt(1200)), testing::EndsWith("x… (500000 bytes)\"")));
}

TEST(LogLine, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(net::log_line(LogFormat::Json, "T", LogLevel::Info, "m",
                          {{"v", "a\xFF\xC3(\xED\xA0\x80z\xF0\x9F\x98\x80"}}),
            "{\"time\":\"T\",\"level\":\"info\",\"msg\":\"m\",\"v\":"
            "\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\xF0\x9F\x98\x80\"}");
}

}  // namespace
}  // namespace nlc::tests
