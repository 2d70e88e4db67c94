#pragma once

#include <string_view>

namespace nlc::program {

/// One file of the live page, built in from `program/page/`.
struct PageFile {
  std::string_view path;  ///< as it is asked for; "/" is index.html
  std::string_view content_type;
  std::string_view text;
};

/// Null where there is none of that path.
const PageFile* page_file(std::string_view path);

}  // namespace nlc::program
