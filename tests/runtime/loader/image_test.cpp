#include "runtime/loader/image.hpp"

#include <gtest/gtest.h>

#include <set>

#include "arch/activation/table_image.hpp"
#include "arch/dma/elements.hpp"
#include "arch/dma/indices.hpp"
#include "common/gather_package.hpp"
#include "common/sample_package.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"
#include "common/trn1_config.hpp"
#include "runtime/loader/allocator.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/segments.hpp"

namespace trnsim::loader {
namespace {

// Plans the package in an allocator of its own.
Image plan(const neff::Package& package, const config::Config& config) {
    Allocator hbm(config.hbm);
    Blocks blocks(hbm);
    return loader::plan(package, config, blocks);
}

std::string plan_error(const neff::Package& package, const config::Config& config) {
    return test::message_of<Error>([&] { plan(package, config); });
}

config::Config trn1_with(const std::string& split) {
    config::Config config = test::trn1_config();
    config.dma.split = split;
    return config;
}

TEST(Image, EveryEngineGetsTheSameNumberOfDescriptors) {
    const neff::Package package = test::sample_package();
    const Image image = plan(package, trn1_with("even"));
    ASSERT_EQ(image.rings.size(), 2u);
    ASSERT_EQ(image.rings[0].size(), 16u);
    for (const auto& engines : image.rings) {
        for (const Ring& ring : engines) {
            EXPECT_EQ(ring.m2s.size(), 2u) << "a segment or the dummy, and the semaphore";
            EXPECT_EQ(ring.s2m.size(), 2u);
            EXPECT_EQ(ring.m2s_place.size, 32u);
            EXPECT_EQ(ring.s2m_place.size, 32u);
            EXPECT_EQ(ring.m2s_place.address % dma::RingAlign, 0u);
            EXPECT_EQ(ring.s2m_place.address % dma::RingAlign, 0u);
        }
    }
    EXPECT_EQ(image.transfers[0].first, 0u);
    EXPECT_EQ(image.transfers[0].count, 2u);
}

// The four rows of the sample are in partitions of the first engine; the others move scratch bytes.
TEST(Image, AnEngineMovesItsPartitions) {
    neff::Package package = test::sample_package();
    for (const std::uint32_t first : {0U, 6U, 124U}) {
        for (neff::Pattern* pattern : {&package.transfers[0].to, &package.transfers[1].from})
            pattern->offset = 0x100 + first * 0x40000;
        const Image image = plan(package, trn1_with("partitions"));
        for (std::size_t queue = 0; queue < 2; ++queue) {
            const bool load = queue == 0;
            std::size_t most = 0;
            for (std::uint32_t e = 0; e < 16; ++e) {
                const Ring& ring = image.rings[queue][e];
                std::vector<std::uint32_t> rows;
                for (std::uint32_t row = 0; row < 4; ++row)
                    if ((first + row) / 8 == e) rows.push_back(row);
                most = std::max(most, rows.size());
                for (std::size_t i = 0; i + 1 < ring.m2s.size(); ++i) {
                    const std::uint64_t core = (load ? ring.s2m : ring.m2s)[i].address;
                    const std::uint64_t tensor = (load ? ring.m2s : ring.s2m)[i].address;
                    if (i < rows.size()) {
                        EXPECT_EQ(core, CoreWindowBase + 0x100 + (first + rows[i]) * 0x40000) << e;
                        EXPECT_EQ(tensor, image.tensor_address[queue] + 32 * rows[i]) << e;
                    } else {
                        EXPECT_EQ(ring.m2s[i].length, 4u);
                        EXPECT_EQ(ring.m2s[i].address, image.scratch + e * ScratchSlot);
                    }
                }
            }
            EXPECT_EQ(image.transfers[queue].count, most + 1);
        }
    }
}

// Elements of one row of partition 1, each a piece: the engine of that partition has all of them, unless a
// trigger cannot count so many.
TEST(Image, PiecesOfOnePartition) {
    neff::Package package = test::sample_package();
    package.target.sbuf_partition = 0x40000;
    package.tensors[0].shape = {70000};
    for (const std::uint32_t pieces : {60U, 40000U}) {
        package.transfers[0].from = {neff::Pattern::Space::Tensor, 0, 0, {4, 0, 0, 0}, {pieces, 1, 1, 1}};
        package.transfers[0].to = {neff::Pattern::Space::Core, 0, 0x40000, {4, 0, 0, 0}, {pieces, 1, 1, 1}};
        package.transfers[0].from.step[0] = 8;
        package.tensors[0].shape = {2 * std::uint64_t{pieces}};
        config::Config config = trn1_with("partitions");
        config.core.sbuf_partition = 0x40000;
        EXPECT_EQ(plan(package, config).transfers[0].count, pieces + 1);
    }
    package.tensors[0].shape = {140000};
    package.transfers[0].element_bytes = 2;
    package.tensors[0].dtype = isa::Dtype::Bf16;
    package.transfers[0].from = {neff::Pattern::Space::Tensor, 0, 0, {4, 0, 0, 0}, {70000, 1, 1, 1}};
    package.transfers[0].to = {neff::Pattern::Space::Core, 0, 0x40000, {2, 0, 0, 0}, {70000, 1, 1, 1}};
    config::Config config = trn1_with("partitions");
    config.core.sbuf_partition = 0x40000;
    EXPECT_EQ(plan(package, config).transfers[0].count, 70000 / 16 + 1);
}

// Transfers between tensors, and those with indices, are divided as with "even".
TEST(Image, TransfersThatNoPartitionHas) {
    neff::Package package = test::sample_package();
    package.transfers[0].to = {neff::Pattern::Space::Tensor, 1, 0, {32, 4, 0, 0}, {4, 8, 1, 1}};
    package.transfers[0].from = {neff::Pattern::Space::Tensor, 0, 0, {4, 16, 0, 0}, {4, 8, 1, 1}};
    for (const neff::Package& one : {package, test::gather_package()}) {
        const Image even = plan(one, trn1_with("even")), image = plan(one, trn1_with("partitions"));
        const std::size_t transfer = one.transfers.size() == 2 ? 0 : 2;
        EXPECT_EQ(image.transfers[transfer].count, even.transfers[transfer].count);
    }
}

TEST(Image, TheLastDescriptorIncrementsTheSemaphoreBehindABarrier) {
    const neff::Package package = test::sample_package();
    const Image image = plan(package, trn1_with("even"));
    for (const Ring& ring : image.rings[0]) {
        EXPECT_FALSE(ring.m2s[0].barrier);
        EXPECT_TRUE(ring.m2s[1].barrier);
        EXPECT_TRUE(ring.m2s[1].first && ring.m2s[1].last);
        EXPECT_EQ(ring.m2s[1].address, image.one_address);
        EXPECT_EQ(ring.m2s[1].length, 4u);
        EXPECT_EQ(ring.s2m[1].address, CoreWindowBase + isa::window::SemInc + 4 * 3);
        EXPECT_EQ(ring.s2m[1].length, 4u);
    }
}

// Only the window and the DMA engines have other addresses for the second core.
TEST(Image, ForTheSecondCore) {
    const neff::Package package = test::sample_package();
    const Image first = plan(package, test::trn1_config());
    Allocator hbm(test::trn1_config().hbm);
    Blocks blocks(hbm);
    const Image second = loader::plan(package, test::trn1_config(), blocks, {}, 0, 1);
    EXPECT_EQ(second.core, 1u);
    const auto moved = [](std::uint64_t address) {
        return address < CoreWindowBase ? address : address + 0x4000000;
    };
    const auto expect_moved = [&](const std::vector<dma::Descriptor>& there,
                                  const std::vector<dma::Descriptor>& here) {
        ASSERT_EQ(there.size(), here.size());
        for (std::size_t i = 0; i < here.size(); ++i) EXPECT_EQ(there[i].address, moved(here[i].address));
    };
    bool in_the_window = false;
    for (std::size_t queue = 0; queue < first.rings.size(); ++queue) {
        for (std::size_t e = 0; e < first.rings[queue].size(); ++e) {
            const Ring &here = first.rings[queue][e], &there = second.rings[queue][e];
            EXPECT_EQ(there.m2s_place.address, here.m2s_place.address);
            expect_moved(there.m2s, here.m2s);
            expect_moved(there.s2m, here.s2m);
            in_the_window = in_the_window || there.s2m.front().address >= CoreWindowBase;
        }
    }
    EXPECT_TRUE(in_the_window);
    const auto sync = static_cast<std::size_t>(isa::Engine::Sync);
    EXPECT_EQ(second.programs[sync].instructions[2].get(isa::field::Address),
              first.programs[sync].instructions[2].get(isa::field::Address) + 0x700000);
}

// Step, bounds and indices come first, with s2m descriptors without a destination beside them.
TEST(Image, RowsFollowTheirIndices) {
    config::Config config = test::trn1_config();
    config.dma.engines = 1;
    neff::Package package = test::gather_package();
    package.target.dma_engines = 1;
    const Image image = plan(package, config);
    const std::uint64_t u = image.tensor_address[2];
    const Ring& ring = image.rings[1][0];
    ASSERT_EQ(image.transfers[2].count, 2 + 5 + 5 + 1);
    ASSERT_EQ(ring.m2s.size(), 13u);
    ASSERT_EQ(ring.s2m.size(), 13u);
    const auto operation = [&](std::size_t i) { return dma::decode_read(ring.m2s[i].meta).operation; };
    EXPECT_EQ(operation(0), dma::Operation::IndexStep);
    EXPECT_EQ(ring.m2s[0].address, 24u);
    EXPECT_EQ(operation(1), dma::Operation::IndexBounds);
    EXPECT_EQ(ring.m2s[1].address, dma::index_bounds(-2, 8));
    EXPECT_EQ(ring.m2s[1].meta & dma::SkipBit, 0u);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(operation(2 + i), dma::Operation::Index);
        EXPECT_EQ(ring.m2s[2 + i].address, CoreWindowBase + 0x40000 * i + 0x200);
        EXPECT_EQ(ring.m2s[7 + i].meta, 0u);
        EXPECT_EQ(ring.s2m[7 + i].address, u + 2 * 24) << "where the row of index 0 is";
        EXPECT_EQ(ring.s2m[7 + i].meta, (i + 1) << dma::RowShift);
    }
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(ring.m2s[i].first, i == 0);
        EXPECT_EQ(ring.m2s[i].last, i == 11);
        if (i < 7) {
            EXPECT_EQ(dma::decode_write(ring.s2m[i].meta).result, dma::Result::Nothing);
        }
    }
    EXPECT_NE(image.rings[0][0].m2s[image.transfers[1].first + 1].meta & dma::SkipBit, 0u);
}

