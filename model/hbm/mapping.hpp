// Address mappings: the meaning of the bits of an address. A mapping is a row of a table with its fields from
// the lowest address bit above a burst upwards; the remaining bits are the row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/hbm/organisation.hpp"

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

class Mapping {
  public:
    // Throws std::invalid_argument for a name that is not in the table.
    explicit Mapping(std::string_view name);

    Location decode(std::uint64_t address) const { return locate(address / BurstBytes); }

    // Cuts [address, address + length) into pieces, which are bursts of consecutive columns of one row, and
    // calls piece(first, bursts) in the order of their first bursts.
    //
    // Within a chunk each group with bursts gets one piece; its first burst is that of the request or the
    // first one of its next run.
    template <typename Piece>
    void for_each_piece(std::uint64_t address, std::uint64_t length, Piece piece) const {
        const std::uint64_t last = (address + length - 1) / BurstBytes;
        std::uint64_t burst = address / BurstBytes;
        if (burst >> run_shift_ == last >> run_shift_) {  // short requests: there is one piece
            piece(locate(burst), static_cast<unsigned>(last + 1 - burst));
            return;
        }
        const unsigned groups = 1U << group_shift_, chunk_bursts = 1U << chunk_shift_;
        while (burst <= last) {
            const std::uint64_t chunk = burst & ~std::uint64_t{chunk_bursts - 1};
            const auto end = static_cast<unsigned>(std::min<std::uint64_t>(chunk_bursts, last + 1 - chunk));
            auto first = static_cast<unsigned>(burst - chunk);
            for (unsigned n = 0; n < groups && first < end; ++n) {
                const unsigned group = (first >> run_shift_) & (groups - 1);
                piece(locate(chunk + first), bursts_of_group(group, end) - bursts_of_group(group, first));
                first = ((first >> run_shift_) + 1) << run_shift_;
            }
            burst = chunk + end;
        }
    }

  private:
    // A bit field of a burst's number.
    struct Part {
        std::uint8_t shift;      // position in the number
        std::uint8_t field, at;  // destination: field and shift in it
        std::uint32_t mask;
    };
    // A location without its row, before hashing.
    struct Low {
        std::uint8_t channel, pseudo, bank, column;
    };
    Low decode_low(std::uint64_t burst) const;
    Location locate(std::uint64_t burst) const {
        const Low& run = runs_[(burst >> run_shift_) & (runs_.size() - 1)];
        const auto row = static_cast<std::uint32_t>(burst >> row_shift_);
        const auto in_run = static_cast<unsigned>(burst) & ((1U << run_shift_) - 1);
        return {run.channel, run.pseudo, row_.hashed ? run.bank ^ (row % Banks) : run.bank, row,
                run.column + in_run};
    }
    // Returns the bursts of a group among the first `end` bursts of a chunk.
    unsigned bursts_of_group(unsigned group, unsigned end) const {
        const unsigned round_shift = run_shift_ + group_shift_;
        const unsigned rest = end & ((1U << round_shift) - 1), before = group << run_shift_;
        return (end >> round_shift << run_shift_) +
               std::min(rest > before ? rest - before : 0, 1U << run_shift_);
    }

    const MappingRow& row_;
    std::vector<Part> parts_;
    unsigned row_shift_ = 0;
    // A chunk is consecutive bursts that differ only in column and group: runs of columns of its groups in
    // turn. The sizes of chunk and run and the number of groups are powers of two.
    unsigned chunk_shift_ = 0, run_shift_ = 0, group_shift_ = 0;
    std::vector<Low> runs_;  // first bursts of the runs that differ in more than the row
};

}  // namespace trnsim::tlm::hbm
