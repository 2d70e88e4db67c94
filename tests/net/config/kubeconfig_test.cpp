#include "net/config/kubeconfig.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/net/certificates.h"
#include "tests/net/config/environment.h"
#include "tests/net/temporary_folder.h"

namespace nlc::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A kubeconfig with one context whose cluster and user have these fields.
std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: dev\n"
         "clusters: [{name: c, cluster: {" +
         cluster +
         "}}]\n"
         "users: [{name: ada, user: {" +
         user +
         "}}]\n"
         "contexts: [{name: dev, context: {cluster: c, user: ada, namespace: web}}]\n";
}

const std::string server = "server: 'https://10.0.0.1:6443'";

/// A field with what a kubeconfig has inside instead of in a file.
std::string in_base64(const std::string& key, const std::string& text) {
  return key + "-data: " + absl::Base64Escape(text);
}

class Kubeconfig : public testing::Test {
 protected:
  Result<net::ClusterConfig> load(const std::string& text) {
    return net::load_kubeconfig({.file = folder.write("config", text), .context = ""},
                                environment({}));
  }

  std::string failure(const std::string& text) {
    const auto config = load(text);
    if (config) return "loaded";
    EXPECT_EQ(config.error().fault, Fault::Invalid);
    EXPECT_THAT(config.error().path, HasSubstr("kubeconfig " + folder.path("config")));
    return config.error().path;
  }

  /// Of a user who shows this certificate and has this key, both in files.
  std::string failure_of_pair(const std::string& certificate, const std::string& key) {
    folder.write("c.crt", certificate);
    folder.write("c.key", key);
    return failure(kubeconfig(server, "client-certificate: c.crt, client-key: c.key"));
  }

  TemporaryFolder folder;
  const TestCa ca;
  const KeyPair ours = ca.issue({});
};

TEST_F(Kubeconfig, CurrentContextNamesClusterUserAndNamespace) {
  const auto config = load(kubeconfig(server, "token: abc"));
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->host, "10.0.0.1");
  EXPECT_EQ(config->port, 6443);
  EXPECT_TRUE(config->tls);
  EXPECT_EQ(config->token, "abc");
  EXPECT_EQ(config->namespace_name, "web");
  EXPECT_EQ(config->context, "dev");
  EXPECT_EQ(config->cluster, "c");
  EXPECT_EQ(config->user, "ada");
  EXPECT_EQ(config->source, "kubeconfig " + folder.path("config"));
}

TEST_F(Kubeconfig, WhateverItSaysAnErrorIsALineOfBoundedLength) {
  const std::string endless(1 << 19, 'x');
  for (const std::string& address : {"ftp://" + endless, std::string("\\e[31m\\r\\n")}) {
    const std::string error = failure(kubeconfig("server: \"" + address + "\"", "token: abc"));
    EXPECT_LT(error.size(), 1'200U);
    EXPECT_THAT(error, testing::EndsWith("\", it must be like https://10.0.0.1:6443"));
    EXPECT_EQ(error.find_first_of("\x1b\r\n"), std::string::npos);
  }
  EXPECT_LT(failure("current-context: " + endless).size(), 1'200U);
}

TEST_F(Kubeconfig, GivenContextWinsOverTheCurrentOne) {
  const std::string file = folder.write("config",
                                        "clusters: [{name: a, cluster: {server: 'https://a'}}, "
                                        "{name: b, cluster: {server: 'http://b'}}]\n"
                                        "contexts: [{name: a, context: {cluster: a}}, {name: b, "
                                        "context: {cluster: b}}]\ncurrent-context: a\n");
  const auto config = net::load_kubeconfig({.file = file, .context = "b"}, environment({}));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->host, "b");
  EXPECT_EQ(config->port, 80);
  EXPECT_FALSE(config->tls);
  EXPECT_EQ(config->user, "");
}

TEST_F(Kubeconfig, ExplicitFileMustExist) {
  const auto config =
      net::load_kubeconfig({.file = folder.path("absent"), .context = ""}, environment({}));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().path,
            "kubeconfig: " + folder.path("absent") + ": No such file or directory");
}

