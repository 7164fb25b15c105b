// Reads a shipped configuration.
#include <cstdio>

#include <trnsim/arch/config/config.hpp>

int main() {
    std::printf("%s\n", trnsim::config::load("small16").name.c_str());
}
