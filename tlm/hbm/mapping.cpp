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
    std::array<unsigned, 5> filled{};  // bits of each field
    parts_.reserve(row_.fields.size());
    bool in_chunk = true;
    for (const FieldBits& part : row_.fields) {
        unsigned& bits = filled[static_cast<std::size_t>(part.field)];
        parts_.push_back({static_cast<std::uint8_t>(row_shift_), static_cast<std::uint8_t>(part.field),
                          static_cast<std::uint8_t>(bits), (1U << part.bits) - 1});
        bits += part.bits;
        row_shift_ += part.bits;
        in_chunk = in_chunk && (part.field == Column || part.field == Group);
        if (!in_chunk) continue;
        ++chunk_parts_;
        chunk_bursts_ <<= part.bits;
        if (part.field == Group) groups_ <<= part.bits;
        if (groups_ == 1) run_bursts_ <<= part.bits;
    }
}

Location Mapping::decode_burst(std::uint64_t burst, std::size_t skipped) const {
    std::array<unsigned, 5> values{};
    for (const Part& part : std::span(parts_).subspan(skipped))
        values[part.field] |= (static_cast<std::uint32_t>(burst >> part.shift) & part.mask) << part.at;
    const auto value = [&](Field field) { return values[static_cast<std::size_t>(field)]; };
    const auto row = static_cast<std::uint32_t>(burst >> row_shift_);
    const unsigned bank = value(Group) * BanksPerGroup + value(Bank);
    return {value(Channel), value(Pseudo), row_.hashed ? bank ^ (row % Banks) : bank, row, value(Column)};
}

Location Mapping::decode(std::uint64_t address) const {
    return decode_burst(address / BurstBytes, 0);
}

// Of the first `end` bursts of a chunk.
unsigned Mapping::bursts_of_group(unsigned group, unsigned end) const {
    const unsigned round = run_bursts_ * groups_;
    const unsigned rest = end % round, before = group * run_bursts_;
    return end / round * run_bursts_ + std::min(rest > before ? rest - before : 0, run_bursts_);
}

// Within a chunk each group of which there are bursts gets a piece; its first burst is that of the request or
// the first one of its next run.
void Mapping::split(std::uint64_t address, std::uint64_t length, std::vector<Piece>& pieces) const {
    pieces.clear();
    const std::uint64_t last = (address + length - 1) / BurstBytes;
    for (std::uint64_t burst = address / BurstBytes; burst <= last;) {
        const std::uint64_t chunk = burst & ~std::uint64_t{chunk_bursts_ - 1};
        const auto begin = static_cast<unsigned>(burst - chunk);
        const auto end = static_cast<unsigned>(std::min<std::uint64_t>(chunk_bursts_, last + 1 - chunk));
        const Location start = decode_burst(chunk, chunk_parts_);
        for (unsigned first = begin, n = 0; n < groups_ && first < end; ++n) {
            const unsigned group = first / run_bursts_ % groups_;
            const unsigned before = bursts_of_group(group, first);
            Piece piece{start, bursts_of_group(group, end) - before};
            piece.first.bank ^= group * BanksPerGroup;  // the chunk's own has these bits from the hash alone
            piece.first.column += before;
            pieces.push_back(piece);
            first = (first / run_bursts_ + 1) * run_bursts_;
        }
        burst = chunk + end;
    }
}

}  // namespace trnsim::tlm::hbm
