// Tests fetches and posted writes of the core, and its reads of tables.
#include <algorithm>
#include <cstring>

#include "model/core/bench.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t BeatBytes = tlm::TableWords * sizeof(std::uint32_t);

class Manager : public testing::TestWithParam<FakeCore::Style> {};

TEST_P(Manager, FetchesAndPosts) {
    CoreBench b("b", GetParam());
    elaborate();
    const auto content = pattern(MemoryBytes, 5);
    auto& fill = b.host.pool.make(::tlm::TLM_WRITE_COMMAND, 0, MemoryBytes);
    std::copy(content.begin(), content.end(), fill.get_data_ptr());
    b.core.manager.port.socket->transport_dbg(fill);
    fill.release();
    auto random = generator();
    std::vector<FakeCore::Fetch> sent(100);
    constexpr std::uint64_t Posted = 4096;  // bytes at the start of the memory that posts go to
    for (FakeCore::Fetch& fetch : sent) {
        fetch = {static_cast<std::uint8_t>(random() % 5), static_cast<std::uint8_t>(1 + random() % 8),
                 Posted + 64 * (random() % 15000)};
    }
    b.fake->fetches = {sent.begin(), sent.end()};
    for (std::uint32_t i = 0; i < 40; ++i)
        b.fake->posts.push_back({static_cast<std::uint8_t>(i % 5), 4 * i, 0x1000 + i});
    constexpr std::uint64_t Wide = 1024;
    for (std::uint32_t i = 0; i < 20; ++i) b.fake->posts.push_back({5, Wide + 16 * i, 0x2000 + 4 * i, true});
    b.fake->posts.push_back({2, MemoryBytes, 0});
    b.host.write32(0, 1);
    sc_core::sc_start();
    ASSERT_EQ(b.fake->fetched.size(), sent.size());
    for (std::uint8_t id = 0; id < 5; ++id) {
        auto got = b.fake->fetched.begin();
        for (const FakeCore::Fetch& fetch : sent) {
            if (fetch.id != id) continue;
            got = std::find_if(got, b.fake->fetched.end(), [&](const auto& f) { return f.id == id; });
            ASSERT_EQ(got->words.size(), fetch.beats * 16u);
            EXPECT_EQ(got->response, 0);
            EXPECT_EQ(std::memcmp(got->words.data(), &content[fetch.address], fetch.beats * 64u), 0);
            ++got;
        }
    }
    ASSERT_EQ(b.fake->acknowledged.size(), 61u);
    const std::pair<std::uint8_t, std::uint8_t> refused(2, 2);
    EXPECT_EQ(std::count(b.fake->acknowledged.begin(), b.fake->acknowledged.end(), refused), 1);
    EXPECT_EQ(b.core.statistics().manager.reads, 100u);
    EXPECT_EQ(b.core.statistics().manager.bytes_written, 41u * 4 + 20u * 16);
    auto& written = b.host.pool.make(::tlm::TLM_READ_COMMAND, 0, Posted);
    b.core.manager.port.socket->transport_dbg(written);
    const auto word = [&](std::uint64_t address) {
        std::uint32_t value = 0;
        std::memcpy(&value, written.get_data_ptr() + address, sizeof(value));
        return value;
    };
    for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(word(4 * i), 0x1000 + i);
    for (std::uint32_t i = 0; i < 80; ++i) EXPECT_EQ(word(Wide + 4 * i), 0x2000 + i);
    written.release();
}

INSTANTIATE_TEST_SUITE_P(Styles, Manager,
                         testing::Values(FakeCore::Style{2, 64, 0, 2}, FakeCore::Style{2, 64, 60, 0},
                                         FakeCore::Style{2, 64, 0, 2, 1}, FakeCore::Style{2, 64, 0, 2, 2},
                                         FakeCore::Style{2, 64, 60, 0, 3}));

TEST_P(Manager, ReadsTablesInOrder) {
    CoreBench b("b", GetParam());
    elaborate();
    const auto content = pattern(MemoryBytes, 6);
    auto& fill = b.host.pool.make(::tlm::TLM_WRITE_COMMAND, 0, MemoryBytes);
    std::copy(content.begin(), content.end(), fill.get_data_ptr());
    b.core.tables.port.socket->transport_dbg(fill);
    fill.release();
    auto random = generator();
    std::vector<FakeCore::Fetch> sent(60);
    for (FakeCore::Fetch& burst : sent)
        burst = {0, static_cast<std::uint8_t>(1 + random() % 8), 4096 * (random() % 250)};
    sent.push_back({0, 2, MemoryBytes});  // outside the memory
    b.fake->tables = {sent.begin(), sent.end()};
    b.host.write32(0, 1);
    sc_core::sc_start();
    auto got = b.fake->tables_read.begin();
    std::uint64_t bytes = 0;
    for (const FakeCore::Fetch& burst : sent) {
        for (unsigned beat = 0; beat < burst.beats; ++beat, ++got, bytes += BeatBytes) {
            ASSERT_NE(got, b.fake->tables_read.end());
            const std::uint64_t at = burst.address + beat * BeatBytes;
            EXPECT_EQ(got->response, at < MemoryBytes ? 0 : 2);
            if (at >= MemoryBytes) continue;
            EXPECT_EQ(std::memcmp(got->words.data(), &content[at], BeatBytes), 0);
        }
    }
    EXPECT_EQ(got, b.fake->tables_read.end());
    EXPECT_EQ(b.core.statistics().tables.bytes_read, bytes);
}

TEST(CoreManager, FetchOutsideMemoryIsAnswered) {
    CoreBench b("b");
    elaborate();
    b.fake->fetches.push_back({3, 2, MemoryBytes});
    b.host.write32(0, 1);
    sc_core::sc_start();
    ASSERT_EQ(b.fake->fetched.size(), 1u);
    EXPECT_EQ(b.fake->fetched[0].response, 2);
}

}  // namespace
}  // namespace trnsim::test
