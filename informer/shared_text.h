#pragma once

#include <absl/container/flat_hash_set.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

/// Texts that are kept once, however many objects say them: node names in pods, namespaces, zones,
/// the tolerations that most pods share.
///
/// Belongs to one thread, that of the stores: the counts are plain numbers.
namespace nlc::informer {

/// A text in eight bytes. It never changes; copies share it, and the last one frees it.
class SharedText {
 public:
  SharedText() = default;
  explicit SharedText(std::string_view text);
  SharedText(const SharedText& other) : block_(other.block_) { keep(); }
  SharedText(SharedText&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedText() { release(); }

  std::string_view view() const;
  bool empty() const { return block_ == nullptr; }
  /// Whether no other copy shares it.
  bool is_only_copy() const { return block_ != nullptr && block_->copies == 1; }

 private:
  /// The characters follow it in memory.
  struct Block {
    std::uint32_t copies;
    std::uint32_t size;
  };

  void keep() {
    if (block_ != nullptr) ++block_->copies;
  }
  void release();

  Block* block_ = nullptr;
};

struct SharedTextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
  std::size_t operator()(const SharedText& text) const { return (*this)(text.view()); }
};
struct SharedTextEqual {
  using is_transparent = void;
  static std::string_view view(std::string_view text) { return text; }
  static std::string_view view(const SharedText& text) { return text.view(); }
  template <typename Left, typename Right>
  bool operator()(const Left& left, const Right& right) const {
    return view(left) == view(right);
  }
};

/// Interns texts: `of` returns the one shared copy of a text. Texts that nobody else holds any more
/// are dropped in a sweep, each time the pool has doubled since the last one: `of` takes amortised
/// constant time, and what is unused does not accumulate.
class TextPool {
 public:
  TextPool() = default;
  TextPool(const TextPool&) = delete;  // stores refer to it
  TextPool& operator=(const TextPool&) = delete;

  SharedText of(std::string_view text);

  /// Sets `place` to that text; does nothing where it is that text already.
  void put(SharedText& place, std::string_view text) {
    if (place.view() != text) place = of(text);
  }

  std::size_t size() const { return texts_.size(); }

 private:
  static constexpr std::size_t least_swept = 256;

  absl::flat_hash_set<SharedText, SharedTextHash, SharedTextEqual> texts_;
  std::size_t sweep_at_ = least_swept;
};

}  // namespace nlc::informer
