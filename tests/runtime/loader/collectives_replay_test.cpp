// The test's own decoders execute the rings and programs of schedules on the memories of several chips; the
// results are compared with the schedules on memories of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "common/random.hpp"
#include "compiler/collectives/error.hpp"
#include "compiler/collectives/execute.hpp"
#include "compiler/collectives/generate.hpp"
#include "runtime/loader/dma_decoder.hpp"
#include "runtime/loader/lower_schedules.hpp"

namespace trnsim::loader {
namespace {

using collectives::Operation;
using collectives::Request;

constexpr std::uint64_t Flags = 0xfffd0001000, CoreStride = 0x100000;
constexpr std::size_t Output = 1;

// Chips with memory, DMA engines and collective cores.
class Chips {
  public:
    Chips(unsigned chips, std::mt19937_64& random) : random_(random) {
        for (unsigned chip = 0; chip < chips; ++chip) {
            engines_.push_back(std::make_unique<test::DmaDecoder>(
                memory_,
                [this, chip](std::uint64_t address, std::uint64_t value, bool) {
                    return take(chip, address, value);
                },
                origin(chip)));
        }
    }

    static std::uint64_t origin(unsigned chip) { return (std::uint64_t{chip} + 1) << 48; }

    // Gives each ring memory of its chip from `free` on and sets it up.
    void load(const Lowered& lowered, const std::vector<CoreId>& ranks, std::uint64_t free) {
        for (auto [id, ring] : lowered.rings) {
            const CoreId core = ranks[id.rank];
            place(ring,
                  [&](std::uint64_t bytes) { return std::exchange(free, (free + bytes + 255) / 256 * 256); });
            for (const MemoryWrite& write : memory_writes(ring))
                memory_.store(origin(core.chip) + write.address, write.bytes);
            const std::uint64_t registers =
                0xffff0000000 + core.core * 0x700000ULL + id.engine * 0x40000ULL + id.ring * 0x1000ULL;
            for (const RingSetting& setting : settings(ring))
                engines_[core.chip]->write(registers + static_cast<std::uint32_t>(setting.reg),
                                           setting.value);
        }
        for (const auto& [id, program] : lowered.programs) {
            for (const collective_cores::Channel& channel : program.channels)
                channels_.push_back({id, channel, 0});
        }
    }

    // Runs all programs from their beginnings. `events` happen at random times, each once. Returns whether
    // all channels come to their end.
    bool run(std::vector<std::function<void()>> events) {
        for (Walk& walk : channels_) walk.next = 0;
        flags_.clear();
        others_.clear();
        std::ranges::shuffle(events, random_);
        for (;;) {
            std::vector<Walk*> ready;
            for (Walk& walk : channels_)
                if (walk.next < walk.channel.size() && is_ready(walk)) ready.push_back(&walk);
            if (ready.empty() && events.empty()) break;
            if (ready.empty() || (!events.empty() && random_() % 8 == 0)) {
                events.back()();
                events.pop_back();
                continue;
            }
            Walk& walk = *ready[random_() % ready.size()];
            const collective_cores::Entry entry = walk.channel[walk.next++];
            for (const RegisterWrite& write : entry.writes)
                this->write(walk.id.chip, write.address, write.value);
        }
        return std::ranges::all_of(channels_,
                                   [](const Walk& walk) { return walk.next == walk.channel.size(); });
    }

    // Writes to an address of the chip, as the chip itself does.
    void write(unsigned chip, std::uint64_t address, std::uint32_t value) {
        if (test::DmaDecoder::has(address))
            engines_[chip]->write(address, value);
        else if (!take(chip, address, value))
            others_.insert({origin(chip) + address, value});
    }

    test::PlainMemory& memory() { return memory_; }
    const test::PlainMemory& memory() const { return memory_; }
    // Returns the writes of programs to addresses other than rings and flags: whole address and value.
    const std::multiset<std::pair<std::uint64_t, std::uint32_t>>& others() const { return others_; }

  private:
    struct Walk {
        CollectiveCoreId id;
        collective_cores::Channel channel;
        std::size_t next;
    };

    bool is_ready(const Walk& walk) const {
        return std::ranges::all_of(walk.channel[walk.next].waits, [&](const collective_cores::Wait& wait) {
            const auto flag =
                flags_.find(origin(walk.id.chip) + Flags + walk.id.core * CoreStride + 4ULL * wait.flag);
            return flag != flags_.end() && flag->second >= wait.value;
        });
    }

    // Adds the value to a flag. Returns false if the address is no flag.
    bool take(unsigned chip, std::uint64_t address, std::uint64_t value) {
        const std::uint64_t whole = address >> 48 == 0 ? origin(chip) + address : address;
        const std::uint64_t local = whole & 0xffffffffffff;
        if (local < Flags || local >= Flags + 6 * CoreStride) return false;
        flags_[whole] += value;
        return true;
    }

