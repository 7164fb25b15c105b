// Every built-in kernel on the verilated core in the whole system: the bits of every output are the
// interpreter's, with random shapes on a small core, once on the full one, and with stochastic rounding.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/random.hpp"
#include "rtl_bench.hpp"
#include "tensors.hpp"
#include "testbench/builder/target.hpp"
#include "testbench/functional/machine.hpp"
#include "testbench/kernels/registry.hpp"
#include "testbench/runtime/trace_writer.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;

// Arguments are "name=choices": "1..60" is any number in between, "a|b" one after the other over the cases.
struct Row {
    std::string kernel;
    std::string small;   // on small16
    unsigned cases;      // of them, times heavy_scale(); all choices have their turn in the first ones
    std::string full;    // on trn1
    std::string rounds;  // on small16 with stochastic rounding; empty: the kernel rounds nothing
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.kernel;
}

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
        {"matmul", "M=1..70 K=1..90 N=1..300 dtype=bf16|fp32", 4, "M=130 K=70 N=600", ""},
        {"mlp",
         "batch=1..600 inputs=1..40 hidden=1..40 outputs=1..20 "
         "dtype=bf16|fp16|tf32|fp32|fp8_e4m3|fp8_e5m2|fp8_e3m4",
         14, "batch=600 inputs=200 hidden=150 outputs=10", "batch=70 inputs=20 hidden=30 outputs=10"},
        {"cast",
         "rows=1..60 cols=1..300 "
         "dtype=fp32|tf32|bf16|fp16|fp8_e4m3|fp8_e5m2|fp8_e3m4|u8|i8|u16|i16|u32|i32",
         26, "rows=300 cols=777", "rows=37 cols=45 dtype=fp8_e4m3"},
        {"softmax", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16|tf32|fp8_e5m2", 10, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"layernorm", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16", 9, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"layernorm_backward", "rows=1|37|20|1..50 cols=1..200 dtype=fp32|bf16", 16, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"rmsnorm", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16", 9, "rows=300 cols=777", "rows=37 cols=45"},
        {"gelu", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16|fp8_e3m4", 8, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"gelu_backward", "rows=1..50 cols=1..300 dtype=bf16|fp32|fp16", 6, "rows=300 cols=777",
         "rows=37 cols=45"},
        {"attention", "seq=1..70 dim=1..40 causal=0|1 dtype=bf16|fp32|fp16|fp8_e4m3", 24,
         "seq=300 dim=65 causal=1", "seq=37 dim=21 causal=1"},
        {"adamw", "n=1..3000 dtype=bf16|fp32 step=1..9", 8, "n=70001", "n=1000"},
        {"transformer_block", "seq=1..40 width=8|20 heads=1|2 causal=0|1 dtype=bf16|fp32", 16,
         "seq=150 width=96 heads=3 causal=1", "seq=21 width=12 heads=2"},
        {"reduce", "rows=1..60 cols=1..300 op=add|max|min|multiply axis=0|1", 16, "rows=300 cols=777 axis=0",
         ""},
        {"transpose", "rows=1..4|1..200 cols=1..200 dtype=fp32|bf16|fp8_e4m3", 12, "rows=300 cols=777", ""},
        {"cross_entropy", "rows=1..60 classes=1|10|1..300|3000", 8, "rows=300 classes=777", ""},
    };
    return all;
}

using Arguments = std::map<std::string, std::string>;

// Case number `index` of a row's arguments.
Arguments choose(const std::string& text, std::uint64_t index, std::mt19937_64& random) {
    Arguments chosen;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        std::vector<std::string> choices;
        std::istringstream list(word.substr(equals + 1));
        for (std::string choice; std::getline(list, choice, '|');) choices.push_back(choice);
        std::string choice = choices[index % choices.size()];
        index /= choices.size();
        if (const std::size_t dots = choice.find(".."); dots != std::string::npos) {
            const std::uint64_t least = std::stoull(choice), most = std::stoull(choice.substr(dots + 2));
            choice = std::to_string(least + random() % (most - least + 1));
        }
        chosen[word.substr(0, equals)] = choice;
    }
    return chosen;
}

