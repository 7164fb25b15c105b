#include "runtime/loader/descriptor_writer.hpp"

namespace trnsim::loader {

void DescriptorWriter::read(std::uint64_t address, std::uint32_t bytes, std::uint32_t meta) {
    reads_.push_back({.address = address, .length = bytes, .ring_id = ring_id_, .meta = meta});
}

void DescriptorWriter::write(std::uint64_t address, std::uint32_t bytes, std::uint32_t meta) {
    writes_.push_back({.address = address, .length = bytes, .ring_id = ring_id_, .meta = meta});
}

void DescriptorWriter::constant(dma::Operation operation, std::uint64_t value, std::uint32_t bits) {
    read(value, dma::NumberBytes, encode(dma::ReadMeta{operation}) | bits);
}

void DescriptorWriter::combine(std::span<const Elements> sources, dma::Operation operation,
                               const Elements& result, isa::Rounding rounding) {
    const auto last = static_cast<std::uint8_t>(sources.size() - 1);
    for (std::uint8_t s = 0; s <= last; ++s) {
        const dma::ReadMeta meta{s == 0 ? dma::Operation::Load : operation, sources[s].dtype, s, last};
        read(sources[s].address, sources[s].bytes, encode(meta) | sources[s].row);
    }
    write(result.address, result.bytes,
          encode(dma::WriteMeta{dma::Result::Elements, result.dtype, rounding}) | result.row);
}

void DescriptorWriter::end(bool barrier) {
    reads_.front().first = reads_.back().last = true;
    reads_.front().barrier = barrier;
    if (counts_ == Counts::Equal && reads_.size() > writes_.size()) {
        const dma::Descriptor nothing{
            .length = 1, .ring_id = ring_id_, .meta = encode(dma::WriteMeta{dma::Result::Nothing})};
        ring_.s2m.insert(ring_.s2m.end(), reads_.size() - writes_.size(), nothing);
    }
    ring_.m2s.insert(ring_.m2s.end(), reads_.begin(), reads_.end());
    ring_.s2m.insert(ring_.s2m.end(), writes_.begin(), writes_.end());
    reads_.clear();
    writes_.clear();
}

void DescriptorWriter::copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes, bool barrier) {
    read(from, bytes);
    write(to, bytes);
    end(barrier);
}

}  // namespace trnsim::loader
