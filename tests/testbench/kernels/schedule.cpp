#include "testbench/kernels/schedule.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>

#include "testbench/neff/check.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;

constexpr double GHz = 2.8;          // Tensor clock
constexpr double VectorCycle = 2.5;  // Tensor cycles
constexpr double VectorLatency = 60 * VectorCycle;
constexpr double TensorLatency = 200;  // from the last column in to the result in PSUM
constexpr double TriggerTime = 100 * GHz;
constexpr double StartLatency = 1300 * GHz;
constexpr double BytesPerCycle = 17 / GHz;  // of one DMA engine

struct Queue {
    struct Work {
        double start, bytes;
        std::uint8_t semaphore;
    };
    std::deque<Work> work;
};

class Simulation {
  public:
    explicit Simulation(const neff::Package& package) : package_(package), queues_(package.queues.size()) {}

    Schedule run() {
        while (true) {
            bool halted = true;
            for (std::size_t engine = 0; engine < neff::EngineCount; ++engine) {
                while (issue(engine)) {
                }
                halted = halted && pc_[engine] == package_.programs[engine].size();
            }
            if (halted) break;
            advance();
        }
        schedule_.total = now_;
        return schedule_;
    }

  private:
    // Issues the next instruction of an engine if it may go now.
    bool issue(std::size_t engine) {
        const auto& program = package_.programs[engine];
        if (pc_[engine] == program.size() || free_at_[engine] > now_) return false;
        const isa::Instruction& instruction = program[pc_[engine]];
        const bool waits = instruction.get(field::WaitMode) != 0;
        if (waits && semaphores_[instruction.get(field::WaitSem)] < instruction.get(field::WaitValue))
            return false;
        ++pc_[engine];
        const double columns = std::max(64.0, static_cast<double>(instruction.get(field::Count0)));
        double busy = 0, latency = 0;
        if (instruction.opcode() == isa::Opcode::MultiplyMoving) {
            const bool fp32 = instruction.get(field::ADtype) == static_cast<std::uint64_t>(isa::Dtype::Fp32);
            busy = columns * (fp32 ? 4 : 1);
            latency = TensorLatency;
            if (schedule_.tensor_busy == 0) schedule_.tensor_first = now_;
            schedule_.tensor_busy += busy;
            schedule_.tensor_last = now_ + busy;
        } else if (engine == static_cast<std::size_t>(isa::Engine::Vector) && instruction.info()->uses_dst) {
            busy = columns * VectorCycle;
            latency = VectorLatency;
        } else if (instruction.opcode() == isa::Opcode::DmaTrigger) {
            busy = TriggerTime;
            const neff::Transfer& transfer = package_.transfers[instruction.get(field::Address)];
            const double bytes =
                static_cast<double>(neff::element_count(transfer.from) * transfer.element_bytes);
            queues_[transfer.queue].work.push_back({now_ + StartLatency, bytes, transfer.semaphore});
        }
        free_at_[engine] = now_ + busy;
        if (instruction.get(field::UpdateMode) != 0) {
            events_.emplace(now_ + busy + latency, std::pair{instruction.get(field::UpdateSem), 1});
        }
        return true;
    }

    // Moves time to the next thing that happens.
    void advance() {
        double next = std::numeric_limits<double>::infinity();
        if (!events_.empty()) next = events_.begin()->first;
        for (std::size_t engine = 0; engine < neff::EngineCount; ++engine) {
            if (free_at_[engine] > now_) next = std::min(next, free_at_[engine]);
        }
        std::vector<Queue*> active;
        for (Queue& queue : queues_) {
            if (queue.work.empty()) continue;
            if (queue.work.front().start > now_) {
                next = std::min(next, queue.work.front().start);
            } else {
                active.push_back(&queue);
            }
        }
        const double rate = BytesPerCycle * package_.target.dma_engines /
                            static_cast<double>(std::max<std::size_t>(1, active.size()));
        for (const Queue* queue : active) next = std::min(next, now_ + queue->work.front().bytes / rate);
        if (next == std::numeric_limits<double>::infinity()) throw std::runtime_error("the kernel hangs");
        for (Queue* queue : active) {
            Queue::Work& work = queue->work.front();
            work.bytes -= rate * (next - now_);
            if (work.bytes > 1e-6) continue;
            semaphores_[work.semaphore] += static_cast<unsigned>(package_.target.dma_engines);
            queue->work.pop_front();
        }
        now_ = next;
        while (!events_.empty() && events_.begin()->first <= now_) {
            const auto [semaphore, amount] = events_.begin()->second;
            semaphores_[semaphore] += static_cast<unsigned>(amount);
            events_.erase(events_.begin());
        }
    }

    const neff::Package& package_;
    double now_ = 0;
    Schedule schedule_;
    std::array<std::size_t, neff::EngineCount> pc_{};
    std::array<double, neff::EngineCount> free_at_{};
    std::array<std::uint64_t, 256> semaphores_{};
    std::multimap<double, std::pair<std::uint64_t, int>> events_;
    std::vector<Queue> queues_;
};

}  // namespace

Schedule schedule_of(const neff::Package& package) {
    return Simulation(package).run();
}

}  // namespace trnsim::test