// There are more rows than an engine has registers for indices, so there are several packets.
TEST(Image, ManyRowsOfOneEngine) {
    config::Config config = test::trn1_config();
    config.dma.engines = 1;
    neff::Package package = test::gather_package();
    package.target.dma_engines = 1;
    for (neff::Transfer& transfer : package.transfers) {
        for (neff::Pattern* pattern : {&transfer.from, &transfer.to}) pattern->count = {6, 100, 1, 1};
        if (transfer.indirect) transfer.indirect->index.count[0] = 100;
    }
    package.tensors[1].shape = {100, 6};
    const Image image = plan(package, config);
    EXPECT_EQ(image.transfers[2].count, (2 + 64 + 64) + (2 + 36 + 36) + 1);
    const Ring& ring = image.rings[1][0];
    EXPECT_TRUE(ring.m2s[129].last && ring.m2s[130].first);
    EXPECT_EQ(ring.s2m[129].meta, 64u << dma::RowShift);
    EXPECT_EQ(ring.s2m[130 + 2 + 36].meta, 1u << dma::RowShift);
}

// Every engine combines some elements of each row, in packets of one row that wait for each other.
TEST(Image, RowsThatAreCombined) {
    neff::Package package = test::gather_package();
    package.transfers[2].combination = {isa::AluOp::Max, isa::Dtype::Fp32};
    const Image image = plan(package, test::trn1_config());
    const std::uint64_t u = image.tensor_address[2];
    EXPECT_EQ(image.transfers[2].count, 5 * 5 + 1);
    std::uint64_t elements = 0;
    for (const Ring& ring : image.rings[1]) {
        ASSERT_EQ(ring.m2s.size(), 26u);
        ASSERT_EQ(ring.s2m.size(), 26u);
        if (dma::decode_read(ring.m2s[0].meta).operation == dma::Operation::Copy)
            continue;  // 6 of 16 engines have such a descriptor
        for (std::size_t row = 0; row < 5; ++row) {
            const auto m2s = std::span(ring.m2s).subspan(5 * row, 5);
            const auto meta = [&](std::size_t i) { return dma::decode_read(m2s[i].meta & 0xffffff); };
            EXPECT_TRUE(m2s[0].first && m2s[4].last);
            EXPECT_NE(m2s[1].meta & dma::WaitBit, 0u);
            EXPECT_EQ(m2s[2].address, CoreWindowBase + 0x40000 * row + 0x200);
            EXPECT_EQ(meta(3), (dma::ReadMeta{dma::Operation::Load, isa::Dtype::Fp32, 0, 1}));
            EXPECT_EQ(m2s[3].address, CoreWindowBase + 0x40000 * row + 0x100 + 4 * elements);
            EXPECT_EQ(meta(4), (dma::ReadMeta{dma::Operation::Max, isa::Dtype::Fp32, 1, 1}));
            EXPECT_EQ(m2s[4].meta >> dma::RowShift, 1u);
            EXPECT_EQ(m2s[4].address, u + 2 * 24 + 4 * elements);
            EXPECT_EQ(ring.s2m[5 * row + 4].address, m2s[4].address);
            EXPECT_EQ(ring.s2m[5 * row + 4].meta >> dma::RowShift, 1u);
        }
        ++elements;
    }
    EXPECT_EQ(elements, 6u);
}

