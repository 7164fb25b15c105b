// The test's own decoder executes the loader's writes; the result is compared with the patterns of the
// transfers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "common/collective_package.hpp"
#include "common/random.hpp"
#include "common/trn1_config.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/core_window.hpp"
#include "runtime/loader/dma_decoder.hpp"
#include "runtime/loader/expected_moves.hpp"
#include "runtime/loader/image.hpp"
#include "runtime/loader/image_writes.hpp"
#include "runtime/loader/random_package.hpp"

namespace trnsim::loader {
namespace {

constexpr std::uint64_t FirstFlag = 0xfffd0001000;  // the first flag of the first collective core
constexpr std::uint64_t Semaphores = 256;

// Returns random flags for each collective: in each iteration as many as its group has members.
Begins begins_of(const neff::Package& package, std::mt19937_64& random) {
    Begins begins(package.transfers.size());
    for (std::size_t id = 0; id < package.transfers.size(); ++id) {
        const neff::Transfer& transfer = package.transfers[id];
        if (!transfer.collective) continue;
        begins[id].resize(neff::iterations_of(package, transfer));
        for (auto& addresses : begins[id]) {
            for (std::size_t member = 0; member < neff::members_of(*transfer.collective); ++member)
                addresses.push_back(FirstFlag + 4 * (random() % 10'000));
        }
    }
    return begins;
}

// A package on a chip that has memory and DMA engines and executes the package's triggers.
class Replay {
  public:
    Replay(const neff::Package& package, const config::Config& config, unsigned core, std::mt19937_64& random)
        : package_(package), random_(random), hbm_(config.hbm), blocks_(hbm_) {
        for (std::size_t i = 0; i < 5; ++i) blocks_.allocate(random() % 100'000, 64, "what was there before");
        image_ = plan(package, config, blocks_, {}, 0, core, begins_of(package, random));
        window_ = 0xfffc0000000 + core * 0x4000000ULL;
        bases_ = {image_.tensor_address, image_.gpsimd_address, window_};
        for (const MemoryWrite& write : memory_writes(image_)) {
            memory_.store(write.address, write.bytes);
            expected_.store(write.address, write.bytes);
        }
        const Rounding rounding{true, static_cast<std::uint32_t>(random())};
        for (const RegisterWrite& write : set_up_writes(image_, rounding)) {
            if (test::DmaDecoder::has(write.address))
                dma_.write(write.address, write.value);
            else
                EXPECT_TRUE(registers_.emplace(write.address, write.value).second) << "written once";
        }
        EXPECT_EQ(registers_.at(window_ + isa::csr::SrControl), 1u);
        EXPECT_EQ(registers_.at(window_ + isa::csr::SrSeed), rounding.seed);
        find_triggers();
    }

    // Runs all queues from the beginning of their rings to the end.
    void cycle() {
        const std::vector<neff::RingOrder> orders = neff::ring_orders(package_);
        for (const neff::RingOrder& order : orders) {
            for (std::uint64_t place = 0; place < order.length(); ++place) fire(order.at(place));
        }
        ++cycles_;
        const std::uint64_t scratch_end = image_.scratch + 64 * std::uint64_t(package_.target.dma_engines);
        ASSERT_EQ(memory_.difference(
                      expected_, [&](std::uint64_t at) { return at < image_.scratch || at >= scratch_end; }),
                  "");
    }

    // Moves the tensors of the following firings to these addresses.
    void move_tensors(std::vector<std::uint64_t> addresses) {
        point_rings(package_, image_, addresses);
        bases_.tensors = std::move(addresses);
        for (const MemoryWrite& write : descriptor_writes(image_)) {
            memory_.store(write.address, write.bytes);
            expected_.store(write.address, write.bytes);
        }
    }

    // Returns the cycles after which a ring starts over.
    std::uint64_t cycles_to_wrap() const {
        std::uint64_t cycles = 1;
        for (const auto& engines : image_.rings) {
            const Ring& ring = engines.front();
            if (!ring.m2s.empty())
                cycles = std::max<std::uint64_t>(cycles, ring.m2s_place.size / ring.m2s.size() + 1);
        }
        return cycles;
    }

    std::uint64_t packets() const { return dma_.packets(); }
    const Image& image() const { return image_; }

  private:
    // Finds the triggers of the programs in memory, through the registers of the sequencers.
    void find_triggers() {
        std::map<std::uint64_t, std::uint32_t> started;
        for (const RegisterWrite& write : start_writes(image_)) started.emplace(write.address, write.value);
        for (std::uint64_t e = 0; e < package_.programs.size(); ++e) {
            const std::uint64_t block = window_ + e * isa::csr::EngineStride;
            const auto& program = package_.programs[e];
            EXPECT_EQ(started.contains(block + isa::csr::EngineStart), !program.empty());
            if (program.empty()) continue;
            EXPECT_EQ(registers_.at(block + isa::csr::EngineProgramLength), program.size());
            const std::uint64_t address = registers_.at(block + isa::csr::EngineProgramLo) |
                                          std::uint64_t{registers_.at(block + isa::csr::EngineProgramHi)}
                                              << 32;
            for (std::size_t pc = 0; pc < program.size(); ++pc) {
                std::array<std::uint8_t, isa::InstructionBytes> bytes{};
                for (std::size_t i = 0; i < bytes.size(); ++i)
                    bytes.at(i) = memory_.read(address + pc * bytes.size() + i);
                const isa::Instruction found(bytes);
                if (program[pc].opcode() == isa::Opcode::DmaTrigger) {
                    triggers_.emplace(program[pc].get(isa::field::Address), found);
                } else if (program[pc].opcode() != isa::Opcode::ActTableLoad) {
                    EXPECT_TRUE(std::ranges::equal(found.bytes(), program[pc].bytes()))
                        << "engine " << e << " pc " << pc;
                }
            }
        }
    }

    // Executes a firing twice: by its doorbells, and by its patterns on the expected memory.
    void fire(const neff::Firing& firing) {
        const neff::Transfer& transfer = package_.transfers[firing.transfer];
        SCOPED_TRACE(transfer.name + " iteration " + std::to_string(firing.iteration));
        if (transfer.indirect) choose_indices(transfer, firing.iteration);
        const isa::Instruction& trigger = triggers_.at(firing.transfer);
        const auto value = static_cast<std::uint32_t>(trigger.get(isa::field::S2mCount) << 16 |
                                                      trigger.get(isa::field::M2sCount));
        const std::uint64_t mask = trigger.get(isa::field::EngineMask);
        std::vector<std::uint64_t> doorbells;
        for (std::uint64_t e = 0; e < 16; ++e) {
            if ((mask >> e & 1) == 0) continue;
            doorbells.push_back(trigger.get(isa::field::Address) + e * trigger.get(isa::field::EngineStride));
            expect_head(firing, doorbells.back());
        }
        std::ranges::shuffle(doorbells, random_);
        semaphores_.clear();
        flags_.clear();
        for (const std::uint64_t doorbell : doorbells) dma_.write(doorbell, value);
        if (transfer.collective) {
            EXPECT_EQ(flags_, image_.begins[firing.transfer][firing.iteration]);
            EXPECT_TRUE(semaphores_.empty());
            return;
        }
        test::move_elements(expected_, transfer, bases_, firing.iteration);
        const auto engines = static_cast<unsigned>(package_.target.dma_engines);
        EXPECT_EQ(doorbells.size(), engines);
        EXPECT_EQ(semaphores_, (std::map<std::uint64_t, unsigned>{{transfer.semaphore, engines}}));
        EXPECT_TRUE(flags_.empty());
    }

    // Expects that the firing is the next on the engine, at the place that the image gives.
    void expect_head(const neff::Firing& firing, std::uint64_t doorbell) {
        const TransferPlace& place = image_.transfers[firing.transfer];
        const std::uint32_t queue = package_.transfers[firing.transfer].queue;
        const Ring& ring = image_.rings[queue].front();
        const std::uint64_t index =
            cycles_ * ring.m2s.size() + place.first + std::uint64_t{firing.iteration} * place.stride;
        EXPECT_EQ(dma_.head(doorbell / 0x1000 * 0x1000), index % ring.m2s_place.size);
    }

    // A scatter names each row once; some rows are out of bounds if the transfer skips those.
    void choose_indices(const neff::Transfer& transfer, std::uint32_t iteration) {
        const neff::Indirect& indirect = *transfer.indirect;
        const std::uint64_t count = neff::element_count(indirect.index);
        const std::int64_t beyond = indirect.skip ? 5 : 0;
        std::vector<std::int64_t> rows(
            static_cast<std::size_t>(indirect.last - std::int64_t{indirect.first} + 1 + 2 * beyond));
        std::iota(rows.begin(), rows.end(), indirect.first - beyond);
        std::ranges::shuffle(rows, random_);
        const bool again = !indirect.scatter || transfer.combination;
        ASSERT_TRUE(again || rows.size() >= count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::int64_t row = again ? rows[random_() % rows.size()] : rows[i];
            const std::uint64_t at = test::element_address(indirect.index, bases_, iteration, i);
            for (test::PlainMemory* memory : {&memory_, &expected_})
                memory->store(at, 4, static_cast<std::uint32_t>(row));
        }
    }

    bool take(std::uint64_t address, std::uint64_t value, bool barrier) {
        const std::uint64_t semaphore = (address - window_ - isa::window::SemInc) / 4;
        if (address >= window_ + isa::window::SemInc && semaphore < Semaphores) {
            EXPECT_EQ(value, 1u);
            EXPECT_TRUE(barrier);
            ++semaphores_[semaphore];
            return true;
        }
        if (address < FirstFlag || address >= FirstFlag + 0x600000) return false;
        EXPECT_EQ(value, 1u);
        flags_.push_back(address);
        return true;
    }

    const neff::Package& package_;
    std::mt19937_64& random_;
    Allocator hbm_;
    Blocks blocks_;
    Image image_;
    std::uint64_t window_ = 0;
    test::Bases bases_;
    test::PlainMemory memory_, expected_;
    test::DmaDecoder dma_{memory_, [this](std::uint64_t address, std::uint64_t value, bool barrier) {
                              return take(address, value, barrier);
                          }};
    std::map<std::uint64_t, std::uint32_t> registers_;
    std::map<std::uint64_t, isa::Instruction> triggers_;  // by transfer
    std::uint64_t cycles_ = 0;
    std::map<std::uint64_t, unsigned> semaphores_;  // increments of each semaphore by a firing
    std::vector<std::uint64_t> flags_;              // flags that a firing increments, in order
};

TEST(Replay, RandomPackages) {
    auto random = test::generator();
    std::uint64_t packets = 0;
    for (std::uint64_t i = 0; i < 25 * test::scale(); ++i) {
        SCOPED_TRACE(i);
        const config::Config config = test::random_config(random);
        const neff::Package package = test::random_package(config, random);
        neff::check(package);
        Replay replay(package, config, static_cast<unsigned>(random() % 2), random);
        const std::uint64_t cycles = std::min<std::uint64_t>(replay.cycles_to_wrap(), 3);
        for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
            replay.cycle();
            if (HasFatalFailure()) return;
        }
        packets += replay.packets();
    }
    EXPECT_GT(packets, 10'000u);
}

// The rings are small and start over after a few cycles.
TEST(Replay, RingsBeginAgain) {
    auto random = test::generator();
    const neff::Package package = test::sample_package();
    Replay replay(package, test::trn1_config(), 1, random);
    ASSERT_GT(replay.cycles_to_wrap(), 10u);
    for (std::uint64_t cycle = 0; cycle < 2 * replay.cycles_to_wrap(); ++cycle) replay.cycle();
}

// The tensors of a later execution are at other addresses; the bytes moved are the same.
TEST(Replay, TensorsAtOtherAddresses) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 5 * test::scale(); ++i) {
        const config::Config config = test::random_config(random);
        const neff::Package package = test::random_package(config, random);
        Replay replay(package, config, 0, random);
        replay.cycle();
        std::vector<std::uint64_t> addresses;
        std::uint64_t next = 0x300000000;
        for (const neff::Tensor& tensor : package.tensors) {
            addresses.push_back(next);
            next += (neff::tensor_bytes(tensor) + random() % 100) / 4 * 4 + 4;
        }
        replay.move_tensors(std::move(addresses));
        replay.cycle();
        if (HasFatalFailure()) return;
    }
}

// Only the first engine tells all members that a collective begins.
TEST(Replay, Collectives) {
    auto random = test::generator();
    config::Config config = test::trn1_config();
    const neff::Package package = test::collective_package();
    Replay replay(package, config, 1, random);
    for (int cycle = 0; cycle < 5; ++cycle) replay.cycle();
}

struct BuiltIn {
    const char* name;
    const char* arguments;  // sizes that are no round numbers
};
constexpr std::array BuiltIns{
    BuiltIn{"matmul", "M=131 K=67 N=600 dtype=bf16"},
    BuiltIn{"mlp", "batch=70 inputs=23 hidden=31 outputs=11"},
    BuiltIn{"cast", "rows=37 cols=47 dtype=fp8_e4m3"},
    BuiltIn{"softmax", "rows=37 cols=301"},
    BuiltIn{"layernorm", "rows=37 cols=45"},
    BuiltIn{"layernorm_backward", "rows=37 cols=45"},
    BuiltIn{"rmsnorm", "rows=37 cols=45"},
    BuiltIn{"gelu", "rows=37 cols=45"},
    BuiltIn{"gelu_backward", "rows=37 cols=45"},
    BuiltIn{"attention", "seq=37 dim=21 causal=1"},
    BuiltIn{"adamw", "n=1009 ranks=1"},
    BuiltIn{"adamw", "n=1009 ranks=4"},
    BuiltIn{"transformer_block", "seq=21 width=12 heads=2"},
    BuiltIn{"reduce", "rows=37 cols=45 op=add axis=0"},
    BuiltIn{"transpose", "rows=40 cols=61 dtype=bf16"},
    BuiltIn{"cross_entropy", "rows=23 classes=53"},
    BuiltIn{"embedding", "rows=59 vocabulary=101 dim=37"},
    BuiltIn{"all_gather_matmul", "M=6 K=31 N=29 pieces=3"},
};

std::map<std::string, std::string> arguments_of(const char* text) {
    std::map<std::string, std::string> arguments;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        arguments[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return arguments;
}

class BuiltInKernels : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BuiltInKernels, MoveWhatTheirPatternsSay) {
    auto random = test::generator();
    const BuiltIn& kernel = BuiltIns.at(GetParam());
    for (const char* name : {"small16", "trn1"}) {
        for (const std::uint64_t engines : {std::uint64_t{0}, std::uint64_t{3}}) {
            SCOPED_TRACE(std::string(kernel.name) + " " + name);
            config::Config config = config::load(name);
            if (engines != 0) config.dma.engines = engines;
            const neff::Package package =
                kernels::build_kernel(kernel.name, arguments_of(kernel.arguments), target::of(config));
            Replay replay(package, config, engines == 0 ? 0 : 1, random);
            for (int cycle = 0; cycle < 2; ++cycle) replay.cycle();
            EXPECT_GT(replay.packets(), 0u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInKernels, ::testing::Range(std::size_t{0}, BuiltIns.size()),
                         [](const auto& info) {
                             return std::string(BuiltIns.at(info.param).name) + "_" +
                                    std::to_string(info.param);
                         });

TEST(Replay, EveryBuiltInKernelIsThere) {
    for (const kernels::Kernel& kernel : kernels::kernels()) {
        EXPECT_TRUE(std::ranges::any_of(BuiltIns, [&](const BuiltIn& one) {
            return kernel.name == one.name;
        })) << kernel.name;
    }
}

}  // namespace
}  // namespace trnsim::loader
