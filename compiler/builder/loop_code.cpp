#include "compiler/builder/loop_code.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace trnsim::builder {
namespace {

using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr unsigned CounterRegister = 1;  // register: iterations left

struct Update {
    isa::UpdateMode mode = isa::UpdateMode::None;
    Semaphore semaphore;
    std::uint32_t amount = 0;
};

// A wait for S[semaphore] >= value. Takes: the instruction subtracts the value. Drains: the instruction
// begins when everything before it is done, because the amount taken in the previous iteration has to be
// gone. Plain: any instruction.
struct Wait {
    enum class Kind : std::uint8_t { Plain, Drains, Takes };
    Semaphore semaphore;
    std::uint32_t value = 0;
    Kind kind = Kind::Drains;
};
using enum Wait::Kind;

void set_wait(Instruction& instruction, const Wait& wait) {
    instruction.set(field::WaitMode, isa::WaitMode::Ge)
        .set(field::WaitSem, wait.semaphore.number)
        .set(field::WaitValue, wait.value);
    if (wait.kind != Takes) return;
    instruction.set(field::UpdateMode, isa::UpdateMode::Sub)
        .set(field::UpdateSem, wait.semaphore.number)
        .set(field::UpdateValue, wait.value);
}

void set_add(Instruction& instruction, Semaphore semaphore, std::uint32_t amount) {
    instruction.set(field::UpdateMode, isa::UpdateMode::Add)
        .set(field::UpdateSem, semaphore.number)
        .set(field::UpdateValue, amount);
}

Instruction counter(isa::RegOp operation, std::uint32_t value) {
    return Instruction(Opcode::RegisterAlu)
        .set(field::RegOp, operation)
        .set(field::RegDst, CounterRegister)
        .set(field::RegA, CounterRegister)
        .set(field::UseImm, 1u)
        .set(field::Data, value);
}

class LoopWriter {
  public:
    LoopWriter(const LoopBody& body, const LoopOrder& order, Program& program, neff::Package& package)
        : body_(body),
          order_(order),
          program_(program),
          package_(package),
          waits_(order.items().size()),
          signals_(order.items().size()) {
        assign_takes();
        assign_waits();
    }

    void write(const std::array<After, neff::EngineCount>& before) {
        std::array<Event, neff::EngineCount> exits;
        for (std::size_t engine = 0; engine < exits.size(); ++engine) {
            const auto used = [&](const LoopItem& item) {
                return static_cast<std::size_t>(item.engine) == engine;
            };
            if (std::ranges::any_of(order_.items(), used))
                exits.at(engine) = write(static_cast<isa::Engine>(engine), before.at(engine));
        }
        std::vector<Event> ends;
        for (std::size_t call = 0; call < body_.calls.size(); ++call) ends.push_back(exits.at(end_of(call)));
        program_.add_exits(std::move(ends));
    }

  private:
    static std::size_t number(isa::Engine engine) { return static_cast<std::size_t>(engine); }

    // Returns the engine whose stream knows at the end that the last iteration of a call is complete.
    std::size_t end_of(std::size_t call) const {
        const LoopCall& made = body_.calls[call];
        if (!made.queue) return number(made.engine);
        const auto take = std::ranges::find(order_.items(), &order_.take_of(call), &LoopItem::take);
        return number(take->engine);
    }

    void assign_takes() {
        const auto shares = static_cast<std::uint32_t>(package_.target.dma_engines);
        for (std::size_t item = 0; item < order_.items().size(); ++item) {
            const LoopItem& at = order_.items()[item];
            if (at.take == nullptr) continue;
            const Wait take{program_.take_semaphore(),
                            shares * static_cast<std::uint32_t>(at.take->transfers.size()), Takes};
            waits_[item].push_back(take);
            for (const std::size_t call : at.take->transfers)
                package_.transfers[body_.calls[call].transfer].semaphore = take.semaphore.number;
            if (!at.take->previous) continue;
            primed_[number(at.engine)].push_back(take);
            last_[number(at.engine)].push_back({take.semaphore, take.value, Drains});
        }
    }

    // Assigns a semaphore to the waits of one engine for another, one for waits within an iteration and one
    // for those for the previous one.
    void assign_waits() {
        std::map<std::tuple<isa::Engine, isa::Engine, bool>, std::vector<LoopWait>> pairs;
        for (const LoopWait& wait : order_.waits()) {
            pairs[{order_.items()[wait.from].engine, order_.items()[wait.to].engine, wait.previous}]
                .push_back(wait);
        }
        for (auto& [pair, waits] : pairs) {
            // No wait implies another: of two waiting items the later one waits for a later item.
            std::ranges::sort(waits, {}, &LoopWait::to);
            const Semaphore semaphore = program_.take_semaphore();
            for (std::uint32_t i = 0; i < waits.size(); ++i) {
                signals_[waits[i].from].push_back(semaphore);
                const Wait::Kind kind = i + 1 == waits.size() ? Takes : i == 0 ? Drains : Plain;
                waits_[waits[i].to].push_back({semaphore, i + 1, kind});
            }
            const auto& [from, to, previous] = pair;
            if (previous) primed_[number(to)].push_back(waits_[waits.back().to].back());
        }
    }

