#include "testbench/parity/folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "compiler/neff/neff.hpp"

namespace trnsim::parity {
namespace {

runtime::Rounding read_rounding(const std::filesystem::path& path) {
    const std::vector<std::uint8_t> bytes = files::read(path);
    try {
        const nlohmann::json json = nlohmann::json::parse(bytes);
        return {json.at("stochastic").get<bool>(), json.at("seed").get<std::uint32_t>()};
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(
            fmt::format(R"({}: expected {{"stochastic": true or false, "seed": a number}})", path.string()));
    }
}

}  // namespace

std::filesystem::path input_file(const std::filesystem::path& folder, const std::string& tensor) {
    return folder / (tensor + ".npy");
}

void write_subject(const std::filesystem::path& folder, const Subject& subject) {
    neff::write(folder / KernelFile, subject.package);
    files::write(folder / ConfigFile, config::show(subject.config));
    for (const auto& [name, array] : subject.inputs) npy::write(input_file(folder, name), array);
    const nlohmann::json rounding{{"stochastic", subject.rounding.stochastic},
                                  {"seed", subject.rounding.seed}};
    files::write(folder / RoundingFile, rounding.dump() + "\n");
}

Subject read_subject(const std::filesystem::path& folder) {
    Subject subject{folder.string(),
                    config::load((folder / ConfigFile).string()),
                    neff::read(folder / KernelFile),
                    {},
                    read_rounding(folder / RoundingFile)};
    for (const neff::Tensor& tensor : subject.package.tensors) {
        if (neff::is_input(tensor.kind))
            subject.inputs.emplace(tensor.name, npy::read(input_file(folder, tensor.name)));
    }
    return subject;
}

}  // namespace trnsim::parity
