// Conversion of values to the bytes of a message, and back. Both ends are the same program on machines of one
// kind.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

class Writer {
  public:
    explicit Writer(Message& message) : message_(message) {}

    template <typename T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t at = message_.size();
        message_.resize(at + sizeof(T));
        std::memcpy(message_.data() + at, &value, sizeof(T));
    }
    void put_bytes(std::span<const std::uint8_t> bytes) {
        put(static_cast<std::uint64_t>(bytes.size()));
        message_.insert(message_.end(), bytes.begin(), bytes.end());
    }
    void put_text(const std::string& text) {
        put_bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    }

  private:
    Message& message_;
};

// Reads the values that a Writer has written, in the same order.
class Reader {
  public:
    explicit Reader(std::span<const std::uint8_t> message) : left_(message) {}

    bool at_end() const { return left_.empty(); }

    template <typename T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    std::span<const std::uint8_t> get_bytes() { return take(get<std::uint64_t>()); }
    std::string get_text() {
        const auto bytes = get_bytes();
        return {bytes.begin(), bytes.end()};
    }

  private:
    std::span<const std::uint8_t> take(std::size_t count) {
        if (count > left_.size()) throw std::logic_error("a message between processes ends too soon");
        const auto taken = left_.first(count);
        left_ = left_.subspan(count);
        return taken;
    }

    std::span<const std::uint8_t> left_;
};

}  // namespace trnsim::tlm::processes
