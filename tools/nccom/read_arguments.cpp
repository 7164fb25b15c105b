#include "tools/nccom/read_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>

#include "arch/config/files_of.hpp"
#include "arch/config/network.hpp"
#include "arch/config/units.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "compiler/collectives/generate.hpp"
#include "model/system/load_server.hpp"
#include "runtime/cluster/between.hpp"
#include "runtime/communicator/communicator.hpp"
#include "runtime/waves/outputs.hpp"
#include "tools/nccom/report.hpp"

namespace trnsim::nccom {
namespace {

using Json = nlohmann::ordered_json;
using collectives::Algorithm;
using collectives::Operation;
using collectives::Rank;

constexpr std::size_t MaxSizes = 1000;
constexpr std::uint32_t MaxServers = 4096;

// Parses "64M" and "65536"; units are powers of 1024.
std::uint64_t parse_bytes(const char* option, const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    constexpr std::string_view Units = "KMG";
    const auto unit = rest == end ? std::string_view::npos : Units.find(*rest);
    const bool sound = error == std::errc() && value != 0 &&
                       (rest == end || (rest + 1 == end && unit != std::string_view::npos));
    const auto shift = rest == end ? 0 : 10 * (unit + 1);
    if (!sound || value > (std::uint64_t{1} << 40) >> shift)
        throw std::runtime_error(
            fmt::format("{} {}: expected bytes from 1 to 1024G, as 512, 8K, 64M or 1G", option, text));
    return value << shift;
}

// Returns the row of a table that has the text as its member `name`.
template <typename Rows>
const auto& find(const char* option, const std::string& text, const Rows& rows) {
    std::vector<std::string_view> names;
    for (const auto& row : rows) {
        if (row.name == text) return row;
        names.push_back(row.name);
    }
    throw std::runtime_error(fmt::format("{} {}: expected one of {}", option, text, fmt::join(names, " ")));
}

Json read_json(const std::string& path) {
    const std::vector<std::uint8_t> bytes = files::read(path);
    try {
        return Json::parse(bytes);
    } catch (const Json::exception&) {
        throw std::runtime_error(fmt::format("{}: expected JSON", path));
    }
}

// A list of lists of ranks under a key: {"replica_groups": [[[0, 1], [2, 3]]]}.
struct RankLists {
    const char* key;
    const char* example;
    const char* what;
    std::size_t length;  // length of each list; 0: any but an empty one
};
constexpr RankLists Groups{"replica_groups", "[[[0, 1], [2, 3]]]", "groups", 0},
    Pairs{"src_target_pairs", "[[[0, 1], [1, 0]]]", "pairs", 2};

Rank read_rank(const std::string& path, const RankLists& form, const Json& json, std::uint32_t ranks) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() >= ranks)
        throw std::runtime_error(fmt::format("{}: {}: found {}, expected a rank, 0 to {}", path, form.key,
                                             json.dump(), ranks - 1));
    return json.get<Rank>();
}

std::vector<std::vector<Rank>> read_ranks(const std::string& path, const RankLists& form,
                                          std::uint32_t ranks) {
    const Json json = read_json(path);
    const auto refuse = [&] {
        throw std::runtime_error(fmt::format(R"({}: expected {{"{}": {}}}, one list of {})", path, form.key,
                                             form.example, form.what));
    };
    const auto is_list = [](const Json& one) { return one.is_array() && !one.empty(); };
    if (!json.is_object() || !json.contains(form.key)) refuse();
    const Json& one = json.at(form.key);
    if (!is_list(one) || one.size() != 1 || !is_list(one[0])) refuse();
    std::vector<std::vector<Rank>> lists;
    for (const Json& list : one[0]) {
        if (!is_list(list) || (form.length != 0 && list.size() != form.length)) refuse();
        std::vector<Rank>& numbers = lists.emplace_back();
        for (const Json& number : list) {
            if (number.is_structured()) refuse();
            numbers.push_back(read_rank(path, form, number, ranks));
        }
    }
    return lists;
}

std::vector<std::pair<Rank, Rank>> read_pairs(const std::string& path, std::uint32_t ranks) {
    std::vector<std::pair<Rank, Rank>> pairs;
    for (const std::vector<Rank>& pair : read_ranks(path, Pairs, ranks)) pairs.emplace_back(pair[0], pair[1]);
    return pairs;
}