TEST(Image, EveryLoadOfASetFindsItsTables) {
    using enum isa::ActivationSet;
    neff::Package package = test::sample_package();
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Scalar)];
    program = {isa::Instruction(isa::Opcode::Halt)};
    for (const auto set : {GeluAndOthers, ReciprocalAndSmall, GeluAndOthers}) {
        program.insert(program.begin(),
                       isa::Instruction(isa::Opcode::ActTableLoad).set(isa::field::TableSet, set));
    }
    const Image image = plan(package, test::trn1_config());
    ASSERT_EQ(image.tables.size(), 2u);
    const auto& loads = image.programs[static_cast<std::size_t>(isa::Engine::Scalar)].instructions;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto set = static_cast<isa::ActivationSet>(loads[i].get(isa::field::TableSet));
        EXPECT_EQ(loads[i].get(isa::field::TableAddress), image.tables.at(set).address);
        EXPECT_EQ(loads[i].get(isa::field::TableBeats) * activation::BeatBytes,
                  image.tables.at(set).bytes.size());
        EXPECT_EQ(image.tables.at(set).bytes, activation::table_image(set));
        EXPECT_EQ(image.tables.at(set).address % 4096, 0u);
    }
}

TEST(Image, EightPartitionsGoToEachOf16Engines) {
    neff::Package package = test::sample_package();
    package.tensors[0].shape = {128, 8};
    package.transfers[0].from.count[1] = package.transfers[0].to.count[1] = 128;
    const Image image = plan(package, test::trn1_config());
    for (std::size_t e = 0; e < 16; ++e) {
        const Ring& ring = image.rings[0][e];
        ASSERT_EQ(ring.s2m.size(), 9u);
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_EQ(ring.s2m[i].address, CoreWindowBase + (8 * e + i) * 0x40000 + 0x100);
        }
    }
}

