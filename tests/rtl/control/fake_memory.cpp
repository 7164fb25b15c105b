#include "rtl/control/fake_memory.hpp"

#include <gtest/gtest.h>

namespace trnsim::test {

FakeMemory::FakeMemory(std::uint64_t seed, unsigned ready_percent, unsigned latency)
    : random_(seed), ready_percent_(ready_percent), latency_(latency) {}

void FakeMemory::load(std::uint64_t address, const std::vector<isa::Instruction>& program) {
    for (const isa::Instruction& instruction : program) {
        words_[address] = instruction;
        address += isa::InstructionBytes;
    }
}

std::size_t FakeMemory::reads_in_flight() const {
    std::size_t count = 0;
    for (const auto& queue : reads_) count += queue.size();
    return count;
}

const MemoryOut& FakeMemory::drive() {
    out_ = {};
    out_.ar_ready = chance(ready_percent_);
    out_.aw_ready = chance(ready_percent_);
    out_.w_ready = chance(ready_percent_);
    // Beats of different engines may interleave; those of one engine come in order.
    const unsigned first = random_() % reads_.size();
    const bool beat = chance(ready_percent_);
    for (unsigned i = 0; beat && i < reads_.size(); ++i) {
        const unsigned id = (first + i) % reads_.size();
        if (reads_[id].empty() || reads_[id].front().ready > now_) continue;
        const Burst& burst = reads_[id].front();
        const auto word = words_.find(burst.address);
        out_.r_valid = true;
        out_.r_id = id;
        out_.r_last = burst.beats == 1;
        out_.r_resp = word == words_.end() ? 2 : 0;
        if (word != words_.end()) out_.r_data = word->second;
        break;
    }
    if (chance(ready_percent_) && !responses_.empty() && responses_.front().ready <= now_) {
        out_.b_valid = true;
        out_.b_id = responses_.front().id;
        out_.b_resp = responses_.front().error ? 2 : 0;
    }
    return out_;
}

void FakeMemory::clock(const MemoryIn& in) {
    if (out_.r_valid) {  // always taken
        auto& queue = reads_[out_.r_id];
        queue.front().address += isa::InstructionBytes;
        if (--queue.front().beats == 0) queue.pop_front();
    }
    if (out_.b_valid) responses_.pop_front();
    if (in.ar_valid && out_.ar_ready) {
        EXPECT_EQ(in.ar_addr % isa::InstructionBytes, 0u);
        EXPECT_LE(in.ar_addr % 4096 + (in.ar_len + 1) * isa::InstructionBytes, 4096u)
            << "burst crosses a page";
        reads_[in.ar_id].push_back({in.ar_addr, in.ar_len + 1, now_ + 1 + latency()});
    }
    if (in.aw_valid && out_.aw_ready) addresses_.push_back({in.aw_id, in.aw_size, in.aw_addr});
    if (in.w_valid && out_.w_ready) data_.push_back(in.w_data);
    while (!addresses_.empty() && !data_.empty()) {
        const auto [id, size, address] = addresses_.front();
        if (size == 4) {
            EXPECT_EQ(address % 16, 0u);
            records_.push_back({address, data_.front()});
        } else {
            EXPECT_EQ(size, 2u);
            writes_.push_back({id, address, data_.front()[0]});
        }
        responses_.push_back({id, failing_.contains(address), now_ + 1 + latency()});
        addresses_.pop_front();
        data_.pop_front();
    }
    ++now_;
}

}  // namespace trnsim::test