TEST_F(Kubeconfig, OfSeveralFilesTheFirstThatNamesAThingWins) {
  const std::string first =
      folder.write("first",
                   "current-context: ''\nusers: [{name: u, user: {token: first}}]\n"
                   "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
  const std::string second =
      folder.write("second",
                   "current-context: x\nusers: [{name: u, user: {token: second}}]\n"
                   "clusters: [{name: c, cluster: {server: 'https://second'}}]\n");
  const std::string empty = folder.write("empty", "");
  const auto config = net::load_kubeconfig(
      {}, environment({{"KUBECONFIG", empty + ":" + first + ":" + folder.path("absent") + ":" +
                                          second + ":" + first}}));
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->token, "first");
  EXPECT_EQ(config->host, "second");
}

TEST_F(Kubeconfig, HomeIsLookedAtLast) {
  folder.write(".kube/config", kubeconfig(server, "token: home"));
  const std::string home = folder.path("");
  EXPECT_EQ(net::load_kubeconfig({}, environment({{"HOME", home}}))->token, "home");
}

TEST_F(Kubeconfig, NoFileAtAllSaysWhereItLookedAndWhatToGive) {
  const auto config = net::load_kubeconfig({}, environment({{"HOME", "/no/home"}}));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().path,
            "no kubeconfig was found (/no/home/.kube/config); give one with --kubeconfig=FILE");
}

TEST_F(Kubeconfig, RelativePathsCountFromTheFileInWhichTheyStand) {
  folder.write("ca.crt", ca.certificate());
  folder.write("sub/token", "t");
  folder.write("c.crt", ours.certificate);
  folder.write("c.key", ours.key);
  const auto config =
      load(kubeconfig(server + ", certificate-authority: ca.crt",
                      "tokenFile: sub/token, client-certificate: c.crt, client-key: c.key"));
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->ca.file, folder.path("ca.crt"));
  EXPECT_EQ(config->token_file, folder.path("sub/token"));
  EXPECT_EQ(config->client_certificate.file, folder.path("c.crt"));
  EXPECT_EQ(config->client_key.file, folder.path("c.key"));
}

TEST_F(Kubeconfig, DataWinOverFiles) {
  const auto config = load(kubeconfig(server + ", certificate-authority: /absent, " +
                                          in_base64("certificate-authority", ca.certificate()),
                                      ""));
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->ca.data, ca.certificate());
  EXPECT_EQ(config->ca.file, "");
}

TEST_F(Kubeconfig, TlsServerNameAndInsecureAreRead) {
  const auto config =
      load(kubeconfig(server + ", insecure-skip-tls-verify: true, tls-server-name: k8s", ""));
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->insecure);
  EXPECT_EQ(config->tls_server_name, "k8s");
}

/// kube-apiserver would take us for nobody.
TEST_F(Kubeconfig, UsernameAndPasswordAreRefusedWithWhatWouldWork) {
  for (const std::string user : {"username: ada, password: s3cret", "username: ada",
                                 "password: s3cret", "token: t, username: ada, password: s3cret"}) {
    const std::string told = failure(kubeconfig(server, user));
    EXPECT_THAT(told, AllOf(HasSubstr("user \"ada\": username and password (basic authentication) "
                                      "are not supported; what works is a token, a tokenFile"),
                            Not(HasSubstr("s3cret"))))
        << user;
  }
  EXPECT_EQ(load(kubeconfig(server, "token: t, username: '', password: ''"))->token, "t");
}

TEST_F(Kubeconfig, WhoShowsATokenOrACertificateShowsSomething) {
  EXPECT_TRUE(net::shows_nothing(*load(kubeconfig(server, ""))));
  EXPECT_FALSE(net::shows_nothing(*load(kubeconfig(server, "token: t"))));
  EXPECT_FALSE(
      net::shows_nothing(*load(kubeconfig(server, "tokenFile: " + folder.write("t", "t")))));
  const std::string file = folder.write("c", ours.certificate + ours.key);
  EXPECT_FALSE(net::shows_nothing(
      *load(kubeconfig(server, "client-certificate: " + file + ", client-key: " + file))));
}

