#pragma once

// simdjson's own assertions cost a third of its speed. Ours stay on, behind it too.
#ifdef NDEBUG
#include <simdjson.h>
#else
#define NDEBUG
#include <simdjson.h>
#undef NDEBUG
#include <cassert>
#endif
