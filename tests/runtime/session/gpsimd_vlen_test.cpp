// GpSimd cores with smaller vector registers than those of the shipped configurations: the microcode and an
// operator compiled for them run on the verilated core and are compared with the interpreter; images for
// others are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "common/gpsimd_kernel.hpp"
#include "common/random.hpp"
#include "common/refusal.hpp"
#include "runtime/session/chip_of_process.hpp"
#include "runtime/session/session.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::runtime {
namespace {

constexpr unsigned Vlen = TRNSIM_TEST_VLEN, OtherVlen = Vlen == 128 ? 256 : 128;

class GpsimdVlen : public testing::Test {
  protected:
    // Returns the outputs of a kernel, which must be equal on the core and in the interpreter.
    std::map<std::string, npy::Array> outputs_of(
        const neff::Package& package, const std::map<std::string, std::vector<std::uint8_t>>& bytes) {
        functional::Interpreter machine(package);
        Arrays inputs;
        for (const neff::Tensor& tensor : package.tensors) {
            if (!neff::is_input(tensor.kind)) continue;
            machine.set(tensor.name, bytes.at(tensor.name));
            inputs.emplace(tensor.name, loader::from_device(tensor, bytes.at(tensor.name)));
        }
        machine.run();
        Session session(config_, chip_of_process);
        const Result result = session.execute(session.load(package), inputs, {});
        EXPECT_TRUE(result.done()) << result.message;
        for (const auto& [name, array] : result.outputs) EXPECT_EQ(array.data, machine.get(name)) << name;
        return result.outputs;
    }

    static std::filesystem::path checks(unsigned vlen) {
        return fmt::format("{}/checks_vlen{}.gpsimd", TRNSIM_FIRMWARE_IMAGES, vlen);
    }

    config::Config config_ = config::load(fmt::format("{}/vlen{}.yaml", TRNSIM_TEST_CONFIGS, Vlen));
    target::Chip target_ = target::of(config_);
};

TEST_F(GpsimdVlen, EveryCommandOfTheMicrocode) {
    auto random = test::generator();
    const test::GpsimdKernel kernel = test::GpsimdKernelWriter(target_, random).write();
    const auto outputs = outputs_of(kernel.package, kernel.inputs);
    for (const auto& [name, bytes] : kernel.expected) EXPECT_EQ(outputs.at(name).data, bytes) << name;
}

TEST_F(GpsimdVlen, AnOperatorFindsTheRegistersThatItIsCompiledFor) {
    builder::KernelBuilder k("sizes", "", target_);
    const auto rows = static_cast<std::uint32_t>(target_.partitions);
    const builder::Tile tile = k.sbuf(rows, isa::Dtype::U32, {2});
    k.custom_op(k.gpsimd_image(checks(Vlen)), "register_sizes", std::array{tile});
    k.store(k.queue("out"), k.tensor("y", neff::TensorKind::Output, isa::Dtype::U32, {rows, 2}), tile);
    EXPECT_EQ(outputs_of(k.finish(), {}).at("y").data,
              test::bytes_of(std::vector<std::uint32_t>(2 * rows, Vlen / 8)));
}

TEST_F(GpsimdVlen, ImagesForOthersAreRefused) {
    builder::KernelBuilder k("other", "", target_);
    EXPECT_EQ(test::refusal_of([&] { k.gpsimd_image(checks(OtherVlen)); }),
              fmt::format("image 'checks_vlen{}' is for GpSimd cores with a VLEN of {}, expected {}, the "
                          "target's",
                          OtherVlen, OtherVlen, Vlen));
    // A kernel for other cores does not run on these, and the interpreter does not run it with an image for
    // another target.
    target_.gpsimd_vlen = static_cast<int>(OtherVlen);
    neff::Package package = test::gpsimd_loop(target_, 1).package;
    Session session(config_, chip_of_process);
    try {
        session.load(package);
        ADD_FAILURE() << "loaded";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(),
                  fmt::format("kernel 'loop' is built for gpsimd_vlen = {}, configuration 'vlen{}' has {}",
                              OtherVlen, Vlen, Vlen));
    }
    package.target.gpsimd_vlen = static_cast<int>(Vlen);
    try {
        const functional::Interpreter machine(package);
        ADD_FAILURE() << "interpreted";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), fmt::format("image 'microcode' is for GpSimd cores with a VLEN of {}, "
                                            "expected {}, the target's",
                                            OtherVlen, Vlen));
    }
}

}  // namespace
}  // namespace trnsim::runtime