    std::uint64_t append(isa::Engine engine, const Instruction& instruction, std::uint32_t place) {
        return program_.append_as_is(engine, instruction, place);
    }

    Event write(isa::Engine engine, const After& before) {
        program_.append(engine, counter(isa::RegOp::Move, body_.iterations), before, false, body_.place);
        for (const Wait& wait : primed_[number(engine)]) {
            Instruction prime(Opcode::RegisterAlu);
            set_add(prime, wait.semaphore, wait.value);
            append(engine, prime, body_.place);
        }
        const std::uint64_t first = program_.next(engine).index;
        std::vector<Wait> waits;
        for (std::size_t item = 0; item < order_.items().size(); ++item) {
            if (order_.items()[item].engine != engine) continue;
            waits.insert(waits.end(), waits_[item].begin(), waits_[item].end());
            const LoopCall& call = body_.calls[order_.items()[item].call];
            if (order_.items()[item].take != nullptr) {
                // A take that no other item waits for may be the wait of the call after it.
                if (!signals_[item].empty()) write_waits(engine, std::exchange(waits, {}), call.place);
                write_signals(engine, signals_[item], call.place);
                continue;
            }
            write_call(call, std::exchange(waits, {}), signals_[item]);
        }
        append(engine, counter(isa::RegOp::Sub, 1), body_.place);
        append(engine,
               Instruction(Opcode::Branch)
                   .set(field::Condition, isa::BranchCond::Ne)
                   .set(field::RegA, CounterRegister)
                   .set(field::RegB, 0u)
                   .set(field::Target, first),
               body_.place);
        write_waits(engine, last_[number(engine)], body_.place);
        return program_.append(engine, Instruction(Opcode::RegisterAlu), {}, true, body_.place);
    }

    // Writes each wait as an instruction of its own: register_alu does not stall the work of the engine.
    void write_waits(isa::Engine engine, const std::vector<Wait>& waits, std::uint32_t place) {
        for (const Wait::Kind kind : {Takes, Drains, Plain}) {
            for (const Wait& wait : waits) {
                if (wait.kind != kind) continue;
                Instruction instruction(kind == Plain ? Opcode::RegisterAlu : Opcode::EventSemaphore);
                set_wait(instruction, wait);
                append(engine, instruction, place);
            }
        }
    }

    void write_signals(isa::Engine engine, std::span<const Semaphore> semaphores, std::uint32_t place) {
        for (const Semaphore semaphore : semaphores) {
            Instruction signal(Opcode::RegisterAlu);
            set_add(signal, semaphore, 1);
            append(engine, signal, place);
        }
    }

    // An instruction can have one wait and one update; one of the data path neither drains nor takes.
    void write_call(const LoopCall& call, std::vector<Wait> waits, std::span<const Semaphore> signals) {
        Instruction instruction = call.instruction;
        std::ranges::stable_sort(waits, {}, &Wait::kind);
        const auto own = call.data_path ? waits.begin() : std::prev(waits.end(), waits.empty() ? 0 : 1);
        if (own != waits.end() && (!call.data_path || own->kind == Plain)) {
            set_wait(instruction, *own);
            waits.erase(own);
        }
        write_waits(call.engine, waits, call.place);
        if (call.data_path && !signals.empty()) {
            set_add(instruction, signals.front(), 1);
            signals = signals.subspan(1);
        }
        append(call.engine, instruction, call.place);
        write_signals(call.engine, signals, call.place);
    }

    const LoopBody& body_;
    const LoopOrder& order_;
    Program& program_;
    neff::Package& package_;
    std::vector<std::vector<Wait>> waits_;         // by item
    std::vector<std::vector<Semaphore>> signals_;  // by item
    std::array<std::vector<Wait>, neff::EngineCount> primed_;
    std::array<std::vector<Wait>, neff::EngineCount> last_;
};

}  // namespace

void write_loop(const LoopBody& body, const LoopOrder& order,
                const std::array<After, neff::EngineCount>& before, Program& program,
                neff::Package& package) {
    LoopWriter(body, order, program, package).write(before);
}

}  // namespace trnsim::builder
