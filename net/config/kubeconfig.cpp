#include "net/config/kubeconfig.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "net/config/pem.h"
#include "net/http/server_address.h"
#include "net/process/text_file.h"
#include "runtime/utf8.h"
#include "runtime/words.h"
#include "yaml/json.h"

namespace nlc::net {
namespace {

/// Nothing when the text is no base64. White space may stand anywhere, but the padding has to be
/// there: abseil takes a text that was cut short, and dots for padding.
std::optional<std::string> decoded_base64(const std::string& text) {
  const auto letters = std::ranges::count_if(
      text, [](unsigned char letter) { return !absl::ascii_isspace(letter); });
  std::string bytes;
  const bool whole = letters % 4 == 0 && text.find('.') == std::string::npos;
  if (!whole || !absl::Base64Unescape(text, &bytes)) return std::nullopt;
  return bytes;
}

/// A cluster, user or context with the file in which it stands.
struct Entry {
  yaml::Value body;
  std::string file;
};

struct Merged {
  std::map<std::string, Entry> clusters;
  std::map<std::string, Entry> users;
  std::map<std::string, Entry> contexts;
  std::string current_context;
  std::string files;  // for messages
};

/// Each once.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> files;
  for (const std::string_view file : parts_of(text, ':')) {
    const bool known = std::ranges::find(files, file) != files.end();
    if (!file.empty() && !known) files.emplace_back(file);
  }
  return files;
}

Result<std::vector<std::string>> files_to_read(const KubeconfigOptions& options,
                                               const Environment& environment) {
  if (!options.file.empty()) return std::vector<std::string>{options.file};
  const std::string list = environment("KUBECONFIG");
  std::vector<std::string> files =
      list.empty() ? std::vector<std::string>{environment("HOME") + "/.kube/config"}
                   : split_list(list);
  const std::string tried = list.empty() ? files.front() : "KUBECONFIG=" + list;
  std::erase_if(files, [](const std::string& file) { return file_version(file).empty(); });
  if (files.empty()) {
    return bad_input("no kubeconfig was found (" + tried + "); give one with --kubeconfig=FILE");
  }
  return files;
}

/// "kubeconfig FILE: line 3: …". Thrown, it ends in load_kubeconfig.
Error bad_line(const std::string& file, int line, const std::string& what) {
  return bad_input("kubeconfig " + file + ": line " + std::to_string(line) + ": " + what);
}

/// The value of a key, whose absence means nothing; one of another type is told with its line, for
/// what was meant by it would be missing.
std::string text_of(const Entry& entry, std::string_view key) {
  const yaml::Value& value = entry.body[key];
  const nlohmann::json read = yaml::json_of(value);
  if (read.is_null()) return "";
  if (read.is_string()) return value.text;
  throw bad_line(entry.file, value.line,
                 std::string(key) + " must be a text" + (value.is_text() ? ", in quotes" : ""));
}

bool is_true(const Entry& entry, std::string_view key) {
  const yaml::Value& value = entry.body[key];
  const nlohmann::json read = yaml::json_of(value);
  if (read.is_null()) return false;
  if (read.is_boolean()) return read.get<bool>();
  throw bad_line(entry.file, value.line, std::string(key) + " must be true or false");
}

/// The root's list of KINDs is [{name: x, KIND: {…}}, …].
std::optional<Error> merge_list(const Entry& root, const std::string& kind,
                                std::map<std::string, Entry>& into) {
  const yaml::Value& list = root.body[kind + "s"];
  if (!list.is_defined() || list.is_null()) return std::nullopt;
  const std::string where = "kubeconfig " + root.file + ": " + kind + "s";
  if (!list.is_list()) return bad_input(where + " must be a list");
  std::set<std::string> here;
  for (const yaml::Value& item : list.list) {
    const std::string name = text_of({.body = item, .file = root.file}, "name");
    if (name.empty()) {
      return bad_input(where + ": every item needs a name (line " + std::to_string(item.line) +
                       ")");
    }
    if (!here.insert(name).second) {
      return bad_input(where + ": \"" + name + "\" stands there twice (line " +
                       std::to_string(item.line) + "), one of each name expected");
    }
    const yaml::Value& body = item[kind];
    if (body.is_text() || body.is_list()) {
      return bad_input(where + ": \"" + name + "\" must be a map");
    }
    into.try_emplace(name, Entry{.body = body, .file = root.file});
  }
  return std::nullopt;
}

yaml::Value value_in(const std::string& file, const std::string& text) {
  try {
    return yaml::read(text);
  } catch (const yaml::Malformed& found) {
    throw bad_line(file, found.line, found.words);
  }
}

std::optional<Error> merge_file(const std::string& file, Merged& merged) {
  Result<std::string> text = read_text_file(file);
  if (!text) return std::move(text.error()).while_doing("kubeconfig");
  const Entry root{.body = value_in(file, *text), .file = file};
  if (!root.body.is_map() && !root.body.is_null()) {
    return bad_input("kubeconfig " + file + ": it must be a map with clusters, users and contexts");
  }
  for (const auto& [key, expected] : {std::pair("kind", "Config"), std::pair("apiVersion", "v1")}) {
    const std::string found = text_of(root, key);
    if (found.empty() || found == expected) continue;
    return bad_input("kubeconfig " + file + ": " + key + " " + found + " found, " + expected +
                     " expected");
  }
  const char* const separator = merged.files.empty() ? "" : ":";
  merged.files += separator + file;
  if (merged.current_context.empty()) merged.current_context = text_of(root, "current-context");
  if (auto error = merge_list(root, "cluster", merged.clusters)) return error;
  if (auto error = merge_list(root, "user", merged.users)) return error;
  return merge_list(root, "context", merged.contexts);
}

std::string names_of(const std::map<std::string, Entry>& entries) {
  std::string names;
  for (const auto& [name, entry] : entries) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

/// Reads one cluster or user into the config; every message begins with its name and file.
class EntryReader {
 public:
  EntryReader(const char* kind, const std::string& name, const Entry& entry)
      : entry_(entry), where_("kubeconfig " + entry.file + ": " + kind + " \"" + name + "\": ") {}

  Error error(const std::string& what) const { return bad_input(where_ + what); }

  bool has(const char* key) const {
    return entry_.body[key].is_defined() && !entry_.body[key].is_null();
  }
  std::string text(std::string_view key) const { return text_of(entry_, key); }
  bool flag(const char* key) const { return is_true(entry_, key); }

  /// A path that counts from the kubeconfig's own folder.
  std::string path(std::string_view key) const {
    const std::string file = text(key);
    const std::size_t slash = entry_.file.rfind('/');
    if (file.empty() || file.front() == '/' || slash == std::string::npos) return file;
    return entry_.file.substr(0, slash + 1) + file;
  }

  /// What is in the file that KEY names; nothing where it names none.
  Result<std::string> content(const std::string& key, const std::string& file) const {
    if (file.empty()) return std::string();
    Result<std::string> text = read_text_file(file);
    if (text) return text;
    return error(key + ": " + text.error().path);
  }

  /// The text of KEY, which is a file, or of KEY-data, which is the same in base64; the data win.
  Result<std::string> pem(const std::string& key, PemSource& into) const {
    into.file = path(key);
    const std::string data = text(key + "-data");
    if (data.empty()) return content(key, into.file);
    const std::optional<std::string> decoded = decoded_base64(data);
    if (!decoded || decoded->empty()) return error(key + "-data is not base64");
    into.data = *decoded;
    into.file.clear();
    return into.data;
  }

 private:
  const Entry& entry_;
  const std::string where_;
};

/// "client-key-data", or "client-key: FILE".
std::string place_of(const std::string& key, const PemSource& source) {
  return source.file.empty() ? key + "-data" : key + ": " + source.file;
}

/// The roots of a server; the system's where none are named.
std::optional<Error> read_ca(const EntryReader& cluster, PemSource& into) {
  const std::string key = "certificate-authority";
  const Result<std::string> roots = cluster.pem(key, into);
  if (!roots) return roots.error();
  if (into.empty()) return std::nullopt;
  const std::optional<std::string> fault = roots_fault(*roots, false);
  if (fault) return cluster.error(place_of(key, into) + ": " + *fault);
  return std::nullopt;
}

std::optional<Error> read_cluster(const EntryReader& cluster, ClusterConfig& config) {
  const std::string server = cluster.text("server");
  if (const std::size_t at = server.rfind('@'); at != std::string::npos) {
    // What stands before it may be a password, and errors end in logs.
    return cluster.error("server has a user before \"" + server.substr(at) +
                         "\"; who we are is said by the user of the context");
  }
  // As with kubectl: it is plain http://, and a path needs a scheme before it.
  const bool is_bare = server.find("://") == std::string::npos;
  const std::optional<ServerAddress> address =
      parse_server_address(is_bare ? "http://" + server : server);
  if (!address || (is_bare && !address->path_prefix.empty())) {
    return cluster.error("server is \"" + server + "\", it must be like https://10.0.0.1:6443");
  }
  config.host = address->host;
  config.port = address->port;
  config.tls = address->tls;
  config.path_prefix = address->path_prefix;
  if (!cluster.text("proxy-url").empty()) {
    return cluster.error("proxy-url is not supported; give a server that is reached directly");
  }
  config.insecure = cluster.flag("insecure-skip-tls-verify");
  config.tls_server_name = cluster.text("tls-server-name");
  if (auto error = read_ca(cluster, config.ca)) return error;
  if (config.insecure && !config.ca.empty()) {
    return cluster.error(
        "certificate-authority and insecure-skip-tls-verify exclude each other; drop one");
  }
  // kubectl drops what was said of TLS without a word.
  if (is_bare && (config.insecure || !config.ca.empty() || !config.tls_server_name.empty())) {
    return cluster.error("server is \"" + server +
                         "\", which is plain http:// beside what is said of TLS; write https:// "
                         "before it, or http://");
  }
  return std::nullopt;
}

constexpr const char* works =
    " not supported; what works is a token, a tokenFile, or client-certificate and client-key";

std::optional<Error> refuse_what_we_cannot(const EntryReader& user) {
  for (const char* const key :
       {"exec", "auth-provider", "as", "as-uid", "as-groups", "as-user-extra"}) {
    if (!user.has(key)) continue;
    const std::string name(key);
    return user.error(name + (name.starts_with("as") ? " (impersonation) is" : " plugins are") +
                      works);
  }
  // kube-apiserver knows them no more since 1.19: it would take us for nobody.
  const bool has_password = !user.text("username").empty() || !user.text("password").empty();
  if (has_password)
    return user.error("username and password (basic authentication) are" + std::string(works));
  return std::nullopt;
}

/// It must be of use where it is `used`: by TLS. Elsewhere a key alone is left unread, as by
/// kubectl.
std::optional<Error> read_pair(const EntryReader& user, bool used, PemSource& certificate,
                               PemSource& key) {
  const Result<std::string> shown = user.pem("client-certificate", certificate);
  if (!shown) return shown.error();
  if (certificate.empty() && !used) return std::nullopt;
  const Result<std::string> secret = user.pem("client-key", key);
  if (!secret) return secret.error();
  if (certificate.empty() != key.empty()) {
    return user.error("client-certificate and client-key belong together, one of them is missing");
  }
  if (certificate.empty() || !used) return std::nullopt;
  const std::optional<std::string> fault =
      pair_fault({.place = place_of("client-certificate", certificate), .text = *shown},
                 {.place = place_of("client-key", key), .text = *secret});
  if (fault) return user.error(*fault);
  return std::nullopt;
}

/// A token in the kubeconfig stands in for its tokenFile while that cannot be read
/// (spec/client.md "Credentials"). Whoever shows none is nobody to the server, which answers with
/// 403s that do not say why.
std::optional<Error> read_token(const EntryReader& user, ClusterConfig& config) {
  config.token = user.text("token");
  config.token_file = user.path("tokenFile");
  if (!config.token.empty()) {
    const std::optional<std::string> fault = token_fault(config.token);
    if (fault) return user.error("token: " + *fault);
  } else if (!config.token_file.empty()) {
    const Result<std::string> in_file = user.content("tokenFile", config.token_file);
    if (!in_file) return in_file.error();
    const std::optional<std::string> fault = token_fault(*in_file);
    if (fault) return user.error("tokenFile: " + config.token_file + ": " + *fault);
  }
  return std::nullopt;
}

std::optional<Error> read_user(const EntryReader& user, ClusterConfig& config) {
  if (auto error = refuse_what_we_cannot(user)) return error;
  if (auto error = read_token(user, config)) return error;
  return read_pair(user, config.tls, config.client_certificate, config.client_key);
}

Result<ClusterConfig> config_of(const Merged& merged, const std::string& context_name) {
  const std::string where = "kubeconfig " + merged.files + ": ";
  if (merged.clusters.empty() && merged.users.empty() && merged.contexts.empty()) {
    return bad_input(where + "it is empty: no cluster, user or context in it");
  }
  if (context_name.empty()) {
    return bad_input(where + "no current-context is set; there are: " + names_of(merged.contexts));
  }
  const auto context = merged.contexts.find(context_name);
  if (context == merged.contexts.end()) {
    return bad_input(where + "context \"" + context_name +
                     "\" is not defined; there are: " + names_of(merged.contexts));
  }
  ClusterConfig config;
  config.source = "kubeconfig " + merged.files;
  config.context = context_name;
  config.cluster = text_of(context->second, "cluster");
  config.user = text_of(context->second, "user");
  config.namespace_name = text_of(context->second, "namespace");

  const auto undefined = [&](const std::string& named, const auto& known) {
    return bad_input(where + "context \"" + context_name + "\" names the " + named +
                     "\", which is not defined; there are: " + names_of(known));
  };
  const auto cluster = merged.clusters.find(config.cluster);
  if (cluster == merged.clusters.end()) {
    return undefined("cluster \"" + config.cluster, merged.clusters);
  }
  if (auto error = read_cluster({"cluster", cluster->first, cluster->second}, config))
    return *std::move(error);
  if (config.user.empty()) return config;  // nobody, as upstream
  const auto user = merged.users.find(config.user);
  if (user == merged.users.end()) return undefined("user \"" + config.user, merged.users);
  if (auto error = read_user({"user", user->first, user->second}, config)) return *std::move(error);
  return config;
}

Result<ClusterConfig> read_kubeconfig(const KubeconfigOptions& options,
                                      const Environment& environment) {
  Result<std::vector<std::string>> files = files_to_read(options, environment);
  if (!files) return std::move(files.error());
  try {
    Merged merged;
    for (const std::string& file : *files) {
      if (auto error = merge_file(file, merged)) return *std::move(error);
    }
    return config_of(merged, options.context.empty() ? merged.current_context : options.context);
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace

Result<ClusterConfig> load_kubeconfig(const KubeconfigOptions& options,
                                      const Environment& environment) {
  Result<ClusterConfig> config = read_kubeconfig(options, environment);
  if (!config) config.error().path = error_line(config.error().path);
  return config;
}

}  // namespace nlc::net
