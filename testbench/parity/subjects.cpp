#include "testbench/parity/subjects.hpp"

#include <fmt/format.h>

#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lib/builder/target.hpp"
#include "lib/kernels/registry.hpp"
#include "lib/runtime/tensor_io.hpp"
#include "testbench/random_programs/batch.hpp"
#include "testbench/trial/inputs.hpp"

namespace trnsim::parity {

Subject subject_of(std::string name, const config::Config& config, neff::Package package,
                   std::uint64_t seed) {
    Subject subject{std::move(name), config, std::move(package), {}, {}};
    for (const neff::Tensor& tensor : subject.package.tensors) {
        if (!neff::is_input(tensor.kind)) continue;
        subject.inputs.emplace(
            tensor.name, runtime::from_device(tensor, trial::random_input(subject.package, tensor, seed)));
    }
    return subject;
}

Subject kernel(const config::Config& config, const std::string& name,
               const std::map<std::string, std::string>& arguments, std::uint64_t seed) {
    neff::Package package = kernels::build_kernel(name, arguments, builder::target_of(config));
    std::string text = fmt::format("{} {}", package.name, package.arguments);
    return subject_of(std::move(text), config, std::move(package), seed);
}

Subject kernel_of_text(const config::Config& config, const std::string& text, std::uint64_t seed) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    std::map<std::string, std::string> arguments;
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            throw std::runtime_error(fmt::format("{}: '{}', expected NAME=VALUE", text, word));
        arguments[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return kernel(config, name, arguments, seed);
}

Subject programs(const config::Config& config, std::uint64_t seed, std::uint64_t first, std::uint64_t last) {
    using random_programs::Batch;
    std::vector<std::uint64_t> numbers(last - first + 1);
    std::iota(numbers.begin(), numbers.end(), first);
    const Batch batch(builder::target_of(config), seed, numbers);
    std::mt19937_64 random(seed + first);
    const auto bits = random();
    Subject subject{fmt::format("programs {} to {} of seed {}", first, last, seed),
                    config,
                    batch.package(),
                    {},
                    {bits % 2 != 0, static_cast<std::uint32_t>(bits >> 32)}};
    subject.inputs.emplace("before", runtime::from_device(subject.package.tensors.front(), batch.contents()));
    return subject;
}

}  // namespace trnsim::parity
