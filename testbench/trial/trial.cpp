#include "testbench/trial/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/transfer.hpp"
#include "testbench/random_programs/registry.hpp"
#include "testbench/trial/inputs.hpp"

namespace trnsim::trial {
namespace {

// Returns the element at `index` of an array that may be too short.
std::uint64_t element(const std::vector<std::uint8_t>& bytes, std::size_t index, std::size_t width) {
    std::uint64_t bits = 0;
    if ((index + 1) * width <= bytes.size()) std::memcpy(&bits, bytes.data() + index * width, width);
    return bits;
}

}  // namespace

Trial make_trial(const config::Config& config, const std::string& kernel,
                 const std::map<std::string, std::string>& arguments, std::uint64_t seed) {
    return make_trial(config, kernels::build_kernel(kernel, arguments, target::of(config)), seed);
}

Trial make_trial(const config::Config& config, neff::Package package, std::uint64_t seed) {
    Trial trial{config, std::move(package), {}};
    for (const neff::Tensor& tensor : trial.package.tensors) {
        if (neff::is_input(tensor.kind))
            trial.inputs.emplace(tensor.name, random_input(trial.package, tensor, seed));
    }
    return trial;
}

Trial make_random_trial(const config::Config& config, const std::string& kind,
                        const std::map<std::string, std::string>& arguments, std::uint64_t seed,
                        const random_programs::Aim& aim) {
    const random_programs::Generator& generator = random_programs::find_generator(kind);
    const kernels::Arguments checked(generator.name, generator.arguments, arguments);
    random_programs::Made made = generator.make({target::of(config), checked, seed, aim});
    return {config, std::move(made.package), std::move(made.inputs)};
}

runtime::Prepared prepare(const Trial& trial) {
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : trial.package.tensors) {
        if (neff::is_input(tensor.kind))
            arrays.emplace(tensor.name, loader::from_device(tensor, trial.inputs.at(tensor.name)));
    }
    return runtime::prepare(trial.package, trial.config, arrays);
}

Contents interpret(const Trial& trial, const functional::Options& options) {
    functional::Interpreter machine(trial.package, options);
    for (const auto& [name, bytes] : trial.inputs) machine.set(name, bytes);
    machine.run();
    Contents outputs;
    for (const neff::Tensor& tensor : trial.package.tensors) {
        if (neff::is_output(tensor.kind)) outputs.emplace(tensor.name, machine.get(tensor.name));
    }
    return outputs;
}

Contents interpret_in_orders(const Trial& trial, const functional::RoundingControl& rounding,
                             std::span<const std::uint64_t> orders, const functional::Limits& limits) {
    Contents first;
    for (const std::uint64_t order : orders) {
        functional::Options options = functional::in_order(order, rounding);
        options.limits = limits;
        Contents outputs = interpret(trial, options);
        if (order == orders.front()) {
            first = std::move(outputs);
            continue;
        }
        const auto differs = std::ranges::find_if(
            outputs, [&](const auto& output) { return first.at(output.first) != output.second; });
        if (differs != outputs.end()) {
            throw functional::Error(fmt::format(
                "output {} depends on the order of what nothing orders: orders {} and {} give other bits",
                differs->first, orders.front(), order));
        }
    }
    return first;
}

std::vector<std::string> find_mistakes(const Trial& trial, const functional::RoundingControl& rounding,
                                       std::span<const std::uint64_t> orders, Contents& outputs,
                                       const functional::Limits& limits) {
    std::string first;
    try {
        outputs = interpret_in_orders(trial, rounding, orders, limits);
        return {};
    } catch (const functional::Error& error) {
        first = error.what();
    }
    // A write that comes too late for its reader shows as an unwritten byte when the reader reads it. When
    // the write comes, it shows as a race with both its sides; so collect the races.
    constexpr std::uint64_t EarliestOrder = 0;
    std::vector<std::string> races;
    functional::Options options = functional::in_order(EarliestOrder, rounding);
    options.races = &races;
    options.limits = limits;
    try {
        interpret(trial, options);
    } catch (const functional::Error&) {
        // `races` has the races until then.
    }
    return races.empty() ? std::vector{first} : races;
}

