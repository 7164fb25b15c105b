#include <nlohmann/json.hpp>

#include "compiler/neff/checksum.hpp"
#include "compiler/neff/collective_json.hpp"
#include "compiler/neff/member_names.hpp"
#include "compiler/neff/members.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::neff {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::uint8_t> to_bytes(const Json& json) {
    const std::string text = json.dump(1) + "\n";
    return {text.begin(), text.end()};
}

Json to_json(const Pattern& pattern, const Package& package, bool in_loop) {
    Json json;
    if (pattern.place == Pattern::Space::Tensor) {
        json["var_id"] = pattern.tensor;
        json["variable"] = package.tensors[pattern.tensor].name;
    } else if (pattern.place == Pattern::Space::Image) {
        json["image_id"] = pattern.tensor;
        json["image"] = package.images[pattern.tensor].name;
    } else {
        json["space"] = "core";
    }
    json["offset"] = pattern.offset;
    json["steps"] = pattern.step;
    json["sizes"] = pattern.count;
    if (in_loop) {
        json["iteration_steps"] = pattern.iteration_step;
        json["iteration_sizes"] = pattern.iteration_count;
    }
    return json;
}

Json to_json(std::size_t id, const Package& package) {
    const Transfer& transfer = package.transfers[id];
    Json json{{"id", id},
              {"name", transfer.name},
              {"queue", package.queues[transfer.queue].name},
              {"semaphore", transfer.semaphore}};
    if (transfer.loop) json["loop"] = *transfer.loop;
    json["desc"] = {{"op", operation_name(transfer)},
                    {"element_bytes", transfer.element_bytes},
                    {"from", to_json(transfer.from, package, transfer.loop.has_value())},
                    {"to", to_json(transfer.to, package, transfer.loop.has_value())}};
    if (transfer.collective) json["desc"]["collective"] = to_json(*transfer.collective);
    if (transfer.indirect) {
        const Indirect& indirect = *transfer.indirect;
        Json& index = json["desc"]["index"] = to_json(indirect.index, package, transfer.loop.has_value());
        index["row_step"] = indirect.step;
        index["first"] = indirect.first;
        index["last"] = indirect.last;
        index["out_of_bounds"] = OutOfBoundsNames[indirect.skip ? 1 : 0];
    }
    if (transfer.combination) {
        json["desc"]["combine"] = {{"op", isa::name_of(transfer.combination->op)},
                                   {"dtype", isa::name_of(transfer.combination->dtype)}};
    }
    return json;
}

Json info_json(const Package& package) {
    Json target;
    for (const TargetField& field : TargetFields) target[field.name] = field.get(package.target);
    Json info{{"name", package.name}, {"arguments", package.arguments}, {"target", target}};
    if (!package.origin.builder.empty()) info["builder"] = package.origin.builder;
    if (!package.origin.kernel.empty()) info["built_in"] = package.origin.kernel;
    return info;
}

Json def_json(const Package& package) {
    Json vars = Json::array(), queues = Json::array(), engines = Json::array();
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const Tensor& tensor = package.tensors[i];
        vars.push_back({{"var_id", i},
                        {"name", tensor.name},
                        {"type", KindNames[static_cast<std::size_t>(tensor.kind)]},
                        {"dtype", name_of(tensor.dtype)},
                        {"shape", tensor.shape},
                        {"size", tensor_bytes(tensor)}});
    }
    for (const Queue& queue : package.queues) {
        queues.push_back({{"name", queue.name},
                          {"type", "data"},
                          {"owner", name_of(queue.owner)},
                          {"num_queues", package.target.dma_engines}});
    }
    for (int engine = 0; engine < EngineCount; ++engine) {
        engines.push_back({{"engine", name_of(static_cast<isa::Engine>(engine))},
                           {"json", json_member(engine)},
                           {"binary", binary_member(engine)}});
    }
    Json def{{"name", "sg00"}, {"var", vars}, {"dma_queue", queues}};
    for (std::size_t i = 0; i < package.images.size(); ++i) {
        def["images"].push_back({{"name", package.images[i].name},
                                 {"file", image_member(i)},
                                 {"size", package.images[i].bytes.size()},
                                 {"sha256", hex(sha256(package.images[i].bytes))}});
    }
    if (!package.loops.empty()) {
        Json& loops = def["loops"] = Json::array();
        for (const Loop& loop : package.loops) loops.push_back({{"iterations", loop.iterations}});
    }
    def["engines"] = engines;
    return def;
}

// Adds the numbers of the places, 4 bytes each, beside the instructions.
void add_sources(const Sources& sources, Members& members) {
    if (sources.empty()) return;
    Json places = Json::array();
    for (const Sources::Line& place : sources.places) places.push_back({place.file, place.line});
    members[std::string(SourcesMember)] = to_bytes({{"files", sources.files}, {"places", places}});
    for (int e = 0; e < EngineCount; ++e) {
        auto& bytes = members["sg00/" + places_member(e)];
        for (const std::uint32_t number : sources.of[static_cast<std::size_t>(e)]) {
            for (unsigned shift = 0; shift < 32; shift += 8)
                bytes.push_back(static_cast<std::uint8_t>(number >> shift));
        }
    }
}

}  // namespace

Members to_members(const Package& package) {
    Members members;
    members["neff.json"] =
        to_bytes({{"format", FormatName}, {"version", FormatVersion}, {"subgraphs", {"sg00"}}});
    members["info.json"] = to_bytes(info_json(package));
    members["sg00/def.json"] = to_bytes(def_json(package));
    for (int e = 0; e < EngineCount; ++e) {
        Json dma = Json::array();
        for (std::size_t id = 0; id < package.transfers.size(); ++id) {
            if (package.queues[package.transfers[id].queue].owner == static_cast<isa::Engine>(e)) {
                dma.push_back(to_json(id, package));
            }
        }
        Json document;
        document["dma"] = std::move(dma);
        members["sg00/" + json_member(e)] = to_bytes(document);
        auto& binary = members["sg00/" + binary_member(e)];
        for (const isa::Instruction& instruction : package.programs[static_cast<std::size_t>(e)]) {
            binary.insert(binary.end(), instruction.bytes().begin(), instruction.bytes().end());
        }
    }
    for (std::size_t i = 0; i < package.images.size(); ++i)
        members[image_member(i)] = package.images[i].bytes;
    add_sources(package.sources, members);
    return members;
}

}  // namespace trnsim::neff
