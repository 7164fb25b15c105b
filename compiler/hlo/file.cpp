#include "compiler/hlo/file.hpp"

#include <zlib.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/wire.hpp"

namespace trnsim::hlo {
namespace {

constexpr std::uint32_t EntryId = 6;      // a field of HloModuleProto that its wrappers lack
constexpr std::uint32_t InnerModule = 1;  // of HloProto and HloModuleProtoWithConfig

bool is_text(std::string_view bytes) {
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return false;
    return bytes.substr(begin).starts_with("HloModule") || bytes.substr(begin).starts_with("//") ||
           bytes.substr(begin).starts_with("/*");
}

// Returns the module in a wrapper, or the bytes themselves.
std::string_view unwrapped(std::string_view bytes) {
    std::string_view module = bytes;
    for (const wire::Field& field : wire::split(bytes)) {
        if (field.number == EntryId && field.type == wire::Type::Varint) return bytes;
        if (field.number == InnerModule && field.type == wire::Type::Bytes) module = field.bytes;
    }
    if (module.size() == bytes.size()) return bytes;
    try {
        const auto fields = wire::split(module);
        const bool is_module =
            std::ranges::any_of(fields, [](const wire::Field& field) { return field.number == EntryId; });
        return is_module ? module : bytes;
    } catch (const Error&) {
        return bytes;
    }
}

Module parse_any(std::string_view bytes) {
    if (bytes.size() > MaxBytes) throw Error(fmt::format("has {} bytes, at most {}", bytes.size(), MaxBytes));
    if (bytes.starts_with("ML\xefR"))
        throw Error("is MLIR bytecode, expected HLO: jaxlib converts StableHLO to it");
    if (is_text(bytes)) return parse_text(bytes);
    return parse_proto(unwrapped(bytes));
}

}  // namespace

std::string inflate(std::span<const std::uint8_t> gzip) {
    z_stream stream{};
    constexpr int GzipWindow = 15 + 16;
    if (::inflateInit2(&stream, GzipWindow) != Z_OK) throw Error("zlib cannot begin to inflate");
    const struct End {
        z_stream* stream;
        ~End() { ::inflateEnd(stream); }
    } end{&stream};
    stream.next_in = const_cast<Bytef*>(gzip.data());
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(gzip.size(), MaxBytes));
    std::string bytes;
    std::vector<char> piece(std::size_t{1} << 16);
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        status = ::inflate(&stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END) throw Error("its gzip data is damaged or cut off");
        bytes.append(piece.data(), piece.size() - stream.avail_out);
        if (bytes.size() > MaxBytes) throw Error(fmt::format("inflates to more than {} bytes", MaxBytes));
    }
    return bytes;
}

Module parse(std::span<const std::uint8_t> bytes, std::string_view name) {
    try {
        if (bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return parse_any(inflate(bytes));
        return parse_any({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } catch (const Error& error) {
        throw Error(text::message(fmt::format("{}: {}", name, error.what())));
    }
}

Module read(const std::filesystem::path& path) {
    return parse(files::read(path), path.string());
}

}  // namespace trnsim::hlo
