#include "tools/compile/compile.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "base/text/printable.hpp"
#include "compiler/hlo/evaluate/evaluate.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"
#include "tools/compile/tensors.hpp"

namespace trnsim::compile {
namespace {

using Paths = std::map<std::string, std::string>;

[[noreturn]] void fail(const std::string& message) {
    throw std::runtime_error(text::message(message));
}

Paths parse_pairs(std::string_view option, const std::vector<std::string>& pairs) {
    Paths paths;
    for (const std::string& pair : pairs) {
        const std::size_t sign = pair.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == pair.size())
            fail(fmt::format("{} {}: expected NAME=FILE.npy", option, pair));
        if (!paths.emplace(pair.substr(0, sign), pair.substr(sign + 1)).second)
            fail(fmt::format("{} {}: is given twice", option, pair.substr(0, sign)));
    }
    return paths;
}

// Reads the arguments by number from files that are given by number or by the parameter's name.
hlo::evaluate::Arguments read_arguments(const hlo::Module& module, Paths inputs) {
    const hlo::Computation& entry = module.entry_computation();
    hlo::evaluate::Arguments arguments;
    const auto parameters = entry.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const hlo::Instruction& parameter = entry.instructions[parameters[i]];
        auto file = inputs.find(fmt::format("arg{}", i));
        if (file == inputs.end()) file = inputs.find(parameter.name);
        if (file == inputs.end()) {
            fail(fmt::format(
                "there is no --input arg{}: the module has {} arguments, and this one, %{}, is {}", i,
                parameters.size(), parameter.name, hlo::format(parameter.shape)));
        }
        arguments.push_back(read_value(file->second, parameter.shape));
        inputs.erase(file);
    }
    if (!inputs.empty())
        fail(fmt::format("--input {}: the module has no such argument, expected arg0 to arg{}",
                         inputs.begin()->first, parameters.size() - 1));
    return arguments;
}

// The shapes of the results by name.
std::map<std::string, hlo::Shape> results_of(const hlo::Module& module) {
    const hlo::Shape& root = module.entry_computation().root_instruction().shape;
    std::map<std::string, hlo::Shape> results;
    if (!root.is_tuple()) results["out0"] = root;
    for (std::size_t i = 0; i < root.tuple.size(); ++i) results[fmt::format("out{}", i)] = root.tuple[i];
    return results;
}

void evaluate(const hlo::Module& module, const Options& options, const command::Environment& environment) {
    const Paths inputs = parse_pairs("--input", options.inputs),
                outputs = parse_pairs("--output", options.outputs);
    const auto results = results_of(module);
    files::Roles roles;
    roles.add_input("the model", options.model);
    for (const auto& [name, path] : inputs) roles.add_input("--input " + name, path);
    for (const auto& [name, path] : outputs) {
        if (!results.contains(name)) {
            fail(fmt::format("--output {}: the module has no such result, expected out0 to out{}", name,
                             results.size() - 1));
        }
        roles.add_output("--output " + name, path);
        files::check_writable(path);
    }
    const hlo::evaluate::Arguments arguments = read_arguments(module, inputs);

    const hlo::evaluate::Value value = hlo::evaluate::run(module, arguments);
    const bool is_tuple = value.type == hlo::ElementType::Tuple;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string name = fmt::format("out{}", i);
        environment.summary() << fmt::format("{} {}\n", name, hlo::format(results.at(name)));
        if (const auto output = outputs.find(name); output != outputs.end()) {
            write_value(output->second, is_tuple ? value.tuple[i] : value);
        }
    }
}

}  // namespace

int run(const Options& options, const command::Environment& environment) {
    if (!options.evaluate && !(options.inputs.empty() && options.outputs.empty()))
        fail("--input and --output: expected --evaluate with them");
    const hlo::Module module = hlo::read(options.model);
    try {
        hlo::verify(module);
    } catch (const hlo::Error& error) {
        fail(fmt::format("{}: {}", options.model, error.what()));
    }
    if (options.print) environment.out << hlo::print(module);
    if (options.evaluate) {
        evaluate(module, options, environment);
    } else if (!options.print && !options.verify) {
        fail(
            fmt::format("{}: is valid, but compilation to a kernel is not there yet; --evaluate computes its "
                        "results on this machine",
                        options.model));
    }
    return command::Success;
}

}  // namespace trnsim::compile