TEST_F(Kubeconfig, PluginsAreRefusedWithWhatWouldWork) {
  for (const std::string plugin : {"exec", "auth-provider"}) {
    EXPECT_THAT(failure(kubeconfig(server, plugin + ": {command: aws}")),
                AllOf(HasSubstr("user \"ada\": " + plugin + " plugins are not supported"),
                      HasSubstr("a token, a tokenFile, or client-certificate and client-key")));
  }
}

TEST_F(Kubeconfig, ImpersonationAndProxiesAreRefused) {
  EXPECT_THAT(failure(kubeconfig(server, "as: root")),
              HasSubstr("as (impersonation) is not supported"));
  EXPECT_THAT(failure(kubeconfig(server + ", proxy-url: 'http://p'", "")),
              HasSubstr("cluster \"c\": proxy-url is not supported"));
}

TEST_F(Kubeconfig, CaTogetherWithInsecureIsRefused) {
  folder.write("ca.crt", ca.certificate());
  EXPECT_THAT(
      failure(kubeconfig(server + ", insecure-skip-tls-verify: true, certificate-authority: ca.crt",
                         "")),
      HasSubstr(
          "cluster \"c\": certificate-authority and insecure-skip-tls-verify exclude each other"));
}

TEST_F(Kubeconfig, MissingFilesAreNamedWithTheirKeyAndOwner) {
  EXPECT_THAT(failure(kubeconfig(server + ", certificate-authority: absent.crt", "")),
              HasSubstr("cluster \"c\": certificate-authority: " + folder.path("absent.crt") +
                        ": No such file"));
  EXPECT_THAT(failure(kubeconfig(server, "tokenFile: /absent/token")),
              HasSubstr("user \"ada\": tokenFile: /absent/token: No such file"));
  const std::string blank = folder.write("blank", "\n");
  EXPECT_THAT(failure(kubeconfig(server, "tokenFile: " + blank)),
              HasSubstr("user \"ada\": tokenFile: " + blank + ": it is empty"));
  const std::string two = folder.write("two", "one\ntwo\n");
  EXPECT_THAT(failure(kubeconfig(server, "tokenFile: " + two)),
              HasSubstr("tokenFile: " + two + ": it is not one line of printable ASCII"));
  EXPECT_THAT(
      failure(kubeconfig(server, "client-certificate: /absent.crt, client-key: /absent.key")),
      HasSubstr("user \"ada\": client-certificate: /absent.crt: No such file"));
}

/// As with client-go, which tries the file at each request.
TEST_F(Kubeconfig, TokenStandsInForATokenFileThatIsNotThere) {
  const auto config = load(kubeconfig(server, "token: t, tokenFile: absent"));
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->token, "t");
  EXPECT_EQ(config->token_file, folder.path("absent"));
}

TEST_F(Kubeconfig, DataMayBeBrokenIntoLines) {
  std::string data = absl::Base64Escape(ca.certificate());
  data.insert(64, " ").insert(32, "\\n");
  const auto config =
      load(kubeconfig(server + ", certificate-authority-data: \"" + data + "\\n\"", ""));
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->ca.data, ca.certificate());
}

TEST_F(Kubeconfig, DataThatAreNoBase64AreRefused) {
  for (const std::string wrong :
       {"***", "a", "ab", "abc", "a===", "====", "ab=c", "abc*", "abcd=", "aGVsbG8.", " "}) {
    EXPECT_THAT(failure(kubeconfig(server + ", certificate-authority-data: '" + wrong + "'", "")),
                HasSubstr("certificate-authority-data is not base64"))
        << wrong;
  }
}

/// No connection would ever be made with it.
TEST_F(Kubeconfig, CaInWhichNoCertificateIsIsRefused) {
  const std::string why = ": no certificate is in it; PEM is expected";
  for (const std::string& wrong :
       {std::string("none\n"), ca.certificate().substr(0, 100), ours.key}) {
    const std::string file = folder.write("ca.crt", wrong);
    EXPECT_THAT(failure(kubeconfig(server + ", certificate-authority: ca.crt", "")),
                HasSubstr("cluster \"c\": certificate-authority: " + file + why));
    EXPECT_THAT(failure(kubeconfig(server + ", " + in_base64("certificate-authority", wrong), "")),
                HasSubstr("cluster \"c\": certificate-authority-data" + why));
  }
  folder.write("ca.crt", "");
  EXPECT_THAT(failure(kubeconfig(server + ", certificate-authority: ca.crt", "")), HasSubstr(why));
}

