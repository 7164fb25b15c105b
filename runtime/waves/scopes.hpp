// The scopes of a recording: parts of the core, and models beside it.
#pragma once

#include <string>
#include <vector>

namespace trnsim::waves {

// The names of scopes beside those of a core.
inline constexpr const char* DmaScope = "dma";
inline constexpr const char* HbmScope = "hbm";
// The scopes of a server, whose recordings are made without a core.
inline constexpr const char* LinksScope = "links";
inline constexpr const char* CollectivesScope = "collectives";

// Throws std::runtime_error, which lists the scopes, for a name that is neither a scope of the core nor one
// of those above.
void check_scopes(const std::vector<std::string>& scopes);
// Returns the scopes that the core is to record.
std::vector<std::string> core_scopes(const std::vector<std::string>& scopes);
// True for recordings without a choice of scopes, and for those with all.
bool records_dma(const std::vector<std::string>& scopes);
// True only for recordings that ask for it: a burst is several changes.
bool records_hbm(const std::vector<std::string>& scopes);

}  // namespace trnsim::waves
