// printf into a ring in TCM, which the runtime prints when the kernel is done. When the commands of an image
// print more than the ring holds, the oldest bytes are lost.
//
// Conversions are %d %i %u %x %X %c %s %p %f %%, with flags (- 0 + space #), width and precision, also as *.
// They print the same digits as C; the precision of a number is 60 at most. Arguments are told apart by their
// C++ types; one that does not fit its conversion is printed by its own type.
#pragma once

#include <stdint.h>

namespace trnsim {

struct PrintArgument {
    enum class Kind : uint8_t { Signed, Unsigned, Float, Text, Pointer };

    Kind kind;
    union {
        int32_t integer;
        uint32_t bits;
        float number;
        const char* text;
    };

    PrintArgument(int value) : kind(Kind::Signed), integer(value) {}
    PrintArgument(long value) : kind(Kind::Signed), integer(static_cast<int32_t>(value)) {}
    PrintArgument(unsigned value) : kind(Kind::Unsigned), bits(value) {}
    PrintArgument(unsigned long value) : kind(Kind::Unsigned), bits(static_cast<uint32_t>(value)) {}
    PrintArgument(char value) : kind(Kind::Signed), integer(value) {}
    PrintArgument(bool value) : kind(Kind::Signed), integer(value) {}
    PrintArgument(float value) : kind(Kind::Float), number(value) {}
    // The core has no double; a constant becomes a float at compile time.
    PrintArgument(double value) : kind(Kind::Float), number(static_cast<float>(value)) {}
    PrintArgument(const char* value) : kind(Kind::Text), text(value) {}
    PrintArgument(const void* value)
        : kind(Kind::Pointer), bits(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(value))) {}
};

void print(const char* format, const PrintArgument* arguments, uint32_t count);

inline void printf(const char* format) {
    print(format, nullptr, 0);
}

template <class... Arguments>
inline void printf(const char* format, Arguments... arguments) {
    const PrintArgument list[] = {PrintArgument(arguments)...};
    print(format, list, sizeof...(arguments));
}

}  // namespace trnsim
