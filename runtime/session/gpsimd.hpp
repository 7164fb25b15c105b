// The output and the errors of the GpSimd cores, read from their memories and registers.
#pragma once

#include <string>
#include <vector>

#include "arch/firmware/image.hpp"
#include "compiler/neff/images.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

class GpsimdCores {
  public:
    // The GpSimd cores of NeuronCore `core` of the chip, which executes `package`; it must outlive this.
    GpsimdCores(CoreAccess& machine, const neff::Package& package, unsigned core = 0);

    // Call it before the engines start, so that results of a previous execution are not mistaken for those of
    // this one.
    void clear();

    // Returns the lines that the cores printed, core by core: "[gpsimd core 3] text".
    std::vector<std::string> printed();

    // Returns the reason for which the core with its mailbox at this place of the window did not complete its
    // command, or failed: "gpsimd core 3: illegal instruction 0x0 at 0x80003010, relu at relu.cpp:12".
    std::string fault(std::uint32_t mailbox_place);

    // Returns a line for each core that runs: "gpsimd core 3: running at 0x80003010, relu at relu.cpp:12".
    std::vector<std::string> running();

  private:
    struct Loaded {
        firmware::Image image;
        neff::ImageContents contents;
    };

    std::uint32_t read(std::uint32_t core, std::uint32_t address);
    // Returns the image in the core's memory; nullptr: it is none of the package.
    const Loaded* image_of(std::uint32_t core);
    // Returns "0x80003010, relu at relu.cpp:12".
    std::string place(std::uint32_t core, std::uint32_t address);
    std::string place_of_core(std::uint32_t core);  // the same for its pc

    CoreAccess& machine_;
    std::uint64_t window_;  // system address of the NeuronCore's window
    std::vector<Loaded> images_;
    std::uint32_t cores_;
};

}  // namespace trnsim::runtime
