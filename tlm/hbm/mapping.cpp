#include "tlm/hbm/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace trnsim::tlm::hbm {
namespace {

using enum Field;

const std::vector<MappingRow> Rows{
    {"interleaved",
     "256 B in two bank groups of a pseudo channel, 64 B in turn, then the next pseudo channel",
     {{Column, 1}, {Group, 1}, {Column, 1}, {Pseudo, 1}, {Channel, 3}, {Column, 3}, {Group, 1}, {Bank, 2}},
     false},
    {"hashed",
     "as interleaved, with the bank XORed with the low bits of the row",
     {{Column, 1}, {Group, 1}, {Column, 1}, {Pseudo, 1}, {Channel, 3}, {Column, 3}, {Group, 1}, {Bank, 2}},
     true},
    {"row",
     "the 1 KiB of a row, then the next pseudo channel",
     {{Column, 5}, {Pseudo, 1}, {Channel, 3}, {Group, 2}, {Bank, 2}},
     false},
};

const MappingRow& find(std::string_view name) {
    const auto found = std::ranges::find(Rows, name, &MappingRow::name);
    if (found == Rows.end()) throw std::invalid_argument(fmt::format("no HBM address mapping '{}'", name));
    return *found;
}

}  // namespace

std::span<const MappingRow> mappings() {
    return Rows;
}

Mapping::Mapping(std::string_view name) : row_(find(name)) {
    unsigned bits = 0;
    for (const FieldBits& part : row_.fields) {
        if (part.field != Column && part.field != Group) break;
        if (part.field == Group) {
            group_shift_ = bits;
            groups_ = 1U << part.bits;
        }
        bits += part.bits;
    }
    chunk_bursts_ = 1U << bits;
}

Location Mapping::decode(std::uint64_t address) const {
    std::uint64_t rest = address / BurstBytes;
    unsigned values[5] = {}, filled[5] = {};
    for (const FieldBits& part : row_.fields) {
        const auto f = static_cast<std::size_t>(part.field);
        values[f] |= static_cast<unsigned>(rest & ((1U << part.bits) - 1)) << filled[f];
        filled[f] += part.bits;
        rest >>= part.bits;
    }
    const auto value = [&](Field field) { return values[static_cast<std::size_t>(field)]; };
    const auto row = static_cast<std::uint32_t>(rest);
    const unsigned bank = value(Group) * BanksPerGroup + value(Bank);
    return {value(Channel), value(Pseudo), row_.hashed ? bank ^ (row % Banks) : bank, row, value(Column)};
}

void Mapping::split(std::uint64_t address, std::uint64_t length, std::vector<Piece>& pieces) const {
    pieces.clear();
    const std::uint64_t last = (address + length - 1) / BurstBytes;
    std::uint64_t burst = address / BurstBytes;
    while (burst <= last) {
        const std::uint64_t end = std::min((burst / chunk_bursts_ + 1) * chunk_bursts_, last + 1);
        const std::size_t first_piece = pieces.size();
        std::array<std::size_t, BankGroups> piece_of{};  // by group within the chunk; 0: none yet
        for (; burst < end; ++burst) {
            std::size_t& piece = piece_of[burst >> group_shift_ & (groups_ - 1)];
            if (piece == 0) {
                pieces.push_back({decode(burst * BurstBytes), 0});
                piece = pieces.size() - first_piece;
            }
            ++pieces[first_piece + piece - 1].bursts;
        }
    }
}

}  // namespace trnsim::tlm::hbm