// A kernel with inputs, ready for both machines.
struct Subject {
    Subject(const std::string& kernel, const std::string& config_name, const Arguments& arguments,
            std::mt19937_64& random)
        : config(config::load(config_name)),
          package(kernels::build_kernel(kernel, arguments, builder::target_of(config))) {
        for (const neff::Tensor& tensor : package.tensors) {
            if (neff::is_input(tensor.kind))
                contents.emplace(tensor.name, pack(values(tensor, random), tensor.dtype));
        }
    }

    runtime::Arrays arrays() const {
        runtime::Arrays all;
        for (const neff::Tensor& tensor : package.tensors) {
            if (neff::is_input(tensor.kind))
                all.emplace(tensor.name, runtime::from_device(tensor, contents.at(tensor.name)));
        }
        return all;
    }
    Bytes on_rtl(const runtime::Rounding& rounding) const {
        return run_on_rtl(package, config, arrays(), rounding);
    }

    // In the order of this number (functional::in_order).
    Bytes interpreted(const runtime::Rounding& rounding, std::uint64_t order) const {
        functional::Machine machine(package,
                                    functional::in_order(order, {rounding.stochastic, rounding.seed}));
        for (const auto& [name, bytes] : contents) machine.set(name, bytes);
        machine.run();
        Bytes outputs;
        for (const neff::Tensor& tensor : package.tensors) {
            if (!neff::is_output(tensor.kind)) continue;
            const Bytes& bytes = machine.get(tensor.name);
            outputs.insert(outputs.end(), bytes.begin(), bytes.end());
        }
        return outputs;
    }

    config::Config config;
    neff::Package package;
    std::map<std::string, Bytes> contents;

  private:
    // Integers are labels: columns of the first tensor. What adamw takes the root of has no sign.
    Bits values(const neff::Tensor& tensor, std::mt19937_64& random) const {
        std::size_t count = 1;
        for (const std::uint64_t extent : tensor.shape) count *= extent;
        if (!numerics::is_float(tensor.dtype)) {
            Bits labels(count);
            for (std::uint32_t& label : labels)
                label = static_cast<std::uint32_t>(random() % package.tensors[0].shape.back());
            return labels;
        }
        Bits bits = random_tensor(random, count, tensor.dtype);
        if (package.name == "adamw" && tensor.name == "v") {
            for (std::uint32_t& element : bits) element &= 0x7fffffff;
        }
        return bits;
    }
};

void check(const std::string& kernel, const std::string& config_name, const Arguments& arguments,
           std::mt19937_64& random) {
    const Subject subject(kernel, config_name, arguments, random);
    SCOPED_TRACE(fmt::format("{} {} on {}", kernel, subject.package.arguments, config_name));
    expect_same(subject.on_rtl({}), subject.interpreted({}, random() % 6));
}

class RtlKernels : public ::testing::TestWithParam<Row> {};

TEST_P(RtlKernels, RandomShapesOnASmallCore) {
    auto random = generator();
    for (std::uint64_t i = 0; i < GetParam().cases * heavy_scale(); ++i)
        check(GetParam().kernel, "small16", choose(GetParam().small, i, random), random);
}

TEST_P(RtlKernels, OnTheFullCore) {
    auto random = generator();
    check(GetParam().kernel, "trn1", choose(GetParam().full, 0, random), random);
}

