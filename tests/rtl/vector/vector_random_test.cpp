// Streams of random instructions on a few small buffers, so that most of them depend on the ones just before,
// while grants and instructions come and go at random.
#include <gtest/gtest.h>

#include "testbench/isa/disassembler.hpp"
#include "testbench/numerics/format.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/vector/vector_bench.hpp"
#include "tests/rtl/vector/vector_instructions.hpp"
#include "tests/rtl/vector/vector_model.hpp"
#include "tests/rtl/vector/vector_values.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;

constexpr std::uint32_t BufferBytes = 1024;

struct Buffer {
    bool psum;
    std::uint32_t offset;
};
constexpr std::array<Buffer, 8> Buffers{{{false, 0},
                                         {false, BufferBytes},
                                         {false, 65536},
                                         {false, 98304 + 512},
                                         {false, SbufBytes - BufferBytes},
                                         {true, 0},
                                         {true, 4096},
                                         {true, PsumBytes - BufferBytes}}};

class Generator {
  public:
    explicit Generator(std::mt19937_64& random) : random_(random) {}

    isa::Instruction instruction() {
        for (;;) {
            Tensors t;
            const unsigned kind = pick(5);
            const bool is_binary = kind >= 3;
            const bool follows = last_ && pick(4) == 0;
            if (follows) {
                t.partitions = last_->partitions;
                t.count = last_->count;
            } else {
                t.partitions = pick(3) ? 1 + pick(Lanes) : Lanes;
                choose_counts(t);
            }
            const bool pairs = is_binary && pick(3) == 0;
            t.a.dtype = pairs ? Dtype::Bf16 : any_dtype();
            t.b.dtype = pairs ? Dtype::Bf16 : any_dtype();
            if (!choose_pattern(t, t.a) || !choose_pattern(t, t.b)) continue;
            if (follows) (is_binary && pick(2) ? t.b : t.a) = backwards(*last_);
            if (is_binary && t.a.psum && t.b.psum) continue;
            if (!choose_destination(t, is_binary)) continue;
            last_ = t;
            switch (kind) {
                case 0:
                    return tensor_copy(t);
                case 1:
                    return memset(t, immediate(t));
                case 2:
                    return tensor_scalar(t, operation(), immediate(t), operation(), immediate(t));
                case 3:
                    return tensor_tensor(t, operation());
                default:
                    return scalar_tensor_tensor(t, operation(), immediate(t), operation());
            }
        }
    }

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

    Dtype any_dtype() { return AllDtypes[pick(AllDtypes.size())]; }

    // The destination of an instruction from its last element to its first.
    static Operand backwards(const Tensors& t) {
        Operand operand = t.dst;
        int offset = static_cast<int>(operand.offset);
        for (int k = 0; k < 4; ++k) {
            offset +=
                operand.step[k] * static_cast<int>(t.count[k] - 1) * numerics::storage_bytes(operand.dtype);
            operand.step[k] = -operand.step[k];
        }
        operand.offset = static_cast<std::uint32_t>(offset);
        return operand;
    }

    void choose_counts(Tensors& t) {
        const unsigned largest = std::array{1u, 4u, 12u, 100u}[pick(4)];
        t.count = {1 + pick(largest), 1, 1, 1};
        for (int k = 1; k < 4; ++k) {
            if (pick(3) == 0) t.count[k] = 1 + pick(5);
        }
    }

    unsigned start_partition(unsigned partitions) {
        if (partitions > Lanes / 2) return 0;
        return partitions > Quadrant ? pick(2) * 2 * Quadrant : pick(4) * Quadrant;
    }

