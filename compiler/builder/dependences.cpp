#include "compiler/builder/dependences.hpp"

#include <algorithm>

#include "isa/element_type.hpp"

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

// Adds an access. An exact write removes the accesses and the parts of accesses that it covers.
void AccessMap::add(std::vector<Access>& accesses, const Access& access, bool exact) {
    const Span hidden = access.across;
    const bool hides = access.write && exact;
    std::vector<Access> behind;  // upper parts of accesses that are cut in two
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

// Joins the segments within `along` that have nothing but the write.
void AccessMap::unite(const Span& along) {
    const auto first = segments_.find(along.first);
    if (first->second.size() != 1) return;
    auto next = std::next(first);
    while (next != segments_.end() && next->first < along.end && next->second.size() == 1)
        next = segments_.erase(next);
}

void Dependences::add_tensor(isa::Dtype dtype, const std::vector<std::uint64_t>& shape) {
    tensors_.push_back({isa::element_size(dtype) * (shape.size() == 1 ? 1 : shape.back()), {}});
}

void Dependences::note(Call& call, const Access& access) {
    const bool write = access.role != Role::Read, some = access.role == Role::Some;
    std::visit([&](const auto& what) { note(call, what, write, some); }, access.what);
}

void Dependences::note(Call& call, const Tile& tile, bool write, bool some) {
    if (!derived()) return;
    if (in_loop_) return note_in_loop(loop_access(tile, write), some);
    note(call, tile.memory == target::Memory::Sbuf ? sbuf_ : psum_, footprint_of(tile), write, some);
}

void Dependences::note(Call& call, const TensorView& view, bool write, bool some) {
    if (!derived()) return;
    Tensor& tensor = tensors_.at(view.tensor);
    if (in_loop_) return note_in_loop(loop_access(view, tensor.row, write), some);
    note(call, tensor.accesses, footprint_of(view, tensor.row), write, some);
}

void Dependences::note_in_loop(LoopAccess access, bool some) {
    access.whole.exact = access.whole.exact && !some;
    accesses_.push_back(std::move(access));
}

void Dependences::note(Call& call, AccessMap& map, Footprint footprint, bool write, bool some) {
    footprint.exact = footprint.exact && !some;
    const auto before = [&](const AccessMap::Access& access) { depend(call, access, write); };
    for (const Box& box : footprint.boxes) map.note(box, call.event, write, footprint.exact, before);
}

bool Dependences::depends(bool earlier_write, bool write) const {
    return (earlier_write || write) && !left_out_.at(static_cast<std::size_t>(kind_of(earlier_write, write)));
}

void Dependences::depend(Call& call, const AccessMap::Access& access, bool write) const {
    const Event& event = access.event;
    if (event.producer == call.event.producer && (call.ordered || event.index == call.event.index)) return;
    if (!depends(access.write, write)) return;
    const auto same = std::ranges::find_if(call.after, [&](const Event& other) {
        return other.producer == event.producer && other.loop == event.loop;
    });
    if (same == call.after.end()) {
        call.after.push_back(event);
    } else {
        same->index = std::max(same->index, event.index);
    }
}

AccessMap& Dependences::map_of(const LoopAccess& access) {
    if (access.tensor) return tensors_.at(*access.tensor).accesses;
    return access.memory == target::Memory::Sbuf ? sbuf_ : psum_;
}

const AccessMap& Dependences::map_of(const LoopAccess& access) const {
    if (access.tensor) return tensors_.at(*access.tensor).accesses;
    return access.memory == target::Memory::Sbuf ? sbuf_ : psum_;
}

void Dependences::enter(Call& call, const LoopAccess& access) const {
    for (const Box& box : access.whole.boxes) {
        map_of(access).visit(box,
                             [&](const AccessMap::Access& before) { depend(call, before, access.write); });
    }
}

void Dependences::leave(const LoopAccess& access, const Event& event) {
    const auto nobody = [](const AccessMap::Access&) {};
    for (const Box& box : access.whole.boxes)
        map_of(access).note(box, event, access.write, access.whole.exact, nobody);
}

}  // namespace trnsim::builder
