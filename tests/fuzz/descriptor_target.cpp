// The input is the ring's size (one byte, 1 to 64), its contents (16 bytes a descriptor, zeros after the end
// of the input), then steps of one byte: two bits for the action and six for its amount. A model runs beside
// the queue: counters and the ring itself.
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "fuzz/targets.hpp"
#include "model/dma/descriptor_queue.hpp"

namespace trnsim::fuzz {
namespace {

using namespace tlm::dma;
using Raw = std::array<std::uint8_t, DescriptorBytes>;

constexpr std::uint64_t Base = 0x1000;

// Bits of a descriptor that have no meaning and are not kept.
constexpr std::uint32_t UnusedBits =
    ~(LengthMask | 3U << RingIdShift | FirstBit | LastBit | InterruptBit | BarrierBit);

void check_round_trip(const Raw& raw) {
    Raw expected = raw;
    for (unsigned i = 0; i < 4; ++i) expected[i] &= static_cast<std::uint8_t>(~UnusedBits >> (8 * i));
    const Descriptor descriptor = decode(raw);
    expect(descriptor.length >= 1 && descriptor.length <= MaxLength, "a length out of range");
    expect(encode(descriptor) == expected, "what is encoded differs from what was decoded");
}

class Model {
  public:
    Model(std::vector<Raw> ring) : ring_(std::move(ring)) {
        queue_.base = Base;
        queue_.size = size();
    }

    // Hands over `count` descriptors.
    void add(std::uint32_t count) {
        expect(queue_.room() == size() - (added_ - popped_), "wrong room in the ring");
        if (count > queue_.room()) return;
        queue_.add(count);
        added_ += count;
    }

    void fetch(std::uint32_t limit) {
        const auto fetch = queue_.next_fetch(limit);
        if (!fetch) return;
        expect(fetch->count >= 1 && fetch->count <= added_ - fetched_, "reads what was not handed over");
        expect(fetch->index == fetched_ % size() && fetch->index + fetch->count <= size(),
               "reads beyond the ring");
        expect(fetch->address == Base + std::uint64_t{fetch->index} * DescriptorBytes,
               "reads from elsewhere");
        fetched_ += fetch->count;
        under_way_.push_back(*fetch);
    }

    // Answers one of the reads under way.
    void answer(std::size_t which) {
        if (under_way_.empty()) return;
        const auto at = under_way_.begin() + static_cast<std::ptrdiff_t>(which % under_way_.size());
        std::vector<std::uint8_t> bytes;
        for (std::uint32_t i = 0; i < at->count; ++i) {
            bytes.insert(bytes.end(), ring_[at->index + i].begin(), ring_[at->index + i].end());
        }
        queue_.arrived(at->sequence, bytes);
        under_way_.erase(at);
    }

    void execute(std::uint32_t count) {
        for (; count != 0; --count) {
            const Descriptor* front = queue_.front();
            if (front == nullptr) return;
            expect(popped_ < fetched_, "executes what was not read");
            expect(*front == decode(ring_[popped_ % size()]), "executes another descriptor");
            queue_.pop();
            ++popped_;
        }
    }

    void check() const {
        expect(queue_.head() == place(popped_), "head");
        expect(queue_.tail() == place(added_), "tail");
        expect(queue_.pending() == added_ - popped_, "pending");
        expect(queue_.wants_fetch() == (added_ != fetched_), "wants fetch");
    }

    // Executes all descriptors that were handed over.
    void drain() {
        while (popped_ != added_) {
            const std::uint64_t before = popped_;
            fetch(FetchLimit);
            while (!under_way_.empty()) answer(0);
            execute(size());
            expect(popped_ != before, "stands still with descriptors to execute");
        }
    }

    static constexpr std::uint32_t FetchLimit = 64;

  private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(ring_.size()); }

    std::vector<Raw> ring_;
    DescriptorQueue queue_;
    // Returns the head or tail after this many descriptors.
    std::uint32_t place(std::uint64_t count) const {
        return pointer(static_cast<std::uint32_t>(count / size()),
                       static_cast<std::uint32_t>(count % size()));
    }

    std::uint64_t added_ = 0, fetched_ = 0, popped_ = 0;
    std::deque<DescriptorQueue::Fetch> under_way_;
};

}  // namespace

void descriptor(Bytes input) {
    if (input.empty()) return;
    std::vector<Raw> ring(1 + input[0] % 64);
    input = input.subspan(1);
    for (Raw& raw : ring) {
        const std::size_t count = std::min(input.size(), raw.size());
        std::copy_n(input.begin(), count, raw.begin());
        input = input.subspan(count);
        check_round_trip(raw);
    }
    Model model(std::move(ring));
    for (const std::uint8_t step : input) {
        const std::uint32_t amount = step & 63U;
        switch (step >> 6) {
            case 0:
                model.add(amount);
                break;
            case 1:
                model.fetch(amount);
                break;
            case 2:
                model.answer(amount);
                break;
            default:
                model.execute(amount);
                break;
        }
        model.check();
    }
    model.drain();
    model.check();
}

}  // namespace trnsim::fuzz
