// A pool of packets with room for their data; they are reused, so after warm-up their data allocates nothing.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/neuronlink/packet.hpp"

namespace trnsim::tlm::neuronlink {

class PacketPool {
  public:
    // Returns a new packet without data. It may outlive the pool.
    std::shared_ptr<Packet> make() {
        std::unique_ptr<Packet> packet;
        if (free_->empty()) {
            packet = std::make_unique<Packet>();
        } else {
            packet = std::move(free_->back());
            free_->pop_back();
        }
        return {packet.release(), [free = free_](Packet* used) {
                    std::vector<std::uint8_t> room = std::move(used->data);
                    room.clear();
                    *used = Packet{};
                    used->data = std::move(room);
                    free->emplace_back(used);
                }};
    }

  private:
    using Free = std::vector<std::unique_ptr<Packet>>;
    std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace trnsim::tlm::neuronlink
