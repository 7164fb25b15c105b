#include "compiler/neff/collective_json.hpp"

#include <fmt/format.h>

#include <limits>

#include "isa/isa_tables.hpp"

namespace trnsim::neff {
namespace {

using collectives::Operation;
using collectives::Rank;
using collectives::Request;

template <typename Value>
Value known(const JsonView& view, std::optional<Value> (*named)(std::string_view), const char* what) {
    const std::optional<Value> value = named(view.string());
    if (!value) view.fail(what);
    return *value;
}

std::vector<Rank> read_ranks(const JsonView& view) {
    std::vector<Rank> ranks;
    for (const JsonView& rank : view.items()) ranks.push_back(static_cast<Rank>(rank.number(Max32)));
    return ranks;
}

}  // namespace

nlohmann::ordered_json to_json(const Collective& collective) {
    const Request& request = collective.request;
    nlohmann::ordered_json json{{"operation", collectives::name(request.operation)},
                                {"dtype", isa::name_of(request.dtype)},
                                {"count", request.count},
                                {"ranks", request.ranks}};
    if (collectives::reduces(request.operation)) {
        json["reduction"] = collectives::name(request.reduction);
        json["rounding"] = request.stochastic ? "stochastic" : "nearest";
    }
    if (!request.groups.empty()) json["groups"] = request.groups;
    if (!request.pairs.empty()) json["pairs"] = request.pairs;
    if (request.operation == Operation::Broadcast) json["root"] = request.root;
    if (collective.algorithm) json["algorithm"] = collectives::name(*collective.algorithm);
    if (collective.inner != 0) json["inner"] = collective.inner;
    return json;
}

Collective read_collective(const JsonView& view) {
    Collective collective;
    Request& request = collective.request;
    request.operation =
        known(view["operation"], collectives::operation_named, "the name of a collective operation");
    const isa::EnumValue* dtype = isa::find_value(isa::dtype_values(), view["dtype"].string());
    if (dtype == nullptr) view["dtype"].fail("the name of an element type");
    request.dtype = static_cast<isa::Dtype>(dtype->value);
    request.count = view["count"].number(Max64);
    request.ranks = static_cast<Rank>(view["ranks"].number(Max32));
    if (collectives::reduces(request.operation)) {
        request.reduction =
            known(view["reduction"], collectives::reduction_named, "add, multiply, min or max");
        const std::string rounding = view["rounding"].string();
        if (rounding != "nearest" && rounding != "stochastic") view["rounding"].fail("nearest or stochastic");
        request.stochastic = rounding == "stochastic";
    }
    if (view.has("groups")) {
        for (const JsonView& group : view["groups"].items()) request.groups.push_back(read_ranks(group));
    }
    if (view.has("pairs")) {
        for (const JsonView& pair : view["pairs"].items()) {
            const auto ranks = pair.items(2);
            request.pairs.emplace_back(ranks[0].number(Max32), ranks[1].number(Max32));
        }
    }
    if (request.operation == Operation::Broadcast)
        request.root = static_cast<Rank>(view["root"].number(Max32));
    if (view.has("algorithm"))
        collective.algorithm =
            known(view["algorithm"], collectives::algorithm_named, "the name of an algorithm");
    if (view.has("inner")) collective.inner = static_cast<std::uint32_t>(view["inner"].number(Max32));
    return collective;
}

}  // namespace trnsim::neff
