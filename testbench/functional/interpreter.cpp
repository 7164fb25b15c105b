#include "testbench/functional/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "compiler/neff/check.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::functional {

Options in_order(std::uint64_t order, RoundingControl rounding) {
    constexpr std::array Fixed{Adversary::Earliest, Adversary::Latest};
    return {.adversary = order < Fixed.size() ? Fixed.at(order) : Adversary::Random,
            .seed = order,
            .rounding = rounding};
}

Interpreter::Interpreter(const neff::Package& package, Options options)
    : package_(package), options_(std::move(options)) {
    neff::check(package);
    for (const neff::Tensor& tensor : package.tensors) tensors_.emplace_back(neff::tensor_bytes(tensor));
    given_.resize(tensors_.size());
}

std::size_t tensor_index(const neff::Package& package, const std::string& name) {
    const auto found = std::ranges::find(package.tensors, name, &neff::Tensor::name);
    if (found == package.tensors.end()) throw Error(fmt::format("the kernel has no tensor '{}'", name));
    return static_cast<std::size_t>(found - package.tensors.begin());
}

void Interpreter::set(const std::string& tensor, std::span<const std::uint8_t> bytes) {
    const std::size_t index = tensor_index(package_, tensor);
    std::vector<std::uint8_t>& contents = tensors_[index];
    if (bytes.size() != contents.size()) {
        throw Error(fmt::format("tensor '{}' has {} bytes, got {}", tensor, contents.size(), bytes.size()));
    }
    std::ranges::copy(bytes, contents.begin());
    given_[index] = true;
}

const std::vector<std::uint8_t>& Interpreter::get(const std::string& tensor) const {
    return tensors_[tensor_index(package_, tensor)];
}

void Interpreter::run() {
    const auto histories = std::make_unique<Histories>();
    for (bool again = true; again;) {
        Interpretation interpretation(package_, options_, tensors_, *histories);
        if (options_.races != nullptr) options_.races->clear();  // each run finds all races again
        interpretation.run();
        options_.executed = nullptr;  // a repetition executes the same instructions
        options_.began = nullptr;
        options_.watcher = nullptr;
        again = false;
        for (SemaphoreHistory& history : *histories) again = history.restart() || again;
        if (again) continue;
        interpretation.expect_outputs(given_);
        tensors_ = std::move(interpretation.tensors());
        core_.emplace(std::move(interpretation.core()));
    }
}

}  // namespace trnsim::functional