/// What is whole in it may be the one that is needed.
TEST_F(Kubeconfig, CaWhoseLastCertificateIsCutShortIsTaken) {
  folder.write("ca.crt", ca.certificate() + ca.certificate().substr(0, 100));
  EXPECT_TRUE(load(kubeconfig(server + ", certificate-authority: ca.crt", "")));
}

TEST_F(Kubeconfig, ClientCertificateThatIsNoneOrCutShortIsRefused) {
  for (const std::string& wrong :
       {std::string(), std::string("none\n"), ours.certificate.substr(0, 100), ours.key}) {
    EXPECT_THAT(failure_of_pair(wrong, ours.key),
                HasSubstr("user \"ada\": client-certificate: " + folder.path("c.crt") +
                          ": no certificate is in it; PEM is expected"));
  }
  EXPECT_THAT(failure_of_pair(ours.certificate + ours.certificate.substr(0, 100), ours.key),
              HasSubstr(": a certificate in it cannot be used: "));
}

TEST_F(Kubeconfig, ClientKeyOfAnotherCertificateIsRefused) {
  const std::string why = "; the key that this was issued for is expected";
  const KeyPair another = ca.issue({});
  EXPECT_THAT(
      failure_of_pair(ours.certificate, another.key),
      HasSubstr("user \"ada\": client-key: " + folder.path("c.key") +
                ": it does not belong to client-certificate: " + folder.path("c.crt") + why));
  EXPECT_THAT(failure(kubeconfig(server, in_base64("client-certificate", ours.certificate) + ", " +
                                             in_base64("client-key", another.key))),
              HasSubstr("user \"ada\": client-key-data: it does not belong to "
                        "client-certificate-data" +
                        why));
  EXPECT_TRUE(load(kubeconfig(server, in_base64("client-certificate", ours.certificate) + ", " +
                                          in_base64("client-key", ours.key))));
}

TEST_F(Kubeconfig, ClientKeyThatCannotBeReadOrNeedsAPasswordIsRefused) {
  const std::string file = "user \"ada\": client-key: " + folder.path("c.key");
  for (const std::string& wrong : {std::string(), ours.key.substr(0, 100), ours.certificate}) {
    EXPECT_THAT(failure_of_pair(ours.certificate, wrong),
                HasSubstr(file + ": it cannot be read; PEM is expected"));
  }
  EXPECT_THAT(failure_of_pair(ours.certificate, encrypted(ours.key, "secret")),
              HasSubstr(file + ": it is encrypted; a key without a password is expected"));
}

/// The clock of this machine may be wrong: the server judges it.
TEST_F(Kubeconfig, ClientCertificateOutOfItsTimeIsTaken) {
  for (const Subject& subject : {Subject{.valid_to = -60}, Subject{.valid_from = 600}}) {
    const KeyPair pair = ca.issue(subject);
    EXPECT_TRUE(load(kubeconfig(server, in_base64("client-certificate", pair.certificate) + ", " +
                                            in_base64("client-key", pair.key))));
  }
}

/// As beside `kubectl proxy`, whose kubeconfig may have them left in.
TEST_F(Kubeconfig, PairThatPlainHttpDoesNotShowIsNotJudged) {
  const std::string pair = in_base64("client-certificate", ours.certificate) + ", " +
                           in_base64("client-key", ca.issue({}).key);
  EXPECT_TRUE(load(kubeconfig("server: 'http://10.0.0.1:8001'", pair)));
  EXPECT_FALSE(load(kubeconfig(server, pair)));
}

