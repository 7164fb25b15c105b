// Compares the estimates of the microcode's commands with the verilated core, for random commands of every
// operation.
#include <bit>
#include <cstring>
#include <map>

#include "arch/target/target.hpp"
#include "compiler/builder/microcode.hpp"
#include "compiler/neff/images.hpp"
#include "firmware/include/trnsim/microcode.hpp"
#include "isa/disassembler.hpp"
#include "tests/arch/cost/cost_bench.hpp"

namespace trnsim::test {
namespace {

using firmware::AluOp;
using firmware::Command;
using firmware::Dtype;
using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;
namespace fw = firmware;

constexpr std::uint32_t BufferBytes = 8192, CorePartitions = 16;
constexpr std::uint32_t Zeros = 5;  // a buffer that nothing writes; it holds indices and ids

using Words = std::vector<std::uint32_t>;

template <class Arguments>
Words words_of(const Arguments& arguments) {
    Words words(sizeof(Arguments) / 4);
    std::memcpy(words.data(), &arguments, sizeof arguments);
    return words;
}

// Makes arguments of random commands of one core: up to about a hundred elements a partition, and each tensor
// in its own buffer.
class Arguments {
  public:
    explicit Arguments(std::mt19937_64& random) : random_(random) {}

    Words of(Command command) {
        const fw::Shape shape = any_shape();
        const bool floats = pick(2) == 0;
        const Dtype to = type(floats), from = type(floats), other = type(floats);
        const std::uint32_t count = 2 + pick(100);
        switch (command) {
            case Command::Memset:
                return words_of(fw::MemsetArguments{shape, tensor(0, shape, to), word()});
            case Command::TensorCopy:
                return words_of(fw::TensorCopyArguments{shape, tensor(0, shape, to), tensor(1, shape, from)});
            case Command::TensorTensor:
                return words_of(fw::TensorTensorArguments{shape, tensor(0, shape, to), tensor(1, shape, from),
                                                          tensor(2, shape, other), operation(floats)});
            case Command::TensorScalar:
                return words_of(fw::TensorScalarArguments{
                    shape, tensor(0, shape, to), tensor(1, shape, from), operation(floats),
                    pick(2) ? operation(floats) : AluOp::Bypass, 0, word(), word()});
            case Command::Iota:
                return words_of(fw::IotaArguments{shape, tensor(0, shape, to), affine()});
            case Command::AffineSelect:
                return words_of(fw::AffineSelectArguments{shape, tensor(0, shape, to), tensor(1, shape, from),
                                                          affine(), AluOp::Greater, word()});
            case Command::LocalGather:
                return words_of(fw::LocalGatherArguments{0, CorePartitions, 0, BufferBytes,
                                                         Zeros * BufferBytes, Dtype::Fp32, 1, 1, count});
            case Command::PartitionReduce:
                return words_of(fw::PartitionReduceArguments{shape, tensor(0, shape, to),
                                                             tensor(1, shape, from), AluOp::Add, 0});
            case Command::PartitionBroadcast:
                return words_of(fw::PartitionBroadcastArguments{shape, tensor(0, shape, to),
                                                                tensor(1, shape, to), pick(16)});
            case Command::SequenceBounds:
                return words_of(fw::SequenceBoundsArguments{0, count, row(0), row(1), row(Zeros)});
            case Command::Sort:
                return words_of(fw::SortArguments{0, CorePartitions, 0, BufferBytes, 2 * BufferBytes,
                                                  any_key(), count, pick(4)});
            case Command::TopK:
                return words_of(fw::TopKArguments{0, CorePartitions, 0, BufferBytes, 2 * BufferBytes,
                                                  any_key(), count, 1 + pick(std::min(count, 16U))});
            case Command::Count:
                break;
        }
        return {};
    }

