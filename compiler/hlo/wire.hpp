// The wire format of protocol buffers, without a schema compiler.
//
// A message is described once, by a function `transfer(Archive&, Message&)` that names each field with its number
// (schema.hpp). With a MessageReader it fills the message, with a MessageWriter it writes it. Fields that it does not
// name are kept in `unknown` and written back at their place by number, so that a file which is written in the order
// of its numbers, as protocol buffers do, comes back byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hlo/box.hpp"
#include "compiler/hlo/shape.hpp"
#include "compiler/hlo/unknown.hpp"

namespace trnsim::hlo::wire {

enum class Type : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct Field {
    std::uint32_t number = 0;
    Type type = Type::Varint;
    bool taken = false;
    std::uint64_t value = 0;  // of a number
    std::string_view bytes;   // of Bytes
    std::string_view raw;     // with the tag
};

// The part of a file's limits that is left.
struct Budget {
    std::size_t messages;
};

// Splits a message into its fields. Throws Error.
std::vector<Field> split(std::string_view message);
// Reads a varint and removes it from `bytes`. Throws Error.
std::uint64_t take_varint(std::string_view& bytes);
void append_varint(std::string& bytes, std::uint64_t value);

class MessageReader {
  public:
    // Throws Error for a message that is not well formed or exceeds the budget.
    MessageReader(std::string_view message, Budget& budget, std::size_t depth);

    void number(std::uint32_t number, std::int64_t& value);
    void flag(std::uint32_t number, bool& value);
    void real(std::uint32_t number, float& value);
    void text(std::uint32_t number, std::string& value);
    void texts(std::uint32_t number, std::vector<std::string>& values);
    void numbers(std::uint32_t number, Integers& values);
    void flags(std::uint32_t number, std::vector<std::uint8_t>& values);

    template <typename T>
    void message(std::uint32_t number, T& value) {
        for (Field& field : fields_) {
            if (take(field, number, Type::Bytes)) value = read<T>(field);
        }
    }
    template <typename T>
    void message(std::uint32_t number, Box<T>& value) {
        for (Field& field : fields_) {
            if (take(field, number, Type::Bytes)) value = Box<T>(read<T>(field));
        }
    }
    template <typename T>
    void messages(std::uint32_t number, std::vector<T>& values) {
        for (Field& field : fields_) {
            if (take(field, number, Type::Bytes)) values.push_back(read<T>(field));
        }
    }
    // Keeps what no other call took.
    void unknown(Unknown& unknown);

    std::vector<Field>& fields() { return fields_; }
    static constexpr bool Reads = true;

  private:
    template <typename T>
    T read(const Field& field) {
        MessageReader reader(field.bytes, *budget_, depth_ + 1);
        T value;
        transfer(reader, value);
        return value;
    }
    static bool take(Field& field, std::uint32_t number, Type type);

    std::vector<Field> fields_;
    Budget* budget_;
    std::size_t depth_;
};

class MessageWriter {
  public:
    explicit MessageWriter(std::string& bytes) : bytes_(&bytes) {}

    void number(std::uint32_t number, std::int64_t value);
    void flag(std::uint32_t number, bool value);
    void real(std::uint32_t number, float value);
    void text(std::uint32_t number, const std::string& value);
    void texts(std::uint32_t number, const std::vector<std::string>& values);
    void numbers(std::uint32_t number, const Integers& values);
    void flags(std::uint32_t number, const std::vector<std::uint8_t>& values);

    // A message of its own is written even where it is empty, as the format tells the two apart.
    template <typename T>
    void message(std::uint32_t number, Box<T>& value) {
        if (value) write(number, *value);
    }
    template <typename T>
    void message(std::uint32_t number, T& value) {
        write(number, value);
    }
    template <typename T>
    void messages(std::uint32_t number, std::vector<T>& values) {
        for (T& value : values) write(number, value);
    }
    // `transfer` calls it first: later fields are merged with these by number.
    void unknown(const Unknown& unknown) { unknown_ = &unknown; }
    void finish();
    void bytes(std::uint32_t number, std::string_view value);

    static constexpr bool Reads = false;

  private:
    template <typename T>
    void write(std::uint32_t number, T& value) {
        std::string inner;
        MessageWriter writer(inner);
        transfer(writer, value);
        writer.finish();
        bytes(number, inner);
    }
    // Writes the unknown fields below `number`.
    void advance(std::uint32_t number);
    void tag(std::uint32_t number, Type type);

    std::string* bytes_;
    const Unknown* unknown_ = nullptr;
    std::size_t next_unknown_ = 0;
};

}  // namespace trnsim::hlo::wire
