// Runs random instructions on the fast core and on the interpreter, which share nothing but the contract, and
// compares every byte of both memories.
#include "model/values/functional_core.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "arch/activation/table_image.hpp"
#include "arch/numerics/format.hpp"
#include "arch/target/target.hpp"
#include "common/random.hpp"
#include "isa/disassembler.hpp"
#include "model/values/lanes.hpp"
#include "testbench/functional/refusal.hpp"
#include "testbench/functional/scalar_engine.hpp"
#include "testbench/functional/tensor_engine.hpp"
#include "testbench/functional/vector_engine.hpp"
#include "testbench/random_programs/lane_generator.hpp"
#include "testbench/random_programs/scalar_kinds.hpp"
#include "testbench/random_programs/tensor_generator.hpp"
#include "testbench/random_programs/values.hpp"
#include "testbench/random_programs/vector_instructions.hpp"
#include "testbench/random_programs/vector_kinds.hpp"

namespace trnsim::fast {
namespace {

using isa::Engine;
using isa::Instruction;
using random_programs::Area;

constexpr int Cases = 4, Instructions = 60;  // instructions of a case, which has its own contents and modes
constexpr std::uint32_t Small = 512, Large = 12288, LargePsum = 5120;

// Returns small buffers at both ends of the memories, which instructions often share, and large ones for many
// elements.
std::vector<Area> buffers_of(const target::Core& target) {
    const auto sbuf = static_cast<std::uint32_t>(target.sbuf_partition),
               psum = static_cast<std::uint32_t>(target.psum_partition);
    return {{false, 0, Small}, {false, Small, Small}, {false, 4096, Large},    {false, sbuf - Small, Small},
            {true, 0, Small},  {true, Small, Small},  {true, 4096, LargePsum}, {true, psum - Small, Small}};
}

// Returns areas that each lie within a bank of PSUM.
std::vector<Area> tensor_areas_of(const target::Core& target) {
    const auto psum = static_cast<std::uint32_t>(target.psum_partition);
    return {
        {false, 0, 2048}, {false, 4096, Large}, {true, 0, 1024}, {true, 4096, 2048}, {true, psum - 512, 512}};
}

// The two models with equal contents.
class Pair {
  public:
    Pair(const config::Config& config, bool tensor_areas, std::uint64_t seed)
        : target(target::of(config)),
          areas(tensor_areas ? tensor_areas_of(target) : buffers_of(target)),
          random(seed),
          control{random() % 2 == 0, static_cast<std::uint32_t>(random())},
          memory_(target, false),
          vector_(target, Engine::Vector, control),
          scalar_(target, Engine::Scalar, control),
          tensor_(target),
          core_(config.core) {
        core_.set_stochastic(control.stochastic);
        core_.seed_rounding(control.seed);
        for (const MemoryId which : {MemoryId::Sbuf, MemoryId::Psum}) {
            std::vector<std::uint32_t> words(core_.memories().partition_bytes(which) / 4);
            for (std::uint32_t partition = 0; partition < core_.memories().partitions(); ++partition) {
                for (std::uint32_t& word : words) word = random_programs::random_word(random);
                const std::span bytes(reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4);
                core_.memories().write({which, partition, 0}, bytes);
                memory_.copy_in(core_.memories().window_address({which, partition, 0}), bytes);
            }
        }
    }

    // Writes a word of SBUF, partition 0.
    void write_word(std::uint32_t offset, std::uint32_t word) {
        core_.memories().write({MemoryId::Sbuf, 0, offset},
                               {reinterpret_cast<const std::uint8_t*>(&word), sizeof word});
        memory_.write(offset, sizeof word, word);
    }