std::optional<collectives::Algorithm> parse_algorithm(const std::string& text,
                                                      std::span<const collectives::Algorithm> algorithms) {
    if (text.empty()) return std::nullopt;
    std::vector<std::string_view> names;
    for (const collectives::Algorithm algorithm : algorithms) {
        if (algorithm == collectives::Algorithm::Hierarchical) continue;  // between servers
        if (name(algorithm) == text) return algorithm;
        names.push_back(name(algorithm));
    }
    throw std::runtime_error(fmt::format("--algorithm {}: expected one of {}", text, fmt::join(names, ", ")));
}

Check parse_check(const std::string& text) {
    if (text.empty()) return Check::None;
    if (text == "random") return Check::Random;
    if (text == "all_ones") return Check::AllOnes;
    throw std::runtime_error(fmt::format("--check {}: expected random or all_ones", text));
}

// Reads the options of several servers; for one there is no network.
void read_servers(const Arguments& arguments, Test& test) {
    const auto expect = [&](bool condition, const std::string& option, const std::string& expected) {
        if (!condition) throw std::runtime_error(fmt::format("{}: expected {}", option, expected));
    };
    expect(arguments.nodes >= 1 && arguments.nodes <= MaxServers, fmt::format("--nnodes {}", arguments.nodes),
           fmt::format("1 to {}", MaxServers));
    test.servers = arguments.nodes;
    if (arguments.nodes == 1) {
        expect(arguments.network.empty(), "--network", "several servers, --nnodes");
        expect(!arguments.show_network, "--show-network", "several servers, --nnodes");
        return;
    }
    expect(arguments.ranks % arguments.nodes == 0, fmt::format("--nworkers {}", arguments.ranks),
           fmt::format("a multiple of the {} servers", arguments.nodes));
    expect(arguments.groups.empty(), "--custom-replica-groups", "one server");
    expect(arguments.pairs.empty(), "--custom-src-target-pairs", "one server");
    expect(arguments.server_statistics.empty(), "--server-stats", "one server");
    expect(arguments.trace.empty(), "--trace", "one server");
    expect(arguments.wave.empty(), "--wave", "one server");
    expect(arguments.check.empty() || arguments.ranks > arguments.nodes, "--check",
           "several ranks a server, as only what happens within one is simulated");
    test.network = config::read_network(arguments.network.empty() ? "ultracluster" : arguments.network);
}

// The operations and algorithms that several servers support.
constexpr std::array BetweenServers{Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter};
constexpr std::array BetweenAlgorithms{Algorithm::Ring, Algorithm::HalvingDoubling};

void expect_between_servers(const Test& test) {
    if (std::ranges::find(BetweenServers, test.operation) == BetweenServers.end())
        throw std::runtime_error(fmt::format("{} of {} servers: expected one of allr allg redsct",
                                             name(test.operation), test.servers));
}

}  // namespace

std::uint64_t largest_size_of(const Arguments& arguments) {
    return parse_bytes("--maxbytes", arguments.to);
}

std::vector<std::uint64_t> sizes_of(const Arguments& arguments) {
    const std::uint64_t from = parse_bytes("--minbytes", arguments.from), to = largest_size_of(arguments);
    if (from > to)
        throw std::runtime_error(
            fmt::format("--minbytes {}: expected at most --maxbytes, {}", arguments.from, arguments.to));
    if (arguments.factor && !arguments.step.empty())
        throw std::runtime_error("--stepbytes and --stepfactor: expected one of them");
    if (arguments.factor && *arguments.factor < 2)
        throw std::runtime_error(fmt::format("--stepfactor {}: expected at least 2", *arguments.factor));
    const std::uint64_t step = arguments.step.empty() ? 0 : parse_bytes("--stepbytes", arguments.step);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t size = from; size <= to;) {
        sizes.push_back(size);
        if (sizes.size() > MaxSizes)
            throw std::runtime_error(fmt::format("more than {} sizes, expected fewer", MaxSizes));
        if (step == 0 && (!arguments.factor || size > to / *arguments.factor)) break;
        size = step != 0 ? size + step : size * *arguments.factor;
    }
    return sizes;
}

