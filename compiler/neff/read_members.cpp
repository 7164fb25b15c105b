#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "compiler/neff/checksum.hpp"
#include "compiler/neff/collective_json.hpp"
#include "compiler/neff/error.hpp"
#include "compiler/neff/json_view.hpp"
#include "compiler/neff/member_names.hpp"
#include "compiler/neff/members.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::neff {
namespace {

// Reads one member after the other and knows which are left.
class Reader {
  public:
    explicit Reader(const Members& members) : members_(members) {}

    const std::vector<std::uint8_t>& take(const std::string& path) {
        const auto found = members_.find(path);
        if (found == members_.end()) throw Error(fmt::format("member {} is missing", path));
        taken_.insert(path);
        return found->second;
    }

    bool has(std::string_view path) const { return members_.contains(std::string(path)); }

    nlohmann::json take_json(const std::string& path) { return JsonView::parse(take(path), path); }

    void expect_end() const {
        for (const auto& [path, bytes] : members_) {
            if (!taken_.contains(path)) throw Error(fmt::format("unexpected member '{}'", path));
        }
    }

  private:
    const Members& members_;
    std::set<std::string> taken_;
};

template <typename Enum>
Enum read_enum(const JsonView& view, std::span<const isa::EnumValue> values) {
    const isa::EnumValue* value = isa::find_value(values, view.string());
    if (value == nullptr) {
        std::string names;
        for (const isa::EnumValue& known : values)
            names += fmt::format("{}{}", names.empty() ? "" : " ", known.name);
        view.fail("one of " + names);
    }
    return static_cast<Enum>(value->value);
}

void read_neff(Reader& reader) {
    const auto json = reader.take_json("neff.json");
    const JsonView view(json, "neff.json");
    if (view["format"].string() != FormatName) view["format"].fail(fmt::format("'{}'", FormatName));
    if (view["version"].number(Max64) != FormatVersion)
        view["version"].fail(fmt::format("{}", FormatVersion));
    if (view["subgraphs"].items(1)[0].string() != "sg00") view["subgraphs"].fail("[\"sg00\"]");
}

void read_info(Reader& reader, Package& package) {
    const auto json = reader.take_json("info.json");
    const JsonView view(json, "info.json");
    package.name = view["name"].string();
    package.arguments = view["arguments"].string();
    if (view.has("builder")) package.origin.builder = view["builder"].string();
    if (view.has("built_in")) package.origin.kernel = view["built_in"].string();
    const JsonView target = view["target"];
    for (const TargetField& field : TargetFields) {
        if (field.missing == Missing::Keeps && !target.has(field.name)) continue;
        field.set(package.target, target[field.name].number(field.maximum));
    }
}

void read_def(Reader& reader, Package& package) {
    const auto json = reader.take_json("sg00/def.json");
    const JsonView view(json, "sg00/def.json");
    for (const JsonView& var : view["var"].items()) {
        if (var["var_id"].number(Max32) != package.tensors.size()) {
            var["var_id"].fail(fmt::format("{}", package.tensors.size()));
        }
        Tensor tensor;
        tensor.name = var["name"].string();
        const auto kind = std::ranges::find(KindNames, var["type"].string());
        if (kind == KindNames.end()) var["type"].fail("input, output, tmp-buf or update");
        tensor.kind = static_cast<TensorKind>(kind - KindNames.begin());
        tensor.dtype = read_enum<isa::Dtype>(var["dtype"], isa::dtype_values());
        for (const JsonView& dimension : var["shape"].items())
            tensor.shape.push_back(dimension.number(MaxTensorBytes));
        if (var["size"].number(Max64) != tensor_bytes(tensor))
            var["size"].fail(fmt::format("{}", tensor_bytes(tensor)));
        package.tensors.push_back(std::move(tensor));
    }
    for (const JsonView& queue : view["dma_queue"].items()) {
        if (queue["num_queues"].number(Max32) != static_cast<std::uint64_t>(package.target.dma_engines)) {
            queue["num_queues"].fail(fmt::format("{}, the target's DMA engines", package.target.dma_engines));
        }
        package.queues.push_back(
            {queue["name"].string(), read_enum<isa::Engine>(queue["owner"], isa::engine_values())});
    }
    if (view.has("loops")) {
        for (const JsonView& loop : view["loops"].items())
            package.loops.push_back({static_cast<std::uint32_t>(loop["iterations"].number(Max32))});
    }
    if (view.has("images")) {
        for (const JsonView& entry : view["images"].items()) {
            const std::string member = image_member(package.images.size());
            if (entry["file"].string() != member) entry["file"].fail(fmt::format("'{}'", member));
            GpsimdImage image{entry["name"].string(), reader.take(member)};
            if (entry["size"].number(Max64) != image.bytes.size())
                entry["size"].fail(fmt::format("{}", image.bytes.size()));
            if (const std::string sum = hex(sha256(image.bytes)); entry["sha256"].string() != sum)
                entry["sha256"].fail(fmt::format("'{}', the checksum of {}", sum, member));
            package.images.push_back(std::move(image));
        }
    }
    const auto engines = view["engines"].items(EngineCount);
    for (int e = 0; e < EngineCount; ++e) {
        const JsonView& engine = engines[static_cast<std::size_t>(e)];
        const auto expect = [&engine](const char* key, std::string_view text) {
            if (engine[key].string() != text) engine[key].fail(fmt::format("'{}'", text));
        };
        expect("engine", name_of(static_cast<isa::Engine>(e)));
        expect("json", json_member(e));
        expect("binary", binary_member(e));
    }
}

void read_dimensions(const JsonView& steps, const JsonView& sizes, std::array<std::int64_t, 4>& step,
                     std::array<std::uint32_t, 4>& count) {
    const auto all_steps = steps.items(step.size());
    const auto all_sizes = sizes.items(count.size());
    for (std::size_t dim = 0; dim < step.size(); ++dim) {
        step[dim] = all_steps[dim].signed_number();
        count[dim] = static_cast<std::uint32_t>(all_sizes[dim].number(Max32));
    }
}

Pattern read_pattern(const JsonView& view, const Package& package, bool in_loop) {
    Pattern pattern;
    if (view.has("space")) {
        if (view["space"].string() != "core") view["space"].fail("'core'");
        pattern.place = Pattern::Space::Core;
    } else if (view.has("image_id")) {
        pattern.place = Pattern::Space::Image;
        pattern.tensor = static_cast<std::uint32_t>(view["image_id"].number(Max32));
        if (pattern.tensor >= package.images.size())
            view["image_id"].fail(fmt::format("the id of one of {} images", package.images.size()));
        const std::string& name = package.images[pattern.tensor].name;
        if (view["image"].string() != name) view["image"].fail(fmt::format("'{}'", name));
    } else {
        pattern.tensor = static_cast<std::uint32_t>(view["var_id"].number(Max32));
        if (pattern.tensor >= package.tensors.size()) {
            view["var_id"].fail(fmt::format("the id of one of {} variables", package.tensors.size()));
        }
        if (view["variable"].string() != package.tensors[pattern.tensor].name) {
            view["variable"].fail(fmt::format("'{}'", package.tensors[pattern.tensor].name));
        }
    }
    pattern.offset = view["offset"].number(Max64);
    read_dimensions(view["steps"], view["sizes"], pattern.step, pattern.count);
    if (in_loop) {
        read_dimensions(view["iteration_steps"], view["iteration_sizes"], pattern.iteration_step,
                        pattern.iteration_count);
    }
    return pattern;
}

Indirect read_indirect(const JsonView& view, const Package& package, bool in_loop, bool scatter) {
    Indirect indirect;
    indirect.scatter = scatter;
    indirect.index = read_pattern(view, package, in_loop);
    indirect.step = view["row_step"].signed_number();
    const auto number = [&view](const char* key) {
        const std::int64_t value = view[key].signed_number();
        if (value != static_cast<std::int32_t>(value)) view[key].fail("a number of 32 bits");
        return static_cast<std::int32_t>(value);
    };
    indirect.first = number("first");
    indirect.last = number("last");
    const auto name = std::ranges::find(OutOfBoundsNames, view["out_of_bounds"].string());
    if (name == OutOfBoundsNames.end()) view["out_of_bounds"].fail("error or skip");
    indirect.skip = name != OutOfBoundsNames.begin();
    return indirect;
}

Transfer read_transfer(const JsonView& view, const Package& package) {
    Transfer transfer;
    transfer.name = view["name"].string();
    const auto queue = std::ranges::find(package.queues, view["queue"].string(), &Queue::name);
    if (queue == package.queues.end()) view["queue"].fail("a queue of sg00/def.json");
    transfer.queue = static_cast<std::uint32_t>(queue - package.queues.begin());
    transfer.semaphore =
        static_cast<std::uint8_t>(view["semaphore"].number(std::numeric_limits<std::uint8_t>::max()));
    const JsonView desc = view["desc"];
    const std::string operation = desc["op"].string();
    if (std::ranges::find(OperationNames, operation) == OperationNames.end())
        desc["op"].fail("copy, transpose, gather, scatter or collective");
    transfer.transposes = operation == "transpose";
    transfer.element_bytes = static_cast<std::uint32_t>(desc["element_bytes"].number(Max32));
    if (view.has("loop")) transfer.loop = static_cast<std::uint32_t>(view["loop"].number(Max32));
    transfer.from = read_pattern(desc["from"], package, transfer.loop.has_value());
    transfer.to = read_pattern(desc["to"], package, transfer.loop.has_value());
    if (operation == "gather" || operation == "scatter")
        transfer.indirect =
            read_indirect(desc["index"], package, transfer.loop.has_value(), operation == "scatter");
    if (operation == "collective") {
        transfer.collective = read_collective(desc["collective"]);
        transfer.collective->request.in_place =
            transfer.from.tensor == transfer.to.tensor && transfer.from.offset == transfer.to.offset;
    }
    if (desc.has("combine")) {
        const JsonView combine = desc["combine"];
        transfer.combination = {read_enum<isa::AluOp>(combine["op"], isa::alu_op_values()),
                                read_enum<isa::Dtype>(combine["dtype"], isa::dtype_values())};
    }
    return transfer;
}

void read_transfers(Reader& reader, Package& package) {
    std::map<std::uint64_t, Transfer> by_id;
    for (int e = 0; e < EngineCount; ++e) {
        const std::string path = "sg00/" + json_member(e);
        const auto json = reader.take_json(path);
        for (const JsonView& entry : JsonView(json, path)["dma"].items()) {
            Transfer transfer = read_transfer(entry, package);
            if (package.queues[transfer.queue].owner != static_cast<isa::Engine>(e)) {
                entry["queue"].fail(fmt::format("a queue owned by {}", name_of(static_cast<isa::Engine>(e))));
            }
            if (!by_id.emplace(entry["id"].number(Max32), std::move(transfer)).second)
                entry["id"].fail("an id of its own");
        }
    }
    for (auto& [id, transfer] : by_id) {
        if (id != package.transfers.size()) {
            throw Error(fmt::format("no engine has the transfer with id {}", package.transfers.size()));
        }
        package.transfers.push_back(std::move(transfer));
    }
}

void read_programs(Reader& reader, Package& package) {
    for (int e = 0; e < EngineCount; ++e) {
        const std::string path = "sg00/" + binary_member(e);
        const std::span<const std::uint8_t> bytes = reader.take(path);
        if (bytes.size() % isa::InstructionBytes != 0) {
            throw Error(fmt::format("{}: {} bytes, expected a multiple of {}", path, bytes.size(),
                                    isa::InstructionBytes));
        }
        auto& program = package.programs[static_cast<std::size_t>(e)];
        for (std::size_t at = 0; at < bytes.size(); at += isa::InstructionBytes) {
            program.emplace_back(bytes.subspan(at).first<isa::InstructionBytes>());
        }
    }
}

void read_sources(Reader& reader, Package& package) {
    const std::string path(SourcesMember);
    if (!reader.has(path)) return;
    Sources& sources = package.sources;
    const auto json = reader.take_json(path);
    const JsonView view(json, path);
    for (const JsonView& file : view["files"].items()) sources.files.push_back(file.string());
    for (const JsonView& place : view["places"].items()) {
        const auto pair = place.items(2);
        const std::uint64_t file = pair[0].number(Max32);
        if (file >= sources.files.size())
            pair[0].fail(fmt::format("the number of one of {} files", sources.files.size()));
        sources.places.push_back(
            {static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(pair[1].number(Max32))});
    }
    for (int e = 0; e < EngineCount; ++e) {
        const std::string member = "sg00/" + places_member(e);
        const std::span<const std::uint8_t> bytes = reader.take(member);
        const std::size_t instructions = package.programs[static_cast<std::size_t>(e)].size();
        if (bytes.size() != 4 * instructions)
            throw Error(fmt::format("{}: {} bytes, expected {}, 4 for each instruction", member, bytes.size(),
                                    4 * instructions));
        for (std::size_t at = 0; at < bytes.size(); at += 4) {
            const std::uint32_t number = bytes[at] | std::uint32_t{bytes[at + 1]} << 8 |
                                         std::uint32_t{bytes[at + 2]} << 16 |
                                         std::uint32_t{bytes[at + 3]} << 24;
            if (number > sources.places.size())
                throw Error(fmt::format("{}: place {} of instruction {}, expected at most {}", member, number,
                                        at / 4, sources.places.size()));
            sources.of[static_cast<std::size_t>(e)].push_back(number);
        }
    }
}

}  // namespace

Package from_members(const Members& members) {
    Package package;
    Reader reader(members);
    read_neff(reader);
    read_info(reader, package);
    read_def(reader, package);
    read_transfers(reader, package);
    read_programs(reader, package);
    read_sources(reader, package);
    reader.expect_end();
    return package;
}

}  // namespace trnsim::neff
