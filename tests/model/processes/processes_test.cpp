// Tests messages between processes, and what happens when a process fails.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/random.hpp"
#include "model/processes/agreement.hpp"
#include "model/processes/bytes.hpp"
#include "model/processes/run.hpp"
#include "model/processes/run_here.hpp"

namespace trnsim::tlm::processes {
namespace {

namespace fs = std::filesystem;

std::string failure(unsigned count, const std::function<std::string(Exchange&)>& work) {
    try {
        run(count, work);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

void expect_no_child() {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

// Makes a message that depends only on the sender, the receiver and the round; some are longer than a socket
// can hold.
Message message_of(unsigned from, unsigned to, unsigned round) {
    std::mt19937_64 random(test::seed() + ((from * 64ULL + to) << 20) + round);
    Message message(random() % 3 == 0 ? 0 : random() % (round % 5 == 0 ? 1'500'000 : 300));
    for (std::uint8_t& byte : message) byte = static_cast<std::uint8_t>(random());
    return message;
}

// Exchanges messages with all and returns how many were wrong.
std::string exchange_messages(Exchange& exchange) {
    const unsigned count = exchange.size();
    std::size_t wrong = 0;
    for (unsigned round = 0; round < 12 * test::heavy_scale(); ++round) {
        std::vector<Message> messages;
        for (unsigned p = 0; p < count; ++p) messages.push_back(message_of(exchange.rank(), p, round));
        messages = exchange.all_to_all(std::move(messages));
        for (unsigned p = 0; p < count; ++p)
            wrong += messages[p] != message_of(p, exchange.rank(), round) ? 1 : 0;
    }
    std::vector<Message> sums(count, Message{static_cast<std::uint8_t>(wrong)});
    for (const Message& one : exchange.all_to_all(std::move(sums))) wrong += one[0];
    return std::to_string(exchange.rank()) + " of " + std::to_string(count) + ": " + std::to_string(wrong);
}

TEST(Processes, EveryMessageArrives) {
    for (const unsigned count : {1u, 2u, 3u, 5u})
        EXPECT_EQ(run(count, exchange_messages), "0 of " + std::to_string(count) + ": 0");
    expect_no_child();
}

// Returns the result of run_here() in each of `count` processes that another program has started; each calls
// it twice.
std::vector<std::string> endings_here(unsigned count, const std::function<std::string(Exchange&)>& work) {
    const std::string text = run(count, [&](Exchange& others) {
        std::string ending;
        for (int time = 0; time < 2; ++time) {
            try {
                ending = run_here(others, work);
            } catch (const Error& error) {
                ending = "error: " + std::string(error.what());
            }
            expect_no_child();
        }
        Message all;
        for (const Message& one :
             others.all_to_all(std::vector<Message>(count, Message(ending.begin(), ending.end())))) {
            all.insert(all.end(), one.begin(), one.end());
            all.push_back('\n');
        }
        return std::string(all.begin(), all.end());
    });
    std::istringstream lines(text);
    std::vector<std::string> endings;
    for (std::string line; std::getline(lines, line);) endings.push_back(line);
    return endings;
}

TEST(ProcessesStartedElsewhere, EveryMessageArrivesAndAllHaveTheResult) {
    for (const unsigned count : {1u, 2u, 3u, 5u}) {
        const std::vector<std::string> same(count, "0 of " + std::to_string(count) + ": 0");
        EXPECT_EQ(endings_here(count, exchange_messages), same);
    }
}

TEST(ProcessesStartedElsewhere, AllSayTheSameOfOneThatFails) {
    const auto ends_with = [](const std::string& text, const auto& fail) {
        const std::vector<std::string> same(4, "error: " + text);
        EXPECT_EQ(endings_here(4,
                               [&](Exchange& exchange) -> std::string {
                                   for (unsigned round = 0;; ++round) {
                                       exchange.all_to_all(std::vector<Message>(4, Message(round * 100)));
                                       if (round == 20 && exchange.rank() == 2) return fail();
                                   }
                               }),
                  same);
    };
    ends_with("process 2 of 4: ended by signal 9 (Killed)", [] {
        ::kill(::getpid(), SIGKILL);
        return std::string();
    });
    ends_with("too little of it", []() -> std::string { throw std::runtime_error("too little of it"); });
    ends_with("process 2 of 4 has ended", [] { return std::string("has not waited for the others"); });
}

// Failures of the simulation differ from errors in the work's input.
TEST(Processes, FailuresAreToldFromOtherErrors) {
    const auto is_failure = [](const std::function<void()>& end) {
        const auto work = [&](Exchange& exchange) -> std::string {
            if (exchange.rank() == 1) end();
            exchange.all_to_all(std::vector<Message>(3));
            return "";
        };
        bool failure = false;
        try {
            run(3, work);
            ADD_FAILURE() << "has ended well";
        } catch (const Failure&) {
            failure = true;
        } catch (const Error&) {
        }
        return failure;
    };
    EXPECT_TRUE(is_failure([] { ::kill(::getpid(), SIGKILL); }));
    EXPECT_TRUE(is_failure([] { throw Failure("a model has no more room"); }));
    EXPECT_FALSE(is_failure([] { throw std::runtime_error("there is no such file"); }));
}

TEST(Processes, OneThatIsKilledEndsAll) {
    const fs::path folder = fs::path(testing::TempDir()) / "processes";
    fs::remove_all(folder);
    fs::create_directory(folder);
    const std::string why = failure(4, [&](Exchange& exchange) -> std::string {
        try {
            for (unsigned round = 0;; ++round) {
                exchange.all_to_all(std::vector<Message>(4, Message(round * 100)));
                if (round == 20 && exchange.rank() == 2) ::kill(::getpid(), SIGKILL);
            }
        } catch (const Ended& ended) {
            std::ofstream(folder / std::to_string(exchange.rank())) << ended.what();
            throw;
        }
    });
    EXPECT_EQ(why, "process 2 of 4: ended by signal 9 (Killed)");
    expect_no_child();
    for (const unsigned rank : {0, 1, 3}) {
        std::ifstream stream(folder / std::to_string(rank));
        std::string line;
        std::getline(stream, line);
        // A process that first sees another one end reports that.
        EXPECT_EQ(line.substr(0, 8), "process ") << rank;
        EXPECT_EQ(line.substr(line.find(' ', 8)), " of 4 has ended") << rank;
    }
}

TEST(Processes, AnExceptionIsTheReasonNotThatOthersSawItsProcessEnd) {
    EXPECT_EQ(failure(3,
                      [](Exchange& exchange) -> std::string {
                          exchange.all_to_all(std::vector<Message>(3));
                          if (exchange.rank() == 1) throw std::runtime_error("too little of it");
                          while (true) exchange.all_to_all(std::vector<Message>(3));
                      }),
              "too little of it");
    EXPECT_EQ(failure(2,
                      [](Exchange& exchange) -> std::string {
                          if (exchange.rank() == 1) return "has not waited for process 0";
                          while (true) exchange.all_to_all(std::vector<Message>(2));
                      }),
              "process 1 of 2 has ended");
    expect_no_child();
}

// Returns the messages of three processes about the facts. Process 2 has other facts; the host's name is left
// out.
std::vector<std::string> opinions(const Facts& facts, const Facts& of_process_2) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string on = std::string(" on ") + host.data();
    const std::string text = run(3, [&](Exchange& exchange) {
        std::string opinion = "the same";
        try {
            expect_same(exchange, exchange.rank() == 2 ? of_process_2 : facts);
        } catch (const std::runtime_error& error) {
            opinion = error.what();
            for (std::size_t at = 0; (at = opinion.find(on)) != std::string::npos;)
                opinion.erase(at, on.size());
        }
        std::string all;
        for (const Message& one :
             exchange.all_to_all(std::vector<Message>(3, Message(opinion.begin(), opinion.end()))))
            all += std::string(one.begin(), one.end()) + '\n';
        return all;
    });
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
}

TEST(Agreement, AllSayTheSameOfTheFirstFactThatDiffers) {
    const Facts facts{{"program", "1"}, {"links.lanes", "16"}, {"links.buffer", "8"}};
    const auto all_say = [](const std::string& line) { return std::vector<std::string>(3, line); };
    EXPECT_EQ(opinions(facts, facts), all_say("the same"));
    EXPECT_EQ(opinions(facts, {{"program", "1"}, {"links.lanes", "8"}, {"links.buffer", "4"}}),
              all_say("process 2 of 3: links.lanes: found 8, expected 16 as process 0 has"));
    EXPECT_EQ(opinions(facts, {{"program", "2"}}),
              all_say("process 2 of 3: program: found 2, expected 1 as process 0 has"));
    EXPECT_EQ(opinions(facts, {{"program", "1"}, {"lanes", "16"}, {"links.buffer", "8"}}),
              all_say("process 2 of 3: links.lanes: found nothing, expected 16 as process 0 has"));
    EXPECT_EQ(opinions(facts, {{"program", "1"}}),
              all_say("process 2 of 3: links.lanes: found nothing, expected 16 as process 0 has"));
    EXPECT_EQ(opinions({{"program", "1"}}, facts),
              all_say("process 2 of 3: links.lanes: found it, expected nothing as process 0 has"));
    EXPECT_EQ(opinions(facts, {{"program", "a\nb"}}),
              all_say("process 2 of 3: program: found a\\nb, expected 1 as process 0 has"));
}

TEST(Processes, ValuesAsBytes) {
    Message message;
    Writer writer(message);
    writer.put(std::uint16_t{513});
    writer.put_text("a line");
    writer.put(true);
    writer.put_bytes({});
    Reader reader(message);
    EXPECT_EQ(reader.get<std::uint16_t>(), 513);
    EXPECT_EQ(reader.get_text(), "a line");
    EXPECT_TRUE(reader.get<bool>());
    EXPECT_FALSE(reader.at_end());
    EXPECT_TRUE(reader.get_bytes().empty());
    EXPECT_TRUE(reader.at_end());
    EXPECT_THROW(reader.get<bool>(), std::logic_error);
}

}  // namespace
}  // namespace trnsim::tlm::processes
