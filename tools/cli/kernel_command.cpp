// trnsim kernel list, trnsim kernel build
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "arch/config/files_of.hpp"
#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/sizes.hpp"
#include "tools/cli/commands.hpp"
#include "tools/command/target_config.hpp"

namespace trnsim::cli {
namespace {

struct BuildOptions {
    std::string name, output, config = DefaultConfig;
    std::vector<std::string> pairs;  // values of --arg
};

void list_tensors(std::ostream& out, std::string_view kind, std::span<const kernels::TensorInfo> tensors) {
    for (const kernels::TensorInfo& tensor : tensors)
        out << fmt::format("    {} {:<10} {}\n", kind, tensor.name, tensor.doc);
}

void list_kernel(std::ostream& out, const kernels::Kernel& kernel) {
    out << fmt::format("{}: {}\n", kernel.name, kernel.doc);
    for (const kernels::ArgumentInfo& argument : kernel.arguments) {
        const std::string fallback =
            argument.fallback.empty() ? "" : fmt::format(" (default {})", argument.fallback);
        out << fmt::format("    --{:<14} {}{}\n", argument.name, argument.doc, fallback);
    }
    list_tensors(out, "input ", kernel.inputs);
    list_tensors(out, "output", kernel.outputs);
}

// Returns the text that `kernel build NAME --help` adds; nothing without a name.
std::string help_of(const std::string& name) {
    if (name.empty()) return "";
    const auto found = std::ranges::find(kernels::kernels(), name, &kernels::Kernel::name);
    if (found == kernels::kernels().end()) return fmt::format("There is no kernel '{}'.\n", name);
    std::ostringstream text;
    list_kernel(text, *found);
    return text.str();
}

void add_argument(std::map<std::string, std::string>& arguments, const std::string& name,
                  const std::string& value) {
    if (!arguments.emplace(name, value).second)
        throw std::runtime_error(fmt::format("argument '{}' given twice", name));
}

// Parses `--arg M=300`, `--M 300` and `--M=300`; the parser leaves the last two over.
std::map<std::string, std::string> kernel_arguments(const BuildOptions& options,
                                                    const std::vector<std::string>& rest) {
    std::map<std::string, std::string> arguments;
    for (const std::string& pair : options.pairs) {
        const std::size_t sign = pair.find('=');
        if (sign == std::string::npos || sign == 0)
            throw std::runtime_error(fmt::format("--arg {}: expected NAME=VALUE", pair));
        add_argument(arguments, pair.substr(0, sign), pair.substr(sign + 1));
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (!rest[i].starts_with("--") || rest[i].size() < 3) {
            throw std::runtime_error(
                fmt::format("'{}': expected an argument of the kernel, --NAME VALUE", rest[i]));
        }
        const std::size_t sign = rest[i].find('=');
        if (sign != std::string::npos) {
            add_argument(arguments, rest[i].substr(2, sign - 2), rest[i].substr(sign + 1));
        } else if (i + 1 < rest.size()) {
            add_argument(arguments, rest[i].substr(2), rest[i + 1]);
            ++i;
        } else {
            throw std::runtime_error(fmt::format("{}: expected a value", rest[i]));
        }
    }
    return arguments;
}

std::string describe(const neff::Package& package) {
    std::size_t instructions = 0;
    for (const auto& program : package.programs) instructions += program.size();
    std::uint64_t bytes = 0;
    for (const neff::Tensor& tensor : package.tensors) bytes += neff::tensor_bytes(tensor);
    return fmt::format("{} {}: {} instructions, {} transfers, {} bytes of tensors", package.name,
                       package.arguments, instructions, package.transfers.size(), bytes);
}

void build(const BuildOptions& options, const std::vector<std::string>& rest, std::ostream& out) {
    files::Roles roles;
    roles.add_inputs("--config", config::files_of(options.config));
    roles.add_output("-o", options.output);
    files::check_writable(options.output);
    const config::Config config = config::load(options.config);
    const neff::Package package =
        kernels::build_kernel(options.name, kernel_arguments(options, rest), target::of(config));
    neff::write(options.output, package);
    out << fmt::format("{}: {}\n", options.output, describe(package));
}

}  // namespace

void declare_kernel(Subcommand app, const Environment& environment, int& status) {
    app.require_subcommand();
    app.add_subcommand("list", "The built-in kernels, their arguments, inputs and outputs")
        .callback([&environment] {
            for (const kernels::Kernel& kernel : kernels::kernels()) list_kernel(environment.out, kernel);
        });
    auto options = std::make_shared<BuildOptions>();
    Subcommand build_app = app.add_subcommand(
        "build", "Compile a built-in kernel; its arguments as --NAME VALUE, shown by KERNEL --help");
    build_app.add_option("kernel", options->name, "Name of the kernel").required();
    build_app.footer([options] { return help_of(options->name); });
    build_app.add_option("-o,--output", options->output, "The compiled kernel, a .neff file").required();
    build_app.add_option("--config", options->config, "Configuration: a name or a .yaml file").show_default();
    build_app.add_option("--arg", options->pairs, "Argument of the kernel, NAME=VALUE").repeated();
    build_app.allow_extras();
    build_app.callback(
        [build_app, options, &environment] { build(*options, build_app.extras(), environment.summary()); });
}

}  // namespace trnsim::cli
