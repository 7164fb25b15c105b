// printf into a ring in TCM, which the runtime prints when the kernel is done. What commands of an image print
// that the ring does not hold is lost, the oldest bytes first.
//
// %d %i %u %x %X %c %s %p %f %%, with flags (- 0 + space #), width and precision, also as *, and to the digits
// of C's; a precision of a number is 60 at most. Arguments are told apart by their C++ types; one that does not
// fit its conversion is printed as what it is.
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
    // The core has no double; a constant becomes a float when it is compiled.
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