    std::mt19937_64& random_;
    test::PlainMemory memory_;  // chip addresses come after the chip's origin
    std::vector<std::unique_ptr<test::DmaDecoder>> engines_;
    std::vector<Walk> channels_;
    std::map<std::uint64_t, std::uint64_t> flags_;  // by whole address, with the chip's origin
    std::multiset<std::pair<std::uint64_t, std::uint32_t>> others_;
};

Request random_request(std::uint32_t ranks, std::mt19937_64& random) {
    constexpr std::array Operations{Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter,
                                    Operation::AllToAll,  Operation::Broadcast, Operation::Barrier};
    constexpr std::array Reductions{collectives::Reduction::Add, collectives::Reduction::Multiply,
                                    collectives::Reduction::Min, collectives::Reduction::Max};
    constexpr std::array Dtypes{isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16, isa::Dtype::I32,
                                isa::Dtype::U8};
    Request request;
    request.operation = Operations[random() % Operations.size()];
    request.reduction = Reductions[random() % Reductions.size()];
    request.dtype =
        request.operation == Operation::Barrier ? isa::Dtype::U8 : Dtypes[random() % Dtypes.size()];
    request.count =
        request.operation == Operation::Barrier ? 1 : 1 + random() % (random() % 4 == 0 ? 40'000 : 500);
    request.ranks = ranks;
    request.root =
        request.operation == Operation::Broadcast ? static_cast<std::uint32_t>(random() % ranks) : 0;
    request.in_place = request.operation == Operation::AllReduce && random() % 2 == 0;
    return request;
}

// A schedule, the host's memories of its ranks, and their addresses on the chips.
struct Scheduled {
    collectives::Schedule schedule;
    BufferAddresses addresses;
    std::vector<collectives::Memory> memories;
};

void expect_outputs(const Chips& chips, const std::vector<CoreId>& cores, Scheduled& one,
                    std::uint64_t order_seed) {
    collectives::execute(one.schedule, one.memories, {.order_seed = order_seed});
    for (std::size_t rank = 0; rank < cores.size(); ++rank) {
        const auto& expected = one.memories[rank][Output];
        const std::uint64_t output = Chips::origin(cores[rank].chip) + one.addresses[rank][Output];
        for (std::size_t b = 0; b < expected.size(); ++b)
            ASSERT_EQ(chips.memory().read(output + b), expected[b]) << "rank " << rank << " byte " << b;
    }
}

TEST(CollectivesReplay, RandomSchedules) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 30 * test::scale(); ++i) {
        const auto ranks = static_cast<std::uint32_t>(2 + random() % 7);
        std::vector<CoreId> cores;
        for (unsigned chip = 0; chip < 4; ++chip)
            for (unsigned core = 0; core < 2; ++core) cores.push_back({chip, core});
        std::ranges::shuffle(cores, random);
        cores.resize(ranks);
        const bool kernels = random() % 2 == 0;
        Chips chips(4, random);
        Lowering lowering{
            cores, static_cast<unsigned>(1 + random() % 16), static_cast<unsigned>(8 + random() % 9), {}};
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            lowering.one.push_back(0x40 + 64 * std::uint64_t{rank});
            chips.memory().store(Chips::origin(cores[rank].chip) + lowering.one.back(), 4, 1);
        }
        const std::size_t count = 1 + random() % 3;
        Lowerer lowerer(lowering, kernels ? static_cast<std::uint32_t>(count) : 0);
        std::vector<Scheduled> all;
        std::vector<std::function<void()>> events;
        std::multiset<std::pair<std::uint64_t, std::uint32_t>> ends;
        std::uint64_t next = 0x100000;
        for (std::uint32_t number = 0; number < count; ++number) {
            const Request request = random_request(ranks, random);
            const auto algorithms = collectives::algorithms(request.operation);
            Scheduled& one = all.emplace_back();
            try {
                one.schedule = collectives::make_schedule(
                    request, {.algorithm = algorithms[random() % algorithms.size()], .inner = 2});
            } catch (const collectives::Error&) {
                one.schedule = collectives::make_schedule(request, {.algorithm = algorithms.front()});
            }
            one.memories = collectives::make_memories(one.schedule, 0x5a);
            one.addresses.resize(ranks);
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                for (std::size_t buffer = 0; buffer < collectives::BufferCount; ++buffer) {
                    auto& bytes = one.memories[rank][buffer];
                    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
                    one.addresses[rank][buffer] = next + random() % 64;
                    next += bytes.size() + 64;
                    chips.memory().store(Chips::origin(cores[rank].chip) + one.addresses[rank][buffer],
                                         bytes);
                }
            }
            if (!kernels) {
                lowerer.add(one.schedule, one.addresses);
                continue;
            }
            Begin begin{number, std::vector<std::uint32_t>(ranks, ranks), {}};
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                begin.at_end.push_back(
                    {0xfffc0000000 + random() % 1000, static_cast<std::uint32_t>(random())});
                ends.insert({Chips::origin(cores[rank].chip) + begin.at_end.back().address,
                             begin.at_end.back().value});
                events.emplace_back([&, rank, number] {
                    for (std::uint32_t other = 0; other < ranks; ++other)
                        chips.write(cores[rank].chip, begin_address(cores[rank], cores[other], number), 1);
                });
            }
            lowerer.add(one.schedule, one.addresses, begin);
        }
        chips.load(std::move(lowerer).finish(), cores, (next + 255) / 256 * 256);
        // The second run starts the rings again.
        for (int run = 0; run < 2; ++run) {
            ASSERT_TRUE(chips.run(events)) << i;
            EXPECT_EQ(chips.others(), ends);
            for (Scheduled& one : all) expect_outputs(chips, cores, one, random());
            if (HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace trnsim::loader
