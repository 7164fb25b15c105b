// Tests which executions can be saved, and which can resume from a checkpoint.
#include "runtime/session/checkpoint.hpp"

#include <gtest/gtest.h>

#include "common/sample_package.hpp"
#include "common/temporary_directory.hpp"
#include "runtime/session/error.hpp"

namespace trnsim::runtime {
namespace {

TEST(Checkpoints, AreRefusedForWhatTheyDoNotHave) {
    const neff::Package package = test::sample_package();
    const auto message = [&package](const Image& image, bool perturbed) {
        return test::message_of<Error>([&] { check_possible(package, image, perturbed); });
    };
    Image image;
    EXPECT_EQ(message(image, false), "");
    EXPECT_EQ(message(image, true), "kernel 'sample': the run is perturbed, which no checkpoint has");
    image.notifications.records = 16;
    EXPECT_EQ(message(image, false), "kernel 'sample': it has a notification queue, which no checkpoint has");
}

TEST(Checkpoints, AreOfOneExecution) {
    const neff::Package package = test::sample_package();
    const config::Config config = config::load("small16");
    Image image;
    image.tensor_address = {0x1000};
    image.programs.front().instructions = {isa::Instruction(isa::Opcode::Nop)};
    const checkpoint::Identity right = identity_of(config, {&package, &image}, {});
    const auto message = [&right](const checkpoint::Identity& saved) {
        const std::string text = test::message_of<Error>([&] { check_identity(saved, right); });
        return text.substr(0, text.find(" ("));
    };
    EXPECT_EQ(message(right), "");
    EXPECT_EQ(message(identity_of(config, {&package, &image}, 3)),
              "the checkpoint is of configuration small16");
    config::Config slower = config;
    slower.hbm.read_latency += 1;
    EXPECT_EQ(message(identity_of(slower, {&package, &image}, {})),
              "the checkpoint is of configuration small16");
    Image other = image;
    other.tensor_address = {0x2000};
    EXPECT_TRUE(message(identity_of(config, {&package, &other}, {}))
                    .starts_with("the checkpoint is of a placement of tensors and rings "));
    other = image;
    other.programs.front().instructions = {isa::Instruction(isa::Opcode::Halt)};
    EXPECT_EQ(message(identity_of(config, {&package, &other}, {})), "the checkpoint is of kernel sample");
}

}  // namespace
}  // namespace trnsim::runtime
