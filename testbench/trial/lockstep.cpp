#include "testbench/trial/lockstep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "arch/target/memory.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/operand.hpp"
#include "testbench/functional/transfer.hpp"

namespace trnsim::trial {
namespace {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;
using target::Memory;

constexpr std::uint32_t WordBytes = 4;
constexpr std::size_t MostElementBytes = 4;  // areas and tensors begin at multiples of it

// In a loop that loads registers, the number of iterations may depend on the timing.
bool looks_at_memory_in_loops(const neff::Package& package) {
    const auto has = [&package](Opcode opcode) {
        return std::ranges::any_of(package.programs, [opcode](const std::vector<Instruction>& program) {
            return std::ranges::count(program, opcode, &Instruction::opcode) != 0;
        });
    };
    return has(Opcode::Branch) && has(Opcode::RegisterLoad);
}

// Returns a nop with the waits and updates of a branch.
Instruction without_branch(const Instruction& branch) {
    Instruction nop(Opcode::Nop);
    for (const isa::Field& header : {field::WaitMode, field::WaitSem, field::WaitValue, field::UpdateMode,
                                     field::UpdateSem, field::UpdateValue})
        nop.set(header, branch.get(header));
    return nop;
}

struct Pair {
    std::uint8_t got = 0, expected = 0;
};

// A wrong byte of the core or of a tensor.
struct WrongByte {
    std::optional<std::uint32_t> address;  // in the core window
    std::size_t tensor = 0;
    std::uint64_t place = 0;  // byte of the tensor
};

// The range of bytes, in all partitions, that covers everything written in a memory of the core.
struct Area {
    Memory memory;
    std::uint32_t first = 0, end = 0;  // bytes of a partition, multiples of a word
};

std::vector<Area> written_areas(const target::Core& target, const functional::CoreMemory& core) {
    std::vector<Area> areas;
    for (const Memory memory : {Memory::Sbuf, Memory::Psum}) {
        Area area{memory, static_cast<std::uint32_t>(target::partition_bytes(target, memory)), 0};
        for (int p = 0; p < target.partitions; ++p) {
            for (std::uint32_t byte = 0; byte < target::partition_bytes(target, memory); ++byte) {
                if (!core.is_written(target::address_of(target, memory, static_cast<std::uint32_t>(p), byte)))
                    continue;
                area.first = std::min(area.first, byte / WordBytes * WordBytes);
                area.end = std::max(area.end, (byte / WordBytes + 1) * WordBytes);
            }
        }
        if (area.first < area.end) areas.push_back(area);
    }
    return areas;
}

// Stores areas of the core's memories in tensors.
neff::Package dump_of(const target::Core& target, const std::vector<Area>& areas) {
    neff::Package package;
    package.name = "dump";
    package.target = target;
    package.queues.push_back({"dump", isa::Engine::Sync});
    const auto partitions = static_cast<std::uint32_t>(target.partitions);
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    for (const Area& area : areas) {
        const std::uint32_t bytes = area.end - area.first;
        neff::Transfer store;
        store.element_bytes = WordBytes;
        store.name = target::name_of(area.memory);
        store.from = {neff::Pattern::Space::Core,
                      0,
                      target::address_of(target, area.memory, 0, area.first),
                      {WordBytes, target::partition_stride(target, area.memory)},
                      {bytes / WordBytes, partitions, 1, 1}};
        store.to = {neff::Pattern::Space::Tensor,
                    static_cast<std::uint32_t>(package.tensors.size()),
                    0,
                    {WordBytes, bytes},
                    {bytes / WordBytes, partitions, 1, 1}};
        program.push_back(Instruction(Opcode::DmaTrigger).set(field::Address, package.transfers.size()));
        package.transfers.push_back(store);
        package.tensors.push_back(
            {store.name, neff::TensorKind::Output, isa::Dtype::U32, {partitions, bytes / WordBytes}});
    }
    program.emplace_back(Opcode::Halt);
    return package;
}

class Search {
  public:
    Search(const Trial& trial, runtime::Machine& machine, const runtime::Rounding& rounding)
        : trial_(trial), rounding_(rounding), session_(trial.config), steps_(steps_of(trial, control())) {
        session_.attach(machine);
    }

    std::size_t steps() const { return steps_.size(); }

    // Returns whether the first `count` steps leave the right contents. If not, keeps what is wrong.
    bool is_right(std::size_t count) {
        const Trial beginning = beginning_of(trial_, std::span(steps_).first(count));
        std::vector<std::string> races;
        functional::Interpreter golden(beginning.package, {.rounding = control(), .races = &races});
        for (const auto& [name, bytes] : beginning.inputs) golden.set(name, bytes);
        golden.run();
        runtime::Arrays inputs;
        for (const neff::Tensor& tensor : beginning.package.tensors) {
            if (neff::is_input(tensor.kind))
                inputs.emplace(tensor.name, loader::from_device(tensor, beginning.inputs.at(tensor.name)));
        }
        const runtime::Result ran = execute(beginning.package, inputs);
        wrong_ = 0;
        if (!ran.done()) {
            said_ = ran.message;
            return false;
        }
        said_.clear();
        compare_core(golden.core());
        compare_tensors(beginning.package, golden, ran.outputs);
        return wrong_ == 0;
    }

