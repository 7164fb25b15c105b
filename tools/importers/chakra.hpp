// Execution traces of Chakra (MLCommons), one file for each rank: a graph of computations and communications.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trnsim::importers {

// The kind of a node, by the names of the schema.
enum class NodeType : std::uint8_t {
    Invalid,
    Metadata,
    MemLoad,
    MemStore,
    Compute,
    Send,
    Receive,
    Collective
};
enum class CommType : std::uint8_t {
    AllReduce,
    Reduce,
    AllGather,
    Gather,
    Scatter,
    Broadcast,
    AllToAll,
    ReduceScatter,
    ReduceScatterBlock,
    Barrier
};

struct TraceNode {
    std::uint64_t id = 0;
    std::string name{};
    NodeType type = NodeType::Invalid;
    std::vector<std::uint64_t> after{};  // nodes that it depends on, by data or control
    std::uint64_t microseconds = 0;      // that it took where the trace was taken
    std::optional<CommType> comm{};      // of a collective; none: the trace does not say
    std::uint64_t bytes = 0;             // of a communication: a rank's input
    std::uint64_t peer = 0, tag = 0;     // of a send or receive
    std::uint64_t root = 0;              // of a broadcast
    std::string group{};                 // name of the group of ranks; empty: all
};

struct Trace {
    std::filesystem::path file;
    std::string version;
    std::vector<TraceNode> nodes;  // in an order in which each comes after those that it depends on
};

// Reads the trace of a rank, which may be compressed by gzip. Throws Error, also for one of more than 256 MiB or a
// million nodes, and for dependences that form a
// circle or lead to no node.
Trace read_chakra(const std::filesystem::path& file);

using RankGroups = std::map<std::string, std::vector<std::uint32_t>>;

// Reads the groups of ranks that traces name, as ASTRA-sim has them: {"1": [0, 1, 2], ...}. Throws Error.
RankGroups read_groups(const std::filesystem::path& file);

}  // namespace trnsim::importers
