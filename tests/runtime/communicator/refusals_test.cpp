// Tests what the communicator refuses, and how a collective that cannot end is reported.
#include <gtest/gtest.h>

#include "compiler/collectives/error.hpp"
#include "runtime/communicator/communicator.hpp"
#include "runtime/communicator/server_of.hpp"

namespace trnsim::communicator {
namespace {

template <typename Work>
std::string message_of(const Work& work) {
    try {
        work();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "none";
}

Buffers at(std::size_t ranks, std::uint64_t input, std::uint64_t output) {
    return {std::vector(ranks, input), std::vector(ranks, output)};
}

TEST(CommunicatorRefusals, RanksAndBuffers) {
    tlm::LinkedServer server(test::server_of("chips: 2\nslots: [none]\ntopology: ring 2\n"),
                             {.collectives = true});
    EXPECT_EQ(message_of([&] { first_cores(server.description(), 3); }),
              "trn1.32xlarge: 3 ranks, expected at most 2, its cores");
    EXPECT_EQ(message_of([&] {
                  Communicator(server, {{0, 0}, {1, 1}});
              }),
              "rank 1: chip 1 core 1, expected a core of trn1.32xlarge");
    EXPECT_EQ(message_of([&] {
                  Communicator(server, {{1, 0}, {1, 0}});
              }),
              "rank 1: chip 1 core 0 has a rank already, expected another");
    Communicator communicator(server, {{0, 0}, {1, 0}});
    EXPECT_EQ(message_of([&] { communicator.prepare({.count = 1, .ranks = 3}, at(2, 0, 4096)); }),
              "request of 3 ranks, expected 2");
    EXPECT_EQ(message_of([&] {
                  communicator.prepare({.count = 1024, .ranks = 2}, at(2, 0, 16ULL << 30));
              }).substr(0, 77),
              "rank 0: output of 4096 bytes at 0x400000000, expected it within 0x0 to 0x3fff");
    EXPECT_EQ(message_of([&] {
                  communicator.prepare({.count = 5ULL << 30, .ranks = 2}, at(2, 0, 0));
              }).substr(0, 8),
              "rank 0: ");
    EXPECT_NE(message_of([&] {
                  communicator.prepare({.count = 1, .ranks = 2}, at(2, 0, 4096),
                                       {.algorithm = collectives::Algorithm::Direct});
              }),
              "none");
}

TEST(CommunicatorRefusals, AChipThatIsCutOff) {
    tlm::LinkedServer server(test::server_of("chips: 3\nslots: [none]\ntopology: ring 3\n"),
                             {.collectives = true});
    Communicator communicator(server, first_cores(server.description(), 3));
    communicator.prepare({.count = 5'000, .ranks = 3}, at(3, 0, 1 << 20));
    const Time undisturbed = communicator.run();
    EXPECT_GT(undisturbed, 0u);
    server.network().cut(0, true);
    EXPECT_GT(communicator.run(), 0u) << "the other way round is left";
    server.network().cut(1, true);
    const std::string message = message_of([&] { communicator.run(); });
    EXPECT_NE(message.find("cannot be reached: down are"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(message_of([&] { communicator.run(); }), message) << "nothing is left of the one before";
    server.network().restore(0);
    server.network().restore(1);
    server.server().advance(1'000'000'000'000);
    EXPECT_EQ(communicator.run(), undisturbed);
    communicator.prepare({.count = 5'000, .ranks = 3}, at(3, 0, 1 << 20));
    EXPECT_EQ(communicator.run(), undisturbed);
}

}  // namespace
}  // namespace trnsim::communicator
