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

struct Conversion {
    bool left = false, zeros = false, plus = false, space = false, alternate = false;
    uint32_t width = 0;
    int precision = -1;
    char letter = 0;
};

void put_many(char c, uint32_t count) {
    for (; count != 0; --count) put(c);
}

// `zeros`: the field is padded with zeros after the prefix.
void put_field(const Conversion& c, const char* prefix, const char* text, uint32_t size, bool zeros) {
    uint32_t all = size;
    for (const char* sign = prefix; *sign != '\0'; ++sign) ++all;
    const uint32_t padding = c.width > all ? c.width - all : 0;
    if (!c.left && !zeros) put_many(' ', padding);
    while (*prefix != '\0') put(*prefix++);
    if (!c.left && zeros) put_many('0', padding);
    for (uint32_t k = 0; k < size; ++k) put(text[k]);
    if (c.left) put_many(' ', padding);
}

const char* sign_of(const Conversion& c, bool negative) {
    return negative ? "-" : c.plus ? "+" : c.space ? " " : "";
}

constexpr int MostDigits = 60;  // limit for a precision

int limited(int precision) {
    return precision < MostDigits ? precision : MostDigits;
}

void put_integer(const Conversion& c, uint32_t bits, bool is_signed) {
    const bool hexadecimal = c.letter == 'x' || c.letter == 'X' || c.letter == 'p';
    const bool negative = is_signed && !hexadecimal && static_cast<int32_t>(bits) < 0;
    const uint32_t base = hexadecimal ? 16 : 10;
    const int least = c.precision < 0 ? 1 : limited(c.precision);
    char text[MostDigits];
    uint32_t first = sizeof(text);
    for (uint32_t left = negative ? 0 - bits : bits;
         left != 0 || static_cast<int>(sizeof(text) - first) < least; left /= base) {
        const uint32_t digit = left % base;
        text[--first] =
            static_cast<char>(digit < 10 ? '0' + digit : (c.letter == 'X' ? 'A' : 'a') + digit - 10);
    }
    const char* prefix = is_signed && !hexadecimal                 ? sign_of(c, negative)
                         : hexadecimal && c.alternate && bits != 0 ? (c.letter == 'X' ? "0X" : "0x")
                                                                   : "";
    put_field(c, prefix, text + first, sizeof(text) - first, c.zeros && c.precision < 0);
}

// A value of fp32 as a fixed-point number that can hold all of them: 160 bits after the point, 128 before it.
class FixedPoint {
  public:
    explicit FixedPoint(uint32_t magnitude) {  // without the sign
        const uint32_t exponent = magnitude >> 23, fraction = magnitude & 0x7fffff;
        const uint32_t place = exponent != 0 ? exponent + 10 : 11;  // place of the lowest bit
        const uint64_t bits = uint64_t{exponent != 0 ? fraction | 0x800000 : fraction} << (place % 32);
        words_[place / 32] = static_cast<uint32_t>(bits);
        words_[place / 32 + 1] = static_cast<uint32_t>(bits >> 32);
    }

    bool whole() const { return (words_[5] | words_[6] | words_[7] | words_[8]) != 0; }
    // Removes the last digit before the point and returns it.
    uint32_t take_whole() {
        uint32_t rest = 0;
        for (uint32_t k = Words; k-- > Fraction;) {
            const uint32_t upper = rest << 16 | words_[k] >> 16;
            const uint32_t lower = upper % 10 << 16 | (words_[k] & 0xffff);
            words_[k] = upper / 10 << 16 | lower / 10;
            rest = lower % 10;
        }
        return rest;
    }
    // Removes the first digit after the point and returns it.
    uint32_t take_fraction() {
        uint32_t carry = 0;
        for (uint32_t k = 0; k < Fraction; ++k) {
            const uint64_t product = uint64_t{words_[k]} * 10 + carry;
            words_[k] = static_cast<uint32_t>(product);
            carry = static_cast<uint32_t>(product >> 32);
        }
        return carry;
    }
    // Rounds to nearest even.
    bool rounds_up(bool odd) const {
        constexpr uint32_t Half = 0x80000000;
        const uint32_t lower = words_[0] | words_[1] | words_[2] | words_[3];
        return words_[4] > Half || (words_[4] == Half && (lower != 0 || odd));
    }

  private:
    static constexpr uint32_t Fraction = 5, Words = 9;
    uint32_t words_[Words + 1] = {};
};

// Prints the digits of the exact value.
void put_float(const Conversion& c, float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const char* sign = sign_of(c, bits >> 31 != 0);
    if (__builtin_isnan(value)) return put_field(c, sign, "nan", 3, false);
    if (__builtin_isinf(value)) return put_field(c, sign, "inf", 3, false);
    constexpr uint32_t MostWhole = 39;
    char text[1 + MostWhole + 1 + MostDigits];
    FixedPoint left(bits & 0x7fffffff);
    uint32_t first = 1 + MostWhole, end = first;  // the place before them has room for a carry
    do {
        text[--first] = static_cast<char>('0' + left.take_whole());
    } while (left.whole());
    const int precision = c.precision < 0 ? 6 : limited(c.precision);
    if (precision != 0 || c.alternate) text[end++] = '.';
    for (int k = 0; k < precision; ++k) text[end++] = static_cast<char>('0' + left.take_fraction());
    uint32_t last = end - 1;
    if (text[last] == '.') --last;
    if (left.rounds_up((text[last] & 1) != 0)) {
        while (last >= first && (text[last] == '9' || text[last] == '.')) {
            if (text[last] == '9') text[last] = '0';
            --last;
        }
        if (last < first) text[first = last] = '0';
        ++text[last];
    }
    put_field(c, sign, text + first, end - first, c.zeros);
}

void put_argument(const Conversion& c, const PrintArgument& argument) {
    if (c.letter == 'c' && argument.kind <= Kind::Unsigned) {
        const char text = static_cast<char>(argument.bits);
        return put_field(c, "", &text, 1, false);
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
            return put_field(c, "", text, size, false);
        }
        case Kind::Pointer: {
            Conversion hexadecimal = c;
            hexadecimal.letter = 'x';
            return put_integer(hexadecimal, argument.bits, false);
        }
    }
}

// Reads the number at `format` and moves `format` past it.
uint32_t read_number(const char*& format) {
    uint32_t value = 0;
    for (; *format >= '0' && *format <= '9'; ++format)
        value = value * 10 + static_cast<uint32_t>(*format - '0');
    return value;
}

bool set_flag(Conversion& c, char letter) {
    switch (letter) {
        case '-':
            return c.left = true;
        case '0':
            return c.zeros = true;
        case '+':
            return c.plus = true;
        case ' ':
            return c.space = true;
        case '#':
            return c.alternate = true;
        default:
            return false;
    }
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
        while (set_flag(c, *format)) ++format;
        const auto number = [&] {
            if (*format != '*') return static_cast<int>(read_number(format));
            ++format;
            return used < count ? static_cast<int>(arguments[used++].bits) : 0;
        };
        const int width = number();
        c.left |= width < 0;
        c.width = static_cast<uint32_t>(width < 0 ? -width : width);
        if (*format == '.') {
            ++format;
            c.precision = number();
        }
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