TEST(Image, TriggersBecomeDoorbells) {
    const neff::Package package = test::sample_package();
    const Image image = plan(package, trn1_with("even"));
    const isa::Instruction& trigger =
        image.programs[static_cast<std::size_t>(isa::Engine::Sync)].instructions[2];
    EXPECT_EQ(trigger.get(isa::field::Address), dma::ring_address(0, 1, dma::RingRegister::Doorbell));
    EXPECT_EQ(trigger.get(isa::field::EngineStride), 0x40000u);
    EXPECT_EQ(trigger.get(isa::field::EngineMask), 0xffffu);
    EXPECT_EQ(trigger.get(isa::field::M2sCount), 2u);
    EXPECT_EQ(trigger.get(isa::field::S2mCount), 2u);
    EXPECT_TRUE(image.programs[static_cast<std::size_t>(isa::Engine::Tensor)].instructions.empty());
}

TEST(Image, RingsFollowTheOrderOfTheTriggers) {
    neff::Package package = test::sample_package();
    package.transfers[1].queue = 0;
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    std::swap(program[0], program[2]);
    const Image image = plan(package, trn1_with("even"));
    EXPECT_EQ(image.transfers[1].first, 0u);
    EXPECT_EQ(image.transfers[0].first, 2u);
    EXPECT_TRUE(image.rings[1][0].m2s.empty());
}

