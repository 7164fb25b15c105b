// Trials, one for each rank, in the form that a session with a server takes.
#pragma once

#include <memory>
#include <vector>

#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/contents.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::test {

inline std::vector<std::shared_ptr<const neff::Package>> packages_of(
    const std::vector<trial::Trial>& trials) {
    std::vector<std::shared_ptr<const neff::Package>> packages;
    packages.reserve(trials.size());
    for (const trial::Trial& trial : trials)
        packages.push_back(std::make_shared<const neff::Package>(trial.package));
    return packages;
}

inline std::vector<runtime::Arrays> inputs_of(const std::vector<trial::Trial>& trials) {
    std::vector<runtime::Arrays> inputs;
    for (const trial::Trial& trial : trials) {
        runtime::Arrays& arrays = inputs.emplace_back();
        for (const neff::Tensor& tensor : trial.package.tensors) {
            if (neff::is_input(tensor.kind))
                arrays.emplace(tensor.name, loader::from_device(tensor, trial.inputs.at(tensor.name)));
        }
    }
    return inputs;
}

}  // namespace trnsim::test
