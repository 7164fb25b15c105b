// What the GpSimd cores say, read from their memories and registers.
#pragma once

#include <string>
#include <vector>

#include "arch/firmware/image.hpp"
#include "compiler/neff/images.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

class GpsimdCores {
  public:
    // Those of NeuronCore `core` of the chip, which executes `package`; it must outlive this.
    GpsimdCores(CoreAccess& machine, const neff::Package& package, unsigned core = 0);

    // Before the engines start: what an execution before has left is not mistaken for what this one says.
    void clear();

    // What the cores printed, core by core: "[gpsimd core 3] text", a line each.
    std::vector<std::string> printed();

    // Why the core whose mailbox is at this place of the window did not complete its command, or not well: "gpsimd core 3:
    // illegal instruction 0x0 at 0x80003010, relu at relu.cpp:12".
    std::string fault(std::uint32_t mailbox_place);

    // Of each core that runs: "gpsimd core 3: running at 0x80003010, relu at relu.cpp:12".
    std::vector<std::string> running();

  private:
    struct Loaded {
        firmware::Image image;
        neff::ImageContents contents;
    };

    std::uint32_t read(std::uint32_t core, std::uint32_t address);
    // The image that the core's memory holds; null: none of the package.
    const Loaded* image_of(std::uint32_t core);
    // "0x80003010, relu at relu.cpp:12"
    std::string place(std::uint32_t core, std::uint32_t address);
    std::string place_of_core(std::uint32_t core);  // where it is

    CoreAccess& machine_;
    std::uint64_t window_;  // system address of the NeuronCore's
    std::vector<Loaded> images_;
    std::uint32_t cores_;
};

}  // namespace trnsim::runtime