std::vector<Difference> differences(const neff::Package& package, const Contents& expected,
                                    const runtime::Arrays& outputs) {
    std::vector<Difference> all;
    for (std::size_t t = 0; t < package.tensors.size(); ++t) {
        const neff::Tensor& tensor = package.tensors[t];
        const auto wanted = expected.find(tensor.name);
        if (wanted == expected.end()) continue;
        const auto found = outputs.find(tensor.name);
        const std::vector<std::uint8_t> none, &got = found == outputs.end() ? none : found->second.data;
        const std::size_t width = isa::element_size(tensor.dtype);
        Difference difference;
        difference.tensor = t;
        for (std::size_t i = 0; i < wanted->second.size() / width; ++i) {
            const bool there = (i + 1) * width <= got.size();
            if (there && std::memcmp(got.data() + i * width, wanted->second.data() + i * width, width) == 0)
                continue;
            difference.elements.push_back(i);
        }
        if (difference.elements.empty()) continue;
        difference.expected = element(wanted->second, difference.elements[0], width);
        difference.got = element(got, difference.elements[0], width);
        all.push_back(std::move(difference));
    }
    return all;
}

std::string describe(isa::Dtype dtype, std::uint64_t bits) {
    const std::uint32_t width = isa::element_size(dtype);
    const std::string storage = fmt::format("0x{:0{}x}", bits, 2 * width);
    const unsigned unused = 64 - 8 * width;
    switch (dtype) {
        case isa::Dtype::U8:
        case isa::Dtype::U16:
        case isa::Dtype::U32:
            return fmt::format("{} ({})", storage, bits);
        case isa::Dtype::I8:
        case isa::Dtype::I16:
        case isa::Dtype::I32:
            return fmt::format("{} ({})", storage, static_cast<std::int64_t>(bits << unused) >> unused);
        default:
            break;
    }
    const neff::Tensor one{"", neff::TensorKind::Output, dtype, {1}};
    std::vector<std::uint8_t> bytes(width);
    std::memcpy(bytes.data(), &bits, width);
    const npy::Array array = loader::as_fp32(one, loader::from_device(one, std::move(bytes)));
    float value = 0;
    std::memcpy(&value, array.data.data(), sizeof(value));
    return fmt::format("{} ({:.9g})", storage, value);
}

std::string writer_text(const neff::Package& package, std::size_t tensor, std::size_t element) {
    const std::uint64_t byte = element * isa::element_size(package.tensors[tensor].dtype);
    for (std::size_t i = package.transfers.size(); i-- > 0;) {
        const neff::Pattern& to = package.transfers[i].to;
        if (to.place != neff::Pattern::Space::Tensor || to.tensor != tensor) continue;
        const neff::Transfer& transfer = package.transfers[i];
        for (std::uint32_t iteration = neff::iterations_of(package, transfer); iteration-- > 0;) {
            if (!functional::may_write(neff::at_iteration(transfer, iteration), byte)) continue;
            return fmt::format("; written by {}", functional::describe_transfer(package, i, iteration));
        }
    }
    return "";
}

std::string describe(const neff::Package& package, const Difference& difference) {
    const neff::Tensor& tensor = package.tensors[difference.tensor];
    const std::uint32_t width = isa::element_size(tensor.dtype);
    const std::uint64_t all = neff::tensor_bytes(tensor) / width;
    return fmt::format(
        "output {}: {} of {} elements differ from the interpreter's, first {}: {}, expected {}{}",
        tensor.name, difference.elements.size(), all, neff::position(tensor, difference.elements[0]),
        describe(tensor.dtype, difference.got), describe(tensor.dtype, difference.expected),
        writer_text(package, difference.tensor, difference.elements[0]));
}

}  // namespace trnsim::trial
