// write_kernel FILE.neff: writes the kernel of the sessions with GDB.
#include <exception>
#include <iostream>

#include "compiler/neff/neff.hpp"
#include "tools/gdb/kernel.hpp"

int main(int count, char** arguments) {
    try {
        if (count != 2) throw std::runtime_error("expected a file's name");
        trnsim::neff::write(arguments[1], trnsim::squares(trnsim::config::load("small16")));
    } catch (const std::exception& error) {
        std::cerr << "write_kernel: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