TEST(Image, RingsHoldAWholeNumberOfCycles) {
    neff::Package package = test::sample_package();
    for (std::uint32_t i = 0; i < 2; ++i) {
        package.transfers.push_back(package.transfers[0]);
        auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
        program.insert(program.end() - 1, test::trigger(2 + i));
    }
    const Image image = plan(package, trn1_with("even"));
    EXPECT_EQ(image.rings[0][0].m2s.size(), 6u);
    EXPECT_EQ(image.rings[0][0].m2s_place.size, 36u) << "at least 32";
}

TEST(Image, LoopsHaveTheirDescriptorsForEveryIteration) {
    constexpr std::uint32_t Tiles = 37, Elements = 13;
    neff::Package package =
        test::stream_package(test::sample_package().target, {.tiles = Tiles, .elements = Elements});
    // Adds a transfer before the loop and one after it, in the same queue.
    auto& sync = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    for (const bool first : {true, false}) {
        sync.insert(first ? sync.begin() : sync.end() - 1,
                    test::trigger(static_cast<std::uint32_t>(package.transfers.size())));
        package.transfers.push_back(test::sample_package().transfers[0]);
    }
    const Image image = plan(package, trn1_with("even"));
    EXPECT_EQ(image.transfers[2].first, 0u);
    EXPECT_EQ(image.transfers[0].first, 2u);
    EXPECT_EQ(image.transfers[0].count, 9u) << "8 of 128 partitions, and the semaphore";
    EXPECT_EQ(image.transfers[0].stride, 9u);
    EXPECT_EQ(image.transfers[0].iterations, Tiles);
    EXPECT_EQ(image.transfers[3].first, 2 + 9 * Tiles);
    const std::uint32_t row = 4 * Tiles * Elements;
    for (std::size_t e = 0; e < 16; ++e) {
        const Ring& ring = image.rings[0][e];
        ASSERT_EQ(ring.m2s.size(), 4 + 9 * Tiles);
        EXPECT_EQ(ring.m2s_place.size, ring.m2s.size());
        for (std::uint32_t i = 0; i < Tiles; ++i) {
            for (std::uint32_t p = 0; p < 8; ++p) {
                const std::size_t at = 2 + 9 * i + p;
                EXPECT_EQ(ring.m2s[at].address,
                          image.tensor_address[0] + (8 * e + p) * row + std::uint64_t{4} * Elements * i);
                EXPECT_EQ(ring.s2m[at].address, CoreWindowBase + (8 * e + p) * 0x40000 + 0x100 +
                                                    std::uint64_t{4} * Elements * (i % 2));
                EXPECT_EQ(ring.m2s[at].length, 4 * Elements);
            }
            EXPECT_TRUE(ring.m2s[2 + 9 * i + 8].barrier);
        }
    }
    const isa::Instruction& trigger = image.programs[static_cast<std::size_t>(isa::Engine::Sync)]
                                          .instructions[1 + test::stream::LoadTrigger];
    EXPECT_EQ(trigger.get(isa::field::M2sCount), 9u);
}

