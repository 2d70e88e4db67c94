#pragma once

#include <cstddef>
#include <string>

#include "runtime/result.h"

namespace nlc::net {

/// Certificates, keys and kubeconfigs.
inline constexpr std::size_t config_file_limit = 1024 * 1024;
/// Tokens.
inline constexpr std::size_t token_file_limit = 64 * 1024;

/// The whole of a small file. The error says "FILE: No such file or directory", that it is no plain
/// file, or that it is longer than `limit` bytes: a log or a device must not fill our memory, and a
/// pipe that nobody writes must not keep us waiting.
Result<std::string> read_text_file(const std::string& file, std::size_t limit = config_file_limit);

/// Something that changes whenever the file was replaced or written, empty when it is not there.
std::string file_version(const std::string& file);

}  // namespace nlc::net
