#include "lib/waves/signal_writer.hpp"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace trnsim::waves {
namespace {

// Of all scopes, in the order of time; signals count through the scopes.
std::vector<Change> changes_of(std::span<const Scope> scopes) {
    std::vector<Change> all;
    std::size_t first = 0;
    for (const Scope& scope : scopes) {
        const auto middle = static_cast<std::ptrdiff_t>(all.size());
        for (Change change : scope.changes) {
            change.signal += first;
            all.push_back(std::move(change));
        }
        std::ranges::inplace_merge(all, all.begin() + middle, {}, &Change::time);
        first += scope.signals.size();
    }
    return all;
}

// Those from `first` on, before them what all signals are then.
std::vector<Change> changes_from(std::uint64_t first, std::size_t signals, std::span<const Change> changes) {
    std::vector<Change> from(signals);
    for (const Change& change : changes) {
        if (change.time > first) {
            from.push_back(change);
        } else {
            from[change.signal] = change;
        }
    }
    for (std::size_t signal = 0; signal < signals; ++signal) {
        from[signal].time = first;
        from[signal].signal = signal;
    }
    return from;
}

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    std::istringstream stream(path);
    for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
    return parts;
}

// Goes from scopes that are open to others, and returns those.
std::vector<std::string> go(void* writer, const std::vector<std::string>& from, std::vector<std::string> to) {
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
    for (std::size_t left = from.size(); left > same; --left) fstWriterSetUpscope(writer);
    for (std::size_t next = same; next < to.size(); ++next)
        fstWriterSetScope(writer, FST_ST_VCD_MODULE, to[next].c_str(), nullptr);
    return to;
}

}  // namespace

SignalWriter::SignalWriter(void* writer, std::span<const Scope> scopes, std::uint64_t first)
    : writer_(writer), scopes_(scopes) {
    std::size_t signals = 0;
    for (const Scope& scope : scopes) signals += scope.signals.size();
    changes_ = changes_from(first, signals, changes_of(scopes));
}

void SignalWriter::add_hierarchy() {
    for (const Scope& scope : scopes_) {
        std::vector<std::string> open = go(writer_, {}, {scope.name});
        for (const Signal& signal : scope.signals) {
            std::vector<std::string> path = parts_of(signal.scope);
            path.insert(path.begin(), scope.name);
            open = go(writer_, open, std::move(path));
            const std::string name =
                signal.bits <= 1 ? signal.name : fmt::format("{} [{}:0]", signal.name, signal.bits - 1);
            handles_.push_back(fstWriterCreateVar(writer_,
                                                  signal.bits == 0 ? FST_VT_GEN_STRING : FST_VT_VCD_WIRE,
                                                  FST_VD_IMPLICIT, signal.bits, name.c_str(), 0));
            bits_.push_back(signal.bits);
        }
        go(writer_, open, {});
    }
}

void SignalWriter::add_until(std::uint64_t time) {
    for (; next_ < changes_.size() && changes_[next_].time <= time; ++next_) {
        go_to(changes_[next_].time);
        write(changes_[next_]);
    }
}

void SignalWriter::write(const Change& change) {
    const unsigned bits = bits_[change.signal];
    if (bits == 0) {
        fstWriterEmitVariableLengthValueChange(writer_, handles_[change.signal], change.text.data(),
                                               static_cast<std::uint32_t>(change.text.size()));
        return;
    }
    std::string digits(bits, '0');
    for (unsigned bit = 0; bit < bits; ++bit)
        if ((change.value >> bit & 1) != 0) digits[bits - 1 - bit] = '1';
    fstWriterEmitValueChange(writer_, handles_[change.signal], digits.c_str());
}

void SignalWriter::go_to(std::uint64_t time) {
    if (begun_ && time <= now_) return;
    begun_ = true;
    now_ = time;
    fstWriterEmitTimeChange(writer_, time);
}

}  // namespace trnsim::waves