    // Call after is_right(count) was false and is_right(count - 1) true.
    WrongStep describe(std::size_t count) const {
        WrongStep found;
        found.step = steps_[count - 1];
        found.number = static_cast<std::size_t>(
            std::ranges::count(std::span(steps_).first(count - 1), found.step.engine, &Step::engine));
        const auto engine = static_cast<std::size_t>(found.step.engine);
        found.text = fmt::format("first wrong instruction: {}\n",
                                 functional::describe_instruction(trial_.package, engine, found.step.pc));
        if (!said_.empty()) found.text += fmt::format("  which ends in an error: {}\n", said_);
        if (wrong_ == 0) return found;
        if (first_.address) {
            found.address = element_at(found.step);
            found.lane = functional::locate(trial_.package.target, *first_.address).partition;
        }
        found.text += fmt::format("  leaves {} wrong bytes, first {}\n", wrong_, describe(found.step));
        return found;
    }

  private:
    functional::RoundingControl control() const { return {rounding_.stochastic, rounding_.seed}; }

    runtime::Result execute(const neff::Package& package, const runtime::Arrays& inputs) {
        const runtime::ModelId model = session_.load(package);
        const runtime::Observer observer(session_.package(model), nullptr);
        runtime::Result result =
            session_.execute(model, session_.contents_of(model, inputs), {.rounding = rounding_}, &observer);
        session_.unload(model);
        return result;
    }

    void compare_core(const functional::CoreMemory& golden) {
        const target::Core& target = trial_.package.target;
        const std::vector<Area> areas = written_areas(target, golden);
        if (areas.empty()) return;
        const runtime::Result dump = execute(dump_of(target, areas), {});
        for (const Area& area : areas) {
            const auto& got = dump.outputs.at(std::string(target::name_of(area.memory))).data;
            const auto pair_at = [&](std::size_t i) -> std::optional<Pair> {
                const std::uint32_t address = address_in(area, i);
                if (!golden.is_written(address)) return std::nullopt;
                Pair pair{got[i], 0};
                golden.copy_out(address, {&pair.expected, 1});
                return pair;
            };
            for (std::size_t i = 0; i < got.size(); ++i) {
                if (const auto pair = pair_at(i); pair && pair->got != pair->expected)
                    note({address_in(area, i)}, i % MostElementBytes, [&](std::size_t k) {
                        return pair_at(i / MostElementBytes * MostElementBytes + k).value_or(Pair{});
                    });
            }
        }
    }

    std::uint32_t address_in(const Area& area, std::size_t i) const {
        const std::uint32_t bytes = area.end - area.first;
        return target::address_of(trial_.package.target, area.memory, static_cast<std::uint32_t>(i / bytes),
                                  area.first + static_cast<std::uint32_t>(i % bytes));
    }

    void compare_tensors(const neff::Package& package, const functional::Interpreter& golden,
                         const runtime::Arrays& outputs) {
        for (const neff::Transfer& transfer : package.transfers) {
            if (transfer.to.place != neff::Pattern::Space::Tensor) continue;
            const std::string& name = package.tensors[transfer.to.tensor].name;
            const std::vector<std::uint8_t>&expected = golden.get(name), &got = outputs.at(name).data;
            std::vector<functional::Piece> pieces = functional::pieces_of(transfer);
            if (transfer.indirect && transfer.indirect->scatter) {
                // The written bytes are known only for a tensor that begins with contents.
                if (!neff::is_input(package.tensors[transfer.to.tensor].kind)) continue;
                pieces = {{0, 0, static_cast<std::uint32_t>(expected.size())}};
            }
            for (const functional::Piece& piece : pieces) {
                for (std::uint64_t place = piece.to; place < piece.to + piece.bytes; ++place) {
                    if (got.at(place) == expected.at(place)) continue;
                    note({std::nullopt, transfer.to.tensor, place}, place % MostElementBytes,
                         [&](std::size_t k) {
                             const std::size_t at = place / MostElementBytes * MostElementBytes + k;
                             return at < got.size() ? Pair{got[at], expected[at]} : Pair{};
                         });
                }
            }
        }
    }

    // Counts a wrong byte. For the first one, keeps the bytes beside it too, for the value of its element.
    template <typename Neighbours>
    void note(const WrongByte& byte, std::size_t index, const Neighbours& neighbour) {
        if (wrong_++ != 0) return;
        first_ = byte;
        index_ = index;
        for (std::size_t k = 0; k < beside_.size(); ++k) beside_[k] = neighbour(k);
    }

