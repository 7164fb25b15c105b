#include "compiler/neff/neff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/collective_package.hpp"
#include "common/gather_package.hpp"
#include "common/sample_package.hpp"
#include "common/stream_package.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/neff/archive.hpp"
#include "compiler/neff/header.hpp"

namespace trnsim::neff {
namespace {

void expect_same(const Pattern& a, const Pattern& b) {
    EXPECT_EQ(a.place, b.place);
    EXPECT_EQ(a.tensor, b.tensor);
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.iteration_step, b.iteration_step);
    EXPECT_EQ(a.iteration_count, b.iteration_count);
}

void expect_same(const Package& a, const Package& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.arguments, b.arguments);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.programs, b.programs);
    ASSERT_EQ(a.tensors.size(), b.tensors.size());
    for (std::size_t i = 0; i < a.tensors.size(); ++i) {
        EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
        EXPECT_EQ(a.tensors[i].kind, b.tensors[i].kind);
        EXPECT_EQ(a.tensors[i].dtype, b.tensors[i].dtype);
        EXPECT_EQ(a.tensors[i].shape, b.tensors[i].shape);
    }
    ASSERT_EQ(a.queues.size(), b.queues.size());
    for (std::size_t i = 0; i < a.queues.size(); ++i) {
        EXPECT_EQ(a.queues[i].name, b.queues[i].name);
        EXPECT_EQ(a.queues[i].owner, b.queues[i].owner);
    }
    ASSERT_EQ(a.loops.size(), b.loops.size());
    for (std::size_t i = 0; i < a.loops.size(); ++i) EXPECT_EQ(a.loops[i].iterations, b.loops[i].iterations);
    ASSERT_EQ(a.transfers.size(), b.transfers.size());
    for (std::size_t i = 0; i < a.transfers.size(); ++i) {
        EXPECT_EQ(a.transfers[i].queue, b.transfers[i].queue);
        EXPECT_EQ(a.transfers[i].element_bytes, b.transfers[i].element_bytes);
        EXPECT_EQ(a.transfers[i].semaphore, b.transfers[i].semaphore);
        EXPECT_EQ(a.transfers[i].name, b.transfers[i].name);
        EXPECT_EQ(a.transfers[i].loop, b.transfers[i].loop);
        expect_same(a.transfers[i].from, b.transfers[i].from);
        expect_same(a.transfers[i].to, b.transfers[i].to);
        EXPECT_EQ(a.transfers[i].transposes, b.transfers[i].transposes);
        EXPECT_EQ(a.transfers[i].collective, b.transfers[i].collective);
        ASSERT_EQ(a.transfers[i].combination.has_value(), b.transfers[i].combination.has_value());
        if (a.transfers[i].combination) {
            EXPECT_EQ(a.transfers[i].combination->op, b.transfers[i].combination->op);
            EXPECT_EQ(a.transfers[i].combination->dtype, b.transfers[i].combination->dtype);
        }
        ASSERT_EQ(a.transfers[i].indirect.has_value(), b.transfers[i].indirect.has_value());
        if (!a.transfers[i].indirect) continue;
        const Indirect &x = *a.transfers[i].indirect, &y = *b.transfers[i].indirect;
        expect_same(x.index, y.index);
        EXPECT_EQ(x.scatter, y.scatter);
        EXPECT_EQ(x.step, y.step);
        EXPECT_EQ(x.first, y.first);
        EXPECT_EQ(x.last, y.last);
        EXPECT_EQ(x.skip, y.skip);
    }
}

TEST(Neff, RoundTrip) {
    const Package package = test::sample_package();
    expect_same(parse(serialise(package), "k.neff"), package);
}

TEST(Neff, RoundTripOfLoops) {
    Package package = test::stream_package(test::sample_package().target);
    package.transfers[0].from.iteration_step = {-52, 0, 52, 1 << 20};
    package.transfers[0].from.iteration_count = {1, 1, 37, 1};
    expect_same(parse(serialise(package), "k.neff"), package);
}

TEST(Neff, RoundTripOfTransposes) {
    Package package = test::sample_package();
    package.transfers[0].transposes = true;
    expect_same(parse(serialise(package), "k.neff"), package);
}

TEST(Neff, RoundTripOfCollectives) {
    const Package package = test::collective_package();
    expect_same(parse(serialise(package), "k.neff"), package);
}

TEST(Neff, RoundTripOfIndices) {
    Package package = test::gather_package();
    package.loops.push_back({3});
    package.transfers[1].loop = 0;
    package.transfers[1].indirect->index.iteration_step[0] = 4;
    package.transfers[1].indirect->index.iteration_count[0] = 3;
    package.transfers[2].indirect->first = INT32_MIN;
    package.transfers[2].indirect->last = INT32_MIN + 3;
    package.transfers[2].indirect->step = -24;
    package.transfers[2].to.offset = 72;
    package.transfers[0].combination = {isa::AluOp::Max, isa::Dtype::I32};
    package.transfers[2].combination = {isa::AluOp::Add, isa::Dtype::Fp32};
    expect_same(parse(serialise(package), "k.neff"), package);
}

