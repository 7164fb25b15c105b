#include "tools/cores/others.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tools/cores/cache.hpp"
#include "tools/cores/hash.hpp"

namespace trnsim::cores {
namespace {

constexpr std::size_t ShownDigits = 16;

std::string short_hash(const std::string& hash) {
    return hash.substr(0, ShownDigits);
}

std::optional<OtherCore> of_sources(const config::Config& config) {
    try {
        if (!has_sources()) return std::nullopt;
        const Cache cache;
        return OtherCore{rtl_hash(cache.source(), config), cache.find(config).value_or(""), cache.source()};
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<OtherCore> other_cores(const config::Config& config, const std::string& used) {
    std::vector<OtherCore> others;
    const auto add = [&](const OtherCore& other) {
        if (other.rtl_hash != used &&
            std::ranges::find(others, other.rtl_hash, &OtherCore::rtl_hash) == others.end())
            others.push_back(other);
    };
    if (const auto present = of_sources(config)) add(*present);
    for (const CachedCore& core : cached_cores(config)) add({core.rtl_hash, core.folder, core.source});
    return others;
}

std::string describe(const std::string& used, const std::vector<OtherCore>& others, std::size_t most) {
    std::string text = fmt::format("RTL {}", short_hash(used));
    for (std::size_t i = 0; i < std::min(most, others.size()); ++i) {
        const OtherCore& other = others[i];
        text += fmt::format("{} RTL {}{}, {}", i == 0 ? "; others with its parameters:" : ";",
                            short_hash(other.rtl_hash),
                            other.source.empty() ? "" : " of " + other.source.string(),
                            other.folder.empty() ? "not built" : "TRNSIM_CORE_PATH=" + other.folder.string());
    }
    if (others.size() > most)
        text +=
            fmt::format("; {} {} with its parameters", others.size() - most, most == 0 ? "others" : "more");
    return text;
}

}  // namespace trnsim::cores