    // Returns whether both give the same result; the message says where they differ.
    testing::AssertionResult run(Engine engine, const Instruction& instruction) {
        switch (engine) {
            case Engine::Tensor:
                if (instruction.opcode() == isa::Opcode::LoadStationary) {
                    tensor_.load_stationary(instruction, memory_);
                } else {
                    tensor_.multiply_moving(instruction, memory_);
                }
                break;
            case Engine::Vector:
                functional::run_vector(instruction, target, vector_, memory_);
                break;
            default:
                functional::run_scalar(instruction, target, scalar_, memory_);
                break;
        }
        const Issued issued = core_.issue(engine, loaded(instruction).bytes());
        if (issued.refused) {
            return testing::AssertionFailure()
                   << isa::disassemble(instruction) << ": refused with " << isa::name_of(issued.refused.code);
        }
        if (instruction.opcode() == isa::Opcode::ActTableLoad) load_tables(instruction);
        core_.execute(*issued.operation);
        for (const Area& area : areas) {
            if (const auto result = same(isa::disassemble(instruction), area); !result) return result;
        }
        return testing::AssertionSuccess();
    }

    // Returns whether both refuse the instruction for the same reason and name the same operand, or neither
    // does. Then both execute it if it prepares the engine for others.
    testing::AssertionResult check(Engine engine, const Instruction& instruction) {
        const functional::Refusal refusal =
            functional::refusal_of(engine, instruction, target, {tensor_, vector_, scalar_});
        const Fault refused = core_.issue(engine, loaded(instruction).bytes()).refused;
        if (refused != Fault{refusal.error, refusal.address}) {
            return testing::AssertionFailure()
                   << isa::disassemble(instruction) << ": refused with " << isa::name_of(refused.code)
                   << " at " << refused.address << ", by the interpreter with " << isa::name_of(refusal.error)
                   << " at " << refusal.address << " (" << refusal.rule << ")";
        }
        ++(refused ? refusals : accepted);
        const bool prepares = instruction.opcode() == isa::Opcode::LoadStationary ||
                              instruction.opcode() == isa::Opcode::LoadShuffleMask ||
                              instruction.opcode() == isa::Opcode::ActTableLoad;
        return !refused && prepares ? run(engine, instruction) : testing::AssertionSuccess();
    }
    std::uint64_t refusals = 0, accepted = 0;

    // Compares every byte of both memories.
    testing::AssertionResult same_everywhere() {
        for (const bool psum : {false, true}) {
            const std::uint32_t bytes =
                core_.memories().partition_bytes(psum ? MemoryId::Psum : MemoryId::Sbuf);
            if (const auto result = same("the case", {psum, 0, bytes}); !result) return result;
        }
        return testing::AssertionSuccess();
    }

    const target::Core target;
    const std::vector<Area> areas;  // the areas that instructions use
    std::mt19937_64 random;
    const functional::RoundingControl control;

  private:
    // Returns the instruction with the fields that the loader fills in.
    static Instruction loaded(Instruction instruction) {
        if (instruction.opcode() == isa::Opcode::ActTableLoad)
            instruction.set(isa::field::TableBeats, 1).set(isa::field::TableAddress, 0);
        return instruction;
    }

    void load_tables(const Instruction& instruction) {
        const auto set = static_cast<isa::ActivationSet>(instruction.get(isa::field::TableSet));
        const std::vector<std::uint8_t> image = activation::table_image(set);
        for (std::size_t i = 0; i < image.size(); i += activation::BeatBytes)
            core_.load_table_beat(std::span(image).subspan(i, activation::BeatBytes));
    }

    // Compares the bytes of an area in all partitions.
    testing::AssertionResult same(const std::string& after, const Area& area) {
        std::vector<std::uint8_t> want(area.bytes);
        const MemoryId which = area.psum ? MemoryId::Psum : MemoryId::Sbuf;
        for (std::uint32_t partition = 0; partition < core_.memories().partitions(); ++partition) {
            const MemoryAddress place{which, partition, area.offset};
            memory_.copy_out(core_.memories().window_address(place), want);
            const auto got = core_.memories().read(place, want.size());
            const auto [there, here] = std::ranges::mismatch(want, got);
            if (there == want.end()) continue;
            const auto offset = area.offset + static_cast<std::uint32_t>(there - want.begin());
            return testing::AssertionFailure()
                   << after << ": "
                   << isa::format_address(core_.memories().window_address({which, partition, offset}))
                   << fmt::format(" has 0x{:02x}, expected 0x{:02x}", *here, *there);
        }
        return testing::AssertionSuccess();
    }

