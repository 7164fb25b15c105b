// A kernel with random inputs in the memory of a chip, for tests that drive cores themselves.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "compiler/neff/sizes.hpp"
#include "runtime/session/set_up.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::runtime {

struct Loaded {
    Loaded(const trial::Trial& kernel, loader::Allocator& hbm, CoreAccess& machine, unsigned core)
        : trial(kernel), blocks(hbm), image(loader::plan(trial.package, trial.config, blocks, {}, 0, core)) {
        write_image(machine, image);
        for (std::size_t i = 0; i < trial.package.tensors.size(); ++i) {
            const auto input = trial.inputs.find(trial.package.tensors[i].name);
            if (input != trial.inputs.end()) machine.write(image.tensor_address[i], input->second);
        }
    }

    // Returns the differences from the interpreter; empty if there are none.
    std::string wrong(CoreAccess& machine) const {
        const trial::Contents expected = trial::interpret(trial);
        std::string names;
        for (std::size_t i = 0; i < trial.package.tensors.size(); ++i) {
            const neff::Tensor& tensor = trial.package.tensors[i];
            if (!neff::is_output(tensor.kind)) continue;
            std::vector<std::uint8_t> got(neff::tensor_bytes(tensor));
            machine.read(image.tensor_address[i], got);
            if (got != expected.at(tensor.name)) names += " " + tensor.name;
        }
        return names.empty() ? "" : fmt::format("core {}: differs:{}\n", image.core, names);
    }

    trial::Trial trial;
    loader::Blocks blocks;
    Image image;
};

}  // namespace trnsim::runtime
