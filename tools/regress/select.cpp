#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tools/regress/list.hpp"

namespace trnsim::regress {

void select(List& list, std::span<const std::string> tags, std::span<const std::string> configs) {
    const auto choose = [&list](std::span<const std::string> words, const char* option, const auto& has) {
        for (const std::string& word : words) {
            if (std::ranges::none_of(list.cases, [&](const Case& one) { return has(one, word); }))
                throw std::runtime_error(
                    fmt::format("{} {}: {} has no such test", option, word, list.file.string()));
        }
        if (words.empty()) return;
        std::erase_if(list.cases, [&](const Case& one) {
            return std::ranges::none_of(words, [&](const std::string& word) { return has(one, word); });
        });
    };
    choose(tags, "--tag", [](const Case& one, const std::string& tag) {
        return std::ranges::find(one.tags, tag) != one.tags.end();
    });
    choose(configs, "--config", [&list](const Case& one, const std::string& config) {
        return one.config == config || list.configs.at(one.config).name == config;
    });
}

}  // namespace trnsim::regress
