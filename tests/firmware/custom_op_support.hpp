// Calls of custom operators on a simulated core.
#pragma once

#include <gtest/gtest.h>

#include <bit>

#include "base/files/files.hpp"
#include "common/lacking.hpp"
#include "common/random.hpp"
#include "tests/firmware/simulated_core.hpp"
#include "trnsim/custom_op_arguments.hpp"

namespace trnsim::test {

using namespace firmware;

inline firmware::Image load_image(const std::string& name) {
    const std::string path = TRNSIM_FIRMWARE_IMAGES "/" + name + ".gpsimd";
    return parse(files::read(path), path);
}

// Rows of `columns` contiguous elements.
inline TensorDescriptor tensor(std::uint32_t partition, std::uint32_t rows, std::uint32_t address,
                               Dtype dtype, std::uint32_t bytes, std::uint32_t columns) {
    return {partition, address, dtype, 2, {rows, columns}, {0, static_cast<std::int32_t>(bytes)}};
}

inline CustomOpArguments arguments_of(std::initializer_list<TensorDescriptor> tensors,
                                      std::initializer_list<std::uint32_t> scalars) {
    CustomOpArguments arguments{};
    arguments.tensors = static_cast<std::uint32_t>(tensors.size());
    arguments.scalars = static_cast<std::uint32_t>(scalars.size());
    std::copy(tensors.begin(), tensors.end(), arguments.tensor);
    std::copy(scalars.begin(), scalars.end(), arguments.scalar);
    return arguments;
}

class CustomOp : public testing::Test {
  protected:
    void SetUp() override {
        if (!has_simulator()) TRNSIM_END_WITHOUT("Spike, see tests/spike");
        seed();
    }

    static std::uint32_t command_of(const SimulatedCore& core, const std::string& name) {
        return command(core.image(), name).value();
    }

    std::uint32_t number(std::uint32_t low, std::uint32_t high) {
        return low + static_cast<std::uint32_t>(random_() % (high - low + 1));
    }
    float value() { return static_cast<float>(static_cast<int>(number(0, 4000)) - 2000) / 64.0F; }

    std::mt19937_64 random_ = generator();
};

}  // namespace trnsim::test
