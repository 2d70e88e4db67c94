#include "runtime/result.h"

namespace nlc {

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::NotFound:
      return "not_found";
    case Fault::AlreadyExists:
      return "already_exists";
    case Fault::Conflict:
      return "conflict";
    case Fault::Invalid:
      return "invalid";
    case Fault::Gone:
      return "gone";
    case Fault::TooLarge:
      return "too_large";
    case Fault::Unauthorized:
      return "unauthorized";
    case Fault::Forbidden:
      return "forbidden";
    case Fault::Throttled:
      return "throttled";
    case Fault::Unavailable:
      return "unavailable";
    case Fault::Timeout:
      return "timeout";
    case Fault::Malformed:
      return "malformed";
    case Fault::NotLeading:
      return "not_leading";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace nlc
