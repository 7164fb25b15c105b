#include "compiler/neff/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/firmware/image.hpp"
#include "compiler/neff/checksum.hpp"
#include "compiler/neff/error.hpp"

namespace trnsim::neff {
namespace {

struct Field {
    const char* name;
    std::size_t offset, bytes;
};

constexpr Field PkgVersion{"pkg_version", 0, 8};
constexpr Field HeaderSize{"header_size", 8, 8};
constexpr Field DataSize{"data_size", 16, 8};
constexpr Field VerMajor{"ver_major", 24, 8};
constexpr Field VerMinor{"ver_minor", 32, 8};
constexpr Field Build{"build", 40, 128};
constexpr Field NumTpb{"num_tpb", 168, 4};
constexpr Field Hash{"hash", 172, 32};
constexpr Field Uuid{"uuid", 204, 16};
constexpr Field Name{"name", 220, 256};
constexpr Field RequestedTpb{"requested_tpb", 476, 4};
constexpr Field TpbPerNode{"tpb_per_node", 480, 64};
constexpr Field FeatureBits{"feature_bits", 544, 8};
constexpr Field LncSize{"lnc_size", 552, 4};
constexpr Field Padding{"padding", 556, 468};

// Fields with one legal value.
struct Constant {
    Field field;
    std::uint64_t value;
};
constexpr Constant Constants[] = {
    {PkgVersion, 2}, {HeaderSize, HeaderBytes}, {VerMajor, 1},    {VerMinor, 0},
    {NumTpb, 1},     {RequestedTpb, 1},         {FeatureBits, 0}, {LncSize, 1},
};

constexpr std::string_view BuildText = "trnsim";

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void fail(const Field& field, const std::string& text) {
    throw Error(fmt::format("header field {} at byte {}: {}", field.name, field.offset, text));
}

Bytes part(Bytes file, const Field& field) {
    return file.subspan(field.offset, field.bytes);
}

std::uint64_t number(Bytes file, const Field& field) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < field.bytes; ++i) value |= std::uint64_t{file[field.offset + i]} << (8 * i);
    return value;
}

void put_number(std::span<std::uint8_t> file, const Field& field, std::uint64_t value) {
    for (std::size_t i = 0; i < field.bytes; ++i)
        file[field.offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Reads text that is NUL-terminated and NUL-padded.
std::string text(Bytes file, const Field& field) {
    const Bytes bytes = part(file, field);
    const auto end = std::ranges::find(bytes, 0);
    const bool padded =
        end != bytes.end() && std::all_of(end, bytes.end(), [](std::uint8_t c) { return c == 0; });
    if (!padded) fail(field, "expected text padded with zero bytes");
    return {bytes.begin(), end};
}

std::array<std::uint8_t, 16> make_uuid(const Sha256& hash) {
    std::array<std::uint8_t, 16> uuid{};
    std::copy_n(hash.begin(), uuid.size(), uuid.begin());
    uuid[6] = static_cast<std::uint8_t>(0x80 | (uuid[6] & 0x0f));  // version 8
    uuid[8] = static_cast<std::uint8_t>(0x80 | (uuid[8] & 0x3f));  // variant
    return uuid;
}

void expect_zero(Bytes bytes, const Field& field) {
    if (std::ranges::any_of(bytes, [](std::uint8_t c) { return c != 0; })) fail(field, "expected zero bytes");
}

}  // namespace

std::array<std::uint8_t, HeaderBytes> make_header(const std::string& name,
                                                  std::span<const std::uint8_t> tar) {
    if (name.size() >= Name.bytes)
        throw Error(fmt::format("kernel name of {} bytes, at most {}", name.size(), Name.bytes - 1));
    std::array<std::uint8_t, HeaderBytes> header{};
    for (const Constant& constant : Constants) put_number(header, constant.field, constant.value);
    put_number(header, DataSize, tar.size());
    const Sha256 hash = sha256(tar);
    std::ranges::copy(BuildText, header.begin() + Build.offset);
    std::ranges::copy(hash, header.begin() + Hash.offset);
    std::ranges::copy(make_uuid(hash), header.begin() + Uuid.offset);
    std::ranges::copy(name, header.begin() + Name.offset);
    header[TpbPerNode.offset] = 1;
    return header;
}

std::string check_header(std::span<const std::uint8_t> file) {
    constexpr std::array<std::uint8_t, 4> Elf{0x7f, 'E', 'L', 'F'};
    if (std::ranges::equal(file.first(std::min(file.size(), Elf.size())), Elf))
        throw Error("is an ELF file, expected a kernel");
    if (firmware::is_image(file)) throw Error("is an image for GpSimd cores, expected a kernel");
    if (file.size() < HeaderBytes) {
        throw Error(fmt::format("truncated header: {} bytes, expected {}", file.size(), HeaderBytes));
    }
    for (const Constant& constant : Constants) {
        const std::uint64_t found = number(file, constant.field);
        if (found != constant.value)
            fail(constant.field, fmt::format("found {}, expected {}", found, constant.value));
    }
    if (text(file, Build) != BuildText) fail(Build, fmt::format("expected '{}'", BuildText));
    if (file[TpbPerNode.offset] != 1)
        fail(TpbPerNode, fmt::format("found {}, expected 1", file[TpbPerNode.offset]));
    expect_zero(part(file, TpbPerNode).subspan(1), TpbPerNode);
    expect_zero(part(file, Padding), Padding);

    const std::uint64_t found = file.size() - HeaderBytes;
    const std::uint64_t expected = number(file, DataSize);
    if (found != expected) {
        fail(DataSize, fmt::format("{} bytes, but {} follow the header: the file is {}", expected, found,
                                   found < expected ? "truncated" : "too long"));
    }
    const Sha256 hash = sha256(file.subspan(HeaderBytes));
    if (!std::ranges::equal(part(file, Hash), hash))
        fail(Hash, "does not match the tar: the file is damaged");
    if (!std::ranges::equal(part(file, Uuid), make_uuid(hash))) fail(Uuid, "does not belong to the hash");
    const std::string name = text(file, Name);
    if (name.empty()) fail(Name, "expected a name");
    return name;
}

}  // namespace trnsim::neff
