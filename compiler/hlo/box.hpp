// A value on the heap that may be absent: what few instructions have costs the others one pointer.
#pragma once

#include <memory>
#include <utility>

namespace trnsim::hlo {

template <typename T>
class Box {
  public:
    Box() = default;
    Box(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Box(const Box& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Box(Box&&) noexcept = default;
    Box& operator=(Box other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    ~Box() = default;

    explicit operator bool() const { return value_ != nullptr; }
    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return value_.get(); }
    const T* operator->() const { return value_.get(); }
    T& emplace() {
        value_ = std::make_unique<T>();
        return *value_;
    }
    void reset() { value_.reset(); }

  private:
    std::unique_ptr<T> value_;
};

}  // namespace trnsim::hlo
