#include "model/hbm/mapping.hpp"

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

const MappingRow& find_mapping(std::string_view name) {
    const auto found = std::ranges::find(Rows, name, &MappingRow::name);
    if (found == Rows.end()) throw std::invalid_argument(fmt::format("no HBM address mapping '{}'", name));
    return *found;
}

}  // namespace

std::span<const MappingRow> mappings() {
    return Rows;
}

Mapping::Mapping(std::string_view name) : row_(find_mapping(name)) {
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
        chunk_shift_ += part.bits;
        if (part.field == Group) group_shift_ += part.bits;
        if (group_shift_ == 0) run_shift_ += part.bits;
    }
    for (std::uint64_t run = 0; run < std::uint64_t{1} << (row_shift_ - run_shift_); ++run)
        runs_.push_back(decode_low(run << run_shift_));
}

Mapping::Low Mapping::decode_low(std::uint64_t burst) const {
    std::array<std::uint32_t, 5> values{};
    for (const Part& part : parts_)
        values[part.field] |= (static_cast<std::uint32_t>(burst >> part.shift) & part.mask) << part.at;
    const auto value = [&](Field field) {
        return static_cast<std::uint8_t>(values[static_cast<std::size_t>(field)]);
    };
    return {value(Field::Channel), value(Pseudo),
            static_cast<std::uint8_t>(value(Group) * BanksPerGroup + value(Bank)), value(Column)};
}

}  // namespace trnsim::tlm::hbm
