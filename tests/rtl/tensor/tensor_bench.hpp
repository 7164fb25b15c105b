// The Tensor engine on real memories beside a host model, with instructions for it and patterns of operands.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "Vtensor_engine_tb.h"
#include "cfg_parameters.hpp"
#include "tensor_model.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {

using isa::Dtype;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr unsigned Rows = cfg::Rows, Columns = cfg::Cols, Lanes = cfg::Lanes;
constexpr unsigned BeatBytes = cfg::AxiDataWidth / 8;
constexpr unsigned BankWords = cfg::PsumBytes / cfg::PsumBanks / 4;
constexpr unsigned SbufUsed = 4096;  // bytes of each partition that most tests fill
constexpr std::uint32_t SbufStride = Lanes > 128 ? 1u << 17 : 1u << 18;
inline constexpr std::array Formats{Dtype::Bf16,    Dtype::Fp16,    Dtype::Tf32,   Dtype::Fp32,
                                    Dtype::Fp8E4m3, Dtype::Fp8E5m2, Dtype::Fp8E3m4};

inline std::uint32_t sbuf_address(unsigned partition, unsigned byte) {
    return partition * SbufStride + byte;
}
inline std::uint32_t psum_address(unsigned partition, unsigned word) {
    return isa::window::PsumBase + partition * isa::window::PsumPartitionStride + 4 * word;
}

class Bench {
  public:
    // `sbuf_bytes`: the bytes that a test uses, from the begin of each partition.
    explicit Bench(unsigned sbuf_bytes = SbufUsed) : model(Rows, Columns, Lanes, sbuf_bytes, cfg::PsumBytes) {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        step();
        top_.rst_ni = 1;
        step();
    }

    TensorModel model;
    std::uint64_t cycle = 0;
    std::vector<std::uint64_t> accepted, done;
    unsigned held = 0;  // number of 16 cycles in which a row group gets no row of its moving operand
    struct Activity {   // cycles
        unsigned idle = 0, load_normal = 0, load_fast = 0, matmul = 0;
    } activity;

    void step() {
        top_.clk_i = 0;
        top_.moving_hold_i = 0;
        for (unsigned g = 0; held > 0 && g < isa::array::RowGroups; ++g)
            top_.moving_hold_i |= unsigned{holds_() % 16 < held} << g;
        top_.eval();
        const bool take = top_.instr_valid_i && top_.instr_ready_o;
        if (take) accepted.push_back(cycle);
        if (top_.done_o) done.push_back(cycle);
        activity.idle += top_.activity_o & 1u;
        activity.load_normal += top_.activity_o >> 1 & 1u;
        activity.load_fast += top_.activity_o >> 2 & 1u;
        activity.matmul += top_.activity_o >> 3 & 1u;
        top_.clk_i = 1;
        top_.eval();
        ++cycle;
        if (take) top_.instr_valid_i = 0;
    }

    isa::Error verdict(const Instruction& instruction) {
        std::memcpy(&top_.instr_i, instruction.bytes().data(), isa::InstructionBytes);
        top_.clk_i = 0;
        top_.eval();
        return static_cast<isa::Error>(top_.reject_o);
    }

    void issue(const Instruction& instruction) {
        ASSERT_EQ(verdict(instruction), isa::Error::None);
        top_.instr_valid_i = 1;
        while (top_.instr_valid_i) step();
        model.execute(instruction);
    }

    void drain() {
        for (int limit = 0; top_.busy_o && limit < 100000; ++limit) step();
        step();
        ASSERT_FALSE(top_.busy_o);
        ASSERT_EQ(accepted.size(), done.size());
    }

    // Copies the model's SBUF into the RTL's.
    void fill() {
        for (unsigned lane = 0; lane < Lanes; ++lane) {
            for (unsigned byte = 0; byte < model.sbuf[lane].size(); byte += BeatBytes) {
                top_.sbuf_we_i = 1;
                top_.sbuf_lane_i = lane;
                top_.sbuf_row_i = byte / 4;
                std::memcpy(&top_.sbuf_data_i, &model.sbuf[lane][byte], BeatBytes);
                step();
            }
        }
        top_.sbuf_we_i = 0;
    }

