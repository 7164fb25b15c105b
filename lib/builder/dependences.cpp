#include "lib/builder/dependences.hpp"

#include <algorithm>

#include "lib/builder/dtype.hpp"

namespace trnsim::builder {
namespace {

Dependences::Kind kind_of(bool earlier_write, bool write) {
    using enum Dependences::Kind;
    if (!write) return ReadAfterWrite;
    return earlier_write ? WriteAfterWrite : WriteAfterRead;
}

}  // namespace

AccessMap::Segments::iterator AccessMap::split(std::uint64_t at) {
    const auto next = segments_.lower_bound(at);
    if (next != segments_.end() && next->first == at) return next;
    return segments_.emplace_hint(next, at, std::prev(next)->second);
}

// What an exact write covers goes, parts of an access as well.
void AccessMap::add(std::vector<Access>& accesses, const Access& access, bool exact) {
    const Span hidden = access.across;
    const bool hides = access.write && exact;
    std::vector<Access> behind;  // of those that are cut in two
    std::erase_if(accesses, [&](Access& other) {
        const bool same = other.event.producer == access.event.producer && other.write == access.write;
        if (!hides) return same && hidden.contains(other.across);
        if (hidden.contains(other.across)) return true;
        if (!hidden.meets(other.across)) return false;
        if (other.across.first < hidden.first) {
            if (other.across.end > hidden.end)
                behind.push_back({{hidden.end, other.across.end}, other.event, other.write});
            other.across.end = hidden.first;
        } else {
            other.across.first = hidden.end;
        }
        return false;
    });
    accesses.insert(accesses.end(), behind.begin(), behind.end());
    accesses.push_back(access);
}

// Segments within that have nothing but the write are one.
void AccessMap::unite(const Span& along) {
    const auto first = segments_.find(along.first);
    if (first->second.size() != 1) return;
    auto next = std::next(first);
    while (next != segments_.end() && next->first < along.end && next->second.size() == 1)
        next = segments_.erase(next);
}

void Dependences::add_tensor(isa::Dtype dtype, const std::vector<std::uint64_t>& shape) {
    tensors_.push_back({bytes_of(dtype) * (shape.size() == 1 ? 1 : shape.back()), {}});
}

void Dependences::note(Call& call, const Tile& tile, bool write) {
    note(call, tile.memory == Memory::Sbuf ? sbuf_ : psum_, footprint_of(tile), write);
}

void Dependences::note(Call& call, const TensorView& view, bool write) {
    Tensor& tensor = tensors_.at(view.tensor);
    note(call, tensor.accesses, footprint_of(view, tensor.row), write);
}

void Dependences::note(Call& call, AccessMap& map, const Footprint& footprint, bool write) {
    const auto before = [&](const AccessMap::Access& access) {
        const Event& event = access.event;
        if (event.producer == call.event.producer && (call.ordered || event.index == call.event.index))
            return;
        if (!access.write && !write) return;
        if (left_out_.at(static_cast<std::size_t>(kind_of(access.write, write)))) return;
        const auto same = std::ranges::find(call.after, event.producer, &Event::producer);
        if (same == call.after.end()) {
            call.after.push_back(event);
        } else {
            same->index = std::max(same->index, event.index);
        }
    };
    for (const Box& box : footprint.boxes) map.note(box, call.event, write, footprint.exact, before);
}

}  // namespace trnsim::builder
