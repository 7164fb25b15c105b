#include "runtime/session/unwritten_moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "arch/operands/operands.hpp"
#include "arch/target/error.hpp"
#include "arch/target/memory.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/core_window.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"

namespace trnsim::runtime {
namespace {

namespace field = isa::field;
using neff::Pattern;
using neff::Transfer;
using target::Memory;
using Space = Pattern::Space;

// The bytes of a memory or of a tensor that something may have written.
class Marks {
  public:
    explicit Marks(std::uint64_t bytes) : written_(bytes) {}

    void mark(std::uint64_t begin, std::uint64_t end) {
        end = std::min<std::uint64_t>(end, written_.size());
        for (std::uint64_t byte = begin; byte < end; ++byte) written_[byte] = true;
    }
    // Returns the first byte that nothing has written.
    std::optional<std::uint64_t> unwritten(std::uint64_t begin, std::uint64_t end) const {
        end = std::min<std::uint64_t>(end, written_.size());
        for (std::uint64_t byte = begin; byte < end; ++byte)
            if (!written_[byte]) return byte;
        return std::nullopt;
    }

  private:
    std::vector<bool> written_;
};

// Calls `visit(begin, bytes)` for each run of bytes of a pattern until it returns true.
template <typename Visit>
bool any_run(const Pattern& pattern, std::uint32_t bytes, const Visit& visit) {
    const bool dense = pattern.step[0] == bytes;
    const std::uint64_t run = dense ? std::uint64_t{bytes} * pattern.count[0] : bytes;
    const auto& [c0, c1, c2, c3] = pattern.count;
    for (std::int64_t i3 = 0; i3 < c3; ++i3) {
        for (std::int64_t i2 = 0; i2 < c2; ++i2) {
            for (std::int64_t i1 = 0; i1 < c1; ++i1) {
                for (std::int64_t i0 = 0; i0 < (dense ? 1 : c0); ++i0) {
                    const std::int64_t way = i3 * pattern.step[3] + i2 * pattern.step[2] +
                                             i1 * pattern.step[1] + i0 * pattern.step[0];
                    if (visit(pattern.offset + static_cast<std::uint64_t>(way), run)) return true;
                }
            }
        }
    }
    return false;
}

// Calls `visit` for a side of a transfer in each of its iterations, each place once, until it returns true.
template <typename Visit>
bool any_iteration(const neff::Package& package, const Transfer& transfer, const Pattern& side,
                   const Visit& visit) {
    std::set<std::uint64_t> offsets;
    for (std::uint32_t i = 0, all = neff::iterations_of(package, transfer); i < all; ++i) {
        const Pattern here = transfer.loop ? neff::at_iteration(side, i) : side;
        if (offsets.insert(here.offset).second && visit(here)) return true;
    }
    return false;
}

// Returns the bytes [begin, end) between the first and the last of all rows that indices can name.
std::pair<std::uint64_t, std::uint64_t> rows_of(const Pattern& to, const Transfer& transfer) {
    std::int64_t low = 0, high = transfer.element_bytes;
    const auto reach = [&](std::int64_t way) { (way < 0 ? low : high) += way; };
    for (std::size_t dim = 0; dim < to.count.size(); ++dim)
        reach(to.step[dim] * (std::int64_t{to.count[dim]} - 1));
    reach(transfer.indirect->step * (std::int64_t{transfer.indirect->last} - transfer.indirect->first));
    return {to.offset + static_cast<std::uint64_t>(low), to.offset + static_cast<std::uint64_t>(high)};
}

// SBUF and PSUM.
class CoreMarks {
  public:
    explicit CoreMarks(const neff::Package& package)
        : target_(package.target), marks_{Marks(bytes(Memory::Sbuf)), Marks(bytes(Memory::Psum))} {
        for (std::size_t engine = 0; engine < package.programs.size(); ++engine)
            for (const isa::Instruction& instruction : package.programs[engine]) add(instruction);
        for (const Transfer& transfer : package.transfers) {
            if (transfer.to.place != Space::Core) continue;
            if (transfer.indirect && transfer.indirect->scatter) known_ = false;
            any_iteration(package, transfer, transfer.to, [&](const Pattern& to) {
                return any_run(to, transfer.element_bytes, [&](std::uint64_t address, std::uint64_t size) {
                    mark(address, size);
                    return false;
                });
            });
        }
    }

