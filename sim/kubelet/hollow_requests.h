#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/verbs.h"

/// What hollow kubelets say to an API server beyond `client/verbs.h`. Whole objects are sent and
/// received as text.
namespace nlc::sim {

void create_object(client::Transport&, client::RequestPriority, std::string_view collection,
                   std::string body, client::Done<std::string>);
void read_object(client::Transport&, std::string_view path, client::Done<std::string>);
void delete_object(client::Transport&, client::RequestPriority, std::string_view path,
                   std::string options, client::Done<std::string>);

/// metadata.uid of an object's text; empty when there is none.
std::string uid_of(const std::string& object);

/// The run of hollow kubelets that made an object, by its text; nothing when none did.
std::optional<std::string> maker_of(const std::string& object);

}  // namespace nlc::sim
