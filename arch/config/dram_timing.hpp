// Timing parameters of HBM, in clock cycles (CK), and the presets they come from (docs/hbm.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trnsim::config {

struct BankedHbm;

// Names as in JESD235 without the t. In a configuration 0 stands for the value of the preset.
struct DramTiming {
    std::uint64_t cl = 0, cwl = 0;         // column command to data: read, write
    std::uint64_t rcd_rd = 0, rcd_wr = 0;  // ACT to RD, WR
    std::uint64_t rp = 0;                  // PRE to ACT
    std::uint64_t ras = 0;                 // ACT to PRE
    std::uint64_t rc = 0;                  // ACT to ACT of a bank
    std::uint64_t wr = 0;                  // end of write data to PRE
    std::uint64_t rtp = 0;                 // RD to PRE
    std::uint64_t ccd_s = 0, ccd_l = 0;    // RD to RD, WR to WR: other, same bank group
    std::uint64_t rrd_s = 0, rrd_l = 0;    // ACT to ACT: other, same bank group
    std::uint64_t faw = 0;                 // window of at most four ACTs
    std::uint64_t wtr_s = 0, wtr_l = 0;    // end of write data to RD: other, same bank group
    std::uint64_t rtw = 0;                 // RD to WR
    std::uint64_t rfc_ab = 0, rfc_pb = 0;  // all-bank, per-bank refresh to the next command of its banks
    std::uint64_t rrefd = 0;               // per-bank refresh to ACT or refresh of another bank
    std::uint64_t refi = 0, refi_pb = 0;   // average distance of all-bank, per-bank refreshes
    bool operator==(const DramTiming&) const = default;
};

struct DramParameter {
    std::string_view name;  // key below hbm.banked.timing
    std::uint64_t DramTiming::*value;
    std::uint64_t a, b;  // values of the presets, at 1.6 GHz
};

std::span<const DramParameter> dram_parameters();

// Returns the values of the preset with those that the configuration overrides.
DramTiming timing_of(const BankedHbm& hbm);

}  // namespace trnsim::config
