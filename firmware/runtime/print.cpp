#include "trnsim/print.hpp"

#include "firmware/runtime/operation.hpp"

extern "C" volatile char print_ring[TRNSIM_PRINT_BYTES];

namespace trnsim {
namespace {

using firmware::mailbox;
using Kind = PrintArgument::Kind;

void put(char c) {
    const uint32_t at = mailbox.printed;
    print_ring[at % TRNSIM_PRINT_BYTES] = c;
    mailbox.printed = at + 1;
}

// Text that grows to the front.
struct Digits {
    char text[48];
    uint32_t first = sizeof(text);

    void add(char c) {
        if (first != 0) text[--first] = c;
    }
    void add_number(uint32_t value, uint32_t base, bool capitals, uint32_t least) {
        const uint32_t end = first;
        do {
            const uint32_t digit = value % base;
            add(static_cast<char>(digit < 10 ? '0' + digit : (capitals ? 'A' : 'a') + digit - 10));
            value /= base;
        } while (value != 0 || end - first < least);
    }
    uint32_t size() const { return sizeof(text) - first; }
};

struct Conversion {
    bool left = false, zeros = false;
    uint32_t width = 0;
    int precision = -1;
    char letter = 0;
};

void put_field(const Conversion& c, const char* text, uint32_t size, bool negative, bool number) {
    const uint32_t all = size + negative;
    const uint32_t padding = c.width > all ? c.width - all : 0;
    const bool zeros = c.zeros && number && !c.left;
    if (!c.left && !zeros) {
        for (uint32_t k = 0; k < padding; ++k) put(' ');
    }
    if (negative) put('-');
    if (zeros) {
        for (uint32_t k = 0; k < padding; ++k) put('0');
    }
    for (uint32_t k = 0; k < size; ++k) put(text[k]);
    if (c.left) {
        for (uint32_t k = 0; k < padding; ++k) put(' ');
    }
}

void put_integer(const Conversion& c, uint32_t bits, bool is_signed) {
    const bool hexadecimal = c.letter == 'x' || c.letter == 'X' || c.letter == 'p';
    const bool negative = is_signed && !hexadecimal && static_cast<int32_t>(bits) < 0;
    Digits digits;
    digits.add_number(negative ? 0 - bits : bits, hexadecimal ? 16 : 10, c.letter == 'X', 1);
    put_field(c, digits.text + digits.first, digits.size(), negative, true);
}

// The value to nine digits at most behind the point; from 2^32 on as mantissa and power of ten.
void put_float(const Conversion& c, float value) {
    const bool negative = __builtin_signbit(value);
    if (negative) value = -value;
    if (__builtin_isnan(value)) return put_field(c, "nan", 3, negative, false);
    if (__builtin_isinf(value)) return put_field(c, "inf", 3, negative, false);
    uint32_t exponent = 0;
    while (value >= 4294967040.0F) {
        value /= 10.0F;
        ++exponent;
    }
    const uint32_t precision = c.precision < 0 ? 6 : c.precision > 9 ? 9 : static_cast<uint32_t>(c.precision);
    uint32_t scale = 1;
    for (uint32_t k = 0; k < precision; ++k) scale *= 10;
    uint32_t whole = static_cast<uint32_t>(value);
    // Exact: below 2^24 the fraction has the bits that the whole part does not, above there is none.
    uint32_t fraction = 0, low_digits = 0;
    float rest = value - static_cast<float>(whole);
    for (uint32_t k = 0; k < precision;
         ++k) {  // rest has at most 24 significant bits, as many as are left after each digit
        rest *= 10.0F;
        low_digits = static_cast<uint32_t>(rest);
        fraction = fraction * 10 + low_digits;
        rest -= static_cast<float>(low_digits);
    }
    if (rest > 0.5F || (rest == 0.5F && ((precision != 0 ? fraction : whole) & 1) != 0)) {
        if (precision != 0) ++fraction;
        if (precision == 0 || fraction == scale) {
            fraction = 0;
            ++whole;
        }
    }
    Digits digits;
    if (exponent != 0) {
        digits.add_number(exponent, 10, false, 2);
        digits.add('+');
        digits.add('e');
    }
    if (precision != 0) {
        digits.add_number(fraction, 10, false, precision);
        digits.add('.');
    }
    digits.add_number(whole, 10, false, 1);
    put_field(c, digits.text + digits.first, digits.size(), negative, true);
}

void put_argument(const Conversion& c, const PrintArgument& argument) {
    if (c.letter == 'c' && argument.kind <= Kind::Unsigned) {
        const char text = static_cast<char>(argument.bits);
        return put_field(c, &text, 1, false, false);
    }
    switch (argument.kind) {
        case Kind::Signed:
            return put_integer(c, argument.bits, c.letter != 'u');
        case Kind::Unsigned:
            return put_integer(c, argument.bits, false);
        case Kind::Float:
            return put_float(c, argument.number);
        case Kind::Text: {
            const char* text = argument.text != nullptr ? argument.text : "(null)";
            uint32_t size = 0;
            while (text[size] != '\0' && (c.precision < 0 || size < static_cast<uint32_t>(c.precision)))
                ++size;
            return put_field(c, text, size, false, false);
        }
        case Kind::Pointer: {
            Conversion hexadecimal = c;
            hexadecimal.letter = 'x';
            return put_integer(hexadecimal, argument.bits, false);
        }
    }
}

// The number at `format`, which is moved behind it.
uint32_t read_number(const char*& format) {
    uint32_t value = 0;
    for (; *format >= '0' && *format <= '9'; ++format)
        value = value * 10 + static_cast<uint32_t>(*format - '0');
    return value;
}

}  // namespace

void print(const char* format, const PrintArgument* arguments, uint32_t count) {
    uint32_t used = 0;
    while (*format != '\0') {
        if (*format != '%') {
            put(*format++);
            continue;
        }
        ++format;
        Conversion c;
        for (; *format == '-' || *format == '0'; ++format) (*format == '-' ? c.left : c.zeros) = true;
        c.width = read_number(format);
        if (*format == '.') c.precision = static_cast<int>(read_number(++format));
        while (*format == 'l' || *format == 'h' || *format == 'z') ++format;
        if (*format == '\0') return;
        c.letter = *format++;
        if (c.letter == '%') {
            put('%');
        } else if (used < count) {
            put_argument(c, arguments[used++]);
        } else {
            for (const char* text = "(missing)"; *text != '\0'; ++text) put(*text);
        }
    }
}

}  // namespace trnsim