    functional::CoreMemory memory_;
    functional::LaneState vector_, scalar_;
    functional::TensorEngine tensor_;
    FunctionalCore core_;
};

// Changes one to three fields: one bit of each, or the whole field to any value.
Instruction with_wrong_bits(const Instruction& instruction, std::mt19937_64& random) {
    Instruction wrong = instruction;
    const auto fields = instruction.info()->fields;
    for (std::uint64_t changes = 1 + random() % 3; changes-- > 0;) {
        const isa::Field& field = *fields[random() % fields.size()];
        if (field.offset == isa::field::Opcode.offset) continue;
        const std::uint64_t mask =
            field.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1;
        const std::uint64_t bit = std::uint64_t{1} << random() % field.width;
        wrong.set(field, random() % 2 != 0 ? wrong.get(field) ^ bit : random() & mask);
    }
    return wrong;
}

// A configuration, and whether the kernels use the host's best vectors or the least ones that they are
// compiled for.
struct On {
    const char* configuration;
    bool least;
};

class FunctionalCoreTest : public testing::TestWithParam<On> {
  protected:
    FunctionalCoreTest() { choose(GetParam().least ? HWY_AVX3 : 0); }
    ~FunctionalCoreTest() override { choose(0); }

    // Makes the kernels run without the `disabled` instruction sets.
    static void choose(std::int64_t disabled) {
        hwy::DisableTargets(disabled);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }

