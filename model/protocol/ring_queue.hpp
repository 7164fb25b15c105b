// A first-in first-out queue in one block of memory used as a ring: once it has reached its largest length it
// allocates nothing, while a std::deque does so again and again. References to entries hold until the next
// push.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace trnsim::tlm::protocol {

template <typename T>
class RingQueue {
  public:
    // An iterator over the entries, oldest first.
    template <typename Queue, typename Value>
    class Iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = Value*;
        using reference = Value&;

        Iterator() = default;
        Iterator(Queue* queue, std::size_t index) : queue_(queue), index_(index) {}
        Value& operator*() const { return (*queue_)[index_]; }
        Value* operator->() const { return &(*queue_)[index_]; }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        Iterator operator++(int) { return std::exchange(*this, Iterator(queue_, index_ + 1)); }
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

      private:
        Queue* queue_ = nullptr;
        std::size_t index_ = 0;
    };
    using iterator = Iterator<RingQueue, T>;
    using const_iterator = Iterator<const RingQueue, const T>;

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

    // The index counts from the oldest entry.
    T& operator[](std::size_t index) { return room_[(first_ + index) & mask()]; }
    const T& operator[](std::size_t index) const { return room_[(first_ + index) & mask()]; }
    T& front() { return room_[first_]; }
    const T& front() const { return room_[first_]; }
    T& back() { return (*this)[size_ - 1]; }
    const T& back() const { return (*this)[size_ - 1]; }

    iterator begin() { return {this, 0}; }
    iterator end() { return {this, size_}; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size_}; }

    void push_back(T value) {
        if (size_ == room_.size()) grow();
        ++size_;
        back() = std::move(value);
    }
    // The place of the removed entry keeps its value until it is used again.
    void pop_front() {
        first_ = (first_ + 1) & mask();
        --size_;
    }
    void clear() { first_ = size_ = 0; }

  private:
    static constexpr std::size_t LeastRoom = 8;

    std::size_t mask() const { return room_.size() - 1; }
    void grow() {
        std::vector<T> larger(room_.empty() ? LeastRoom : 2 * room_.size());
        for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
        room_ = std::move(larger);
        first_ = 0;
    }

    std::vector<T> room_;  // its size is a power of two
    std::size_t first_ = 0, size_ = 0;
};

}  // namespace trnsim::tlm::protocol
