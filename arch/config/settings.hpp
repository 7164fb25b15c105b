// Values that replace those of a server's file and of its chips' configuration.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "arch/config/document.hpp"

namespace trnsim::config {

// "links.lanes=8"
struct Setting {
    std::string key, value;
    Location place;
};

// Each text sets a key of a server or of a configuration, none twice. Throws Error.
std::vector<Setting> read_settings(std::span<const std::string> texts);

bool is_server_key(const std::string& key);

// Applies the settings of keys of the configuration. Throws Error, also for a rule that the whole
// configuration breaks.
void apply_settings(std::span<const Setting> settings, Config& config);

}  // namespace trnsim::config