/// Over TLS a key alone would make us nobody; a certificate alone is refused by kubectl, too.
TEST_F(Kubeconfig, CertificateOrKeyWithoutTheOtherIsRefusedSaveAKeyThatPlainHttpHasNoUseFor) {
  folder.write("c.crt", ours.certificate);
  folder.write("c.key", ours.key);
  const std::string plain = "server: 'http://10.0.0.1:8001'";
  const std::string why = "user \"ada\": client-certificate and client-key belong together";
  EXPECT_THAT(failure(kubeconfig(server, "client-certificate: c.crt")), HasSubstr(why));
  EXPECT_THAT(failure(kubeconfig(plain, "client-certificate: c.crt")), HasSubstr(why));
  EXPECT_THAT(failure(kubeconfig(server, "client-key: c.key")), HasSubstr(why));
  for (const std::string& key :
       {std::string("client-key: c.key"), std::string("client-key: /absent.key"),
        in_base64("client-key", ours.key)}) {
    const auto config = load(kubeconfig(plain, key));
    ASSERT_TRUE(config) << config.error().path;
    EXPECT_TRUE(config->client_key.empty()) << key;
  }
}

TEST_F(Kubeconfig, ServerMustBeAUrlOrAHostWithAPort) {
  for (const std::string wrong : {"server: '10.0.0.1:6443/k8s'", "server: '10.0.0.1:'",
                                  "server: 'ftp://x'", "server: 'https://:6443'", "other: x"}) {
    EXPECT_THAT(failure(kubeconfig(wrong, "")), HasSubstr("it must be like https://10.0.0.1:6443"))
        << wrong;
  }
}

TEST_F(Kubeconfig, UserInTheServersUrlIsRefusedAndItsPasswordIsNotTold) {
  for (const std::string named : {"https://ada:secret@h:6443", "ada:se@cret@h", "ftp://secret@h"}) {
    const std::string error = failure(kubeconfig("server: '" + named + "'", "token: t"));
    EXPECT_THAT(error, HasSubstr("server has a user before \"@h"));
    EXPECT_THAT(error, testing::Not(HasSubstr("cret"))) << named;
  }
}

/// As for kubectl, whatever the port.
TEST_F(Kubeconfig, ServerWithoutASchemeIsPlainHttp) {
  for (const std::string bare : {"localhost:6443", "localhost:6443/"}) {
    const auto config = load(kubeconfig("server: '" + bare + "'", "token: t"));
    ASSERT_TRUE(config) << config.error().path;
    EXPECT_EQ(net::server_url(*config), "http://localhost:6443");
  }
  EXPECT_EQ(load(kubeconfig("server: 10.0.0.1", ""))->port, 80);
}

/// kubectl speaks plain HTTP all the same, and nobody vouches for the server.
TEST_F(Kubeconfig, ServerWithoutASchemeIsRefusedBesideWhatIsSaidOfTls) {
  folder.write("ca.crt", ca.certificate());
  for (const std::string tls : {"certificate-authority: ca.crt", "insecure-skip-tls-verify: true",
                                "tls-server-name: k8s"}) {
    EXPECT_THAT(
        failure(kubeconfig("server: '10.0.0.1:6443', " + tls, "")),
        HasSubstr("cluster \"c\": server is \"10.0.0.1:6443\", which is plain http:// beside "
                  "what is said of TLS; write https:// before it, or http://"))
        << tls;
    EXPECT_TRUE(load(kubeconfig("server: 'http://10.0.0.1:6443', " + tls, ""))) << tls;
  }
}

