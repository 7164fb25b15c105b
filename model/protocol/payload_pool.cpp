#include "model/protocol/payload_pool.hpp"

namespace trnsim::tlm::protocol {

Transaction& PayloadPool::make(::tlm::tlm_command command, std::uint64_t address, std::uint32_t length) {
    if (free_.empty()) {
        all_.push_back(std::make_unique<Transaction>(this));
        free_.push_back(all_.back().get());
    }
    Transaction& transaction = *free_.back();
    free_.pop_back();
    if (transaction.data.size() < length) transaction.data.resize(length);
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.sent_to = address;
    transaction.set_data_ptr(transaction.data.data());
    transaction.set_data_length(length);
    transaction.set_streaming_width(length);
    transaction.set_byte_enable_ptr(nullptr);
    transaction.set_byte_enable_length(0);
    transaction.set_dmi_allowed(false);
    transaction.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
    transaction.acquire();
    return transaction;
}

void PayloadPool::free(Payload* payload) {
    payload->reset();
    free_.push_back(static_cast<Transaction*>(payload));
}

}  // namespace trnsim::tlm::protocol
