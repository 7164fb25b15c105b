// The bus reaches every byte of both memories and nothing else, also where PSUM is larger than SBUF.
#include <gtest/gtest.h>

#include "Vdecode_target_tb.h"
#include "isa/isa_tables.hpp"
#include "tests/common/model.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint32_t Lanes = 16, SbufBytes = 4096, PsumBytes = 16384, BeatBytes = 64;
constexpr std::uint32_t SbufStride = 0x40000;
enum Region : std::uint8_t { None, Sbuf, Psum, System, Tcm };

TEST(DecodeTarget, EveryBeatOfEveryPartition) {
    Model<Vdecode_target_tb> top;
    const auto expect = [&](std::uint32_t address, Region region, std::uint32_t lane, std::uint32_t row) {
        top.addr_i = address;
        top.eval();
        EXPECT_EQ(top.region_o, region) << std::hex << address;
        if (region == None || region == System) return;
        EXPECT_EQ(top.lane_o, lane) << std::hex << address;
        EXPECT_EQ(top.row_o, row) << std::hex << address;
    };
    for (std::uint32_t lane = 0; lane < Lanes; ++lane) {
        for (std::uint32_t offset = 0; offset < PsumBytes; offset += BeatBytes / 2) {
            const std::uint32_t row = offset / BeatBytes * BeatBytes / 4;
            expect(lane * SbufStride + offset, offset < SbufBytes ? Sbuf : None, lane, row);
            expect(isa::window::PsumBase + lane * isa::window::PsumPartitionStride + offset, Psum, lane, row);
        }
        expect(lane * SbufStride + SbufBytes - 1, Sbuf, lane, (SbufBytes - BeatBytes) / 4);
        expect((lane + 1) * SbufStride - 1, None, 0, 0);
    }
    expect(Lanes * SbufStride, None, 0, 0);
    expect(isa::window::PsumBase + Lanes * isa::window::PsumPartitionStride, None, 0, 0);
    for (std::uint32_t offset = 0; offset < isa::window::GpsimdTcmStride; offset += BeatBytes / 2)
        expect(isa::window::GpsimdTcmBase + offset, Tcm, 0, offset / BeatBytes * BeatBytes / 4);
    expect(isa::window::GpsimdTcmBase - 1, None, 0, 0);
    expect(isa::window::GpsimdTcmBase + isa::window::GpsimdTcmStride, None, 0, 0);
    expect(isa::window::EventBase, System, 0, 0);
}

}  // namespace
}  // namespace trnsim::test
