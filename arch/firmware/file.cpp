// The file: a magic word, then all members in their order. Numbers have 32 bits, little-endian; texts and
// lists begin with their length.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/firmware/image.hpp"

namespace trnsim::firmware {

namespace {

constexpr std::uint32_t Magic = 0x32534754;  // "TGS2"

struct Writer {
    std::vector<std::uint8_t> bytes;

    void operator()(std::uint32_t value) {
        for (unsigned k = 0; k < 4; ++k) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
    }
    void operator()(bool value) { (*this)(std::uint32_t{value}); }
    template <class Bytes>
    void put(const Bytes& value) {
        (*this)(static_cast<std::uint32_t>(value.size()));
        bytes.insert(bytes.end(), value.begin(), value.end());
    }
    void operator()(const std::string& value) { put(value); }
    void operator()(const std::vector<std::uint8_t>& value) { put(value); }
    template <class T>
    void operator()(const std::vector<T>& list) {
        (*this)(static_cast<std::uint32_t>(list.size()));
        for (const T& value : list) fields(value, *this);
    }
};

struct Reader {
    std::span<const std::uint8_t> rest;
    std::string_view name;

    [[noreturn]] void refuse() const { throw Error(fmt::format("{}: ends before its last entry", name)); }

    void operator()(std::uint32_t& value) {
        if (rest.size() < 4) refuse();
        value = rest[0] | rest[1] << 8 | rest[2] << 16 | static_cast<std::uint32_t>(rest[3]) << 24;
        rest = rest.subspan(4);
    }
    void operator()(bool& value) {
        std::uint32_t number = 0;
        (*this)(number);
        if (number > 1) throw Error(fmt::format("{}: has {} where 0 or 1 was expected", name, number));
        value = number != 0;
    }
    template <class Bytes>
    void take(Bytes& value) {
        std::uint32_t size = 0;
        (*this)(size);
        if (size > rest.size()) refuse();
        value.assign(rest.begin(), rest.begin() + size);
        rest = rest.subspan(size);
    }
    void operator()(std::string& value) { take(value); }
    void operator()(std::vector<std::uint8_t>& value) { take(value); }
    template <class T>
    void operator()(std::vector<T>& list) {
        std::uint32_t size = 0;
        (*this)(size);
        if (size > rest.size() / 4) refuse();  // an entry has at least four bytes
        list.resize(size);
        for (T& value : list) fields(value, *this);
    }
};

// The members of each structure, for reading and writing.
template <class T, class Visit>
requires std::same_as<std::remove_const_t<T>, Segment>
void fields(T& segment, Visit& visit) {
    visit(segment.address), visit(segment.executable), visit(segment.bytes);
}
template <class T, class Visit>
requires std::same_as<std::remove_const_t<T>, Symbol>
void fields(T& symbol, Visit& visit) {
    visit(symbol.address), visit(symbol.bytes), visit(symbol.name);
}
template <class T, class Visit>
requires std::same_as<std::remove_const_t<T>, Line>
void fields(T& line, Visit& visit) {
    visit(line.address), visit(line.file), visit(line.line);
}
template <class T, class Visit>
requires std::same_as<std::remove_const_t<T>, std::string>
void fields(T& text, Visit& visit) {
    visit(text);
}
template <class T, class Visit>
requires std::same_as<std::remove_const_t<T>, Image>
void fields(T& image, Visit& visit) {
    visit(image.vlen), visit(image.entry), visit(image.segments), visit(image.operations),
        visit(image.functions), visit(image.files), visit(image.lines);
}

}  // namespace

bool is_image(std::span<const std::uint8_t> bytes) {
    Reader reader{bytes.first(std::min<std::size_t>(bytes.size(), 4)), ""};
    std::uint32_t magic = 0;
    if (bytes.size() >= 4) reader(magic);
    return magic == Magic;
}

std::vector<std::uint8_t> serialise(const Image& image) {
    Writer writer;
    writer(Magic);
    fields(image, writer);
    return std::move(writer.bytes);
}

Image parse(std::span<const std::uint8_t> bytes, std::string_view name) {
    Reader reader{bytes, name};
    std::uint32_t magic = 0;
    if (!is_image(bytes)) throw Error(fmt::format("{}: is not an image for GpSimd cores", name));
    reader(magic);
    Image image;
    fields(image, reader);
    if (!reader.rest.empty())
        throw Error(fmt::format("{}: has {} bytes after its last entry", name, reader.rest.size()));
    check(image, name);
    return image;
}

}  // namespace trnsim::firmware