    // A random pattern within a buffer, wide or dense; false if it does not fit.
    bool choose_pattern(const Tensors& t, Operand& operand) {
        const Buffer& buffer = Buffers[pick(Buffers.size())];
        operand.psum = buffer.psum;
        operand.partition = start_partition(t.partitions);
        const auto bytes = numerics::storage_bytes(operand.dtype);
        const bool dense = pick(2);
        int dense_step = 1;
        int low = 0, high = 0;
        for (int k = 0; k < 4; ++k) {
            operand.step[k] = dense ? dense_step : static_cast<int>(pick(41)) - 20;
            dense_step *= static_cast<int>(t.count[k]);
            const int reach = operand.step[k] * static_cast<int>(t.count[k] - 1) * bytes;
            (reach < 0 ? low : high) += reach;
        }
        const int room = static_cast<int>(BufferBytes) - bytes - (high - low);
        if (room < 0) return false;
        operand.offset = buffer.offset +
                         static_cast<std::uint32_t>(static_cast<int>(pick(room / bytes + 1)) * bytes - low);
        return true;
    }

    // A destination of its own, in partitions of its own, or exactly where a dense source is.
    bool choose_destination(Tensors& t, bool is_binary) {
        const Operand& source = is_binary && pick(2) ? t.b : t.a;
        const bool dense = source.step[0] == 1 && source.step[1] == static_cast<int>(t.count[0]);
        if (dense && pick(3) == 0) {
            t.dst = source;
        } else {
            t.dst.dtype = any_dtype();
            if (!choose_pattern(t, t.dst)) return false;
        }
        return apart(t, t.dst, t.a) && (!is_binary || apart(t, t.dst, t.b));
    }

    static bool apart(const Tensors& t, const Operand& dst, const Operand& source) {
        const auto buffer = [](const Operand& o) {
            for (const Buffer& b : Buffers) {
                if (b.psum == o.psum && o.offset >= b.offset && o.offset < b.offset + BufferBytes) return &b;
            }
            return static_cast<const Buffer*>(nullptr);
        };
        if (buffer(dst) != buffer(source)) return true;
        const bool other_partitions = dst.partition + t.partitions <= source.partition ||
                                      source.partition + t.partitions <= dst.partition;
        const bool dense = source.step[0] == 1 && source.step[1] == static_cast<int>(t.count[0]);
        const bool same = dense && dst.offset == source.offset && dst.partition == source.partition &&
                          dst.step == source.step &&
                          numerics::storage_bytes(dst.dtype) == numerics::storage_bytes(source.dtype);
        return other_partitions || same;
    }

    Operation operation() { return {AllOps[pick(AllOps.size())], pick(2) == 1}; }

    Immediate immediate(const Tensors& t) {
        if (pick(2)) return {random_word(random_)};
        const Buffer& buffer = Buffers[pick(5)];
        return {(start_partition(t.partitions) << 18) + buffer.offset + 4 * pick(BufferBytes / 4), true};
    }

    std::mt19937_64& random_;
    std::optional<Tensors> last_;  // the instruction before
};

TEST(VectorRandom, MatchesModel) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    Generator generate(random);
    constexpr std::array Worlds{World{256, 256}, World{256, 30}, World{128, 256},
                                World{30, 256},  World{200, 20}, World{240, 240}};
    for (std::uint64_t round = 0; round < 300 * scale(); ++round) {
        for (const Buffer& buffer : Buffers)
            fill(bench.memories.of(buffer.psum), buffer.offset, BufferBytes, random);
        Memories golden = bench.memories;
        std::vector<isa::Instruction> program;
        for (unsigned k = 0; k < 12; ++k) {
            program.push_back(generate.instruction());
            ASSERT_EQ(bench.reject(program.back()), isa::Error::None) << isa::disassemble(program.back());
            execute(program.back(), golden);
        }
        bench.run(program, Worlds[round % Worlds.size()], random);
        const std::optional<std::string> difference = first_difference(bench.memories, golden);
        if (!difference) continue;
        for (const isa::Instruction& instruction : program)
            std::printf("%s\n", isa::disassemble(instruction).c_str());
        FAIL() << "round " << round << ": " << *difference;
    }
}

}  // namespace
}  // namespace trnsim::test