    // `make(pair)` returns a function without arguments that gives the next instructions of a case.
    template <typename Make>
    void compare(Engine engine, Make make) {
        const config::Config config = config::load(GetParam().configuration);
        const auto cases = static_cast<std::uint64_t>(Cases) * test::scale();
        for (std::uint64_t number = 0; number < cases; ++number) {
            const std::uint64_t seed = test::seed() + number;
            Pair pair(config, engine == Engine::Tensor, seed);
            auto next = make(pair);
            for (int i = 0; i < Instructions; ++i) {
                for (const Instruction& instruction : next())
                    ASSERT_TRUE(pair.run(engine, instruction)) << "case " << number << ", instruction " << i;
            }
            ASSERT_TRUE(pair.same_everywhere()) << "case " << number;
        }
    }
};

TEST_P(FunctionalCoreTest, VectorInstructions) {
    compare(Engine::Vector, [](Pair& pair) {
        auto geometry = std::make_shared<random_programs::Geometry>(
            random_programs::Geometry{static_cast<unsigned>(pair.target.partitions), pair.areas});
        auto generator = std::make_shared<random_programs::LaneGenerator>(random_programs::vector_kinds(),
                                                                          *geometry, pair.random);
        return [geometry, generator] { return std::vector{generator->instruction()}; };
    });
}

TEST_P(FunctionalCoreTest, ScalarInstructions) {
    compare(Engine::Scalar, [](Pair& pair) {
        auto geometry = std::make_shared<random_programs::Geometry>(
            random_programs::Geometry{static_cast<unsigned>(pair.target.partitions), pair.areas});
        auto generator = std::make_shared<random_programs::LaneGenerator>(random_programs::scalar_kinds(),
                                                                          *geometry, pair.random);
        return [geometry, generator, loaded = false]() mutable {
            const bool load = !std::exchange(loaded, true);
            return std::vector{load ? random_programs::any_table_load(*generator) : generator->instruction()};
        };
    });
}

TEST_P(FunctionalCoreTest, TensorInstructions) {
    compare(Engine::Tensor, [](Pair& pair) {
        auto generator =
            std::make_shared<random_programs::TensorGenerator>(pair.target, pair.areas, pair.random);
        return [generator] { return generator->instructions(); };
    });
}

// Operands that start at different partitions do not overlap, though one may reach partitions of the other. Such a
// matmul is refused only later, for its destination.
TEST_P(FunctionalCoreTest, OperandsThatStartAtOtherPartitionsDoNotOverlap) {
    const config::Config config = config::load(GetParam().configuration);
    Pair pair(config, true, test::seed());
    const auto partitions = static_cast<std::uint32_t>(config.core.partitions);
    const std::uint32_t source = target::address_of(pair.target, target::Memory::Sbuf, partitions / 2, 4);
    const Instruction matmul = Instruction(isa::Opcode::MultiplyMoving)
                                   .set(isa::field::Partitions, partitions / 2)
                                   .set(isa::field::Columns, partitions)
                                   .set(isa::field::Count0, 16)
                                   .set(isa::field::Count1, 1)
                                   .set(isa::field::Count2, 1)
                                   .set(isa::field::Count3, 1)
                                   .set(isa::field::ADtype, isa::Dtype::Fp8E4m3)
                                   .set(isa::field::AAddr, source)
                                   .set(isa::field::AStep0, 1)
                                   .set(isa::field::DstDtype, isa::Dtype::Fp32)
                                   .set(isa::field::DstStep0, 1);
    EXPECT_TRUE(pair.check(Engine::Tensor, matmul));
}

// Random instructions with some wrong bits: interpreter and fast core refuse the same ones, for the same reason
// and with the same operand.
TEST_P(FunctionalCoreTest, RefusalsOfWrongBits) {
    const config::Config config = config::load(GetParam().configuration);
    std::uint64_t refusals = 0, accepted = 0;
    for (const Engine engine : {Engine::Tensor, Engine::Vector, Engine::Scalar}) {
        for (std::uint64_t number = 0; number < 4 * test::scale(); ++number) {
            Pair pair(config, engine == Engine::Tensor, test::seed() + number);
            const random_programs::Geometry geometry{static_cast<unsigned>(pair.target.partitions),
                                                     pair.areas};
            random_programs::TensorGenerator tensor(pair.target, pair.areas, pair.random);
            random_programs::LaneGenerator lanes(
                engine == Engine::Scalar ? random_programs::scalar_kinds() : random_programs::vector_kinds(),
                geometry, pair.random);
            if (engine == Engine::Scalar) {
                ASSERT_TRUE(pair.check(engine, random_programs::any_table_load(lanes)));
            }
            for (int i = 0; i < 300; ++i) {
                const std::vector<Instruction> good =
                    engine == Engine::Tensor ? tensor.instructions() : std::vector{lanes.instruction()};
                for (const Instruction& instruction : good) {
                    ASSERT_TRUE(pair.check(engine, instruction));
                    ASSERT_TRUE(pair.check(engine, with_wrong_bits(instruction, pair.random)))
                        << isa::name_of(engine) << ", case " << number << ", instruction " << i;
                }
            }
            refusals += pair.refusals;
            accepted += pair.accepted;
        }
    }
    EXPECT_GT(refusals, 1000 * test::scale());
    EXPECT_GT(accepted, 1000 * test::scale());
}

// Tests all pairs of special values with every operation of two tensors, in both orders.
TEST_P(FunctionalCoreTest, SpecialValues) {
    constexpr std::array<std::uint32_t, 20> Special{
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x40000000, 0x7f7fffff, 0xff7fffff,
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff};
    Pair pair(config::load(GetParam().configuration), false, test::seed());
    random_programs::Tensors t;
    t.partitions = 1;
    t.count = {Special.size(), Special.size(), 1, 1};
    t.a = {.offset = 4096, .step = {1, Special.size(), 0, 0}};
    t.b = {.offset = 8192, .step = {1, Special.size(), 0, 0}};
    t.dst = {.psum = true, .offset = 4096, .step = {1, Special.size(), 0, 0}};
    for (std::size_t i = 0; i < Special.size(); ++i) {
        for (std::size_t k = 0; k < Special.size(); ++k) {
            const auto place = static_cast<std::uint32_t>(4 * (i * Special.size() + k));
            pair.write_word(t.a.offset + place, Special[i]);
            pair.write_word(t.b.offset + place, Special[k]);
        }
    }
    for (const isa::AluOp op : random_programs::AllOps) {
        for (const bool reverse : {false, true})
            ASSERT_TRUE(pair.run(Engine::Vector, random_programs::tensor_tensor(t, {op, reverse})));
        for (const std::uint32_t constant : Special) {
            ASSERT_TRUE(pair.run(
                Engine::Vector, random_programs::tensor_scalar(t, {op}, {constant}, {op, true}, {constant})));
        }
    }
}

// Matmuls that name words of PSUM several times, by a step of 0 or steps that meet: both add results in the
// order of the elements, pass after pass.
TEST_P(FunctionalCoreTest, WordsNamedSeveralTimes) {
    namespace field = isa::field;
    Pair pair(config::load(GetParam().configuration), true, test::seed());
    random_programs::Tensors t;
    t.partitions = 7;
    for (const isa::Dtype dtype : {isa::Dtype::Bf16, isa::Dtype::Tf32, isa::Dtype::Fp32}) {
        t.count = {5, 1, 1, 1};
        t.a = {.dtype = dtype};
        Instruction load(isa::Opcode::LoadStationary);
        set_shape(load, t);
        set_a(load, t.a);
        ASSERT_TRUE(pair.run(Engine::Tensor, load));
        const auto multiply = [&](random_programs::Counts count, std::array<int, 4> step, bool accumulate) {
            random_programs::Tensors m = t;
            m.count = count;
            m.a.offset = 4096;
            m.a.step = {1, static_cast<int>(count[0]), 0, 0};
            m.dst = {.psum = true, .offset = 64, .step = step};
            Instruction i(isa::Opcode::MultiplyMoving);
            set_shape(i, m);
            set_dst(i, m.dst);
            set_a(i, m.a);
            return i.set(field::Columns, 5).set(field::Accumulate, accumulate);
        };
        for (const std::array<int, 2>& steps : {std::array{0, 0}, {1, 1}, {0, 1}, {-1, 3}}) {
            ASSERT_TRUE(pair.run(Engine::Tensor, multiply({64, 1, 1, 1}, {1, 0, 0, 0}, false)));
            for (const bool accumulate : {true, false}) {
                ASSERT_TRUE(
                    pair.run(Engine::Tensor, multiply({4, 3, 1, 1}, {steps[0], steps[1], 0, 0}, accumulate)))
                    << isa::name_of(dtype) << ", steps " << steps[0] << " and " << steps[1];
            }
        }
    }
}

// Converts every type to every other with both roundings.
TEST_P(FunctionalCoreTest, Conversions) {
    Pair pair(config::load(GetParam().configuration), false, test::seed());
    random_programs::Tensors t;
    t.partitions = 16;
    t.count = {1021, 1, 1, 1};
    t.a.offset = 4096;
    t.dst.offset = 4096 + 6144;
    for (const isa::Dtype from : random_programs::AllDtypes) {
        for (const isa::Dtype to : random_programs::AllDtypes) {
            for (const auto rounding : {isa::Rounding::Nearest, isa::Rounding::Stochastic}) {
                t.a.dtype = from;
                t.dst.dtype = to;
                Instruction copy = random_programs::tensor_copy(t);
                ASSERT_TRUE(pair.run(Engine::Vector, copy.set(isa::field::Rounding, rounding)));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Configurations, FunctionalCoreTest,
                         testing::Values(On{"trn1", false}, On{"small16", false}, On{"small16", true}),
                         [](const auto& info) {
                             const On& on = info.param;
                             return std::string(on.configuration) + (on.least ? "_least_vectors" : "");
                         });

// Accumulators of the RTL may have bits that read as another value; an accumulator from a checkpoint holds
// the value as read.
TEST(LaneState, AccumulatorsOfACheckpointAreWhatTheyReadAs) {
    constexpr std::size_t Lanes = 6;
    LaneState lanes(numerics::Stream::VectorRounding, Lanes);
    checkpoint::LaneEngineState state = lanes.save(Lanes);
    state.accumulators = {0x0000013c, 0x80000001, 0xffffff9f, 0x7f800001, 0xff800000, 0x00800000};
    lanes.load(state);
    EXPECT_EQ(lanes.save(Lanes).accumulators,
              (std::vector<std::uint32_t>{0, 0x80000000, numerics::CanonicalNan, numerics::CanonicalNan,
                                          0xff800000, 0x00800000}));
}

}  // namespace
}  // namespace trnsim::fast