TEST_F(Kubeconfig, UndefinedNamesAreListedBesideWhatThereIs) {
  EXPECT_THAT(failure("contexts: [{name: x, context: {cluster: c}}]\n"),
              HasSubstr("no current-context is set; there are: x"));
  EXPECT_THAT(failure("current-context: y\ncontexts: [{name: x, context: {cluster: c}}]\n"),
              HasSubstr("context \"y\" is not defined; there are: x"));
  EXPECT_THAT(
      failure("current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"),
      HasSubstr("context \"x\" names the cluster \"c\", which is not defined; there are: none"));
  EXPECT_THAT(failure("current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                      "clusters: [{name: c, cluster: {server: 'https://x'}}]\n"),
              HasSubstr("context \"x\" names the user \"u\", which is not defined"));
}

TEST_F(Kubeconfig, WhatIsNoKubeconfigIsRefusedWithItsLine) {
  EXPECT_THAT(failure("a: [1,\nb: }"), HasSubstr("line 2"));
  EXPECT_THAT(failure("just text"), HasSubstr("it must be a map"));
  for (const std::string empty : {"", "apiVersion: v1\nkind: Config\ncontexts: []\n"}) {
    EXPECT_THAT(failure(empty), HasSubstr(": it is empty: no cluster, user or context in it"));
  }
  EXPECT_THAT(failure("clusters: 5"), HasSubstr("clusters must be a list"));
  EXPECT_THAT(failure("users: [{user: {}}]"), HasSubstr("every item needs a name (line 1)"));
  EXPECT_THAT(failure("users: [{name: x, user: 5}]"), HasSubstr("users: \"x\" must be a map"));
  EXPECT_THAT(failure(kubeconfig(server + ", insecure-skip-tls-verify: banana", "")),
              HasSubstr("insecure-skip-tls-verify must be true or false"));
}

TEST_F(Kubeconfig, AValueOfAnotherTypeIsNotTakenForNone) {
  EXPECT_THAT(failure(kubeconfig(server, "token: [a]")), HasSubstr("token must be a text"));
  EXPECT_THAT(failure(kubeconfig(server + ", certificate-authority-data: [a]", "")),
              HasSubstr("certificate-authority-data must be a text"));
  EXPECT_THAT(failure(kubeconfig("server: {}", "")), HasSubstr("server must be a text"));
}

/// kubectl refuses them, too.
TEST_F(Kubeconfig, ATextThatLooksLikeANumberOrATruthNeedsQuotes) {
  const std::string found = failure(kubeconfig(server, "token: 12345"));
  EXPECT_THAT(found, HasSubstr("line 5: token must be a text, in quotes"));
  EXPECT_THAT(found, Not(HasSubstr("12345")));
  EXPECT_THAT(failure(kubeconfig(server, "username: on")), HasSubstr("username must be a text"));
  EXPECT_EQ(load(kubeconfig(server, "token: '12345'"))->token, "12345");
  EXPECT_TRUE(load(kubeconfig(server + ", insecure-skip-tls-verify: yes", ""))->insecure);
}

TEST_F(Kubeconfig, AKeyThatStandsTwiceIsRefusedForOneOfTheTwoWouldBeOverlooked) {
  EXPECT_THAT(failure(kubeconfig(server, "token: old, token: new")),
              HasSubstr("line 5: the key \"token\" found a second time"));
}

/// kubectl refuses these as well.
TEST_F(Kubeconfig, ANameThatStandsTwiceInOneFileIsRefusedForOneOfTheTwoWouldBeOverlooked) {
  EXPECT_THAT(failure("users:\n- {name: u, user: {token: old}}\n- {name: u, user: {token: new}}\n"),
              HasSubstr("users: \"u\" stands there twice (line 3), one of each name expected"));
}

TEST_F(Kubeconfig, WhatSaysThatItIsSomethingElseIsRefused) {
  EXPECT_THAT(failure("kind: Pod\n"), HasSubstr("kind Pod found, Config expected"));
  EXPECT_THAT(failure("apiVersion: v2\n"), HasSubstr("apiVersion v2 found, v1 expected"));
}

/// Two files were read; the one that is wrong is named alone.
TEST_F(Kubeconfig, AWrongValueIsToldWithTheFileInWhichItStands) {
  const std::string first = folder.write("first", "current-context: dev\n");
  const std::string second = folder.write("second", kubeconfig(server, "token: []"));
  const auto config = net::load_kubeconfig({}, environment({{"KUBECONFIG", first + ":" + second}}));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().path, "kubeconfig " + second + ": line 5: token must be a text");
}

TEST_F(Kubeconfig, TokenThatNoHeaderCanCarryIsRefused) {
  EXPECT_THAT(failure(kubeconfig(server, "token: \"  \"")), HasSubstr("token: it is empty"));
  EXPECT_THAT(failure(kubeconfig(server, "token: \"a\\x01b\"")),
              HasSubstr("token: it is not one line of printable ASCII"));
}

TEST_F(Kubeconfig, TokenOfSeveralLinesIsRefused) {
  EXPECT_TRUE(load(kubeconfig(server, "token: \"abc\\n\"")));
  EXPECT_THAT(failure(kubeconfig(server, "token: \"a\\nbc\"")),
              HasSubstr("token: it is not one line of printable ASCII"));
}

}  // namespace
}  // namespace nlc::tests
