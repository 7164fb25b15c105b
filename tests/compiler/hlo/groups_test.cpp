// The four encodings of replica groups. Expected groups are those that XLA prints for the same text.
#include "compiler/hlo/groups.hpp"

#include <gtest/gtest.h>

#include "common/temporary_directory.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/text.hpp"

namespace trnsim::test {
namespace {

std::vector<hlo::Integers> groups_of(const std::string& attribute) {
    const hlo::Module module = hlo::parse_text(
        "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n"
        "ENTRY main { x = f32[2] parameter(0)\n ROOT y = f32[2] all-reduce(x), channel_id=1, " +
        attribute + "use_global_device_ids=true, to_apply=sum\n}");
    return hlo::replica_groups(module.entry_computation().root_instruction().attributes);
}

TEST(ReplicaGroups, AreReadFromEveryEncoding) {
    const std::pair<const char*, std::vector<hlo::Integers>> cases[] = {
        {"", {}},
        {"replica_groups={}, ", {}},
        {"replica_groups={{0,2},{1,3}}, ", {{0, 2}, {1, 3}}},
        {"replica_groups=[2,4]<=[8], ", {{0, 1, 2, 3}, {4, 5, 6, 7}}},
        {"replica_groups=[2,4]<=[4,2]T(1,0), ", {{0, 2, 4, 6}, {1, 3, 5, 7}}},
        {"replica_groups=mesh['a'=2,'b'=4] {'b'}, ", {{0, 1, 2, 3}, {4, 5, 6, 7}}},
        {"replica_groups=mesh['a'=2,'b'=4] {'a'}, ", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
        {"replica_groups=mesh['a'=2,'b'=4] {'b','a'}, ", {{0, 4, 1, 5, 2, 6, 3, 7}}},
        {"replica_groups=mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a'}, ",
         {{0, 1}, {2, 3}, {4, 5}, {6, 7}}},
        {"replica_groups=mesh['a'=8] {'a':(2)2}, ", {{0, 2}, {1, 3}, {4, 6}, {5, 7}}},
        {"replica_groups=mesh['a'=8] {'a':(1)2}, ", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
    };
    for (const auto& [attribute, expected] : cases) EXPECT_EQ(groups_of(attribute), expected) << attribute;
}

TEST(ReplicaGroups, MistakesAreNamed) {
    const std::pair<const char*, const char*> cases[] = {
        {"replica_groups={{0,1},{1,2}}, ", "the replica groups have the id 1 twice"},
        {"replica_groups={{0,-1}}, ", "the replica groups have the id -1"},
        {"replica_groups=[2,4]<=[4], ", "2 groups of 4 are not the 4 devices of the iota"},
        {"replica_groups=[2,4]<=[4,2]T(1,1), ", "(1,1) is no permutation"},
        {"replica_groups=[1,1]<=[2000000], ", "the iota [2000000] has more than 1048576 devices"},
        {"replica_groups=mesh['a'=6] {'a':(2)2}, ", "'a' of size 6 has no part (2)2"},
        {"replica_groups=mesh['a'=0] {'a'}, ", "the mesh [0] has a size below 1"},
    };
    for (const auto& [attribute, expected] : cases) {
        EXPECT_EQ(message_of<hlo::Error>([&] { (void)groups_of(attribute); }), expected) << attribute;
    }
}

}  // namespace
}  // namespace trnsim::test
