#include "compiler/neff/check.hpp"
#include "compiler/neff/sizes.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <span>

#include "common/collective_package.hpp"
#include "common/gather_package.hpp"
#include "common/sample_package.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::neff {
namespace {

struct Case {
    const char* expected;
    std::function<void(Package&)> damage;
};

auto& sync_program(Package& p) {
    return p.programs[static_cast<std::size_t>(isa::Engine::Sync)];
}

const Case Cases[] = {
    {"kernel: expected a name", [](Package& p) { p.name.clear(); }},
    {"control character", [](Package& p) { p.name = "a\nb"; }},
    {"target.rows = 0", [](Package& p) { p.target.rows = 0; }},
    {"target.columns = 257: expected 1 to 256", [](Package& p) { p.target.columns = 257; }},
    {"target.dma_rings = 17", [](Package& p) { p.target.dma_rings = 17; }},
    {"target.gpsimd_vlen = 384, expected 128, 256 or 512", [](Package& p) { p.target.gpsimd_vlen = 384; }},
    {"target.gpsimd_vlen = -1, expected 128, 256 or 512", [](Package& p) { p.target.gpsimd_vlen = -1; }},
    {"target.dma_engines = 0", [](Package& p) { p.target.dma_engines = -1; }},
    {"tensor 1 'a': name used twice", [](Package& p) { p.tensors[1].name = "a"; }},
    {"tensor 'a': dimension 0", [](Package& p) { p.tensors[0].shape[1] = 0; }},
    {"9 dimensions", [](Package& p) { p.tensors[2].shape.assign(9, 1); }},
    {"tensor 'scratch': larger than",
     [](Package& p) {
         p.tensors[2].shape = {1ull << 33, 1ull << 33};
     }},
    {"undefined data type 1", [](Package& p) { p.tensors[2].dtype = static_cast<isa::Dtype>(1); }},
    {"17 queues: the target has 16 rings",
     [](Package& p) {
         for (int i = 2; i < 17; ++i) p.queues.push_back({"q" + std::to_string(i), isa::Engine::Sync});
     }},
    {"queue 1 'qSyncIO0': name used twice", [](Package& p) { p.queues[1].name = "qSyncIO0"; }},
    {"transfer 0 'load a': queue 2 of 2", [](Package& p) { p.transfers[0].queue = 2; }},
    {"element of 0 bytes", [](Package& p) { p.transfers[0].element_bytes = 0; }},
    {"transfer 0 'load a', from: tensor 3 of 3", [](Package& p) { p.transfers[0].from.tensor = 3; }},
    {"from: size 0 in dimension 2", [](Package& p) { p.transfers[0].from.count[2] = 0; }},
    {"bytes 4 to 131 are out of bounds of tensor 'a' of 128",
     [](Package& p) { p.transfers[0].from.offset = 4; }},
    {"bytes -28 to 99 are out of bounds", [](Package& p) { p.transfers[0].from.step[0] = -4; }},
    {"from: size 1048577 in dimension 1, expected at most 1048576",
     [](Package& p) { p.transfers[0].from.count[1] = (1 << 20) + 1; }},
    {"larger than any memory", [](Package& p) { p.transfers[0].from.step[3] = 1ll << 62; }},
    {"larger than any memory", [](Package& p) { p.transfers[0].from.offset = 1ull << 63; }},
    {"out of bounds of SBUF, PSUM and GpSimd memory",
     [](Package& p) { p.transfers[0].to.offset = 0x1fff000; }},
    {"out of bounds of SBUF, PSUM and GpSimd memory",
     [](Package& p) { p.transfers[1].from.offset = isa::window::CsrBase; }},
    {"from has 32 elements, to has 64", [](Package& p) { p.transfers[0].to.count[2] = 2; }},
    {"transfer 0 'load a', from: at least 8388608 descriptors, expected at most 1048560 on 16 DMA engines",
     [](Package& p) {
         p.transfers[0].from.count = {8, 1, 1 << 20, 2};  // a run of 8, repeated
         p.transfers[0].from.step = {4, 0, 0, 0};
         p.transfers[0].to = p.transfers[0].from;
         p.transfers[0].from.count[3] = p.transfers[0].to.count[3] = 16;
     }},
    {"transfer 0 'load a', from: at least 549755813888 descriptors",
     [](Package& p) {
         p.transfers[0].from.count = {1 << 20, 1 << 20, 1, 1};
         p.transfers[0].from.step = {0, 0, 0, 0};
         p.transfers[0].to = p.transfers[0].from;
     }},
    {"a pattern of more than 1099511627776 elements",
     [](Package& p) {
         p.transfers[0].from.count = {1 << 20, 1 << 20, 2, 1};
         p.transfers[0].from.step = {0, 0, 0, 0};
     }},
    {"sync program: the last of 4 instructions is not halt", [](Package& p) { sync_program(p).pop_back(); }},
    {"sync program, instruction 0: transfer 2 of 2",
     [](Package& p) { sync_program(p)[0] = test::trigger(2); }},
    {"sync program, instruction 2: transfer 0 has a second trigger",
     [](Package& p) { sync_program(p)[2] = test::trigger(0); }},
    {"transfer 1 is never triggered",
     [](Package& p) { sync_program(p)[2] = isa::Instruction(isa::Opcode::Nop); }},
    {"transfer 1 is in queue 'qSyncIO1' of vector",
     [](Package& p) { p.queues[1].owner = isa::Engine::Vector; }},
    {"branch to 5 of 5",
     [](Package& p) {
         sync_program(p)[1] = isa::Instruction(isa::Opcode::Branch).set(isa::field::Target, 5);
     }},
};

Package stream_package() {
    return test::stream_package(test::sample_package().target);
}

// Cases of the package with a loop.
const Case LoopCases[] = {
    {"transfer 0 'load a': loop 1 of 1", [](Package& p) { p.transfers[0].loop = 1; }},
    {"transfer 0 'load a': loop 0 of 0", [](Package& p) { p.loops.clear(); }},
    {"transfer 0 'load a', from: iterates outside a loop", [](Package& p) { p.transfers[0].loop.reset(); }},
    {"loop 1: no transfers", [](Package& p) { p.loops.push_back({2}); }},
    {"loop 0: iterations = 0", [](Package& p) { p.loops[0].iterations = 0; }},
    {"loop 0: iterations = 4294967295", [](Package& p) { p.loops[0].iterations = ~0u; }},
    {"queue 'qLoad': at least 16777205 descriptors an engine, a ring has at most 16777200",
     [](Package& p) { p.loops[0].iterations = 16777200 / 5 + 1; }},
    {"transfer 0 'load a', to: size 0 in iteration dimension 1",
     [](Package& p) { p.transfers[0].to.iteration_count[1] = 0; }},
    {"iteration dimension 2 of 2 x 4611686018427387904 bytes is larger than any memory",
     [](Package& p) {
         p.transfers[0].to.iteration_step[2] = 1ll << 62;
         p.transfers[0].to.iteration_count[2] = 2;
     }},
    {"transfer 0 'load a', from: bytes 0 to 246323 are out of bounds of tensor 'a' of 246272 bytes",
     [](Package& p) { p.transfers[0].from.iteration_count[0] = 38; }},
    {"out of bounds of tensor 'a'", [](Package& p) { p.transfers[0].from.iteration_step[0] = -52; }},
    {"core window bytes 0x100 to ", [](Package& p) { p.transfers[0].to.iteration_step[0] = 128 << 18; }},
    {"queue 'qLoad': transfer 3 follows others that are not in loop 0",
     [](Package& p) {
         auto& sync = p.programs[static_cast<std::size_t>(isa::Engine::Sync)];
         for (const bool in_loop : {false, true}) {
             sync.insert(sync.end() - 1, test::trigger(static_cast<std::uint32_t>(p.transfers.size())));
             p.transfers.push_back(p.transfers[0]);
             if (in_loop) continue;
             p.transfers.back().loop.reset();
             p.transfers.back().from.iteration_step = p.transfers.back().to.iteration_step = {};
             p.transfers.back().from.iteration_count = p.transfers.back().to.iteration_count = {1, 1, 1, 1};
         }
     }},
};

Indirect& gather(Package& p) {
    return *p.transfers[1].indirect;
}

// Cases of the first package; its transfers move rows to partitions.
const Case TransposeCases[] = {
    {"transfer 0 'load a': transposes elements of 8 bytes, expected 1, 2 or 4",
     [](Package& p) {
         p.transfers[0].transposes = true;
         p.transfers[0].element_bytes = 8;
     }},
    {"transfer 0 'load a': transposes, expected the same sizes on both sides",
     [](Package& p) {
         p.transfers[0].transposes = true;
         std::swap(p.transfers[0].to.count[0], p.transfers[0].to.count[1]);
     }},
    {"transfer 0 'load a': transposes one dimension, expected two to four",
     [](Package& p) {
         p.transfers[0].transposes = true;
         p.transfers[0].from.count = p.transfers[0].to.count = {4, 1, 1, 1};
     }},
    {"transfer 0 'load a': transposes with indices or a combination, expected neither",
     [](Package& p) {
         p.transfers[0].transposes = true;
         p.transfers[0].combination = {isa::AluOp::Add, isa::Dtype::Fp32};
         p.transfers[0].element_bytes = 4;
     }},
};

// Cases of the package with indices.
const Case IndexCases[] = {
    {"transfer 1 'gather a', from: bytes 0 to 239 are out of bounds of tensor 'a' of 216 bytes",
     [](Package& p) { gather(p).last = 9; }},
    {"transfer 1 'gather a', from: bytes -192 to 23 are out of bounds",
     [](Package& p) { gather(p).step = -24; }},
    {"transfer 2 'scatter u', to: bytes 4 to 267 are out of bounds of tensor 'u' of 264 bytes",
     [](Package& p) { p.transfers[2].to.offset = 4; }},
    {"transfer 1 'gather a', from: indices 0 to -1, expected one at least",
     [](Package& p) { gather(p).last = -1; }},
    {"transfer 1 'gather a', from: rows 0 to 8 of 4611686018427387904 bytes are larger than any memory",
     [](Package& p) { gather(p).step = 1ll << 62; }},
    {"transfer 1 'gather a', from: rows 0 to 8 of 1099511627776 bytes are larger than any memory",
     [](Package& p) { gather(p).step = 1ll << 40; }},
    {"transfer 1 'gather a', index: core window bytes 0x",
     [](Package& p) { gather(p).index.offset = isa::window::CsrBase; }},
    {"transfer 1 'gather a', index: bytes 0 to 19 are out of bounds of tensor 'a' of 16 bytes",
     [](Package& p) {
         p.tensors[0].shape = {1, 4};
         gather(p).index = {Pattern::Space::Tensor, 0, 0, {4, 0, 0, 0}, {5, 1, 1, 1}};
     }},
    {"transfer 1 'gather a', index: offset and steps, expected multiples of 4",
     [](Package& p) { gather(p).index.offset = 0x202; }},
    {"transfer 1 'gather a', index: offset and steps, expected multiples of 4",
     [](Package& p) { gather(p).index.step[0] = 0x40001; }},
    {"transfer 1 'gather a', index: 4 indices of 30 elements, expected as many for each",
     [](Package& p) { gather(p).index.count[0] = 4; }},
    {"transfer 1 'gather a', index: an image has no indices",
     [](Package& p) { gather(p).index.place = Pattern::Space::Image; }},
    {"transfer 2 'scatter u': combines by subtract, expected add, multiply, min or max",
     [](Package& p) {
         p.transfers[2].combination = {isa::AluOp::Subtract, isa::Dtype::Fp32};
     }},
    {"transfer 2 'scatter u': elements of 4 bytes, expected those of bf16",
     [](Package& p) {
         p.transfers[2].combination = {isa::AluOp::Add, isa::Dtype::Bf16};
     }},
    {"transfer 1 'gather a': combines with indices, expected a scatter with every index in bounds",
     [](Package& p) { p.transfers[1].combination.emplace(); }},
    {"transfer 2 'scatter u': combines with indices, expected a scatter with every index in bounds",
     [](Package& p) {
         p.transfers[2].combination.emplace();
         p.transfers[2].indirect->skip = true;
     }},
    {"transfer 1 'gather a', index: iterates outside a loop",
     [](Package& p) { gather(p).index.iteration_step[0] = 4; }},
    {"transfer 1 'gather a', from: at least 1048576 descriptors, expected at most 1048560 on 16 DMA engines",
     [](Package& p) {
         Transfer& t = p.transfers[1];
         t.from.count = t.to.count = {1, 1 << 20, 1, 1};
         t.from.step = t.to.step = {0, 0, 0, 0};
         gather(p).index = {Pattern::Space::Core, 0, 0x200, {0, 0, 0, 0}, {1 << 19, 1, 1, 1}};
     }},
};

collectives::Request& request(Package& p, std::size_t transfer) {
    return p.transfers[transfer].collective->request;
}

const Case CollectiveCases[] = {
    {"transfer 0 'reduce': request: 0 ranks, expected 1 to 4096",
     [](Package& p) { request(p, 0).ranks = 0; }},
    {"transfer 0 'reduce': request: group 1: rank 0 is in group 0 already",
     [](Package& p) { request(p, 0).groups[1][0] = 0; }},
    {"transfer 0 'reduce': groups of 3 and 2 ranks, expected as many in each",
     [](Package& p) { request(p, 0).groups[1].pop_back(); }},
    {"transfer 0 'reduce': request: a buffer of 2^40 elements or more",
     [](Package& p) { request(p, 0).count = ~std::uint64_t{0}; }},
    {"transfer 0 'reduce', from: 110 bytes at 0 are out of bounds of tensor 'a' of 108 bytes",
     [](Package& p) { request(p, 0).count = 55; }},
    {"transfer 0 'reduce', to: 108 bytes at 26 are out of bounds of tensor 'u' of 132 bytes",
     [](Package& p) { p.transfers[0].to.offset = 26; }},
    {"transfer 0 'reduce', from: tensor 2 of 2", [](Package& p) { p.transfers[0].from.tensor = 2; }},
    {"transfer 0 'reduce', to: expected the first element of a tensor's part",
     [](Package& p) { p.transfers[0].to.place = Pattern::Space::Core; }},
    {"transfer 0 'reduce', from: expected the first element of a tensor's part",
     [](Package& p) { p.transfers[0].from.count[1] = 2; }},
    {"transfer 0 'reduce': elements of 4 bytes, expected those of bf16",
     [](Package& p) { p.transfers[0].element_bytes = 4; }},
    {"transfer 0 'reduce': direct of all-reduce, which has no such algorithm",
     [](Package& p) { p.transfers[0].collective->algorithm = collectives::Algorithm::Direct; }},
    {"transfer 0 'reduce': request: all-to-all-v, expected an operation with the same sizes on all ranks",
     [](Package& p) {
         request(p, 0) = {.operation = collectives::Operation::AllToAllV,
                          .dtype = isa::Dtype::Bf16,
                          .ranks = 1,
                          .pair_counts = {{1}}};
         p.transfers[0].collective->algorithm.reset();
     }},
    {"transfer 0 'reduce': request: barrier, expected a type of one byte",
     [](Package& p) {
         request(p, 0) = {
             .operation = collectives::Operation::Barrier, .dtype = isa::Dtype::Bf16, .ranks = 6};
         p.transfers[0].collective->algorithm.reset();
     }},
    {"transfer 1 'permute': input and output are the same, expected two that do not meet",
     [](Package& p) { request(p, 1).in_place = false; }},
    {"transfer 1 'permute': input and output are partly the same, expected one place",
     [](Package& p) { p.transfers[1].from.offset = 58; }},
    {"transfer 1 'permute': request: pair 0 to 3: rank 3 receives twice",
     [](Package& p) {
         request(p, 1).pairs[0] = request(p, 1).pairs[2] = {0, 3};
     }},
    {"transfer 2 'broadcast': request: root 6, expected one of 6 members",
     [](Package& p) { request(p, 2).root = 6; }},
    {"transfer 2 'broadcast': a collective with indices, combined or transposed, expected none of these",
     [](Package& p) { p.transfers[2].transposes = true; }},
    {"transfer 2 'broadcast', to: iterates outside a loop",
     [](Package& p) { p.transfers[2].to.iteration_step[0] = 2; }},
    {"collectives of 6 and 7 ranks, expected one number of them",
     [](Package& p) { request(p, 2).ranks = 7; }},
    {"collectives in queues 'qMeet' and 'other', expected one",
     [](Package& p) {
         p.queues.push_back({"other", isa::Engine::Sync});
         p.transfers[2].queue = 1;
     }},
    {"queue 'qMeet': transfer 'permute' among collectives, expected nothing else there",
     [](Package& p) { p.transfers[1].collective.reset(); }},
};

// The last of the collectives is in a loop; its 13 iterations go back and forth over the tensor.
Package looped_collectives() {
    Package package = test::collective_package();
    package.loops.push_back({13});
    Transfer& transfer = package.transfers[2];
    transfer.loop = 0;
    transfer.to.offset = 124;
    transfer.to.iteration_step = {-60, -2, 0, 0};
    transfer.to.iteration_count = {3, 2, 1, 1};
    return package;
}

const Case LoopedCollectiveCases[] = {
    {"transfer 2 'broadcast', to: size 0 in iteration dimension 1",
     [](Package& p) { p.transfers[2].to.iteration_count[1] = 0; }},
    {"transfer 2 'broadcast', to: 8 bytes at -2 are out of bounds of tensor 'u' of 132 "
     "bytes",
     [](Package& p) { p.transfers[2].to.iteration_step[0] = -63; }},
    {"transfer 2 'broadcast', iteration 3: input and output are partly the same, expected two that do not "
     "meet",
     [](Package& p) {
         p.transfers[2].from.tensor = 1;
         p.transfers[2].from.offset = 115;
     }},
    {"transfer 2 'broadcast', iteration 1: input and output are the same, expected two that do not meet",
     [](Package& p) {
         p.transfers[2].from.tensor = 1;
         p.transfers[2].from.offset = 64;
     }},
    {"transfer 2 'broadcast': 65537 collectives, expected at most 65536 in a kernel",
     [](Package& p) { p.loops[0].iterations = 65537; }},
    {"65537 collectives, expected at most 65536 in a kernel",
     [](Package& p) { p.loops[0].iterations = 65535; }},
    {"transfer 2 'broadcast': loop 1 of 1", [](Package& p) { p.transfers[2].loop = 1; }},
};

TEST(Check, TheSamplesAreSound) {
    EXPECT_NO_THROW(check(looped_collectives()));
    EXPECT_NO_THROW(check(test::collective_package()));
    EXPECT_NO_THROW(check(test::sample_package()));
    EXPECT_NO_THROW(check(stream_package()));
    EXPECT_NO_THROW(check(test::gather_package()));
}

void expect_lines(const Package& sound, std::span<const Case> cases) {
    for (const Case& c : cases) {
        Package package = sound;
        c.damage(package);
        const std::string message = test::message_of<Error>([&] { check(package); });
        EXPECT_NE(message.find(c.expected), std::string::npos)
            << "expected: " << c.expected << "\nfound: " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
}

TEST(Check, EachDefectHasItsLine) {
    expect_lines(test::sample_package(), Cases);
    expect_lines(test::sample_package(), TransposeCases);
    expect_lines(stream_package(), LoopCases);
    expect_lines(test::gather_package(), IndexCases);
    expect_lines(test::collective_package(), CollectiveCases);
    expect_lines(looped_collectives(), LoopedCollectiveCases);
}

// A pattern may iterate backwards any number of times; it reaches both ends of the tensor from the other
// side.
TEST(Check, PatternsMayIterateBackwards) {
    Package package = stream_package();
    Pattern& from = package.transfers[0].from;
    from.offset = 36 * 52;
    from.iteration_step[0] = -52;
    package.loops[0].iterations = 1000;
    EXPECT_NO_THROW(check(package));
    from.offset -= 4;
    EXPECT_THROW(check(package), Error);
}

TEST(Check, PatternsMayTouchTheLastByte) {
    Package package = test::sample_package();
    package.transfers[0].to.offset = 124 * 0x40000 + 192 * 1024 - 32;
    EXPECT_NO_THROW(check(package));
    package.transfers[0].to.offset += 4;
    EXPECT_THROW(check(package), Error);
}

}  // namespace
}  // namespace trnsim::neff
