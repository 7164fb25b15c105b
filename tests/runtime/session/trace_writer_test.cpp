#include "runtime/session/trace_writer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace trnsim::runtime {
namespace {

using nlohmann::json;

std::vector<json> events(const std::string& text, const char* phase) {
    std::vector<json> found;
    const json document = json::parse(text);
    for (const json& event : document.at("traceEvents")) {
        if (event.at("ph") == phase) found.push_back(event);
    }
    return found;
}

TEST(TraceWriter, EmptyTraceIsADocument) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    writer.finish();
    EXPECT_TRUE(json::parse(stream.str()).at("traceEvents").empty());
}

TEST(TraceWriter, SlicesKeepTimesAndArguments) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    const auto track = writer.add_track("dma 3", "ring \"0\"");
    const Argument arguments[] = {{"bytes", std::uint64_t{4096}}, {"from", std::string_view("line\n\xff")}};
    writer.slice(track, "packet", 1'234'567'890'123, 1'234'567'890'125, arguments);
    writer.finish();
    const auto slices = events(stream.str(), "X");
    ASSERT_EQ(slices.size(), 1u);
    EXPECT_EQ(slices[0].at("name"), "packet");
    EXPECT_EQ(slices[0].at("args").at("bytes"), 4096);
    EXPECT_NE(stream.str().find("\"ts\":1234.567890123,\"dur\":0.000000002"), std::string::npos)
        << "no digit is lost";
    const auto names = events(stream.str(), "M");
    EXPECT_EQ(names.front().at("args").at("name"), "dma 3");
    EXPECT_EQ(names.back().at("args").at("name"), "ring \"0\"");
}

TEST(TraceWriter, InstantsStandOnTheFirstLineOfTheirTrack) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    const auto track = writer.add_track("links", "0.E"), empty = writer.add_track("links", "0.W");
    writer.slice(track, "a", 0, 10, {});
    writer.slice(track, "b", 5, 12, {});
    writer.instant(track, "retry", 7);
    writer.instant(empty, "retry", 8);
    writer.finish();
    const auto instants = events(stream.str(), "i");
    ASSERT_EQ(instants.size(), 2u);
    EXPECT_EQ(instants[0].at("name"), "retry");
    EXPECT_EQ(instants[0].at("s"), "t") << "of the thread";
    EXPECT_EQ(instants[0].at("tid"), events(stream.str(), "X")[0].at("tid"));
    EXPECT_NE(instants[1].at("tid"), instants[0].at("tid"));
    EXPECT_NE(stream.str().find("\"ts\":0.000000008}"), std::string::npos);
}

TEST(TraceWriter, OverlappingSlicesGoToLinesOfTheirOwn) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    const auto track = writer.add_track("engines", "tensor");
    writer.slice(track, "a", 0, 10, {});
    writer.slice(track, "b", 5, 12, {});
    writer.slice(track, "c", 10, 20, {});
    writer.slice(track, "d", 12, 21, {});
    writer.finish();
    const auto slices = events(stream.str(), "X");
    EXPECT_NE(slices[0].at("tid"), slices[1].at("tid"));
    EXPECT_EQ(slices[0].at("tid"), slices[2].at("tid"));
    EXPECT_EQ(slices[1].at("tid"), slices[3].at("tid"));
}

TEST(TraceWriter, GroupsAreProcesses) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    writer.slice(writer.add_track("dma 0", "ring 0"), "a", 0, 1, {});
    writer.slice(writer.add_track("dma 1", "ring 0"), "b", 0, 1, {});
    writer.slice(writer.add_track("dma 0", "ring 1"), "c", 0, 1, {});
    writer.finish();
    const auto slices = events(stream.str(), "X");
    ASSERT_EQ(slices.size(), 3u);
    EXPECT_NE(slices[0].at("pid"), slices[1].at("pid"));
    EXPECT_EQ(slices[0].at("pid"), slices[2].at("pid"));
    EXPECT_NE(slices[0].at("tid"), slices[2].at("tid"));
}

TEST(TraceWriter, FlowsJoinSlices) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    const auto first = writer.add_track("engines", "tensor"), second = writer.add_track("engines", "vector");
    writer.flow(second, 1, first, 2);  // writes nothing, as the first track has no slices
    writer.slice(first, "a", 0, 10, {});
    writer.flow(first, 10, second, 12);
    writer.slice(second, "b", 12, 20, {});
    writer.finish();
    const auto slices = events(stream.str(), "X"), starts = events(stream.str(), "s"),
               ends = events(stream.str(), "f");
    ASSERT_EQ(starts.size(), 1u);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(starts[0].at("tid"), slices[0].at("tid"));
    EXPECT_EQ(ends[0].at("tid"), slices[1].at("tid"));
    EXPECT_EQ(starts[0].at("id"), ends[0].at("id"));
    EXPECT_EQ(ends[0].at("bp"), "e");
    EXPECT_NE(stream.str().find("\"ts\":0.000000009"), std::string::npos) << "within the slice";
}

TEST(TraceWriter, CountersAddUpInTheOrderOfTime) {
    std::ostringstream stream;
    TraceWriter writer(stream);
    writer.change("n", 30, -1);
    writer.change("n", 10, 1);
    writer.change("n", 20, 2);
    writer.change("n", 30, -2);
    writer.change("n", 20, -0.5);
    writer.finish();
    std::vector<double> values;
    for (const json& event : events(stream.str(), "C"))
        values.push_back(event.at("args").at("value").get<double>());
    EXPECT_EQ(values, (std::vector<double>{1, 2.5, -0.5}));
}

}  // namespace
}  // namespace trnsim::runtime
