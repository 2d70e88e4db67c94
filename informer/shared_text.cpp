#include "informer/shared_text.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>

namespace nlc::informer {

SharedText::SharedText(std::string_view text) {
  if (text.empty()) return;
  assert(text.size() <= std::numeric_limits<std::uint32_t>::max());
  void* const memory = ::operator new(sizeof(Block) + text.size());
  block_ = new (memory) Block{.copies = 1, .size = static_cast<std::uint32_t>(text.size())};
  std::memcpy(static_cast<char*>(memory) + sizeof(Block), text.data(), text.size());
}

std::string_view SharedText::view() const {
  if (block_ == nullptr) return {};
  const void* const memory = block_;
  return {static_cast<const char*>(memory) + sizeof(Block), block_->size};
}

void SharedText::release() {
  if (block_ == nullptr || --block_->copies > 0) return;
  ::operator delete(block_);
}

SharedText TextPool::of(std::string_view text) {
  if (text.empty()) return {};
  const auto known = texts_.find(text);
  if (known != texts_.end()) return *known;
  if (texts_.size() >= sweep_at_) {
    absl::erase_if(texts_, [](const SharedText& kept) { return kept.is_only_copy(); });
    sweep_at_ = std::max(least_swept, 2 * texts_.size());
  }
  return *texts_.emplace(text).first;
}

}  // namespace nlc::informer
