#include "runtime/communicator/server_statistics.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "model/hbm/organisation.hpp"

namespace trnsim::communicator {
namespace {

using Json = nlohmann::ordered_json;
using tlm::neuronlink::End;

double seconds(std::uint64_t fs) {
    return static_cast<double>(fs) / static_cast<double>(FsPerSecond);
}

Json sent_json(const tlm::neuronlink::Port& port, std::uint64_t time) {
    const tlm::neuronlink::SendStatistics& sent = port.sent();
    const tlm::neuronlink::OutageStatistics outages = port.outages(time);
    return {{"packets", sent.packets},
            {"bytes", sent.bytes},
            {"control_frames", sent.control},
            {"repeated_packets", sent.repeated},
            {"frames", sent.packets + sent.control + sent.repeated},
            {"flits", sent.flits},
            {"retries", sent.retries},
            {"polls", sent.polls},
            {"lost_packets", sent.lost},
            {"busy_seconds", seconds(sent.busy)},
            {"utilisation", time == 0 ? 0 : static_cast<double>(sent.busy) / static_cast<double>(time)},
            {"credit_stalls", sent.stalls},
            {"credit_stall_seconds", seconds(sent.stalled)},
            {"replay_peak_flits", sent.replay_peak},
            {"damaged_frames", port.faults().damaged},
            {"dropped_frames", port.faults().dropped},
            {"working_lanes", port.wire().lanes()},
            {"outages", outages.count},
            {"outage_seconds", seconds(outages.time)},
            {"given_up", outages.given_up}};
}

Json received_json(const tlm::neuronlink::ReceiveStatistics& received) {
    return {
        {"packets", received.packets},       {"bytes", received.bytes}, {"crc_errors", received.crc_errors},
        {"duplicates", received.duplicates}, {"gaps", received.gaps},   {"cut_frames", received.cut},
        {"buffer_peak_flits", received.peak}};
}

Json traffic_json(const tlm::Traffic& traffic) {
    return {{"reads", traffic.reads},
            {"writes", traffic.writes},
            {"bytes_read", traffic.bytes_read},
            {"bytes_written", traffic.bytes_written}};
}

using tlm::hbm::BurstBytes;

Json channel_json(const tlm::DramCounts& counts) {
    return {{"bytes_read", counts.reads * BurstBytes},
            {"bytes_written", counts.writes * BurstBytes},
            {"row_hits", counts.hits},
            {"row_misses", counts.misses},
            {"row_conflicts", counts.conflicts},
            {"activates", counts.activates},
            {"precharges", counts.precharges},
            {"refreshes", {{"all_bank", counts.all_refreshes}, {"per_bank", counts.bank_refreshes}}}};
}

Json chip_json(const tlm::chip::Chip& chip) {
    Json json{{"chip", chip.number()}, {"hbm", Json::array()}, {"dma", Json::array()}};
    const tlm::Statistics memories = chip.statistics();
    for (std::size_t stack = 0; stack < memories.hbm.size(); ++stack) {
        json["hbm"].push_back(traffic_json(memories.hbm[stack]));
        if (memories.dram.empty()) continue;
        Json& channels = json["hbm"].back()["channels"] = Json::array();
        for (const tlm::DramCounts& counts : memories.dram[stack].channels)
            channels.push_back(channel_json(counts));
    }
    for (unsigned slot = 0; slot < chip.slots(); ++slot) {
        for (unsigned engine = 0; engine < chip.dma(slot).engines(); ++engine) {
            const tlm::DmaStatistics& counted = chip.dma(slot).engine(engine).statistics();
            Json row = traffic_json(counted.data);
            row["descriptor_bytes"] = counted.descriptor_bytes;
            row["packets"] = counted.packets;
            row["busy_seconds"] = seconds(counted.busy_time);
            json["dma"].push_back(std::move(row));
        }
    }
    return json;
}

// Returns the part of this process: its chips, and the ends of cables at them by name.
Json own_json(tlm::LinkedServer& server) {
    Json json{{"chips", Json::array()}, {"sent", Json::object()}, {"received", Json::object()}};
    for (unsigned number = 0; number < server.description().chips(); ++number) {
        if (!server.here(number)) continue;
        const tlm::chip::Chip& chip = server.server().chip(number);
        json["time_seconds"] = seconds(chip.statistics().time);
        json["chips"].push_back(chip_json(chip));
        for (const tlm::neuronlink::Cable& cable : server.network().topology().cables) {
            for (const End end : {cable.a, cable.b}) {
                if (end.chip != number) continue;
                const tlm::neuronlink::Port& port = server.network().node(number).port(end.port);
                json["sent"][name_of(end)] = sent_json(port, chip.statistics().time);
                json["received"][name_of(end)] = received_json(port.received());
            }
        }
    }
    return json;
}

}  // namespace

std::string server_statistics(tlm::LinkedServer& server) {
    Json all{{"time_seconds", 0}, {"links", Json::array()}, {"chips", Json::array()}};
    Json sent, received;
    for (const std::string& text : server.texts(own_json(server).dump())) {
        const Json part = Json::parse(text);
        all["time_seconds"] = part.at("time_seconds");
        sent.update(part.at("sent"));
        received.update(part.at("received"));
        for (const Json& chip : part.at("chips")) all["chips"].push_back(chip);
    }
    for (const tlm::neuronlink::Cable& cable : server.network().topology().cables) {
        for (const auto& [from, to] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
            all["links"].push_back({{"cable", name_of(cable)},
                                    {"from", name_of(from)},
                                    {"to", name_of(to)},
                                    {"sent", sent.at(name_of(from))},
                                    {"received", received.at(name_of(to))}});
        }
    }
    return all.dump();
}

}  // namespace trnsim::communicator
