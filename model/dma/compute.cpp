// The data path of a DMA engine for packets of elements: read data goes through the element unit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/element_type.hpp"
#include "model/dma/engine.hpp"

namespace trnsim::tlm::dma {
namespace {

// Says why the next source descriptor of a packet does not fit the earlier ones; empty: it does.
std::string fault_of_order(const ReadMeta& before, const ReadMeta& meta, bool first) {
    if (meta.source > meta.last_source)
        return fmt::format("source {} of a packet whose last is {}", meta.source, meta.last_source);
    if (meta.last_source != before.last_source && !first)
        return fmt::format("the packet's last source is {}, expected {}, as before", meta.last_source,
                           before.last_source);
    if ((meta.operation == Operation::Load) != (meta.source == 0))
        return fmt::format("operation {} of source {}, expected 1 (load) of source 0 and of no other",
                           static_cast<int>(meta.operation), meta.source);
    if (meta == before && !first) return "";
    const int expected = first ? 0 : before.source + 1;
    if (meta.source == expected) return "";
    if (meta.source == before.source && !first)
        return fmt::format("source {} with another operation or element type than before", meta.source);
    return fmt::format("source {}, expected source {}", meta.source, expected);
}

std::string fault_of_length(const Descriptor& descriptor, isa::Dtype dtype) {
    const std::uint32_t size = isa::element_size(dtype);
    if (descriptor.length % size == 0) return "";
    return fmt::format("{} bytes, expected whole elements of {} ({} bytes)", descriptor.length,
                       isa::name_of(dtype), size);
}

std::string fault_of_constant(const Descriptor& descriptor, Operation operation) {
    const std::uint32_t bytes = operation == Operation::Scale ? ScaleBytes : NumberBytes;
    if (descriptor.length != bytes)
        return fmt::format("a constant of {} bytes, expected {}", descriptor.length, bytes);
    if (descriptor.last) return "a constant ends the packet, expected a source";
    if (operation == Operation::Scale && descriptor.address >> 32 != 0) return "a scale of more than 32 bits";
    return "";
}

}  // namespace

// Checks the meta word of the next m2s descriptor and notes it. Returns false if the engine has stopped.
bool Engine::take_read_meta(const Descriptor& descriptor, std::uint32_t index) {
    Packet& packet = packets_.back();
    const auto refuse = [&](ErrorCode code, const std::string& what) {
        fail(code, packet.ring, index, descriptor.address, what);
        return false;
    };
    const std::uint32_t word = descriptor.meta & (packet.indices.used() ? ~RowMask : ~0U);
    if (const auto fault = fault_of_read(word); !fault.empty())
        return refuse(ErrorCode::Unsupported, fmt::format("meta word 0x{:x}: {}", descriptor.meta, fault));
    const ReadMeta meta = decode_read(word);
    if (meta.operation == Operation::Transpose || packet.transposition.used())
        return take_transposed(descriptor, index);
    const bool computes = meta.operation != Operation::Copy;
    if (!std::exchange(packet.begun, true)) {
        packet.computes = computes;
        computing_ += computes;
        if (computes && packet.indices.skip())
            return refuse(ErrorCode::Indices, "elements with indices that are skipped, expected bytes");
    }
    if (computes != packet.computes)
        return refuse(ErrorCode::Elements, "bytes that are copied and elements in one packet");
    if (!computes) return true;
    if (is_constant(meta.operation)) {
        if (const std::string fault = fault_of_constant(descriptor, meta.operation); !fault.empty())
            return refuse(ErrorCode::Elements, fault);
        if (meta.operation == Operation::Scale) {
            read_elements_.scale = std::bit_cast<float>(static_cast<std::uint32_t>(descriptor.address));
        } else {
            read_elements_.first_element = descriptor.address;
        }
        read_elements_.barrier = read_elements_.barrier || descriptor.barrier;
        return true;
    }
    std::string fault = fault_of_order(read_elements_.meta, meta, !read_elements_.sources);
    if (fault.empty()) fault = fault_of_length(descriptor, meta.dtype);
    if (fault.empty() && descriptor.last && meta.source != meta.last_source)
        fault = fmt::format("the packet ends with source {} of 0 to {}", meta.source, meta.last_source);
    if (!fault.empty()) return refuse(ErrorCode::Elements, fault);
    read_elements_.meta = meta;
    read_elements_.sources = true;
    return true;
}

// Does the same for the next s2m descriptor.
bool Engine::take_write_meta(const Descriptor& descriptor, std::uint32_t index) {
    const Packet& packet = packets_[writing_ - first_packet_];
    const auto refuse = [&](ErrorCode code, const std::string& what) {
        fail(code, packet.ring, index, descriptor.address, what);
        return false;
    };
    const std::uint32_t word = descriptor.meta & (packet.indices.used() ? ~RowMask : ~0U);
    if (const auto fault = fault_of_write(word); !fault.empty())
        return refuse(ErrorCode::Unsupported, fmt::format("meta word 0x{:x}: {}", descriptor.meta, fault));
    const WriteMeta meta = decode_write(word);
    if (meta.result == Result::Nothing) return true;
    const bool elements = packet.computes && !packet.transposition.used();
    if ((meta.result == Result::Elements) != elements)
        return refuse(ErrorCode::Elements, elements ? "an s2m descriptor of bytes in a packet of elements"
                                                    : "an s2m descriptor of elements in a packet of bytes");
    if (!elements) return true;
    if (results_.begun && meta != results_.meta)
        return refuse(ErrorCode::Elements, "results with another element type or rounding than before");
    if (const std::string fault = fault_of_length(descriptor, meta.dtype); !fault.empty())
        return refuse(ErrorCode::Elements, fault);
    results_.meta = meta;
    results_.begun = true;
    return true;
}

// Takes the next read of a packet of elements to the element unit if there is room for its results.
bool Engine::compute_step() {
    if (halted() || !writing_elements() || results_.ended || results_.bytes.size() >= timing_.burst)
        return false;
    if (slots_.empty() || slots_.front().data == nullptr) return false;
    Slot& slot = slots_.front();
    if (slot.barrier) {
        if (writes_ != 0 || !results_.bytes.empty()) return false;
        slot.barrier = false;
    }
    Packet& packet = packets_[writing_ - first_packet_];
    if (packet.transposition.used()) {
        transpose_step(packet, slot);
        release_slot();
        return true;
    }
    const bool results = slot.source.meta.source == slot.source.meta.last_source;
    if (results && !results_.begun && (write_free_ > time_ || !start_write_descriptor())) return false;
    const std::span<const std::uint8_t> bytes(slot.data->get_data_ptr(), slot.length);
    std::string fault = element_unit_.take(slot.source, bytes, results_.meta, rounding_, results_.bytes);
    if (fault.empty() && slot.last) fault = element_unit_.end_packet();
    if (!fault.empty()) {
        fail(ErrorCode::Elements, packet.ring, slot.index, slot.data->sent_to, fault);
        return false;
    }
    results_.ended = slot.last;
    if (slot.last) element_unit_.begin_packet();
    release_slot();
    return true;
}

// Releases the oldest read, which has been taken whole.
void Engine::release_slot() {
    buffered_ -= slots_.front().length;
    slots_.front().data->release();
    slots_.pop_front();
    ++first_slot_;
}

// Sends one write of results if they are there.
bool Engine::write_results_step() {
    if (results_.bytes.empty() || (!write_.active && !start_write_descriptor())) return false;
    const auto there = static_cast<std::uint32_t>(results_.bytes.size());
    const bool barrier_next = !results_.ended && !slots_.empty() && slots_.front().barrier;
    const bool is_short = there < burst(write_);
    if (is_short && !results_.ended && !barrier_next) return false;
    std::uint32_t length =
        is_short ? there : train(write_, std::min<std::uint64_t>(there, room_for_writes()));
    if (results_.ended && length == there) length = ending_write(length);
    if (length == 0) return false;
    send_write(length);
    return true;
}

// Takes results for a write; returns whether the packet ends with it.
bool Engine::take_results(std::span<std::uint8_t> to) {
    const auto end = results_.bytes.begin() + static_cast<std::ptrdiff_t>(to.size());
    std::copy(results_.bytes.begin(), end, to.begin());
    results_.bytes.erase(results_.bytes.begin(), end);
    const bool last = results_.ended && results_.bytes.empty();
    if (last) {
        results_.begun = results_.ended = false;
        results_.meta = {};
    }
    return last;
}

}  // namespace trnsim::tlm::dma
