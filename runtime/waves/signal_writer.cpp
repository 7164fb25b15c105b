#include "runtime/waves/signal_writer.hpp"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

namespace trnsim::waves {
namespace {

constexpr std::uint64_t Never = std::numeric_limits<std::uint64_t>::max();

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    std::istringstream stream(path);
    for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
    return parts;
}

// Closes and opens scopes to get from the open ones to others, and returns the latter.
std::vector<std::string> go(void* writer, const std::vector<std::string>& from, std::vector<std::string> to) {
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
    for (std::size_t left = from.size(); left > same; --left) fstWriterSetUpscope(writer);
    for (std::size_t next = same; next < to.size(); ++next)
        fstWriterSetScope(writer, FST_ST_VCD_MODULE, to[next].c_str(), nullptr);
    return to;
}

}  // namespace

SignalWriter::SignalWriter(void* writer, std::span<const Scope> scopes, std::uint64_t first)
    : writer_(writer), first_(first) {
    std::size_t signals = 0;
    for (const Scope& scope : scopes) {
        parts_.push_back({&scope, signals});
        signals += scope.signals.size();
    }
}

std::uint64_t SignalWriter::last() const {
    std::uint64_t last = 0;
    for (const Part& part : parts_)
        if (!part.scope->changes.empty()) last = std::max(last, part.scope->changes.back().time);
    return last;
}

void SignalWriter::add_hierarchy() {
    for (const Part& part : parts_) {
        const Scope& scope = *part.scope;
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

// Writes the initial values of the signals: the last change of each until then.
void SignalWriter::add_first() {
    std::vector<Change> values(handles_.size());
    for (Part& part : parts_) {
        const std::vector<Change>& changes = part.scope->changes;
        for (; part.next < changes.size() && changes[part.next].time <= first_; ++part.next)
            values[part.first + changes[part.next].signal] = changes[part.next];
    }
    go_to(first_);
    for (std::size_t signal = 0; signal < values.size(); ++signal) write(signal, values[signal]);
}

void SignalWriter::add_until(std::uint64_t time) {
    if (!begun_ && time >= first_) add_first();
    const auto next_of = [](const Part& part) {
        return part.next < part.scope->changes.size() ? part.scope->changes[part.next].time : Never;
    };
    while (!parts_.empty()) {
        Part& part = *std::ranges::min_element(parts_, {}, next_of);
        if (next_of(part) > time) return;
        const Change& change = part.scope->changes[part.next++];
        go_to(change.time);
        write(part.first + change.signal, change);
    }
}

void SignalWriter::write(std::size_t signal, const Change& change) {
    const unsigned bits = bits_[signal];
    if (bits == 0) {
        fstWriterEmitVariableLengthValueChange(writer_, handles_[signal], change.text.data(),
                                               static_cast<std::uint32_t>(change.text.size()));
        return;
    }
    std::string digits(bits, '0');
    for (unsigned bit = 0; bit < bits; ++bit)
        if ((change.value >> bit & 1) != 0) digits[bits - 1 - bit] = '1';
    fstWriterEmitValueChange(writer_, handles_[signal], digits.c_str());
}

void SignalWriter::go_to(std::uint64_t time) {
    if (begun_ && time <= now_) return;
    begun_ = true;
    now_ = time;
    fstWriterEmitTimeChange(writer_, time);
}

}  // namespace trnsim::waves
