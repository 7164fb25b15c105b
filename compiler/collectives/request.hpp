// The description of a collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/collectives/schedule.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::collectives {

enum class Operation : std::uint8_t {
    AllReduce,
    AllGather,
    AllGatherV,
    ReduceScatter,
    AllToAll,
    AllToAllV,
    Permute,
    SendReceive,
    Broadcast,
    Barrier,
};
enum class Reduction : std::uint8_t { Add, Multiply, Min, Max };
enum class Algorithm : std::uint8_t {
    Direct,
    Ring,
    Mesh,
    SingleStepMesh,
    HalvingDoubling,
    Kangaring,
    Hierarchical,
};

// Returns the name in messages and tables: "all-reduce", "add", "ring".
std::string_view name(Operation operation);
std::string_view name(Reduction reduction);
std::string_view name(Algorithm algorithm);

bool reduces(Operation operation);
// Returns the operation of a name; nothing if there is none.
std::optional<Operation> operation_named(std::string_view name);
std::optional<Reduction> reduction_named(std::string_view name);
std::optional<Algorithm> algorithm_named(std::string_view name);

// n ranks of a group; c is `count`, sizes are elements of each rank. A member is a rank's position in its
// group.
//
//   operation       input          output
//   all-reduce      c              c           reduction of all members' inputs, element by element
//   all-gather      c              n c         the members' inputs, one after the other
//   all-gather-v    counts[m]      their sum   the same
//   reduce-scatter  n c            c           member m: the reduction of the m-th c elements of all inputs
//   all-to-all      n c            n c         member m: the m-th c elements of each input
//   all-to-all-v    row m          column m    pair_counts[m][q] elements go from member m to q
//   permute         c              c           output of the second rank of a pair: the input of the first
//   send-receive    c              c           the same; a rank may send to several
//   broadcast       c of the root  c           the root's input
//   barrier         1 byte         1 byte      has no values; complete when every rank has begun
struct Request {
    Operation operation = Operation::AllReduce;
    Reduction reduction = Reduction::Add;
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint64_t count = 0;
    Rank ranks = 0;                           // 0 to ranks - 1 exist
    std::vector<std::vector<Rank>> groups{};  // disjoint; empty: one of all ranks. Other ranks take no part
    std::vector<std::uint64_t> counts{};
    std::vector<std::vector<std::uint64_t>> pair_counts{};
    std::vector<std::pair<Rank, Rank>> pairs{};  // (source, destination), both of one group
    std::uint32_t root = 0;                      // a member
    bool stochastic = false;                     // rounding of what is reduced
    // Input and output are one memory. The input of all-gather and all-gather-v lies at its place in the
    // output, the output of reduce-scatter at the place of its elements in the input.
    bool in_place = false;
    bool operator==(const Request&) const = default;
};

// The elements of a rank's input and output if a group of `members` has the same for all, which excludes
// operations whose name ends in -v. Throws Error for those, and for a barrier whose type is not of one byte.
struct Sizes {
    std::uint64_t input = 0, output = 0;
};
Sizes sizes_of(const Request& request, std::size_t members);

// Returns the groups with the default filled in. Throws Error `request: ...` if anything does not fit
// together.
std::vector<std::vector<Rank>> checked_groups(const Request& request);

}  // namespace trnsim::collectives
