// Runs a compiled kernel on the verilated core in the whole system, with protocol checkers on every socket.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/jobs/isolated.hpp"
#include "common/random.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::test {

using Bytes = std::vector<std::uint8_t>;

// Runs the kernel in its own process and returns the bytes of its outputs, one after the other. The memories
// start with random contents.
inline Bytes run_on_rtl(const neff::Package& package, const config::Config& config,
                        const runtime::Arrays& inputs, const runtime::Rounding& rounding = {},
                        tlm::perturb::Seed perturb = {}) {
    const std::string text = jobs::run_isolated([&] {
        runtime::Observer observer(package, nullptr);
        runtime::Prepared prepared = runtime::prepare(package, config, inputs);
        prepared.run.rounding = rounding;
        runtime::ChipMachine machine(config, {.sink = &observer,
                                              .check_protocol = true,
                                              .perturb = perturb,
                                              .random_memory = static_cast<std::uint32_t>(seed())});
        const runtime::Result result = runtime::execute(machine, package, prepared, observer);
        if (!result.done()) throw std::runtime_error(result.message);
        for (const std::string& violation : machine.protocol_violations())
            throw std::runtime_error(violation);
        std::string bytes;
        for (const neff::Tensor& tensor : package.tensors) {
            if (!neff::is_output(tensor.kind)) continue;
            const Bytes& data = result.outputs.at(tensor.name).data;
            bytes.append(data.begin(), data.end());
        }
        return bytes;
    });
    return {text.begin(), text.end()};
}

inline void expect_same(const Bytes& got, const Bytes& expected) {
    ASSERT_EQ(got.size(), expected.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
    EXPECT_EQ(wrong, 0u) << "bytes of " << got.size();
}

}  // namespace trnsim::test
