// Tests where elements come from. What a write must have given is what the outputs have, and which call of a
// kernel computes an element is known from the kernel.
#include "testbench/trial/provenance.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "arch/target/target.hpp"
#include "common/stream_package.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "isa/element_type.hpp"

namespace trnsim::trial {
namespace {

std::size_t tensor_of(const Trial& trial, const std::string& name) {
    return functional::tensor_index(trial.package, name);
}

std::uint64_t bits_of(const Trial& trial, const std::string& name, std::size_t element) {
    const std::size_t width = isa::element_size(trial.package.tensors[tensor_of(trial, name)].dtype);
    std::uint64_t bits = 0;
    std::memcpy(&bits, interpret(trial).at(name).data() + element * width, width);
    return bits;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Provenance, AProductIsFollowedToTheMatmul) {
    const Trial trial =
        make_trial(config::load("small16"), "matmul", {{"M", "5"}, {"K", "6"}, {"N", "7"}}, 1);
    constexpr std::size_t Element = 1 * 7 + 3;
    const auto writers = writers_of(trial, {}, tensor_of(trial, "c"), Element);
    ASSERT_GE(writers.size(), 2u);
    EXPECT_TRUE(writers.front().transfer) << "a store";
    EXPECT_EQ(writers.front().bits, bits_of(trial, "c", Element));
    const Writer& copy = *computed(writers);
    EXPECT_FALSE(copy.transfer);
    EXPECT_TRUE(has(copy.text, "[tensor_copy dst=sbuf[")) << copy.text;
    EXPECT_TRUE(has(copy.text, " at compiler/kernels/")) << copy.text;
    EXPECT_EQ(copy.bits, bits_of(trial, "c", Element)) << "fp32 in SBUF as in the output";
    EXPECT_EQ(copy.index, 3u);
    EXPECT_EQ(copy.elements, 7u);
    ASSERT_EQ(copy.sources.size(), 1u);
    EXPECT_EQ(copy.sources[0].bits, copy.bits);
    EXPECT_TRUE(describe(trial.package, copy.sources[0].first).starts_with("psum[1+0x"))
        << describe(trial.package, copy.sources[0].first);
    EXPECT_TRUE(has(copy.sources[0].writer, "[multiply_moving ")) << copy.sources[0].writer;
    EXPECT_TRUE(has(origin_text(trial.package, writers), "; computed by " + copy.text));

    // The write of the sum itself, and what it is made of.
    const auto address = static_cast<std::uint32_t>(copy.sources[0].first.place.byte);
    std::optional<Writer> sum;
    for (std::size_t number = 0; number < trial.package.programs[0].size() && !sum; ++number)
        sum = write_of(trial, {}, isa::Engine::Tensor, number, address);
    ASSERT_TRUE(sum);
    EXPECT_TRUE(has(sum->text, "[multiply_moving ")) << sum->text;
    ASSERT_GE(sum->sources.size(), 2u);
    EXPECT_EQ(sum->sources[0].role, "moving");
    EXPECT_EQ(sum->sources[0].partitions, 6u) << "K";
    EXPECT_EQ(sum->sources[1].role, "stationary");
    EXPECT_FALSE(write_of(trial, {}, isa::Engine::Vector, 0, address));
}

TEST(Provenance, EveryElementOfAnOutputHasItsOwnBits) {
    for (const std::string kernel : {"gelu", "softmax", "layernorm"}) {
        const Trial trial = make_trial(config::load("small16"), kernel, {{"rows", "20"}, {"cols", "8"}}, 2);
        for (const neff::Tensor& tensor : trial.package.tensors) {
            if (!neff::is_output(tensor.kind)) continue;
            for (const std::size_t element : {0, 7, 83, 159}) {
                const auto writers = writers_of(trial, {}, tensor_of(trial, tensor.name), element);
                ASSERT_FALSE(writers.empty()) << kernel;
                EXPECT_EQ(writers.front().bits, bits_of(trial, tensor.name, element)) << kernel << element;
                EXPECT_FALSE(computed(writers)->transfer) << kernel;
                EXPECT_LT(computed(writers)->index, computed(writers)->elements) << kernel;
            }
        }
    }
}

TEST(Provenance, ATransferInALoopHasItsIteration) {
    const config::Config config = config::load("small16");
    const Trial trial = make_trial(config, test::stream_package(target::of(config)), 1);
    const auto writers =
        writers_of(trial, {}, tensor_of(trial, "y"), 37 * 13 * 5 + 13 * 20 + 3);  // partition 5, tile 20
    ASSERT_FALSE(writers.empty());
    ASSERT_TRUE(writers.front().transfer);
    EXPECT_EQ(writers.front().transfer->iteration, 20u);
    EXPECT_TRUE(has(writers.front().text, "'store y' in iteration 20")) << writers.front().text;
}

// y = x by one store, then q is added to it twice: the second time to two rows, one after the other.
Trial combined_trial() {
    builder::KernelBuilder k("combined", "", target::of(config::load("small16")));
    const auto x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {4, 6});
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {4, 6});
    const auto at = k.tensor("at", neff::TensorKind::Input, isa::Dtype::I32, {4, 1});
    const builder::Tile moved = k.sbuf(4, isa::Dtype::Fp32, {6}), sum = k.sbuf(4, isa::Dtype::Fp32, {6}),
                        rows = k.sbuf(4, isa::Dtype::I32, {1});
    const auto q = k.queue("q");
    k.load(q, moved, x);
    k.load(q, rows, at);
    k.store(q, y, moved);
    k.memset(sum, 2.0f);
    k.combine(q, y, isa::AluOp::Add, sum);
    k.scatter(q, y, sum, rows, {.combine = isa::AluOp::Add});
    Trial trial = make_trial(config::load("small16"), k.finish(), 1);
    std::vector<float> values(24, 1.0f);
    std::vector<std::int32_t> indices{3, 3, 3, 0};
    trial.inputs["x"].assign(reinterpret_cast<const std::uint8_t*>(values.data()),
                             reinterpret_cast<const std::uint8_t*>(values.data() + values.size()));
    trial.inputs["at"].assign(reinterpret_cast<const std::uint8_t*>(indices.data()),
                              reinterpret_cast<const std::uint8_t*>(indices.data() + indices.size()));
    return trial;
}