// One doorbell serves all iterations: if one has fewer pieces than another, the engines move scratch bytes.
TEST(Image, IterationsHaveEquallyManyDescriptors) {
    neff::Package package = test::sample_package();
    package.tensors[0].shape = {64};
    package.loops = {{2}};
    neff::Transfer& load = package.transfers[0];
    load.loop = 0;
    // The second iteration crosses the border of two partitions.
    load.from = {neff::Pattern::Space::Tensor, 0, 0, {4, 0, 0, 0}, {32, 1, 1, 1}};
    load.to = {neff::Pattern::Space::Core,
               0,
               0x40000 - 256,
               {4, 0, 0, 0},
               {32, 1, 1, 1},
               {192, 0, 0, 0},
               {2, 1, 1, 1}};
    package.target.sbuf_partition = 0x40000;
    config::Config config = test::trn1_config();
    config.core.sbuf_partition = 0x40000;
    config.dma.engines = package.target.dma_engines = 1;
    const Image image = plan(package, config);
    EXPECT_EQ(image.transfers[0].count, 3u);
    const Ring& ring = image.rings[0][0];
    ASSERT_EQ(ring.m2s.size(), 6u);
    EXPECT_EQ(ring.m2s[0].length, 128u);
    EXPECT_EQ(ring.m2s[1].address, image.scratch);
    EXPECT_EQ(ring.m2s[3].length, 64u);
    EXPECT_EQ(ring.m2s[4].length, 64u);
    EXPECT_TRUE(ring.m2s[2].barrier && ring.m2s[5].barrier);
}

TEST(Image, AddressesDoNotOverlap) {
    const neff::Package package = test::sample_package();
    const Image image = plan(package, test::trn1_config());
    std::set<std::uint64_t> bases(image.tensor_address.begin(), image.tensor_address.end());
    std::size_t blocks = image.tensor_address.size();
    for (const Ring& ring : image.rings[0]) {
        bases.insert({ring.m2s_place.address, ring.s2m_place.address});
        blocks += 2;
    }
    EXPECT_EQ(bases.size(), blocks);
}

TEST(Image, StacksShareTensorsRingsAndPrograms) {
    neff::Package package = test::sample_package();
    config::Config config = test::trn1_config();
    const auto stack_of = [](std::uint64_t address) { return address / HbmStackStride; };
    const Image image = plan(package, config);
    EXPECT_NE(stack_of(image.tensor_address[0]), stack_of(image.tensor_address[1]));
    std::array<int, 2> rings{};
    for (const Ring& ring : image.rings[0])
        ++rings.at(stack_of(ring.m2s_place.address)), ++rings.at(stack_of(ring.s2m_place.address));
    EXPECT_GE(std::min(rings[0], rings[1]), 12) << "of 32";

    // A tensor of a whole stack fits even if two small ones are declared before it.
    package.tensors[2].shape = {config.hbm.capacity / 2 - 100'000};
    EXPECT_NO_THROW(plan(package, config));
}

TEST(Image, ErrorsSayWhatDoesNotFit) {
    neff::Package package = test::sample_package();
    config::Config config = test::trn1_config();
    config.core.array.rows = 64;
    EXPECT_EQ(plan_error(package, config),
              "kernel 'sample' is built for rows = 128, configuration 'trn1' has 64");

    config = test::trn1_config();
    config.core.gpsimd.vlen = 128;
    EXPECT_EQ(plan_error(package, config),
              "kernel 'sample' is built for gpsimd_vlen = 512, configuration 'trn1' has 128");

    config = test::trn1_config();
    config.hbm.stacks = 1;
    config.hbm.capacity = 4096;
    EXPECT_NE(plan_error(package, config).find("HBM is too small: tensor 'y' needs 128 bytes"),
              std::string::npos);

    config = test::trn1_config();
    config.dma.engines = 1;
    package.target.dma_engines = 1;
    package.tensors[0].shape = {70000, 2};
    package.tensors[1].shape = {70000, 2};
    package.transfers[0].from = {neff::Pattern::Space::Tensor, 0, 0, {8, 0, 0, 0}, {70000, 1, 1, 1}};
    package.transfers[0].to = {neff::Pattern::Space::Tensor, 1, 0, {4, 0, 0, 0}, {70000, 1, 1, 1}};
    EXPECT_EQ(plan_error(package, config),
              "transfer 'load a' has 70000 descriptors for one of 1 DMA engines, expected at most 65534");
}

}  // namespace
}  // namespace trnsim::loader
