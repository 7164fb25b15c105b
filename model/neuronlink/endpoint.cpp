#include "model/neuronlink/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "arch/addresses/pooled.hpp"
#include "model/neuronlink/port.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

// A tag is the number of a slot and, above it, the slot's generation.
constexpr unsigned SlotBits = 12;

std::uint64_t system_address(const Payload& payload) {
    return payload.get_address() + addresses::PooledBase;
}

}  // namespace

Endpoint::Endpoint(unsigned chip, const Parameters& parameters, EndpointOwner& owner,
                   const perturb::Agent& agent)
    : from_chip("from_chip", *this),
      to_chip("to_chip", [this](protocol::Transaction& transaction, Time at) { served(transaction, at); }),
      chip_(chip),
      parameters_(parameters),
      owner_(owner),
      slots_(parameters.requests),
      out_(agent, "out", LinkPerturbUnit),
      back_(agent, "back", LinkPerturbUnit) {
    free_.reserve(slots_.size());
    for (std::size_t i = slots_.size(); i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
}

void Endpoint::set_reachable(const Table& table, const std::string& why, Time now) {
    chips_ = table.chips();
    reachable_.assign(chips_, false);
    for (unsigned chip = 0; chip < chips_; ++chip) reachable_[chip] = table.reaches(chip);
    why_unreachable_ = why;
    for (Slot& slot : slots_) {
        if (slot.payload != nullptr && !reachable_[slot.destination]) {
            fail_part(slot, fmt::format("chip {} cannot be reached: {}", slot.destination, why), now);
        }
    }
}

Response Endpoint::refuse(const Payload& payload) const {
    if (!payload.is_read() && !payload.is_write()) return ::tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (payload.get_byte_enable_ptr() != nullptr) return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    const std::uint64_t length = payload.get_data_length();
    if (length == 0 || payload.get_streaming_width() < length) return ::tlm::TLM_BURST_ERROR_RESPONSE;
    const std::uint64_t address = system_address(payload);
    const auto chip = addresses::chip_of(address);
    if (!chip || *chip >= chips_ || addresses::local_of(address) > addresses::LocalBytes - length)
        return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return ::tlm::TLM_OK_RESPONSE;
}

bool Endpoint::request(Payload& payload, Time at) {
    ++statistics_.requests;
    const Response status = refuse(payload);
    if (status != ::tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        from_chip.respond(payload, at + 2 * parameters_.endpoint_time);
        return true;
    }
    open_[&payload] = {.at = at};
    unsent_.push_back(&payload);
    send_parts(at);
    return unsent_.empty();
}

// Sends parts as long as there are slots.
void Endpoint::send_parts(Time at) {
    const bool waited = !unsent_.empty();
    Time free_at = at;
    while (!unsent_.empty() && !free_.empty()) {
        Payload& payload = *unsent_.front();
        Open& open = open_.at(&payload);
        const std::uint64_t offset = open.sent;
        const std::uint64_t to_border =
            parameters_.data - (payload.get_address() + offset) % parameters_.data;
        const std::uint64_t length = std::min<std::uint64_t>(to_border, payload.get_data_length() - offset);
        open.sent += length;
        if (open.sent == payload.get_data_length()) unsent_.pop_front();
        free_at = std::max(at, open.at);
        send_part(payload, offset, static_cast<std::uint16_t>(length), free_at);
    }
    if (waited && unsent_.empty()) from_chip.accept(free_at);
}

void Endpoint::send_part(Payload& payload, std::uint64_t offset, std::uint16_t length, Time at) {
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Slot& slot = slots_[number];
    const std::uint64_t address = system_address(payload) + offset;
    slot.payload = &payload;
    slot.offset = offset;
    slot.length = length;
    slot.destination = static_cast<std::uint8_t>(*addresses::chip_of(address));
    if (!reachable_[slot.destination]) {
        fail_part(slot, fmt::format("chip {} cannot be reached: {}", slot.destination, why_unreachable_), at);
        return;
    }
    std::shared_ptr<Packet> packet = packets_.make();
    packet->kind = payload.is_read() ? Kind::ReadRequest : Kind::WriteRequest;
    packet->source = static_cast<std::uint8_t>(chip_);
    packet->destination = slot.destination;
    packet->length = length;
    packet->tag = number | slot.generation << SlotBits;
    packet->address = addresses::local_of(address);
    if (payload.is_write()) {
        const unsigned char* from = payload.get_data_ptr() + offset;
        packet->data.assign(from, from + length);
    }
    ++statistics_.packets;
    const Time leaves = at + parameters_.endpoint_time + out_.of(at);
    deadlines_.push_back({leaves + parameters_.timeout, packet->tag});
    leave(std::move(packet), leaves);
}

void Endpoint::leave(PacketPtr packet, Time at) {
    if (!outbox_.empty()) at = std::max(at, outbox_.back().at);
    outbox_.push_back({std::move(packet), at});
    owner_.wake(at);
}

PacketPtr Endpoint::take() {
    PacketPtr packet = std::move(outbox_.front().packet);
    outbox_.pop_front();
    return packet;
}

Endpoint::Slot* Endpoint::find(std::uint32_t tag) {
    const std::uint32_t number = tag % (1u << SlotBits);
    if (number >= slots_.size()) return nullptr;
    Slot& slot = slots_[number];
    return slot.payload != nullptr && (number | slot.generation << SlotBits) == tag ? &slot : nullptr;
}

void Endpoint::step(Time now) {
    for (; !deadlines_.empty(); deadlines_.pop_front()) {
        Slot* slot = find(deadlines_.front().tag);
        if (slot == nullptr) continue;
        if (deadlines_.front().at > now) break;
        fail_part(*slot, fmt::format("no answer within {} ns", parameters_.timeout / FsPerNs), now);
    }
    if (!unsent_.empty()) send_parts(now);
}

Time Endpoint::next() const {
    const Time leaves = outbox_.empty() ? Never : outbox_.front().at;
    return deadlines_.empty() ? leaves : std::min(leaves, deadlines_.front().at);
}

void Endpoint::deliver(const Packet& packet, Time now) {
    if (!is_response(packet.kind)) {
        serve(packet, now);
        return;
    }
    Slot* slot = find(packet.tag);
    if (slot == nullptr || slot->destination != packet.source) {
        ++statistics_.late;
        return;
    }
    const Response status = status_of(packet.status);
    if (status == ::tlm::TLM_OK_RESPONSE && slot->payload->is_read()) {
        if (packet.data.size() != slot->length) {
            fail_part(*slot, fmt::format("an answer of {} bytes", packet.data.size()), now);
            return;
        }
        std::memcpy(slot->payload->get_data_ptr() + slot->offset, packet.data.data(), packet.data.size());
    }
    answer_part(*slot, status, now);
}

// Takes the answer to the part of a slot and frees the slot.
void Endpoint::answer_part(Slot& slot, Response status, Time now) {
    Payload& payload = *slot.payload;
    slot.payload = nullptr;
    slot.generation = (slot.generation + 1) % (1u << (32 - SlotBits));
    free_.push_back(static_cast<std::uint32_t>(&slot - slots_.data()));
    Open& open = open_.at(&payload);
    open.answered += slot.length;
    if (open.status == ::tlm::TLM_OK_RESPONSE) open.status = status;
    if (open.answered == payload.get_data_length()) {
        const Time at = std::max(now, open.at);
        payload.set_response_status(open.status);
        open_.erase(&payload);
        from_chip.respond(payload, at + parameters_.endpoint_time + back_.of(at));
    }
}

void Endpoint::fail_part(Slot& slot, const std::string& why, Time now) {
    ++statistics_.errors;
    report(*slot.payload, slot.offset, slot.length, why);
    answer_part(slot, ::tlm::TLM_GENERIC_ERROR_RESPONSE, now);
}

void Endpoint::report(const Payload& payload, std::uint64_t offset, std::uint64_t length,
                      const std::string& why) {
    owner_.report(fmt::format("chip {}: {} of {} bytes at 0x{:x}: {}", chip_,
                              payload.is_read() ? "read" : "write", length, system_address(payload) + offset,
                              why));
}

void Endpoint::serve(const Packet& packet, Time now) {
    ++serving_;
    ++statistics_.served;
    const bool read = packet.kind == Kind::ReadRequest;
    auto& transaction =
        pool_.make(read ? ::tlm::TLM_READ_COMMAND : ::tlm::TLM_WRITE_COMMAND, packet.address, packet.length);
    if (!read) std::memcpy(transaction.get_data_ptr(), packet.data.data(), packet.data.size());
    transaction.tag = packet.tag;
    transaction.detail = packet.source;
    to_chip.send(transaction, now + parameters_.endpoint_time + out_.of(now));
}

void Endpoint::served(protocol::Transaction& transaction, Time at) {
    const bool read = transaction.is_read();
    std::shared_ptr<Packet> packet = packets_.make();
    packet->kind = read ? Kind::ReadData : Kind::WriteAcknowledgement;
    packet->status = status_code(transaction.get_response_status());
    packet->source = static_cast<std::uint8_t>(chip_);
    packet->destination = static_cast<std::uint8_t>(transaction.detail);
    packet->length = static_cast<std::uint16_t>(transaction.get_data_length());
    packet->tag = static_cast<std::uint32_t>(transaction.tag);
    packet->address = transaction.sent_to;
    if (read && transaction.is_response_ok()) {
        const unsigned char* from = transaction.get_data_ptr();
        packet->data.assign(from, from + packet->length);
    }
    leave(std::move(packet), at + parameters_.endpoint_time + out_.of(at));
}

unsigned Endpoint::debug(Payload& payload) {
    const std::uint64_t address = payload.get_address(), system = system_address(payload);
    const auto chip = addresses::chip_of(system);
    if (!chip || addresses::local_of(system) > addresses::LocalBytes - payload.get_data_length()) return 0;
    payload.set_address(addresses::local_of(system));
    const unsigned count = owner_.debug(*chip, payload);
    payload.set_address(address);
    return count;
}

}  // namespace trnsim::tlm::neuronlink
