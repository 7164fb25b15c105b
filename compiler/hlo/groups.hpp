// The groups of devices of a collective, from any of the encodings that files have.
#pragma once

#include <vector>

#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

// Returns the groups as lists of ids; none stands for one group of all devices. Throws Error for groups that are not
// well formed: an id twice, a permutation that is none, more than MaxDevices.
std::vector<Integers> replica_groups(const Attributes& attributes);

// The mode says of what the groups list ids, and so which devices a group has.
enum class GroupMode : std::uint8_t {
    Replicas,               // ids are replicas; each partition has groups of its own
    Partitions,             // ids are partitions; each replica has groups of its own
    ReplicasAndPartitions,  // ids are replicas; a group has all their partitions
    Devices,                // ids are replica * partitions + partition
};
// The mode of a collective. Throws Error for combinations that XLA does not define.
GroupMode group_mode(const Instruction& instruction);

}  // namespace trnsim::hlo