    // Returns the first address that nothing can have written; nothing for other memories.
    std::optional<std::uint32_t> unwritten(std::uint64_t address, std::uint64_t size) const {
        const auto place = locate(address);
        if (!known_ || !place) return std::nullopt;
        const auto& [memory, first] = *place;
        const auto byte = marks_[memory].unwritten(first, first + size);
        return byte ? std::optional(static_cast<std::uint32_t>(address + (*byte - first))) : std::nullopt;
    }

  private:
    std::uint64_t bytes(Memory memory) const {
        return target::partition_bytes(target_, memory) * static_cast<std::uint64_t>(target_.partitions);
    }

    // Returns the memory and the byte of it.
    std::optional<std::pair<std::size_t, std::uint64_t>> locate(std::uint64_t address) const {
        if (address >= isa::window::GpsimdTcmBase) return std::nullopt;
        try {
            const target::Location at = target::locate(target_, static_cast<std::uint32_t>(address));
            return std::pair(static_cast<std::size_t>(at.memory),
                             at.partition * target::partition_bytes(target_, at.memory) + at.offset);
        } catch (const target::Error&) {
            return std::nullopt;  // the core refuses it
        }
    }

    void mark(std::uint64_t address, std::uint64_t size) {
        if (const auto place = locate(address))
            marks_[place->first].mark(place->second, place->second + size);
    }

    void add(const isa::Instruction& instruction) {
        const isa::InstructionInfo* info = instruction.info();
        if (info == nullptr) return;
        switch (instruction.opcode()) {
            case isa::Opcode::GpsimdArguments:
            case isa::Opcode::GpsimdCommand:
            case isa::Opcode::GpsimdStart:
                known_ = false;
                return;
            case isa::Opcode::RegisterStore:
                if (instruction.get(field::RegA) != 0) known_ = false;
                mark(instruction.get(field::Address), sizeof(std::uint32_t));
                return;
            default:
                if (info->uses_dst) add_results(instruction, *info);
        }
    }

    // Marks everything between the first and the last result of each partition.
    void add_results(const isa::Instruction& instruction, const isa::InstructionInfo& info) {
        const isa::OperandFields& fields = isa::fields_of(isa::Role::Dst);
        const isa::InstructionView view = instruction.bytes();
        if (get(view, *fields.reg) != 0) known_ = false;
        const auto operands = isa::operands_of(info);
        const auto operand = std::ranges::find(operands, isa::Role::Dst, &isa::OperandInfo::role);
        const auto extent =
            operands::extent_of(view, *operand, static_cast<std::uint32_t>(target_.partitions) / 4);
        const std::int64_t size = isa::element_size(get_as<isa::Dtype>(view, *fields.dtype));
        const isa::Steps steps = isa::steps_of(view, isa::Role::Dst);
        std::int64_t low = 0, high = size;
        for (std::size_t dim = 0; dim < extent.counts.size(); ++dim) {
            const std::int64_t way = std::int64_t{steps[dim]} * (std::int64_t{extent.counts[dim]} - 1) * size;
            (way < 0 ? low : high) += way;
        }
        const std::uint32_t address = get32(view, *fields.address);
        if (!results_.emplace(address, extent.partitions, low, high).second) return;
        const auto place = locate(address);
        if (!place) return;
        const auto& [memory, first] = *place;
        const std::uint64_t partition = target::partition_bytes(target_, static_cast<Memory>(memory));
        for (std::uint32_t p = 0; p < extent.partitions; ++p) {
            const auto begin = static_cast<std::int64_t>(first + p * partition);
            marks_[memory].mark(static_cast<std::uint64_t>(std::max<std::int64_t>(begin + low, 0)),
                                static_cast<std::uint64_t>(begin + high));
        }
    }

