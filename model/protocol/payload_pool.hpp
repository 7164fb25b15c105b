// A pool of transactions with their data buffers; they are reused, so after warm-up a transfer allocates
// nothing.
#pragma once

#include <memory>
#include <vector>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::protocol {

// A transaction with room for its data. `tag` and `detail` belong to the initiator; `sent_to` is the address
// it was made with, because the interconnect changes the address in the payload.
struct Transaction : Payload {
    explicit Transaction(::tlm::tlm_mm_interface* manager) : Payload(manager) {}
    std::vector<std::uint8_t> data;
    std::uint64_t tag = 0;
    std::uint64_t detail = 0;
    std::uint64_t sent_to = 0;
};

class PayloadPool : public ::tlm::tlm_mm_interface {
  public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;
    ~PayloadPool() override = default;

    // Returns a transaction ready to be sent, with one reference, which belongs to the caller. The data of a
    // read or write is not cleared.
    Transaction& make(::tlm::tlm_command command, std::uint64_t address, std::uint32_t length);

    void free(Payload* payload) override;

    std::size_t size() const { return all_.size(); }  // number made so far
    std::size_t in_use() const { return all_.size() - free_.size(); }

  private:
    std::vector<std::unique_ptr<Transaction>> all_;
    std::vector<Transaction*> free_;
};

}  // namespace trnsim::tlm::protocol
