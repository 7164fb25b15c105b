#include "model/hbm/storage.hpp"

namespace trnsim::tlm::hbm {

bool Storage::inside(std::uint64_t address, std::uint64_t length) const {
    return length <= capacity_ && address <= capacity_ - length;
}

Response Storage::check(const Payload& payload) const {
    const unsigned length = payload.get_data_length();
    if (!inside(payload.get_address(), length)) return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (payload.get_streaming_width() < length) return ::tlm::TLM_BURST_ERROR_RESPONSE;
    return ::tlm::TLM_OK_RESPONSE;
}

void Storage::access(Payload& payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    const std::span<std::uint8_t> data(payload.get_data_ptr(), length);
    const unsigned char* enables = payload.get_byte_enable_ptr();
    if (enables == nullptr) {
        if (payload.is_read()) store_.read(address, data);
        if (payload.is_write()) store_.write(address, data);
        return;
    }
    for (unsigned i = 0; i < length; ++i) {
        if (enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
        if (payload.is_read()) store_.read(address + i, data.subspan(i, 1));
        if (payload.is_write()) store_.write(address + i, data.subspan(i, 1));
    }
}

unsigned Storage::debug(Payload& payload) {
    if (!inside(payload.get_address(), payload.get_data_length())) return 0;
    const std::span<std::uint8_t> data(payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) store_.read(payload.get_address(), data);
    if (payload.is_write()) store_.write(payload.get_address(), data);
    return payload.get_data_length();
}

}  // namespace trnsim::tlm::hbm
