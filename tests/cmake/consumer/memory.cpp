// Writes to the HBM of the simulated chip and reads it back over the fabric; the chip's core is loaded.
#include <array>
#include <cstdio>
#include <systemc>

#include <trnsim/model/chip/address_map.hpp>
#include <trnsim/runtime/session/chip_machine.hpp>

int sc_main(int, char**) {
    trnsim::runtime::ChipMachine machine(trnsim::config::load("small16"), {});
    machine.write(trnsim::tlm::chip::HbmBase, std::array<std::uint8_t, 4>{1, 2, 3, 4});
    std::printf("%08x\n", machine.read32(trnsim::tlm::chip::HbmBase));
    return 0;
}

int main(int argc, char** argv) {
    return sc_core::sc_elab_and_sim(argc, argv);
}
