#include "testbench/parity/agreement.hpp"

#include <algorithm>
#include <vector>

#include "compiler/neff/sizes.hpp"

namespace trnsim::parity {

trial::Contents interpret(const Subject& subject) {
    trial::Trial trial{subject.config, subject.package, {}};
    for (const auto& [name, array] : subject.inputs) trial.inputs.emplace(name, array.data);
    // Output elements that a shrunk program does not write are zero, as on a device.
    for (const neff::Tensor& tensor : subject.package.tensors)
        if (neff::is_output(tensor.kind))
            trial.inputs.try_emplace(tensor.name, std::vector<std::uint8_t>(neff::tensor_bytes(tensor)));
    return trial::interpret(trial, {.adversary = functional::Adversary::Latest,
                                    .rounding = {subject.rounding.stochastic, subject.rounding.seed}});
}

std::uint64_t unlike_interpreter(const Subject& subject, const Observation& observation) {
    const trial::Contents expected = interpret(subject);
    std::uint64_t different = 0, place = 0;
    for (const neff::Tensor& tensor : subject.package.tensors) {
        if (!neff::is_output(tensor.kind)) continue;
        for (const std::uint8_t byte : expected.at(tensor.name)) {
            different += place >= observation.outputs.size() || observation.outputs[place] != byte ? 1 : 0;
            ++place;
        }
    }
    return different + (std::max<std::uint64_t>(observation.outputs.size(), place) - place);
}

}  // namespace trnsim::parity
