#pragma once

#include "api/version.h"

/// The order of resourceVersions, by the name under which stores and watches know it.
namespace nlc::informer {

using api::is_comparable_version;
using api::older_version;
using api::version_number;

}  // namespace nlc::informer
