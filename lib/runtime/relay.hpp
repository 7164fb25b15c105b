// A sink whose listener can change while the models that report to it live on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/trace/sink.hpp"

namespace trnsim::runtime {

class Relay : public tlm::trace::Sink {
  public:
    // From now on `listener`, which hears of all tracks there are, gets what is reported; null: nobody.
    void attach(tlm::trace::Sink* listener);

    std::uint32_t add_track(std::string_view group, std::string_view name) override;
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const tlm::trace::Argument> arguments) override;
    void instruction(const tlm::trace::Instruction& instruction) override;

  private:
    struct Track {
        std::string group, name;
        std::uint32_t handle;  // the listener's
    };

    tlm::trace::Sink* listener_ = nullptr;
    std::vector<Track> tracks_;
};

}  // namespace trnsim::runtime
