// Collectives among devices. Expected values are computed here from what each device holds.
#include <gtest/gtest.h>

#include "common/temporary_directory.hpp"
#include "compiler/hlo/evaluate/evaluate.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"

namespace trnsim::test {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;  // elements by device

constexpr const char* Sum =
    "sum { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(a, b) }\n";

hlo::Module module_of(const std::string& body, const std::string& before = "") {
    hlo::Module module = hlo::parse_text("HloModule m\n" + std::string(Sum) + before +
                                         "ENTRY main {\n x = s32[4] parameter(0)\n " + body + "\n}");
    hlo::verify(module);
    return module;
}

// Device d holds 10 d, 10 d + 1, 10 d + 2, 10 d + 3.
Rows run(const hlo::Module& module, std::int64_t replicas, std::int64_t partitions) {
    std::vector<hlo::evaluate::Arguments> arguments;
    for (std::int64_t device = 0; device < replicas * partitions; ++device) {
        hlo::evaluate::Cells cells;
        for (std::int64_t i = 0; i < 4; ++i) cells.push_back(static_cast<std::uint64_t>(10 * device + i));
        arguments.push_back(
            {{hlo::ElementType::S32, {4}, std::make_shared<const hlo::evaluate::Cells>(cells), {}}});
    }
    hlo::evaluate::Options options;
    options.replicas = replicas;
    options.partitions = partitions;
    Rows rows;
    for (const auto& value : hlo::evaluate::run(module, arguments, options)) {
        auto& row = rows.emplace_back();
        if (value.type == hlo::ElementType::Tuple) {
            for (const auto& part : value.tuple)
                row.insert(row.end(), part.cells->begin(), part.cells->end());
        } else {
            row.assign(value.cells->begin(), value.cells->end());
        }
    }
    return rows;
}

TEST(Devices, AllReduceAddsWithinGroups) {
    const auto reduced = [](const std::string& attributes) {
        return module_of("ROOT r = s32[4] all-reduce(x), " + attributes + "to_apply=sum");
    };
    EXPECT_EQ(run(reduced(""), 2, 1), (Rows{{10, 12, 14, 16}, {10, 12, 14, 16}}));
    EXPECT_EQ(run(reduced("replica_groups={{0,2},{1}}, "), 3, 1),
              (Rows{{20, 22, 24, 26}, {10, 11, 12, 13}, {20, 22, 24, 26}}));
    // Without a channel each partition reduces over replicas alone; with one, over all partitions too.
    EXPECT_EQ(run(reduced(""), 2, 2),
              (Rows{{20, 22, 24, 26}, {40, 42, 44, 46}, {20, 22, 24, 26}, {40, 42, 44, 46}}));
    EXPECT_EQ(run(reduced("channel_id=1, replica_groups={{0},{1}}, "), 2, 2),
              (Rows{{10, 12, 14, 16}, {10, 12, 14, 16}, {50, 52, 54, 56}, {50, 52, 54, 56}}));
    EXPECT_EQ(run(reduced("channel_id=1, replica_groups={{0,3},{1,2}}, use_global_device_ids=true, "), 2, 2),
              (Rows{{30, 32, 34, 36}, {30, 32, 34, 36}, {30, 32, 34, 36}, {30, 32, 34, 36}}));
    EXPECT_EQ(run(reduced(""), 1, 1), (Rows{{0, 1, 2, 3}}));
}

TEST(Devices, GatherScatterAndExchangeKeepTheOrderOfTheGroup) {
    EXPECT_EQ(run(module_of("ROOT r = s32[8] all-gather(x), replica_groups={{1,0}}, dimensions={0}"), 2, 1),
              (Rows{{10, 11, 12, 13, 0, 1, 2, 3}, {10, 11, 12, 13, 0, 1, 2, 3}}));
    EXPECT_EQ(run(module_of("ROOT r = s32[2] reduce-scatter(x), dimensions={0}, to_apply=sum"), 2, 1),
              (Rows{{10, 12}, {14, 16}}));
    EXPECT_EQ(run(module_of("ROOT r = s32[4] all-to-all(x), dimensions={0}"), 2, 1),
              (Rows{{0, 1, 10, 11}, {2, 3, 12, 13}}));
    EXPECT_EQ(run(module_of("y = s32[4] negate(x)\n ROOT r = (s32[4], s32[4]) all-to-all(x, y)"), 2, 1),
              (Rows{{0, 1, 2, 3, 10, 11, 12, 13}, {0, -1, -2, -3, -10, -11, -12, -13}}));
    EXPECT_EQ(
        run(module_of("ROOT r = s32[4] collective-permute(x), source_target_pairs={{0,1},{1,2}}"), 3, 1),
        (Rows{{0, 0, 0, 0}, {0, 1, 2, 3}, {10, 11, 12, 13}}));
    EXPECT_EQ(
        run(module_of("ROOT r = s32[4] collective-permute(x), channel_id=1, source_target_pairs={{0,1}}"), 2,
            2),
        (Rows{{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 0, 0, 0}, {20, 21, 22, 23}}));
    EXPECT_EQ(run(module_of("ROOT r = s32[4] collective-broadcast(x), replica_groups={{1,2}}"), 3, 1),
              (Rows{{0, 0, 0, 0}, {10, 11, 12, 13}, {10, 11, 12, 13}}));
}

TEST(Devices, KnowTheirNumbers) {
    EXPECT_EQ(
        run(module_of(
                "a = u32[] replica-id()\n b = u32[] partition-id()\n ROOT r = (u32[], u32[]) tuple(a, b)"),
            2, 2),
        (Rows{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

constexpr const char* Loop = R"(body { s = s32[4] parameter(0)
 ROOT t = s32[4] all-reduce(s), to_apply=sum }
condition { s.1 = s32[4] parameter(0)
 z = s32[] constant(0)
 n = s32[] reduce(s.1, z), dimensions={0}, to_apply=sum
 limit = s32[] constant(LIMIT)
 ROOT p = pred[] compare(n, limit), direction=LT }
)";

TEST(Devices, LeaveALoopEachByItsOwnCondition) {
    std::string loop = Loop;
    loop.replace(loop.find("LIMIT"), 5, "40");
    const hlo::Module together = module_of(
        "y = s32[4] all-reduce(x), to_apply=sum\n ROOT r = s32[4] while(y), condition=condition, body=body",
        loop);
    EXPECT_EQ(run(together, 2, 1), (Rows{{10, 12, 14, 16}, {10, 12, 14, 16}}));
    // Device 0 goes on where device 1 has left: its group is not complete.
    const hlo::Module apart = module_of("ROOT r = s32[4] while(x), condition=condition, body=body", loop);
    EXPECT_EQ(message_of<hlo::Error>([&] { (void)run(apart, 2, 1); }),
              "%t: not all devices of a group reach it");
}

TEST(Devices, WrongGroupsAreNamed) {
    EXPECT_EQ(message_of<hlo::Error>([&] {
                  (void)run(module_of("ROOT r = s32[4] all-reduce(x), replica_groups={{0,5}}, to_apply=sum"),
                            2, 1);
              }),
              "%r: the replica groups have the id 5 of 2");
    EXPECT_EQ(message_of<hlo::Error>([&] {
                  (void)run(module_of("ROOT r = s32[4] all-reduce(x), replica_groups={{0}}, to_apply=sum"), 2,
                            1);
              }),
              "%r: a device is in no replica group");
}

}  // namespace
}  // namespace trnsim::test
