// Servers for tests of the communicator.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/system/load_server.hpp"

namespace trnsim::test {

// Returns a server that extends trn1.32xlarge by these keys.
inline config::Server server_of(const std::string& keys) {
    // Tests run at the same time, so each process has its own file.
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                                       ("communicator_server_" + std::to_string(::getpid()) + ".yaml");
    std::ofstream(path) << "extends: trn1.32xlarge\n" << keys;
    config::Server server = tlm::load_server(path.string());
    std::filesystem::remove(path);
    return server;
}

}  // namespace trnsim::test
