// The data path of a DMA engine for packets with indices: the indices are read first, then the rows that they
// name.
#include <fmt/format.h>

#include <utility>

#include "model/dma/encodings.hpp"
#include "model/dma/engine.hpp"

namespace trnsim::tlm::dma {

// Notes a descriptor of indices and asks for the index. Returns false if the engine has stopped.
bool Engine::take_index(const Descriptor& descriptor, std::uint32_t index) {
    Packet& packet = packets_.back();
    const auto refuse = [&](ErrorCode code, const std::string& what) {
        fail(code, packet.ring, index, descriptor.address, what);
        return false;
    };
    if (const auto fault = fault_of_read(descriptor.meta); !fault.empty())
        return refuse(ErrorCode::Unsupported, fmt::format("meta word 0x{:x}: {}", descriptor.meta, fault));
    if (packet.begun) return refuse(ErrorCode::Indices, "after what the packet reads, expected before it");
    const Operation operation = decode_read(descriptor.meta).operation;
    const unsigned number = packet.indices.count();
    std::string fault;
    if (operation == Operation::IndexStep) {
        fault = packet.indices.take_step(descriptor, packet.descriptors == 0);
    } else if (operation == Operation::IndexBounds) {
        fault = packet.indices.take_bounds(descriptor);
    } else {
        fault = packet.indices.take_index(descriptor, index);
    }
    if (!fault.empty()) return refuse(ErrorCode::Indices, fault);
    read_elements_.barrier = read_elements_.barrier || descriptor.barrier;
    if (operation != Operation::Index) return true;
    auto& transaction = pool_.make(::tlm::TLM_READ_COMMAND, descriptor.address, IndexBytes);
    const std::uint64_t packet_number = first_packet_ + packets_.size() - 1;
    transaction.tag = make_tag(IndexAccess, packet.ring, packet_number * MaxIndices + number);
    transaction.detail = index;
    ++reads_;
    statistics_.descriptor_bytes += IndexBytes;
    port.send(transaction, time_);
    return true;
}

// Returns whether the indices of the packet being read have arrived in bounds, and need not wait for writes.
bool Engine::rows_may_be_read() {
    const Packet& packet = packets_.back();
    if (!packet.indices.there()) return false;
    if (packet.begun) return true;
    if (const Indices::Entry* bad = packet.indices.bad()) {
        fail(ErrorCode::OutOfBounds, packet.ring, bad->descriptor, bad->address,
             packet.indices.describe(*bad));
        return false;
    }
    const bool is_next = writing_ == first_packet_ + packets_.size() - 1;
    return !packet.indices.wait() || (is_next && writes_ == 0);
}

// Moves a descriptor to its row. Returns false if the engine has stopped.
bool Engine::take_row(const Packet& packet, Cursor& cursor) {
    const std::uint32_t meta = cursor.descriptor.meta;
    if (const std::string fault = packet.indices.take_row(meta); !fault.empty()) {
        fail(ErrorCode::Indices, packet.ring, cursor.index, cursor.descriptor.address, fault);
        return false;
    }
    cursor.dropped = !packet.indices.in_bounds(meta);
    if (!cursor.dropped) cursor.descriptor.address += packet.indices.offset(meta);
    return true;
}

// Handles a descriptor that reads a row that is left out.
void Engine::leave_out_read() {
    read_.active = false;
    const bool barrier = std::exchange(read_elements_.barrier, false) || read_.descriptor.barrier;
    slots_.push_back({.length = read_.descriptor.length,
                      .barrier = barrier,
                      .last = read_.descriptor.last,
                      .hole = true,
                      .index = read_.index});
    if (read_.descriptor.last) reading_ = false;
}

}  // namespace trnsim::tlm::dma
