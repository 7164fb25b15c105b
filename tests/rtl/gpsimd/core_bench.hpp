// A GpSimd core with its slice of SBUF.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "Vgpsimd_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/riscv/program.hpp"
#include "tests/common/riscv/spike.hpp"

namespace trnsim::test {

constexpr std::uint32_t Vlen = GPSIMD_VLEN;  // as in the core's package of sizes

class CoreBench {
  public:
    // With `stalls` the memory's ports become ready and its data comes after random times, else at once. With
    // `one_port` the two ports are ready at the same times.
    CoreBench(std::uint64_t seed, bool stalls, bool one_port = false);

    void load(const std::vector<std::uint32_t>& words);  // from TcmBase on
    std::vector<std::uint32_t> read_tcm();               // the core must wait or be halted
    std::span<std::uint32_t> slice() { return slice_; }  // the memory from SliceBase on
    void start(std::uint32_t pc);

    // Events of a cycle.
    struct Write {
        std::uint32_t index;
        std::uint32_t value;
    };
    struct Cycle {
        bool retired = false;
        std::uint32_t pc = 0;
        std::uint32_t insn = 0;
        std::array<std::optional<Write>, 3> writes;
        struct VectorPart {
            std::optional<std::uint32_t> written;  // register
            bool done = false, beat = false;       // an instruction ends, or makes a step
        };
        std::array<VectorPart, 3> vector;  // operation, load, store
        bool vector_trapped = false;
        bool trapped = false;
        bool waiting = false;
        std::uint32_t cause = 0;
    };
    Cycle step();

    VectorRegister vector_register(std::uint32_t index) const;
    std::uint64_t cycles() const { return cycles_; }
    Vgpsimd_tb& model() { return *model_; }

  private:
    void clock();
    void serve_slice();

    std::unique_ptr<Vgpsimd_tb> model_ = std::make_unique<Model<Vgpsimd_tb>>();
    std::vector<std::uint32_t> slice_;
    struct Read {
        std::uint64_t due;
        std::uint32_t beat;
        std::array<std::uint32_t, 16> data;
    };
    std::deque<Read> reads_;
    std::mt19937_64 random_;
    bool stalls_, one_port_;
    std::uint64_t cycles_ = 0;
};

}  // namespace trnsim::test