// Row 2 is 1 + 2, row 3 is 1 + 2 + 2 + 2 + 2: each addition is followed to what it adds and to what was there.
TEST(Provenance, ACombinationIsFollowedToBothOfItsSources) {
    const Trial trial = combined_trial();
    const auto fp32 = [](float value) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return std::optional<std::uint64_t>(bits);
    };
    for (const auto& [row, additions] : {std::pair{2u, 1u}, {3u, 4u}}) {
        const auto writers = writers_of(trial, {}, tensor_of(trial, "y"), row * 6 + 2);
        ASSERT_FALSE(writers.empty());
        EXPECT_EQ(computed(writers), &writers.front());
        const Writer* writer = &writers.front();
        float value = 1 + 2 * static_cast<float>(additions);
        for (std::uint32_t i = 0; i < additions; ++i, value -= 2) {
            ASSERT_EQ(writer->combined, isa::AluOp::Add) << i;
            EXPECT_EQ(writer->bits, fp32(value)) << i;
            ASSERT_EQ(writer->sources.size(), 2u);
            const Source &moved = writer->sources[0], &before = writer->sources[1];
            EXPECT_EQ(moved.role, "moved");
            EXPECT_EQ(moved.bits, fp32(2));
            ASSERT_TRUE(moved.write);
            EXPECT_TRUE(has(writers[*moved.write].text, "[memset ")) << writers[*moved.write].text;
            EXPECT_EQ(before.role, "before");
            EXPECT_EQ(before.bits, fp32(value - 2)) << i;
            ASSERT_TRUE(before.write);
            writer = &writers[*before.write];
        }
        EXPECT_FALSE(writer->combined);
        EXPECT_TRUE(has(writer->text, "'store y")) << writer->text;
        ASSERT_TRUE(writer->sources.at(0).write);
        const Writer& load = writers[*writer->sources[0].write];
        EXPECT_TRUE(has(load.text, "'load x")) << load.text;
        EXPECT_EQ(describe(trial.package, load.sources.at(0).first), "x [" + std::to_string(row) + ", 2]");
        EXPECT_FALSE(load.sources[0].write);
        EXPECT_FALSE(is_unwritten(trial.package, load.sources[0])) << "an input";
        EXPECT_TRUE(has(origin_text(trial.package, writers), "; add of sbuf["))
            << origin_text(trial.package, writers);
        EXPECT_TRUE(
            has(origin_text(trial.package, writers), " and y [" + std::to_string(row) + ", 2] by transfer "))
            << origin_text(trial.package, writers);
    }
}

// A store of a tile that nobody has written: the interpreter goes on, as it does not look for mistakes here.
TEST(Provenance, AStoreOfWhatNothingHasWrittenSaysSo) {
    builder::KernelBuilder k("unwritten", "", target::of(config::load("small16")));
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {4, 6});
    k.store(k.queue("q"), y, k.sbuf(4, isa::Dtype::Fp32, {6}));
    const Trial trial = make_trial(config::load("small16"), k.finish(), 1);
    const auto writers = writers_of(trial, {}, 0, 7);
    ASSERT_EQ(writers.size(), 1u);
    EXPECT_TRUE(is_unwritten(trial.package, writers[0].sources.at(0)));
    EXPECT_TRUE(origin_text(trial.package, writers).ends_with("; nothing has written it there"))
        << origin_text(trial.package, writers);
}

TEST(Provenance, ItEndsWithinItsLimits) {
    const Trial trial = combined_trial();
    EXPECT_THROW(writers_of(trial, {}, tensor_of(trial, "y"), 3, {.work = 1}), functional::Error);
    int asked = 0;
    const functional::Limits stops{.interrupted = [&asked] { return ++asked > 3; }};
    EXPECT_THROW(writers_of(trial, {}, tensor_of(trial, "y"), 3, stops), functional::Interrupted);
    EXPECT_EQ(asked, 4) << "at once";
}

TEST(Provenance, AnInputHasNoWriter) {
    const Trial trial = make_trial(config::load("small16"), "gelu", {{"rows", "4"}, {"cols", "4"}}, 1);
    EXPECT_TRUE(writers_of(trial, {}, tensor_of(trial, "x"), 3).empty());
    EXPECT_EQ(computed({}), nullptr);
    EXPECT_EQ(origin_text(trial.package, {}), "");
}

}  // namespace
}  // namespace trnsim::trial
