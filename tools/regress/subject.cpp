#include "tools/regress/subject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/config/nearest.hpp"
#include "compiler/kernels/registry.hpp"
#include "testbench/random_programs/registry.hpp"
#include "tools/regress/rules.hpp"
#include "tools/regress/values.hpp"

namespace trnsim::regress {
namespace {

using config::fail;
using config::Location;

template <typename Named>
const Named& find(std::span<const Named> all, std::string_view rule, const std::string& key,
                  const std::string& name, const Location& where) {
    const auto found = std::ranges::find(all, name, &Named::name);
    if (found != all.end()) return *found;
    std::vector<std::string> names;
    for (const Named& one : all) names.emplace_back(one.name);
    mismatch(where, rule, key, name, fmt::format("one like '{}'", config::nearest(name, names)));
}

// Reads `neff: FILE` or `program: [./gen, word, ...]`.
Subject own_subject(const std::string& key, const YAML::Node& node, const Location& where,
                    const std::filesystem::path& folder) {
    std::vector<std::string> words;
    if (key == "program") {
        check_items(key, node, where);
        for (const YAML::Node& item : node) words.push_back(scalar(key, item, where));
    }
    try {
        const auto own = std::make_shared<const trial::OwnKernel>(
            key == "program" ? trial::own_program(words, folder)
                             : trial::own_container(folder / scalar(key, node, where)));
        return {own->name, false, false, {}, own};
    } catch (const config::Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        fail(where, rule::OwnKernel, fmt::format("{}: {}", key, error.what()));
    }
}

}  // namespace

Subject find_subject(const std::string& key, const YAML::Node& node, const Location& where,
                     const std::filesystem::path& folder) {
    if (key == "neff" || (key == "program" && node.IsSequence()))
        return own_subject(key, node, where, folder);
    const std::string name = scalar(key, node, where);
    if (key == "program") {
        const auto& generator = find(random_programs::generators(), rule::Program, key, name, where);
        return {name, true, generator.aims, generator.arguments, nullptr};
    }
    return {name, false, false, find(kernels::kernels(), rule::Kernel, key, name, where).arguments, nullptr};
}

std::vector<Argument> read_arguments(const config::Document& document, const Subject& subject,
                                     const YAML::Node& given) {
    std::vector<Argument> arguments;
    if (!given.IsMap()) return arguments;
    if (subject.own)
        fail(document.place(given), rule::Argument,
             fmt::format("arguments: found them with '{}', expected none: it is no built-in kernel",
                         subject.name));
    std::vector<std::string> names;
    for (const kernels::ArgumentInfo& info : subject.arguments) names.emplace_back(info.name);
    document.entries(given, "arguments", names,
                     [&](const std::string& key, const YAML::Node& node, const Location& where) {
                         arguments.push_back({key, values(document, key, node, where)});
                     });
    return arguments;
}

std::vector<Chosen> combinations(const std::vector<Argument>& arguments) {
    std::vector<Chosen> all(1);
    for (const Argument& argument : arguments) {
        std::vector<Chosen> longer;
        for (const Chosen& chosen : all) {
            for (const std::string& value : argument.values) {
                longer.push_back(chosen);
                longer.back()[argument.name] = value;
            }
        }
        all = std::move(longer);
    }
    return all;
}

void check_arguments(const Subject& subject, const Chosen& chosen, const Location& where) {
    if (subject.own) return;
    try {
        kernels::Arguments(subject.name, subject.arguments, chosen);
    } catch (const kernels::ArgumentError& error) {
        fail(where, rule::Argument, fmt::format("arguments: {}", error.what()));
    }
}

}  // namespace trnsim::regress
