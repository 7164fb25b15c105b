// Servers for tests of the communicator.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tlm/system/load_server.hpp"

namespace trnsim::test {

// What extends trn1.32xlarge by these keys.
inline config::Server server_of(const std::string& keys) {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "communicator_server.yaml";
    std::ofstream(path) << "extends: trn1.32xlarge\n" << keys;
    return tlm::load_server(path.string());
}

}  // namespace trnsim::test
