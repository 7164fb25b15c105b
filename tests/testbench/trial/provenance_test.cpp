// Tests where elements come from. What a write must have given is what the outputs have, and which call of a
// kernel computes an element is known from the kernel.
#include "testbench/trial/provenance.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "arch/target/target.hpp"
#include "common/stream_package.hpp"
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

TEST(Provenance, AnInputHasNoWriter) {
    const Trial trial = make_trial(config::load("small16"), "gelu", {{"rows", "4"}, {"cols", "4"}}, 1);
    EXPECT_TRUE(writers_of(trial, {}, tensor_of(trial, "x"), 3).empty());
    EXPECT_EQ(computed({}), nullptr);
    EXPECT_EQ(origin_text(trial.package, {}), "");
}

}  // namespace
}  // namespace trnsim::trial
