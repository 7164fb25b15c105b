#include "model/dma/transpose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/dma/engine.hpp"

namespace trnsim::tlm::dma {

std::string Transposition::take_shape(const Descriptor& descriptor, bool first) {
    if (!first) return "a shape within a packet, expected at its beginning";
    if (descriptor.length != NumberBytes)
        return fmt::format("a shape of {} bytes, expected {}", descriptor.length, NumberBytes);
    if (descriptor.last) return "the packet ends with its shape, expected what it reads";
    rows_ = descriptor.address & 0xffff;
    columns_ = descriptor.address >> 16 & 0xffff;
    const std::uint64_t element = descriptor.address >> 32;
    if (element != 1 && element != 2 && element != 4)
        return fmt::format("elements of {} bytes, expected 1, 2 or 4", element);
    element_bytes_ = static_cast<std::uint32_t>(element);
    const std::uint64_t elements = std::uint64_t{rows_} * columns_;
    if (elements != 0 && elements <= MaxTransposedElements) return "";
    return fmt::format("a matrix of {} x {} elements, expected 1 to {}", rows_, columns_,
                       MaxTransposedElements);
}

std::string Transposition::take_source(const Descriptor& descriptor, Operation operation) {
    if (operation != Operation::Copy)
        return fmt::format("operation {} in a packet that transposes, expected 0 (copy)",
                           static_cast<int>(operation));
    asked_for_ += descriptor.length;
    if (asked_for_ <= bytes() && descriptor.last == (asked_for_ == bytes())) return "";
    return fmt::format("the packet {} {} bytes, expected {} of a matrix of {} x {}",
                       descriptor.last ? "reads" : "goes on after", asked_for_, bytes(), rows_, columns_);
}

bool Transposition::arrived(std::span<const std::uint8_t> bytes) {
    matrix_.insert(matrix_.end(), bytes.begin(), bytes.end());
    return matrix_.size() == this->bytes();
}

std::vector<std::uint8_t> Transposition::take_columns() {
    const std::vector<std::uint8_t> matrix = std::exchange(matrix_, {});
    std::vector<std::uint8_t> transposed(matrix.size());
    auto to = transposed.begin();
    for (std::size_t column = 0; column < columns_; ++column) {
        for (std::size_t row = 0; row < rows_; ++row) {
            const std::size_t element = row * columns_ + column;
            to = std::copy_n(matrix.begin() + static_cast<std::ptrdiff_t>(element * element_bytes_),
                             element_bytes_, to);
        }
    }
    return transposed;
}

// Notes the next m2s descriptor of a packet that transposes. Returns false if the engine has stopped.
bool Engine::take_transposed(const Descriptor& descriptor, std::uint32_t index) {
    Packet& packet = packets_.back();
    const Operation operation = decode_read(descriptor.meta).operation;
    const bool shape = operation == Operation::Transpose;
    const std::string fault = shape ? packet.transposition.take_shape(descriptor, packet.descriptors == 0)
                                    : packet.transposition.take_source(descriptor, operation);
    if (!fault.empty()) {
        fail(ErrorCode::Transposition, packet.ring, index, descriptor.address, fault);
        return false;
    }
    if (shape) {
        packet.begun = packet.computes = true;
        ++computing_;
        read_elements_.barrier = descriptor.barrier;
    }
    return true;
}

// Takes the next read to the matrix; when it is whole, its columns become the packet's results.
void Engine::transpose_step(Packet& packet, const Slot& slot) {
    if (!packet.transposition.arrived({slot.data->get_data_ptr(), slot.length})) return;
    results_.bytes = packet.transposition.take_columns();
    results_.ended = true;
}

}  // namespace trnsim::tlm::dma