std::vector<std::string> parse_statistics(const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        names.push_back(text.substr(begin, end - begin));
        statistic(names.back(), {0});  // throws for an unknown name
        begin = end + 1;
    }
    return names;
}

void check_sizes(const Test& test, const std::vector<std::uint64_t>& sizes) {
    const std::uint64_t room = communicator::region_bytes(test.server.chip.hbm);
    const std::uint64_t most = std::ranges::max(sizes);
    if (most > room)
        throw std::runtime_error(
            fmt::format("a size of {} bytes, expected at most {}, a rank's HBM", most, room));
}

Test test_of(const Arguments& arguments, unsigned processes) {
    if (arguments.ranks < 2)
        throw std::runtime_error(fmt::format("--nworkers {}: expected at least 2", arguments.ranks));
    if (arguments.iterations == 0) throw std::runtime_error("--iters 0: expected at least 1");
    Test test;
    read_servers(arguments, test);
    test.server = tlm::load_server(arguments.server, arguments.settings, arguments.cuts);
    if (processes == 0 || processes > test.server.chips())
        throw std::runtime_error(fmt::format("{} {}: expected 1 to {}, the chips of {}",
                                             arguments.processes == processes ? "--processes" : "mpirun -n",
                                             processes, test.server.chips(), test.server.name));
    test.operation = find("operation", arguments.operation, operation_names()).operation;
    test.dtype = find("--datatype", arguments.type, type_names()).dtype;
    test.ranks = arguments.ranks;
    communicator::first_cores(test.server, test.ranks / test.servers);  // throws if there are not so many
    if (!arguments.groups.empty()) test.groups = read_ranks(arguments.groups, Groups, test.ranks);
    if (!arguments.pairs.empty()) {
        if (test.operation != Operation::Permute && test.operation != Operation::SendReceive)
            throw std::runtime_error(fmt::format(
                "--custom-src-target-pairs: found {}, expected permute or sendrecv", arguments.operation));
        test.pairs = read_pairs(arguments.pairs, test.ranks);
    }
    if (test.servers > 1) expect_between_servers(test);
    test.algorithm =
        parse_algorithm(arguments.algorithm, test.servers > 1 ? std::span<const Algorithm>(BetweenAlgorithms)
                                                              : collectives::algorithms(test.operation));
    if (test.servers > 1) cluster::expect_possible(test.servers, test.server, test.algorithm);
    test.iterations = arguments.iterations;
    test.warmup = arguments.warmup;
    test.check = parse_check(arguments.check);
    test.seed = arguments.seed;
    test.statistics = !arguments.server_statistics.empty();
    test.recording = {arguments.trace, arguments.wave};
    if (!arguments.perturb.empty()) {
        test.perturb = config::parse_seed(arguments.perturb);
        if (!test.perturb)
            throw std::runtime_error(
                fmt::format("--perturb {}: expected a whole number from 0 to 4294967295", arguments.perturb));
    }
    return test;
}

void check_files(const Arguments& arguments, std::size_t sizes) {
    files::Roles roles;
    roles.add_inputs("--config", config::files_of_server(arguments.server));
    if (!arguments.network.empty()) roles.add_input("--network", config::file_of_network(arguments.network));
    for (const auto& [option, path] : {std::pair("--custom-replica-groups", arguments.groups),
                                       {"--custom-src-target-pairs", arguments.pairs}})
        if (!path.empty()) roles.add_input(option, path);
    for (const auto& [option, path] : {std::pair("--report-to-json-file", arguments.report),
                                       {"--server-stats", arguments.server_statistics},
                                       {"--trace", arguments.trace},
                                       {"--wave", arguments.wave}})
        if (!path.empty()) roles.add_output(option, path);
    if (!arguments.wave.empty()) {
        waves::check_name("--wave", arguments.wave);
        waves::add_beside_server(roles, "--wave", arguments.wave);
    }
    for (const auto& [option, path] : {std::pair("--trace", arguments.trace), {"--wave", arguments.wave}}) {
        if (!path.empty() && sizes != 1)
            throw std::runtime_error(fmt::format("{}: {} sizes, expected one", option, sizes));
    }
}

}  // namespace trnsim::nccom
