#include "testbench/sweep/check_outputs.hpp"

#include <gtest/gtest.h>

#include "testbench/builder/target.hpp"
#include "testbench/functional/machine.hpp"
#include "testbench/kernels/registry.hpp"
#include "testbench/runtime/tensor_io.hpp"
#include "testbench/sweep/inputs.hpp"

namespace trnsim::sweep {
namespace {

TEST(CheckOutputs, NoticesOneWrongByte) {
    const neff::Package package = kernels::build_kernel("matmul", {{"M", "5"}, {"K", "6"}, {"N", "7"}},
                                                        builder::target_of(config::load("small16")));
    TensorContents inputs;
    functional::Machine machine(package);
    for (const char* name : {"a", "b"}) {
        const std::size_t index = *name == 'a' ? 0 : 1;
        inputs[name] = random_input(package, package.tensors[index], 1);
        machine.set(name, inputs[name]);
    }
    machine.run();
    runtime::Arrays outputs;
    for (const neff::Tensor& tensor : package.tensors)
        if (neff::is_output(tensor.kind))
            outputs.emplace(tensor.name, runtime::from_device(tensor, machine.get(tensor.name)));
    EXPECT_EQ(output_differences(package, inputs, outputs), "");
    outputs.at("c").data[17] ^= 1;
    EXPECT_EQ(output_differences(package, inputs, outputs),
              "output c: 1 of 140 bytes differ from the interpreter's");
    outputs.at("c").data.resize(100);
    EXPECT_EQ(output_differences(package, inputs, outputs),
              "output c: 41 of 140 bytes differ from the interpreter's");
}

TEST(CheckOutputs, TheInterpreterRoundsAsTheRun) {
    const neff::Package package = kernels::build_kernel("cast", {{"rows", "16"}, {"cols", "16"}},
                                                        builder::target_of(config::load("small16")));
    const TensorContents inputs{{"x", random_input(package, package.tensors[0], 1)}};
    functional::Machine machine(package, {.rounding = {true, 5}});
    machine.set("x", inputs.at("x"));
    machine.run();
    const runtime::Arrays outputs{{"y", runtime::from_device(package.tensors[1], machine.get("y"))}};
    EXPECT_EQ(output_differences(package, inputs, outputs, {true, 5}), "");
    EXPECT_NE(output_differences(package, inputs, outputs, {true, 6}), "");
    EXPECT_NE(output_differences(package, inputs, outputs), "");
}

}  // namespace
}  // namespace trnsim::sweep
