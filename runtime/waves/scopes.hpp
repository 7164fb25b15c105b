// What of a run is recorded: parts of the core, and what models beside it do.
#pragma once

#include <string>
#include <vector>

namespace trnsim::waves {

// The names of scopes beside those of a core.
inline constexpr const char* DmaScope = "dma";
inline constexpr const char* HbmScope = "hbm";
// Those of a server, whose recordings are made without a core.
inline constexpr const char* LinksScope = "links";
inline constexpr const char* CollectivesScope = "collectives";

// Scopes of the core and those above. Throws std::runtime_error with those there are for another.
void check_scopes(const std::vector<std::string>& scopes);
// Those the core is to record.
std::vector<std::string> core_scopes(const std::vector<std::string>& scopes);
// Of recordings without a choice and with all.
bool records_dma(const std::vector<std::string>& scopes);
// Of recordings that ask for it: a burst is several changes.
bool records_hbm(const std::vector<std::string>& scopes);

}  // namespace trnsim::waves
