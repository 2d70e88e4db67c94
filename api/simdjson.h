#pragma once

// simdjson's own assertions cost a third of its speed. Ours stay on, behind it too. Included from
// elsewhere it would be another library of the same name.
#ifdef NDEBUG
#include <simdjson.h>
#else
#define NDEBUG
#include <simdjson.h>
#undef NDEBUG
#include <cassert>
#endif
