#pragma once

#include <string>
#include <string_view>

#include "runtime/log.h"

namespace nlc::net {

enum class LogFormat { Text, Json };

/// One log line without its line break. Text is logfmt: time=… level=info msg="node was tainted"
/// node=n1; values are quoted where a reader could mistake them. Json is one object; bytes that are
/// no UTF-8 become U+FFFD. Either way a value cannot begin a second line, and of a long one the
/// beginning is shown: others write what we log.
std::string log_line(LogFormat format, std::string_view time, LogLevel level,
                     std::string_view message, Log::Fields fields);

}  // namespace nlc::net