    std::string values(isa::Dtype dtype) const {
        const std::uint32_t width = isa::element_size(dtype);
        std::uint64_t got = 0, expected = 0;
        for (std::uint32_t i = 0; i < width; ++i) {
            const Pair& pair = beside_.at(index_ / width * width + i);
            got |= std::uint64_t{pair.got} << 8 * i;
            expected |= std::uint64_t{pair.expected} << 8 * i;
        }
        return fmt::format("{}, expected {}", trial::describe(dtype, got), trial::describe(dtype, expected));
    }

    std::string describe(const Step& step) const {
        const neff::Package& package = trial_.package;
        if (!first_.address) {
            const neff::Tensor& tensor = package.tensors[first_.tensor];
            return fmt::format("{} {}: {}", tensor.name,
                               neff::position(tensor, first_.place / isa::element_size(tensor.dtype)),
                               values(tensor.dtype));
        }
        return fmt::format(
            "{}: {}", isa::format_address(element_at(step), target::sbuf_partition_stride(package.target)),
            values(type_at(step)));
    }

    // Returns the address of the first wrong element that the step writes to the core.
    std::uint32_t element_at(const Step& step) const {
        const std::uint32_t bytes = isa::element_size(type_at(step));
        return *first_.address / bytes * bytes;
    }

    // Returns the type of the elements that the step writes to the core.
    isa::Dtype type_at(const Step& step) const {
        const neff::Package& package = trial_.package;
        const Instruction& instruction = package.programs[static_cast<std::size_t>(step.engine)][step.pc];
        if (instruction.opcode() == Opcode::DmaTrigger) {
            const neff::Pattern& from = package.transfers[instruction.get(field::Address)].from;
            return from.place == neff::Pattern::Space::Tensor ? package.tensors[from.tensor].dtype
                                                              : isa::Dtype::U8;
        }
        const isa::InstructionInfo* info = instruction.info();
        const bool writes = info != nullptr && info->uses_dst;
        return writes ? static_cast<isa::Dtype>(instruction.get(field::DstDtype)) : isa::Dtype::U32;
    }

    const Trial& trial_;
    runtime::Rounding rounding_;
    runtime::Session session_;
    std::vector<Step> steps_;
    std::string said_;  // message of a run that has not come to its end
    // State of the last is_right():
    std::size_t wrong_ = 0;  // number of wrong bytes
    WrongByte first_;        // a byte of the core, if one is wrong
    std::size_t index_ = 0;  // index of the byte in beside_
    std::array<Pair, MostElementBytes> beside_{};
};

}  // namespace

std::vector<Step> steps_of(const Trial& trial, const functional::RoundingControl& rounding) {
    std::vector<Step> steps;
    interpret(trial, {.rounding = rounding, .began = [&steps](isa::Engine engine, std::size_t pc) {
                          steps.push_back({engine, pc});
                      }});
    return steps;
}

Trial beginning_of(const Trial& trial, std::span<const Step> steps) {
    Trial beginning = trial;
    neff::Package& package = beginning.package;
    package.transfers.clear();
    package.loops.clear();
    package.sources = {};
    for (std::vector<Instruction>& program : package.programs) program.clear();
    for (neff::Tensor& tensor : package.tensors) {
        if (tensor.kind == neff::TensorKind::Scratch) tensor.kind = neff::TensorKind::Output;
    }
    const std::vector<neff::RingOrder> orders = neff::ring_orders(trial.package);
    std::vector<std::uint64_t> places(orders.size());  // the next firing of each queue
    for (const Step& step : steps) {
        const auto engine = static_cast<std::size_t>(step.engine);
        Instruction instruction = trial.package.programs[engine][step.pc];
        if (instruction.opcode() == Opcode::Branch) instruction = without_branch(instruction);
        if (instruction.opcode() == Opcode::DmaTrigger) {
            const std::uint32_t queue = trial.package.transfers[instruction.get(field::Address)].queue;
            const neff::Firing firing = orders.at(queue).at(places.at(queue)++);
            package.transfers.push_back(
                neff::at_iteration(trial.package.transfers.at(firing.transfer), firing.iteration));
            instruction.set(field::Address, package.transfers.size() - 1);
        }
        package.programs[engine].push_back(instruction);
    }
    for (std::vector<Instruction>& program : package.programs) {
        if (!program.empty() && program.back().opcode() != Opcode::Halt) program.emplace_back(Opcode::Halt);
    }
    return beginning;
}

std::optional<WrongStep> find_wrong_step(const Trial& trial, runtime::Machine& machine,
                                         const runtime::Rounding& rounding,
                                         const std::function<bool()>& go_on) {
    if (looks_at_memory_in_loops(trial.package)) return std::nullopt;
    Search search(trial, machine, rounding);
    std::size_t right = 0, wrong = search.steps();
    if (search.is_right(wrong)) return std::nullopt;
    while (wrong - right > 1) {
        if (!go_on()) return std::nullopt;
        const std::size_t middle = right + (wrong - right) / 2;
        (search.is_right(middle) ? right : wrong) = middle;
    }
    if (search.is_right(wrong)) return std::nullopt;  // the error does not repeat
    return search.describe(wrong);
}

}  // namespace trnsim::trial
