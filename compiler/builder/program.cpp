#include "compiler/builder/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/builder/error.hpp"

namespace trnsim::builder {
namespace {

constexpr std::uint64_t Nothing = ~std::uint64_t{0};
constexpr std::uint32_t EngineSemaphores = 16;  // kept for the counters of the engines
constexpr unsigned MaxLoopSemaphores = 176;     // the rest is for transfers outside of loops

// Keeps, per producer, the events that no earlier instruction of the stream has waited for.
class WaitFilter {
  public:
    explicit WaitFilter(std::size_t producers) : waited_(producers, Nothing) {}

    // Returns the waits that an instruction needs: at most one a producer.
    After needed(const After& after, std::size_t own, bool data_path) {
        After needed;
        for (const Event& event : after) {
            if (event.producer < 0) continue;
            const auto producer = static_cast<std::size_t>(event.producer);
            if (producer == own && data_path) continue;
            if (waited_[producer] != Nothing && event.index <= waited_[producer]) continue;
            waited_[producer] = event.index;
            std::erase_if(needed, [&](const Event& other) { return other.producer == event.producer; });
            needed.push_back(event);
        }
        return needed;
    }

  private:
    std::vector<std::uint64_t> waited_;
};

void set_wait(isa::Instruction& instruction, const Point& point) {
    instruction.set(isa::field::WaitMode, isa::WaitMode::Ge)
        .set(isa::field::WaitSem, point.semaphore.number)
        .set(isa::field::WaitValue, point.value);
}

void set_update(isa::Instruction& instruction, const Point& point) {
    instruction.set(isa::field::UpdateMode, isa::UpdateMode::Add)
        .set(isa::field::UpdateSem, point.semaphore.number)
        .set(isa::field::UpdateValue, 1);
}

}  // namespace

// An instruction waits for one semaphore; a further wait takes a nop, which drains the engine. So a
// multiply_moving shares its waits with the load_stationary before it, which runs in the background: a wait
// moves to the load if that waits for the same producer or, for a wait for a transfer, if the load waits for
// nothing; unless the producer waits for the load in turn. Between other instructions it would cost more than
// it saves: the use of a buffer that is ready would wait for the next one.
void Program::share_waits(Recorded& load, std::size_t engine, After& waits) {
    const Event completion{static_cast<std::int32_t>(engine), streams_[engine].size() - 1};
    const auto move = [&](After::iterator wait, Event& to) {
        to = *wait;
        waits.erase(wait);
        knowledge_.learn(engine, {to});
        knowledge_.tells(completion, engine);
    };
    for (Event& shared : load.after) {
        if (waits.size() < 2) return;
        const auto same = std::ranges::find(waits, shared.producer, &Event::producer);
        if (same != waits.end() && !knowledge_.implies(*same, completion)) move(same, shared);
    }
    if (waits.size() < 2 || !load.after.empty()) return;
    const auto transfer = std::ranges::max_element(waits, {}, &Event::producer);
    if (transfer->producer >= neff::EngineCount && !knowledge_.implies(*transfer, completion))
        move(transfer, load.after.emplace_back());
}

Event Program::append(isa::Engine engine, const isa::Instruction& instruction, const After& after,
                      bool data_path, std::uint32_t place) {
    const auto number = static_cast<std::size_t>(engine);
    auto& stream = streams_[number];
    const Event event = next(engine);
    After outside;
    std::ranges::transform(after, std::back_inserter(outside),
                           [this](const Event& event) { return this->outside(event); });
    After waits = knowledge_.needed(number, outside, data_path);
    if (waits.size() > 1 && instruction.opcode() == isa::Opcode::MultiplyMoving && !stream.empty() &&
        stream.back().instruction.opcode() == isa::Opcode::LoadStationary)
        share_waits(stream.back(), number, waits);
    if (!waits.empty()) {
        knowledge_.learn(number, waits);
        knowledge_.tells(event, number);
    }
    stream.push_back({instruction, std::move(waits), data_path, place});
    return event;
}

std::uint32_t Program::number_of(const Where& where) {
    const auto found = places_.find(std::pair(where.file, where.line));
    if (found != places_.end()) return found->second;
    const std::string file(where.file);
    return places_[{file, where.line}] = sources_.add(file, where.line);
}

std::uint64_t Program::append_as_is(isa::Engine engine, const isa::Instruction& instruction,
                                    std::uint32_t place) {
    auto& stream = streams_[static_cast<std::size_t>(engine)];
    stream.push_back({instruction, {}, true, place});
    return stream.size() - 1;
}

unsigned Program::loop_semaphores_left() const {
    return MaxLoopSemaphores - loop_semaphores_;
}

Semaphore Program::take_semaphore() {
    if (loop_semaphores_ == MaxLoopSemaphores)
        throw Error(fmt::format("the loops of the kernel need more than {} semaphores", MaxLoopSemaphores));
    return {static_cast<std::uint8_t>(SemaphorePool::Count - ++loop_semaphores_)};
}

Queue Program::add_queue(isa::Engine owner) {
    owners_.push_back(owner);
    transfers_.emplace_back();
    knowledge_.add_queue();
    return {static_cast<std::uint32_t>(owners_.size() - 1)};
}

Event Program::append_transfer(Queue queue, std::uint32_t transfer, const After& after, std::uint32_t place) {
    isa::Instruction trigger(isa::Opcode::DmaTrigger);
    trigger.set(isa::field::Address, transfer);
    const Event event = next_transfer(queue);
    transfers_[queue.number].push_back({transfer, append(owner(queue), trigger, after, false, place).index});
    knowledge_.tells(event, static_cast<std::size_t>(owner(queue)));
    return event;
}

// Returns the number of transfers of each queue that may be in flight: the queues share the semaphores
// evenly.
std::vector<std::uint32_t> Program::in_flight() const {
    const auto used = static_cast<std::uint32_t>(
        std::ranges::count_if(transfers_, [](const auto& transfers) { return !transfers.empty(); }));
    std::vector<std::uint32_t> counts;
    for (const auto& transfers : transfers_) {
        const std::uint32_t share =
            used == 0 ? 0 : (SemaphorePool::Count - loop_semaphores_ - EngineSemaphores) / used;
        counts.push_back(static_cast<std::uint32_t>(
            std::min<std::size_t>({transfers.size(), share, TransferCounter::MaxInFlight})));
    }
    return counts;
}

void Program::assign(neff::Package& package) const {
    const std::vector<std::uint32_t> in_flight = this->in_flight();
    Streams streams = with_queue_waits(in_flight);
    const Counting counting = drop_needless_waits(streams);
    const Points points = assign_semaphores(counting, in_flight, package);
    package.sources = sources_;
    const bool uses_nothing = std::ranges::all_of(streams, [](const auto& stream) { return stream.empty(); });
    for (std::size_t engine = 0; engine < streams.size(); ++engine) {
        const bool ends_empty_kernel = uses_nothing && engine == static_cast<std::size_t>(isa::Engine::Sync);
        if (streams[engine].empty() && !ends_empty_kernel) continue;
        emit(engine, streams[engine], counting, points, package);
    }
}

// Returns the streams with further waits: a trigger waits until its transfer's place is free, and the owner
// of a queue waits for the queue's last transfer.
Program::Streams Program::with_queue_waits(std::span<const std::uint32_t> in_flight) const {
    Streams streams = streams_;
    for (std::size_t queue = 0; queue < owners_.size(); ++queue) {
        if (transfers_[queue].empty()) continue;
        const auto producer = static_cast<std::int32_t>(neff::EngineCount + queue);
        auto& owner = streams[static_cast<std::size_t>(owners_[queue])];
        for (std::size_t i = in_flight[queue]; i < transfers_[queue].size(); ++i) {
            owner[transfers_[queue][i].trigger].after.push_back({producer, i - in_flight[queue]});
        }
        owner.push_back({isa::Instruction(isa::Opcode::EventSemaphore),
                         {{producer, transfers_[queue].size() - 1}},
                         false,
                         neff::Sources::None});
    }
    return streams;
}

// Drops the waits that earlier ones in the stream imply. Returns the instructions that any remaining wait is
// for.
Program::Counting Program::drop_needless_waits(Streams& streams) const {
    Counting counting;
    for (std::size_t engine = 0; engine < streams.size(); ++engine)
        counting[engine].resize(streams[engine].size());
    for (std::size_t engine = 0; engine < streams.size(); ++engine) {
        WaitFilter filter(producers());
        for (Recorded& recorded : streams[engine]) {
            recorded.after = filter.needed(recorded.after, engine, recorded.data_path);
            for (const Event& event : recorded.after) {
                if (event.producer < neff::EngineCount)
                    counting[static_cast<std::size_t>(event.producer)][event.index] = 1;
            }
        }
    }
    return counting;
}

// Gives each event that counts its point in its producer's counts, and each transfer of the package its
// semaphore.
Program::Points Program::assign_semaphores(const Counting& counting, std::span<const std::uint32_t> in_flight,
                                           neff::Package& package) const {
    SemaphorePool pool(SemaphorePool::Count - loop_semaphores_);
    Points points(producers());
    for (std::size_t engine = 0; engine < counting.size(); ++engine) {
        Counter counter(pool);
        points[engine].resize(counting[engine].size());
        for (std::size_t i = 0; i < counting[engine].size(); ++i) {
            if (counting[engine][i] != 0) points[engine][i] = counter.advance(1);
        }
    }
    for (std::size_t queue = 0; queue < owners_.size(); ++queue) {
        std::vector<Point>& completions = points[neff::EngineCount + queue];
        const TransferCounter counter(pool, in_flight[queue],
                                      static_cast<std::uint32_t>(package.target.dma_engines));
        for (std::size_t i = 0; i < transfers_[queue].size(); ++i) {
            completions.push_back(counter.completion(i));
            package.transfers[transfers_[queue][i].number].semaphore = completions.back().semaphore.number;
        }
    }
    return points;
}

// Fills the program of an engine, which ends with a halt, and its places in the source files.
void Program::emit(std::size_t engine, std::span<const Recorded> stream, const Counting& counting,
                   const Points& points, neff::Package& package) {
    std::vector<isa::Instruction>& program = package.programs[engine];
    auto& places = package.sources.of[engine];
    std::vector<std::size_t> begins;  // place of each recorded instruction in the program
    for (std::size_t i = 0; i < stream.size(); ++i) {
        const Recorded& recorded = stream[i];
        begins.push_back(program.size());
        isa::Instruction instruction = recorded.instruction;
        for (std::size_t wait = 0; wait < recorded.after.size(); ++wait) {
            const Event& event = recorded.after[wait];
            const Point& point = points[static_cast<std::size_t>(event.producer)][event.index];
            const bool last = wait + 1 == recorded.after.size();
            set_wait(last ? instruction : program.emplace_back(isa::Opcode::EventSemaphore), point);
        }
        if (counting[engine][i] != 0) set_update(instruction, points[engine][i]);
        if (instruction.opcode() == isa::Opcode::Branch) {
            const std::uint64_t target = instruction.get(isa::field::Target);
            instruction.set(isa::field::Target, begins[target]);
        }
        program.push_back(instruction);
        places.resize(program.size(), recorded.place);
    }
    program.emplace_back(isa::Opcode::Halt);
    places.push_back(neff::Sources::None);
}

}  // namespace trnsim::builder
