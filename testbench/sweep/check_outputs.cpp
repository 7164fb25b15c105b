#include "testbench/sweep/check_outputs.hpp"

#include <fmt/format.h>

#include "testbench/functional/machine.hpp"

namespace trnsim::sweep {

std::string output_differences(const neff::Package& package, const TensorContents& inputs,
                               const runtime::Arrays& outputs, const runtime::Rounding& rounding) {
    functional::Machine golden(package, {.rounding = {rounding.stochastic, rounding.seed}});
    for (const auto& [name, bytes] : inputs) golden.set(name, bytes);
    golden.run();
    std::string text;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_output(tensor.kind)) continue;
        const std::vector<std::uint8_t>& expected = golden.get(tensor.name);
        const std::vector<std::uint8_t>& got = outputs.at(tensor.name).data;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) wrong += i >= got.size() || got[i] != expected[i];
        if (wrong == 0) continue;
        text += fmt::format("{}output {}: {} of {} bytes differ from the interpreter's",
                            text.empty() ? "" : "; ", tensor.name, wrong, expected.size());
    }
    return text;
}

}  // namespace trnsim::sweep
