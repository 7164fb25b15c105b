#include "model/hbm/edges.hpp"

#include <array>
#include <string>

namespace trnsim::tlm::hbm {
namespace {

using T = const config::DramTiming&;

constexpr CommandSet Act = set_of(Command::Activate), Pre = set_of(Command::Precharge),
                     PreA = set_of(Command::PrechargeAll), Rd = set_of(Command::Read),
                     RdA = set_of(Command::ReadAuto), Wr = set_of(Command::Write),
                     WrA = set_of(Command::WriteAuto), RefAb = set_of(Command::RefreshAll),
                     RefPb = set_of(Command::RefreshBank);
constexpr CommandSet Reads = Rd | RdA, Writes = Wr | WrA;

#define TRNSIM_CYCLES(expression)         \
    [](T t) -> Cycle {                    \
        constexpr Cycle BL = BurstCycles; \
        static_cast<void>(BL);            \
        return expression;                \
    }

// ACT RC also covers the row that RDA and WRA close no earlier than tRAS after ACT: tRC is at least tRAS +
// tRP (a rule of the configuration). A refresh of a bank counts as an activation of it. A stack refreshes all
// banks together or one by one, never both.
constexpr std::array Edges{
    Edge{Act, Reads, Scope::Bank, "RCDRD", TRNSIM_CYCLES(t.rcd_rd)},
    Edge{Act, Writes, Scope::Bank, "RCDWR", TRNSIM_CYCLES(t.rcd_wr)},
    Edge{Act, Pre, Scope::Bank, "RAS", TRNSIM_CYCLES(t.ras)},
    Edge{Act, PreA, Scope::Pseudo, "RAS", TRNSIM_CYCLES(t.ras)},
    Edge{Act, Act | RefPb, Scope::Bank, "RC", TRNSIM_CYCLES(t.rc)},
    Edge{Act, RefAb, Scope::Pseudo, "RC", TRNSIM_CYCLES(t.rc)},
    Edge{Act, Act | RefPb, Scope::Group, "RRDL", TRNSIM_CYCLES(t.rrd_l)},
    Edge{Act, Act | RefPb, Scope::Pseudo, "RRDS", TRNSIM_CYCLES(t.rrd_s)},
    Edge{Act | RefPb, Act | RefPb, Scope::Pseudo, "FAW", TRNSIM_CYCLES(t.faw), 4},
    Edge{Reads, Reads, Scope::Group, "CCDL", TRNSIM_CYCLES(t.ccd_l)},
    Edge{Reads, Reads, Scope::Pseudo, "CCDS", TRNSIM_CYCLES(t.ccd_s)},
    Edge{Writes, Writes, Scope::Group, "CCDL", TRNSIM_CYCLES(t.ccd_l)},
    Edge{Writes, Writes, Scope::Pseudo, "CCDS", TRNSIM_CYCLES(t.ccd_s)},
    Edge{Reads, Writes, Scope::Pseudo, "RTW", TRNSIM_CYCLES(t.rtw)},
    Edge{Writes, Reads, Scope::Group, "CWL + BL + WTRL", TRNSIM_CYCLES(t.cwl + BL + t.wtr_l)},
    Edge{Writes, Reads, Scope::Pseudo, "CWL + BL + WTRS", TRNSIM_CYCLES(t.cwl + BL + t.wtr_s)},
    Edge{Wr, RdA, Scope::Bank, "CWL + BL + WR - RTP",
         TRNSIM_CYCLES(t.cwl + BL + (t.wr > t.rtp ? t.wr - t.rtp : 0))},
    Edge{Rd, Pre, Scope::Bank, "RTP", TRNSIM_CYCLES(t.rtp)},
    Edge{Rd, PreA, Scope::Pseudo, "RTP", TRNSIM_CYCLES(t.rtp)},
    Edge{Wr, Pre, Scope::Bank, "CWL + BL + WR", TRNSIM_CYCLES(t.cwl + BL + t.wr)},
    Edge{Wr, PreA, Scope::Pseudo, "CWL + BL + WR", TRNSIM_CYCLES(t.cwl + BL + t.wr)},
    Edge{Pre, Act | RefPb, Scope::Bank, "RP", TRNSIM_CYCLES(t.rp)},
    Edge{Pre, RefAb, Scope::Pseudo, "RP", TRNSIM_CYCLES(t.rp)},
    Edge{PreA, Act | RefAb, Scope::Pseudo, "RP", TRNSIM_CYCLES(t.rp)},
    Edge{RdA, Act | RefPb, Scope::Bank, "RTP + RP", TRNSIM_CYCLES(t.rtp + t.rp)},
    Edge{RdA, RefAb, Scope::Pseudo, "RTP + RP", TRNSIM_CYCLES(t.rtp + t.rp)},
    Edge{WrA, Act | RefPb, Scope::Bank, "CWL + BL + WR + RP", TRNSIM_CYCLES(t.cwl + BL + t.wr + t.rp)},
    Edge{WrA, RefAb, Scope::Pseudo, "CWL + BL + WR + RP", TRNSIM_CYCLES(t.cwl + BL + t.wr + t.rp)},
    Edge{RefAb, Act | RefAb, Scope::Pseudo, "RFCab", TRNSIM_CYCLES(t.rfc_ab)},
    Edge{RefPb, Act | RefPb, Scope::Bank, "RFCpb", TRNSIM_CYCLES(t.rfc_pb)},
    Edge{RefPb, Act | RefPb, Scope::Pseudo, "RREFD", TRNSIM_CYCLES(t.rrefd)},
};

#undef TRNSIM_CYCLES

}  // namespace

std::span<const Edge> edges() {
    return Edges;
}

std::string text_of(CommandSet set) {
    std::string text;
    for (std::size_t i = 0; i < Commands; ++i) {
        if (contains(set, static_cast<Command>(i)))
            text.append(text.empty() ? "" : ", ").append(CommandNames[i]);
    }
    return text;
}

}  // namespace trnsim::tlm::hbm
