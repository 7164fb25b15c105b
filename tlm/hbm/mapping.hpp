// Address mappings: which bits of an address say what. A mapping is a row of a table, its fields from the
// lowest address bit above a burst upwards; the row is what is left.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tlm/hbm/organisation.hpp"

namespace trnsim::tlm::hbm {

enum class Field : std::uint8_t { Group, Bank, Column, Pseudo, Channel };

struct FieldBits {
    Field field;
    unsigned bits;
};

struct MappingRow {
    std::string_view name, doc;
    std::vector<FieldBits> fields;
    bool hashed;  // the bank is XORed with the low bits of the row
};

std::span<const MappingRow> mappings();

// Bursts of consecutive columns of one row: of a request, what goes to one bank.
struct Piece {
    Location first;
    unsigned bursts;
};

class Mapping {
  public:
    // Throws std::invalid_argument for a name that is not in the table.
    explicit Mapping(std::string_view name);

    Location decode(std::uint64_t address) const;

    // The pieces of [address, address + length), in the order of their first bursts.
    void split(std::uint64_t address, std::uint64_t length, std::vector<Piece>& pieces) const;

  private:
    // Bits of a burst's number.
    struct Part {
        std::uint8_t shift;      // in the number
        std::uint8_t field, at;  // where they go: field and shift in it
        std::uint32_t mask;
    };
    // A location without its row, and before it is hashed.
    struct Low {
        std::uint8_t channel, pseudo, bank, column;
    };
    Low decode_low(std::uint64_t burst) const;
    Location complete(Low low, std::uint64_t burst) const;
    unsigned bursts_of_group(unsigned group, unsigned end) const;

    const MappingRow& row_;
    std::vector<Part> parts_;
    unsigned row_shift_ = 0;
    // A chunk: consecutive bursts that differ in column and group only: runs of columns of its groups in turn.
    // Their numbers are powers of two.
    unsigned chunk_shift_ = 0, run_shift_ = 0, group_shift_ = 0;
    std::vector<Low> chunks_;  // first bursts of those that differ in more than the row
};

}  // namespace trnsim::tlm::hbm
