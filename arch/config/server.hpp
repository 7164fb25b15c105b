// A server as a file describes it: chips, the cores in their slots, the links between them and the adapters
// of the network. Keys and values: docs/configuration.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::config {

enum class CoreKind : std::uint8_t { None, Rtl, Fast };
// Returns "none", "rtl" or "fast", as in files.
std::string_view name_of(CoreKind kind);
using SlotKinds = std::vector<CoreKind>;  // slots of a chip

// The connections of the chips; `links` are pairs of chips.
struct LinkShape {
    enum class Kind : std::uint8_t { Torus, Mesh, FullyConnected, Links };
    Kind kind = Kind::Torus;
    std::uint64_t rows = 1, columns = 1;  // size of a torus or mesh; a ring and a chain have one row
    std::vector<std::pair<unsigned, unsigned>> links;
    bool operator==(const LinkShape&) const = default;
};

// Properties of all links and endpoints, see docs/neuronlink.md. Rates in bytes/s, times in fs.
struct Links {
    std::uint64_t lanes = 0, lane_rate = 0, latency = 0, receive_time = 0, buffer = 0, replay = 0,
                  ack_interval = 0, retry_time = 0, retry_limit = 0, give_up_time = 0, training_time = 0,
                  data = 0, endpoint_time = 0, requests = 0, served = 0, timeout = 0;
    std::uint64_t between_cores = 0;       // data between the cores of a chip, each way; 0: as fast as memory
    double error_rate = 0, loss_rate = 0;  // probabilities of a wrong bit and of a lost frame
    std::uint64_t fault_seed = 0;          // of both
    bool operator==(const Links&) const = default;
};

// A fault of links (docs/neuronlink.md) from `at` until `until`, times of the simulation in fs.
struct LinkFault {
    enum class Kind : std::uint8_t { Cut, Lanes, BitErrors, LostFrames };
    Kind kind = Kind::Cut;
    std::string link;           // "0.E": the direction that begins there; "0.E-1.W": both; "all"
    std::uint64_t working = 0;  // lanes, of Kind::Lanes
    double rate = 0;            // for each bit or frame, of Kind::BitErrors and Kind::LostFrames
    std::uint64_t at = 0, until = std::numeric_limits<std::uint64_t>::max();
    bool operator==(const LinkFault&) const = default;
};

// Properties of the adapters of the network between servers: docs/efa.md. Bandwidth in bytes/s of an adapter,
// latency in fs.
struct Efa {
    std::uint64_t adapters = 0, bandwidth = 0, latency = 0;
    bool operator==(const Efa&) const = default;
};

struct Server {
    std::string name;
    std::string chip_name;         // name of the configuration
    Config chip;                   // configuration of every chip
    std::vector<SlotKinds> slots;  // slots of each chip
    LinkShape topology;
    Links links;
    std::vector<LinkFault> faults;
    Efa efa;

    unsigned chips() const { return static_cast<unsigned>(slots.size()); }
    std::uint32_t cores() const;  // cores for which its slots have room
    bool has_faults() const;      // its links have wrong bits, lost frames or faults at some time
};

// A violation of a rule that is not about one key alone.
struct ServerViolation {
    std::string key, expected;
    std::string found{};                 // a part of the value; empty: the value as it stands
    std::optional<std::size_t> fault{};  // in Server::faults, for the key "faults"
};
using ServerCheck = std::function<std::optional<ServerViolation>(const Server&)>;

// Reads configs/servers/NAME.yaml, looked for as config::resolve() does, or the file of this path. `check` is
// called with the result. Throws Error `file:line:column: key: found ..., expected ...`. `settings`, each
// "KEY=VALUE" such as "links.lanes=8" or "hbm.model=banked", replace the values in the file or in the chips'
// configuration. Throws Error `KEY=VALUE: ...` for one that does not fit. `cuts`, each "LINK@TIME" or
// "LINK@TIME..TIME" such as "0.E@10us", are faults beside those of the file. Throws Error `--cut CUT: ...`.
Server read_server(const std::string& name_or_path, const ServerCheck& check,
                   std::span<const std::string> settings = {}, std::span<const std::string> cuts = {});

// The names of the servers that are shipped, in order.
std::vector<std::string> shipped_servers();

// Returns whether a name is that of a shipped server, or the file of a path describes one: it has a key that
// only servers have, or extends such a file. Throws Error for a file that is no YAML mapping.
bool is_server(const std::string& name_or_path);

// Returns all keys with their values, as a file that read_server() takes; those of the chips are in their
// configuration.
std::string show(const Server& server);

// The rules that read_server() itself checks, by the names of Error::rule.
std::vector<std::string> server_rules();

// Returns a value of a key that is a number, with its unit. Throws std::out_of_range for other keys.
std::string format_server_number(std::string_view key, std::uint64_t value);

struct ServerKey {
    std::string_view key, doc;
    std::string type, range;
};
// Returns the keys for the reference page, in the order of the table.
std::vector<ServerKey> server_keys();

}  // namespace trnsim::config
