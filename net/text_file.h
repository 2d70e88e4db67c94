#pragma once

#include <string>

#include "runtime/result.h"

namespace nlc::net {

/// The whole of a small file. The error says "FILE: No such file or directory".
Result<std::string> read_text_file(const std::string& file);

/// Something that changes whenever the file was replaced or written, empty when it is not there.
std::string file_version(const std::string& file);

}  // namespace nlc::net
