#include "controller/why/question.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// The path of a page that is asked why.
void read_page_path(std::string_view bytes) {
  using namespace controller::why;
  const Result<Question> read = question_of_path(bytes);
  if (!read) return;
  const Result<Question> again = question_of_path(path_of(*read));
  must_hold(again && again->kind == read->kind && again->name == read->name,
            "the path of a question asks that question");
}

}  // namespace nlc::bytes
