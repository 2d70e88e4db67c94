#pragma once

#include "sim/scenario/model/steps.h"
#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

Step step_of(const Yaml& node, Problems& problems);

/// The keys of `fields` that name one object.
ObjectName object_name_of(Fields& fields);

/// Refuses what is no resource of the embedded server.
void expect_plural(const std::string& resource, const Fields& fields);

/// The keys of `fields` that select requests.
RequestFilter request_filter_of(Fields& fields);

}  // namespace nlc::sim::scenario