  private:
    std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    std::uint32_t word() { return std::bit_cast<std::uint32_t>(static_cast<float>(pick(100)) / 8); }
    Dtype any_key() { return std::array{Dtype::I32, Dtype::U32, Dtype::Fp32}[pick(3)]; }
    Dtype type(bool floats) {
        if (floats) return pick(2) ? Dtype::Fp32 : Dtype::Bf16;
        return std::array{Dtype::I8, Dtype::U8, Dtype::I16, Dtype::U16, Dtype::I32, Dtype::U32}[pick(6)];
    }
    AluOp operation(bool floats) {
        static constexpr std::array Both{AluOp::Add,        AluOp::Subtract, AluOp::Multiply,
                                         AluOp::Max,        AluOp::IsEqual,  AluOp::Less,
                                         AluOp::LogicalAnd, AluOp::Abs,      AluOp::Square};
        static constexpr std::array Bits{AluOp::BitwiseAnd, AluOp::ShiftLeft};
        if (!floats && pick(4) == 0) return Bits[pick(2)];
        return Both[pick(Both.size())];
    }
    fw::Shape any_shape() {
        if (pick(3) == 0) return {0, CorePartitions, {1 + pick(500), 1, 1, 1}};
        if (pick(2)) return {pick(8), 1 + pick(8), {1 + pick(500), 1, 1, 1}};
        return {0, CorePartitions, {1 + pick(80), 1 + pick(6), 1, 1}};
    }
    fw::Tensor row(std::uint32_t buffer) { return {buffer * BufferBytes, Dtype::I32, {1, 0, 0, 0}}; }
    fw::Tensor tensor(std::uint32_t buffer, const fw::Shape& shape, Dtype dtype) {
        const std::int32_t step = pick(3) == 0 ? 2 + static_cast<std::int32_t>(pick(2)) : 1;
        const auto rows = static_cast<std::int32_t>(shape.count[0]) * step + (pick(3) == 0 ? 5 : 0);
        return {buffer * BufferBytes, dtype, {step, rows, 0, 0}};
    }
    fw::Affine affine() { return {3, 1, {1, 7, 0, 0}}; }

    std::mt19937_64& random_;
};

Instruction load_microcode(CostBench& bench) {
    const config::Config& config = bench.core.config;
    const neff::ImageContents image = neff::contents_of(builder::microcode_image(target::of(config)));
    const unsigned cores = tlm::gpsimd_cores(config.core.partitions);
    for (unsigned k = 0; k < cores; ++k) bench.core.poke(neff::gpsimd_place(k, image.address), image.bytes);
    return Instruction(Opcode::GpsimdStart)
        .set(field::CoreMask, (1U << cores) - 1)
        .set(field::Boot, image.entry);
}

// Returns the instructions that bring the words to the mailboxes, and the command.
Program program_of(Command command, const Words& words) {
    static constexpr std::array Fields{&field::W0, &field::W1, &field::W2,  &field::W3,
                                       &field::W4, &field::W5, &field::W6,  &field::W7,
                                       &field::W8, &field::W9, &field::W10, &field::W11};
    Program program;
    for (std::size_t first = 0; first < words.size(); first += Fields.size()) {
        const std::size_t count = std::min(Fields.size(), words.size() - first);
        Instruction arguments(Opcode::GpsimdArguments);
        arguments.set(field::FirstWord, first).set(field::Words, count);
        for (std::size_t i = 0; i < count; ++i) arguments.set(*Fields[i], words[first + i]);
        program.push_back(arguments);
        program.push_back(wait_for_all());
    }
    program.push_back(Instruction(Opcode::GpsimdCommand)
                          .set(field::Operation, static_cast<std::uint32_t>(command))
                          .set(field::CoreMask, 1));
    program.push_back(wait_for_all());
    return program;
}

TEST(GpsimdCosts, OfSmall16) {
    CostBench bench("small16");
    Arguments arguments(bench.core.random);
    const Instruction start = load_microcode(bench);
    const std::vector<Timed> started = bench.run(Engine::Gpsimd, {start});
    const cost::Cycles boot = bench.costs.of(Engine::Gpsimd, start);
    std::printf("start of a core: %llu core cycles\n",
                static_cast<unsigned long long>(started.at(0).completion - started.at(0).issue));
    EXPECT_NEAR(static_cast<double>(started.at(0).completion - started.at(0).issue),
                static_cast<double>(boot.completes), static_cast<double>(boot.completes_within));
    for (std::uint64_t round = 0; round < 2 * scale(); ++round) {
        for (std::uint32_t number = 0; number < static_cast<std::uint32_t>(Command::Count); ++number) {
            const auto command = static_cast<Command>(number);
            const Words words = arguments.of(command);
            const Program program = program_of(command, words);
            const std::vector<Timed> times = bench.run(Engine::Gpsimd, program);
            ASSERT_EQ(times.size(), program.size() + 1) << fw::CommandNames[number];
            for (std::size_t i = 0; i < program.size(); i += 2) {
                const cost::Cycles cycles = bench.costs.of(Engine::Gpsimd, program[i], {.arguments = words});
                const std::uint64_t took = times[i].completion - times[i].issue;
                SCOPED_TRACE(isa::disassemble(program[i]) + ", arguments " + testing::PrintToString(words));
                EXPECT_LE(took, cycles.completes + cycles.completes_within) << fw::CommandNames[number];
                EXPECT_GE(took + cycles.completes_within + 4, cycles.completes) << fw::CommandNames[number];
            }
        }
    }
}

}  // namespace
}  // namespace trnsim::test
