#include "arch/config/dram_timing.hpp"

#include <array>

#include "arch/config/config.hpp"
#include "base/time/time.hpp"

namespace trnsim::config {
namespace {

// Estimates: nanoseconds that open simulators give for HBM2, in cycles of 0.625 ns, rounded up; tCCD stays in
// cycles. A follows Ramulator 2.1, B follows DRAMSys and gem5. rtw is CL + burst + 2 - CWL of each.
constexpr std::array Parameters{
    DramParameter{"cl", &DramTiming::cl, 23, 28},
    DramParameter{"cwl", &DramTiming::cwl, 8, 12},
    DramParameter{"rcd_rd", &DramTiming::rcd_rd, 23, 20},
    DramParameter{"rcd_wr", &DramTiming::rcd_wr, 20, 10},
    DramParameter{"rp", &DramTiming::rp, 23, 23},
    DramParameter{"ras", &DramTiming::ras, 55, 45},
    DramParameter{"rc", &DramTiming::rc, 78, 68},
    DramParameter{"wr", &DramTiming::wr, 26, 23},
    DramParameter{"rtp", &DramTiming::rtp, 8, 8},
    DramParameter{"ccd_s", &DramTiming::ccd_s, 2, 2},
    DramParameter{"ccd_l", &DramTiming::ccd_l, 4, 4},
    DramParameter{"rrd_s", &DramTiming::rrd_s, 7, 7},
    DramParameter{"rrd_l", &DramTiming::rrd_l, 7, 10},
    DramParameter{"faw", &DramTiming::faw, 24, 26},
    DramParameter{"wtr_s", &DramTiming::wtr_s, 10, 7},
    DramParameter{"wtr_l", &DramTiming::wtr_l, 13, 15},
    DramParameter{"rtw", &DramTiming::rtw, 19, 20},
    DramParameter{"rfc_ab", &DramTiming::rfc_ab, 560, 416},
    DramParameter{"rfc_pb", &DramTiming::rfc_pb, 256, 154},
    DramParameter{"rrefd", &DramTiming::rrefd, 13, 13},
    DramParameter{"refi", &DramTiming::refi, 6240, 6240},
    DramParameter{"refi_pb", &DramTiming::refi_pb, 390, 390},
};

}  // namespace

std::span<const DramParameter> dram_parameters() {
    return Parameters;
}

std::uint64_t peak_bandwidth(const Hbm& hbm) {
    if (hbm.model == "simple") return hbm.bandwidth;
    constexpr std::uint64_t StackBytes = 1024 / 8;  // bytes of a transfer
    return hbm.stacks * 2 * StackBytes * FsPerSecond / hbm.banked.tck;
}

std::uint64_t unloaded_read_latency(const Hbm& hbm) {
    if (hbm.model == "simple") return hbm.read_latency;
    const DramTiming timing = timing_of(hbm.banked);
    return (timing.rcd_rd + timing.cl) * hbm.banked.tck + hbm.banked.read_latency;
}

DramTiming timing_of(const BankedHbm& hbm) {
    DramTiming timing = hbm.timing;
    for (const DramParameter& parameter : Parameters) {
        if (timing.*parameter.value == 0)
            timing.*parameter.value = hbm.preset == "A" ? parameter.a : parameter.b;
    }
    return timing;
}

}  // namespace trnsim::config
