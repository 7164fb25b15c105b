#include "arch/checkpoint/file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "arch/checkpoint/archive.hpp"
#include "base/files/files.hpp"

namespace trnsim::checkpoint {
namespace {

constexpr std::string_view Magic = "trnsimck";
constexpr std::size_t HeaderBytes = 24;
constexpr std::uint64_t MostBytes = std::uint64_t{1}
                                    << 40;  // bytes of a state; HBM and the memories of a chip have far fewer

struct Header {
    std::uint32_t version = Version, crc = 0;
    std::uint64_t bytes = 0;
};

template <typename A>
void archive(A& a, Header& header) {
    archive_all(a, header.version, header.crc, header.bytes);
}

std::uint32_t crc_of(std::span<const std::uint8_t> bytes) {
    return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()));
}

}  // namespace

void write(const std::filesystem::path& path, SystemState& state) {
    Writer writer;
    archive(writer, state);
    const std::vector<std::uint8_t>& bytes = writer.data();
    uLongf length = compressBound(bytes.size());
    std::vector<std::uint8_t> compressed(length);
    if (compress2(compressed.data(), &length, bytes.data(), bytes.size(), Z_BEST_SPEED) != Z_OK)
        throw std::bad_alloc();
    compressed.resize(length);
    Header header{.crc = crc_of(compressed), .bytes = bytes.size()};
    Writer file;
    file.data().assign(Magic.begin(), Magic.end());
    archive(file, header);
    file.data().insert(file.data().end(), compressed.begin(), compressed.end());
    files::write(path, file.data());
}

SystemState read(const std::filesystem::path& path) {
    const std::vector<std::uint8_t> file = files::read(path);
    const auto refuse = [&path](const std::string& what) {
        return Error(fmt::format("{}: {}", path.string(), what));
    };
    if (file.size() < HeaderBytes || !std::equal(Magic.begin(), Magic.end(), file.begin()))
        throw refuse("no checkpoint, expected a file of --save-checkpoint");
    Reader start(std::span<const std::uint8_t>(file).subspan(Magic.size(), HeaderBytes - Magic.size()));
    Header header;
    archive(start, header);
    if (header.version != Version)
        throw refuse(fmt::format("a checkpoint of version {}, expected {}", header.version, Version));
    // zlib compresses to about a thousandth at best.
    constexpr std::uint64_t BestRatio = 1100;
    if (header.bytes > MostBytes || header.bytes / BestRatio > file.size())
        throw refuse(fmt::format("a checkpoint of {} bytes in a file of {}, expected it to fit", header.bytes,
                                 file.size()));
    const auto compressed = std::span<const std::uint8_t>(file).subspan(HeaderBytes);
    std::vector<std::uint8_t> bytes(header.bytes);
    uLongf length = bytes.size();
    if (crc_of(compressed) != header.crc ||
        uncompress(bytes.data(), &length, compressed.data(), compressed.size()) != Z_OK ||
        length != bytes.size())
        throw refuse("a damaged checkpoint, its checksum does not fit");
    SystemState state;
    try {
        Reader reader(bytes);
        archive(reader, state);
        if (!reader.ended()) throw Error("something follows the state");
    } catch (const Error& error) {
        throw refuse(fmt::format("a damaged checkpoint: {}", error.what()));
    }
    return state;
}

}  // namespace trnsim::checkpoint