    // Compares every word of PSUM that the program has written, bit by bit.
    void compare(const std::string& what) {
        for (unsigned lane = 0; lane < Lanes; ++lane) {
            for (unsigned byte = 0; byte < cfg::PsumBytes; byte += BeatBytes) {
                top_.psum_re_i = 1;
                top_.psum_lane_i = lane;
                top_.psum_row_i = byte / 4;
                step();
                std::array<std::uint32_t, BeatBytes / 4> words;
                std::memcpy(words.data(), &top_.psum_data_o, BeatBytes);
                for (unsigned w = 0; w < words.size(); ++w) {
                    ASSERT_EQ(words[w], numerics::bits_of(model.psum[lane][byte / 4 + w]))
                        << what << ": PSUM partition " << lane << " word " << byte / 4 + w;
                }
            }
        }
        top_.psum_re_i = 0;
    }

  private:
    Model<Vtensor_engine_tb> top_;
    std::mt19937_64 holds_ = generator();
};

inline Instruction shaped(Opcode opcode, std::array<unsigned, 4> count) {
    Instruction i(opcode);
    return i.set(field::Count0, count[0])
        .set(field::Count1, count[1])
        .set(field::Count2, count[2])
        .set(field::Count3, count[3]);
}

inline Instruction load(Dtype dtype, unsigned rows, unsigned columns, unsigned partition = 0,
                        unsigned byte = 0) {
    return shaped(Opcode::LoadStationary, {columns, 1, 1, 1})
        .set(field::Partitions, rows)
        .set(field::ADtype, dtype)
        .set(field::AAddr, sbuf_address(partition, byte))
        .set_signed(field::AStep0, 1);
}

inline Instruction matmul(Dtype dtype, unsigned rows, unsigned columns, unsigned n, unsigned partition = 0,
                          unsigned byte = 0, unsigned word = 0) {
    return shaped(Opcode::MultiplyMoving, {n, 1, 1, 1})
        .set(field::Partitions, rows)
        .set(field::Columns, columns)
        .set(field::ADtype, dtype)
        .set(field::AAddr, sbuf_address(partition, byte))
        .set_signed(field::AStep0, 1)
        .set(field::DstDtype, Dtype::Fp32)
        .set(field::DstAddr, psum_address(0, word))
        .set_signed(field::DstStep0, 1);
}

inline void fill_random(TensorModel& model, std::mt19937_64& random) {
    for (auto& partition : model.sbuf) {
        for (std::size_t byte = 0; byte < partition.size(); byte += 8) {
            const std::uint64_t bits = random();
            std::memcpy(&partition[byte], &bits, 8);
        }
    }
}

// A pattern of about `elements` elements that stays within `limit` elements from 0: counts and steps.
struct Pattern {
    std::array<unsigned, 4> count;
    std::array<int, 4> step;
    int low;  // lowest offset, <= 0
    int high;
};
inline Pattern random_pattern(std::mt19937_64& random, const std::array<unsigned, 4>& count, int limit,
                              bool distinct) {
    for (;;) {
        Pattern p{count, {}, 0, 0};
        int dense = 1;
        for (int d = 0; d < 4; ++d) {
            p.step[d] = distinct || random() % 2 ? dense : static_cast<int>(random() % 7) - 3;
            if (random() % 4 == 0) p.step[d] = -p.step[d];
            dense *= static_cast<int>(count[d]);
            const int reach = p.step[d] * static_cast<int>(count[d] - 1);
            (reach < 0 ? p.low : p.high) += reach;
        }
        if (p.high - p.low < limit) return p;
    }
}

inline std::array<unsigned, 4> random_count(std::mt19937_64& random, unsigned most) {
    std::array<unsigned, 4> count{1, 1, 1, 1};
    unsigned left = 1 + random() % most;
    const int dims = 1 + random() % 4;
    for (int d = 0; d < dims; ++d) {
        count[d] = d == dims - 1 ? left : 1 + random() % left;
        left /= count[d];
        if (left == 0) break;
    }
    return count;
}

template <std::size_t N>
void set_steps(Instruction& i, const std::array<const isa::Field*, N>& fields,
               const std::array<int, 4>& step) {
    for (std::size_t d = 0; d < N; ++d) i.set_signed(*fields[d], step[d]);
}
inline const std::array<const isa::Field*, 4> ASteps{&field::AStep0, &field::AStep1, &field::AStep2,
                                                     &field::AStep3};
inline const std::array<const isa::Field*, 4> DstSteps{&field::DstStep0, &field::DstStep1, &field::DstStep2,
                                                       &field::DstStep3};

}  // namespace trnsim::test