    const target::Core& target_;
    std::array<Marks, 2> marks_;  // SBUF, PSUM
    bool known_ = true;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>> results_;
};

// Marks what transfers write in a tensor. Combining with what nothing has written gives nothing of worth.
Marks marks_of(const neff::Package& package, std::uint32_t tensor) {
    Marks marks(neff::tensor_bytes(package.tensors[tensor]));
    for (const Transfer& transfer : package.transfers) {
        if (transfer.to.place != Space::Tensor || transfer.to.tensor != tensor || transfer.combination)
            continue;
        any_iteration(package, transfer, transfer.to, [&](const Pattern& to) {
            if (transfer.collective) {
                marks.mark(to.offset, to.offset + neff::written_bytes(transfer));
            } else if (transfer.indirect && transfer.indirect->scatter) {
                const auto [begin, end] = rows_of(to, transfer);
                marks.mark(begin, end);
            } else {
                any_run(to, transfer.element_bytes, [&](std::uint64_t begin, std::uint64_t size) {
                    marks.mark(begin, begin + size);
                    return false;
                });
            }
            return false;
        });
    }
    return marks;
}

class Moves {
  public:
    explicit Moves(const neff::Package& package) : package_(package), core_(package) {}

    // Returns the first place of a side that nothing has written; empty: none that is known.
    std::string unwritten(const Transfer& transfer, const Pattern& side) {
        const bool rows = transfer.indirect && transfer.indirect->scatter == (&side == &transfer.to);
        if (side.place == Space::Image || rows || transfer.collective) return "";
        const Marks* marks = nullptr;
        if (side.place == Space::Tensor) {
            if (neff::is_input(package_.tensors[side.tensor].kind)) return "";
            auto& found = tensors_[side.tensor];
            if (!found) found.emplace(marks_of(package_, side.tensor));
            marks = &*found;
        }
        std::string place;
        any_iteration(package_, transfer, side, [&](const Pattern& here) {
            return any_run(here, transfer.element_bytes, [&](std::uint64_t begin, std::uint64_t size) {
                if (marks != nullptr) {
                    if (const auto byte = marks->unwritten(begin, begin + size))
                        place = name(side.tensor, *byte);
                } else if (const auto address = core_.unwritten(begin, size)) {
                    place = isa::format_address(*address, target::sbuf_partition_stride(package_.target));
                }
                return !place.empty();
            });
        });
        return place;
    }

  private:
    std::string name(std::uint32_t index, std::uint64_t byte) const {
        const neff::Tensor& tensor = package_.tensors[index];
        return fmt::format("{} {}", tensor.name,
                           neff::position(tensor, byte / isa::element_size(tensor.dtype)));
    }

    const neff::Package& package_;
    CoreMarks core_;
    std::map<std::uint32_t, std::optional<Marks>> tensors_;
};

}  // namespace

std::vector<std::string> unwritten_moves(const neff::Package& package) {
    std::vector<std::string> lines;
    Moves moves(package);
    for (std::size_t i = 0; i < package.transfers.size(); ++i) {
        const Transfer& transfer = package.transfers[i];
        const std::string line = neff::source_line_of_transfer(package, i);
        const auto add = [&](const char* what, const std::string& place) {
            if (!place.empty())
                lines.push_back(fmt::format("transfer {} '{}'{}: {} {}, which nothing has written", i,
                                            transfer.name, line.empty() ? "" : " at " + line, what, place));
        };
        add("moves", moves.unwritten(transfer, transfer.from));
        if (transfer.combination) add("combines with", moves.unwritten(transfer, transfer.to));
    }
    return lines;
}

}  // namespace trnsim::runtime
