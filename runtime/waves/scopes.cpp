#include "runtime/waves/scopes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "model/core/core_model.hpp"

namespace trnsim::waves {
namespace {

bool contains(const std::vector<std::string>& scopes, std::string_view scope) {
    return std::ranges::count(scopes, scope) != 0;
}

}  // namespace

void check_scopes(const std::vector<std::string>& scopes) {
    try {
        tlm::check_wave_scopes(core_scopes(scopes));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}, {}, {}", error.what(), DmaScope, HbmScope));
    }
}

std::vector<std::string> core_scopes(const std::vector<std::string>& scopes) {
    std::vector<std::string> rest = scopes;
    for (const char* beside : {DmaScope, HbmScope}) std::erase(rest, beside);
    if (rest.empty() && !scopes.empty()) rest.emplace_back("core");  // a recording always has the core
    return rest;
}

bool records_dma(const std::vector<std::string>& scopes) {
    return scopes.empty() || contains(scopes, DmaScope) || contains(scopes, tlm::WholeCore);
}

bool records_hbm(const std::vector<std::string>& scopes) {
    return contains(scopes, HbmScope);
}

}  // namespace trnsim::waves