// The container of a program that loops does not grow with the tiles, except for the digits of their number.
TEST(Neff, ContainersDoNotGrowWithTheIterations) {
    const auto bytes = [](std::uint32_t tiles) {
        return serialise(test::stream_package(test::sample_package().target, {.tiles = tiles})).size();
    };
    EXPECT_EQ(bytes(3), bytes(100'000));
}

TEST(Neff, RoundTripOfOriginAndSourceLines) {
    const Package package = parse(serialise(test::sample_package_with_sources()), "k.neff");
    EXPECT_EQ(package.origin.builder, "0.0.1");
    EXPECT_EQ(package.origin.kernel, "sample");
    const auto sync = static_cast<std::size_t>(isa::Engine::Sync),
               vector = static_cast<std::size_t>(isa::Engine::Vector);
    EXPECT_EQ(source_line(package, sync, 0), "kernel.cpp:12");
    EXPECT_EQ(source_line(package, sync, 2), "kernel.cpp:15");
    EXPECT_EQ(source_line(package, sync, 3), "") << "nobody's";
    EXPECT_EQ(source_line(package, sync, 99), "");
    EXPECT_EQ(source_line(package, vector, 0), "lib/helper.hpp:7");
    EXPECT_EQ(source_line_of_transfer(package, 0), "kernel.cpp:12");
    EXPECT_EQ(source_line_of_transfer(package, 1), "kernel.cpp:15");
    EXPECT_EQ(package.sources.files.size(), 2u);
}

TEST(Neff, ContainersWithoutSourceLinesAreSound) {
    const Package package = parse(serialise(test::sample_package()), "k.neff");
    EXPECT_TRUE(package.sources.empty());
    EXPECT_EQ(package.origin.builder, "");
    EXPECT_EQ(source_line(package, 4, 0), "");
    EXPECT_EQ(source_line_of_transfer(package, 1), "");
}

TEST(Neff, SourceLinesAreNamedFromTheWorkingDirectory) {
    Package package = test::sample_package();
    package.sources.add((std::filesystem::current_path() / "src/k.cpp").string(), 3);
    package.sources.add("/elsewhere/k.cpp", 4);
    package.sources.add("../../lib/k.cpp", 5);
    package.sources.of[4] = {1, 2, 3, 0, 0};
    EXPECT_EQ(source_line(package, 4, 2), "lib/k.cpp:5");
    EXPECT_EQ(source_line(package, 4, 0), "src/k.cpp:3");
    EXPECT_EQ(source_line(package, 4, 1), "/elsewhere/k.cpp:4");
}

TEST(Neff, RoundTripOfNegativeStepsAndEveryType) {
    Package package = test::sample_package();
    for (const isa::EnumValue& value : isa::dtype_values()) {
        package.tensors.push_back({"t" + std::string(value.name),
                                   TensorKind::Scratch,
                                   static_cast<isa::Dtype>(value.value),
                                   {2, 3}});
    }
    package.transfers[0].from.offset = 28;
    package.transfers[0].from.step[0] = -4;
    package.arguments = "quote \" backslash \\ tab \t";
    expect_same(parse(serialise(package), "k.neff"), package);
}

TEST(Neff, SamePackageGivesTheSameBytes) {
    EXPECT_EQ(serialise(test::sample_package()), serialise(test::sample_package()));
    Package other = test::sample_package();
    other.transfers[0].semaphore = 9;
    const auto a = serialise(test::sample_package()), b = serialise(other);
    EXPECT_FALSE(std::ranges::equal(std::span(a).subspan(172, 48), std::span(b).subspan(172, 48)))
        << "hash and uuid follow";
}

TEST(Neff, HeaderAndMembersAreWhereTheFormatSays) {
    const auto bytes = serialise(test::sample_package());
    const auto byte = [&](std::size_t at) { return static_cast<unsigned>(bytes[at]); };
    EXPECT_EQ(byte(8) | byte(9) << 8, 1024u);                                      // header_size
    EXPECT_EQ(byte(16) | byte(17) << 8 | byte(18) << 16, bytes.size() - 1024u);    // data_size
    EXPECT_EQ(byte(168), 1u);                                                      // num_tpb
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(&bytes[220])), "sample");  // name
    const Members members = read_tar(std::span(bytes).subspan(HeaderBytes));
    std::string paths;
    for (const auto& [path, contents] : members) paths += path + " ";
    EXPECT_EQ(paths,
              "info.json neff.json sg00/Gpsimd.json sg00/Scalar.json sg00/Sync.json sg00/Tensor.json "
              "sg00/Vector.json "
              "sg00/def.json sg00/gpsimd.bin sg00/scalar.bin sg00/sync.bin sg00/tensor.bin sg00/vector.bin ");
    EXPECT_EQ(members.at("sg00/sync.bin").size(), 5u * 64u);
}

TEST(Neff, ReadAndWriteFiles) {
    const test::TemporaryDirectory dir;
    write(dir / "k.neff", test::sample_package());
    expect_same(read(dir / "k.neff"), test::sample_package());
    EXPECT_EQ(dir.entries(), 1u);
}

TEST(Neff, UnsoundPackageIsNotWritten) {
    const test::TemporaryDirectory dir;
    Package package = test::sample_package();
    package.transfers[1].queue = 7;
    EXPECT_EQ(test::message_of<Error>([&] { write(dir / "k.neff", package); }),
              "transfer 1 'store y': queue 7 of 2");
    EXPECT_EQ(dir.entries(), 0u);
}

}  // namespace
}  // namespace trnsim::neff
