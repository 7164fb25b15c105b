#include "compiler/kernels/schedule.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "compiler/neff/sizes.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;

constexpr double GHz = 2.8;          // Tensor clock
constexpr double VectorCycle = 2.5;  // Tensor cycles
constexpr double VectorLatency = 60 * VectorCycle;
constexpr double IssueLatency = 190;    // Tensor engine, from issue to the first column in
constexpr double ArrayLatency = 260;    // from the last column in to the result in PSUM
constexpr double SequencerCycles = 8;   // from one instruction to the next
constexpr std::size_t QueueDepth = 16;  // instructions an engine holds before they start
constexpr double TriggerTime = 100 * GHz;
constexpr double StartLatency = 1300 * GHz;
constexpr double BytesPerCycle = 17 / GHz;  // one DMA engine, Tensor cycles

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
    // The state of an engine's pipeline.
    struct Pipeline {
        std::deque<double> starts;  // start times of instructions that have not started
        double free_at = 0;         // when the data path is free
        double drained_at = 0;      // when everything has completed
        double ready_at = 0;        // when the sequencer takes the next instruction
    };

    // Issues the next instruction of an engine if possible now.
    bool issue(std::size_t engine) {
        const auto& program = package_.programs[engine];
        Pipeline& pipeline = pipelines_[engine];
        while (!pipeline.starts.empty() && pipeline.starts.front() <= now_) pipeline.starts.pop_front();
        if (pc_[engine] == program.size() || pipeline.ready_at > now_) return false;
        const isa::Instruction& instruction = program[pc_[engine]];
        const bool waits = instruction.get(field::WaitMode) != 0;
        if (waits && semaphores_[instruction.get(field::WaitSem)] < instruction.get(field::WaitValue)) {
            return false;
        }
        const bool control = !instruction.info()->uses_dst && !instruction.info()->uses_a;
        if (control ? pipeline.drained_at > now_ : pipeline.starts.size() == QueueDepth) return false;
        ++pc_[engine];
        const double done =
            control ? execute(instruction, pipeline) : dispatch(engine, instruction, pipeline);
        if (instruction.get(field::UpdateMode) != 0) events_.emplace(done, instruction.get(field::UpdateSem));
        return true;
    }

    double execute(const isa::Instruction& instruction, Pipeline& pipeline) {
        pipeline.ready_at = now_;
        if (instruction.opcode() != isa::Opcode::DmaTrigger) return now_;
        const neff::Transfer& transfer = package_.transfers[instruction.get(field::Address)];
        const auto bytes = static_cast<double>(neff::element_count(transfer.from) * transfer.element_bytes);
        queues_[transfer.queue].work.push_back({now_ + StartLatency, bytes, transfer.semaphore});
        return pipeline.ready_at = now_ + TriggerTime;
    }

    double dispatch(std::size_t engine, const isa::Instruction& instruction, Pipeline& pipeline) {
        const double columns = std::max(64.0, static_cast<double>(instruction.get(field::Count0)));
        const bool vector = engine == static_cast<std::size_t>(isa::Engine::Vector);
        const bool multiply = instruction.opcode() == isa::Opcode::MultiplyMoving;
        const double start = std::max(pipeline.free_at, now_ + (vector ? VectorLatency : IssueLatency));
        double busy = 0;  // loads run in the background
        if (vector) busy = columns * VectorCycle;
        if (multiply) {
            busy = columns *
                   (static_cast<isa::Dtype>(instruction.get(field::ADtype)) == isa::Dtype::Fp32 ? 4 : 1);
            if (schedule_.tensor_busy == 0) schedule_.tensor_first = start;
            schedule_.tensor_busy += busy;
            schedule_.tensor_last = start + busy;
        }
        pipeline.starts.push_back(start);
        pipeline.free_at = start + busy;
        pipeline.drained_at = pipeline.free_at + (multiply ? ArrayLatency : 0);
        pipeline.ready_at = now_ + SequencerCycles;
        return pipeline.drained_at;
    }

    // Moves time to the next event.
    void advance() {
        double next = std::numeric_limits<double>::infinity();
        if (!events_.empty()) next = events_.begin()->first;
        for (std::size_t engine = 0; engine < neff::EngineCount; ++engine) {
            const Pipeline& pipeline = pipelines_[engine];
            for (const double at : {pipeline.ready_at, pipeline.drained_at}) {
                if (at > now_) next = std::min(next, at);
            }
            if (!pipeline.starts.empty()) next = std::min(next, std::max(now_, pipeline.starts.front()));
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
            ++semaphores_[events_.begin()->second];
            events_.erase(events_.begin());
        }
    }

    const neff::Package& package_;
    double now_ = 0;
    Schedule schedule_;
    std::array<std::size_t, neff::EngineCount> pc_{};
    std::array<Pipeline, neff::EngineCount> pipelines_;
    std::array<std::uint64_t, 256> semaphores_{};
    std::multimap<double, std::uint64_t> events_;  // semaphores by the time at which they count
    std::vector<Queue> queues_;
};

}  // namespace

Schedule schedule_of(const neff::Package& package) {
    return Simulation(package).run();
}

}  // namespace trnsim::test