// Every instruction is in the trace, with what it is.
TEST_P(RtlKernels, WritesATrace) {
    auto random = generator();
    const Subject subject(GetParam().kernel, "small16", choose(GetParam().small, 0, random), random);
    const std::string text = cli::run_isolated([&] {
        std::ostringstream trace;
        runtime::TraceWriter writer(trace);
        runtime::Observer observer(subject.package, &writer);
        const runtime::Prepared prepared =
            runtime::prepare(subject.package, subject.config, subject.arrays());
        runtime::ChipMachine machine(subject.config, &observer);
        const runtime::Result result = runtime::execute(machine, subject.package, prepared, observer);
        if (!result.done()) throw std::runtime_error(result.message);
        writer.finish();
        return trace.str();
    });
    std::size_t instructions = 0, seen = 0;
    for (const auto& program : subject.package.programs) instructions += program.size();
    const auto trace = nlohmann::json::parse(text);
    for (const auto& event : trace.at("traceEvents"))
        seen += event.contains("args") && event.at("args").contains("instruction") ? 1 : 0;
    EXPECT_EQ(seen, instructions);
}

// Scores far beyond what exp takes: what counts is their distance to the largest.
TEST(RtlAttention, LargeScores) {
    auto random = generator();
    for (const char* dtype : {"fp32", "bf16"}) {
        for (const char* dim : {"3", "16"}) {
            for (const char* causal : {"0", "1"}) {
                Subject subject("attention", "small16",
                                {{"seq", "40"}, {"dim", dim}, {"dtype", dtype}, {"causal", causal}}, random);
                for (const char* name : {"q", "k"}) {
                    const auto& tensor =
                        *std::ranges::find(subject.package.tensors, name, &neff::Tensor::name);
                    Bits bits = random_tensor(random, tensor.shape[0] * tensor.shape[1], Dtype::Fp32);
                    for (std::uint32_t& element : bits)
                        element = numerics::from_fp32(numerics::to_fp32(element, Dtype::Fp32) * 0x1p40f,
                                                      tensor.dtype);
                    subject.contents.at(name) = pack(bits, tensor.dtype);
                }
                const Bytes outputs = subject.on_rtl({});
                expect_same(outputs, subject.interpreted({}));
                const std::size_t width = outputs.size() / 40 / std::stoul(dim);
                for (std::size_t i = 0; i < outputs.size(); i += width) {
                    std::uint32_t element = 0;
                    std::memcpy(&element, &outputs[i], width);
                    ASSERT_TRUE(std::isfinite(numerics::to_fp32(element, subject.package.tensors[0].dtype)))
                        << "element " << i / width;
                }
            }
        }
    }
}

class RtlRounding : public ::testing::TestWithParam<Row> {};

TEST_P(RtlRounding, FollowsTheSeed) {
    auto random = generator();
    const Subject subject(GetParam().kernel, "small16", choose(GetParam().rounds, 0, random), random);
    const auto seed = static_cast<std::uint32_t>(random());
    const Bytes bits = subject.on_rtl({true, seed});
    expect_same(bits, subject.interpreted({true, seed}, random() % 6));
    const Bytes others = subject.on_rtl({true, seed + 1});
    expect_same(others, subject.interpreted({true, seed + 1}, random() % 6));
    EXPECT_NE(bits, others);
    EXPECT_NE(bits, subject.interpreted({}, random() % 6));
}

std::vector<Row> rounding_rows() {
    std::vector<Row> rounding;
    std::ranges::copy_if(rows(), std::back_inserter(rounding),
                         [](const Row& row) { return !row.rounds.empty(); });
    return rounding;
}

std::string name_of_case(const ::testing::TestParamInfo<Row>& info) {
    return info.param.kernel;
}

INSTANTIATE_TEST_SUITE_P(, RtlKernels, ::testing::ValuesIn(rows()), name_of_case);
INSTANTIATE_TEST_SUITE_P(, RtlRounding, ::testing::ValuesIn(rounding_rows()), name_of_case);

TEST(RtlKernelTable, HasEveryKernel) {
    std::vector<std::string> names, tested;
    for (const kernels::Kernel& kernel : kernels::kernels()) names.emplace_back(kernel.name);
    for (const Row& row : rows()) tested.push_back(row.kernel);
    std::ranges::sort(names);
    std::ranges::sort(tested);
    EXPECT_EQ(names, tested);
}

}  // namespace
}  // namespace trnsim::test
