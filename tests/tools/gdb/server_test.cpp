// Tests the remote target over a socket; the test plays the debugger. A fake provides the state of the cores.
#include <gtest/gtest.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <regex>
#include <thread>

#include "common/random.hpp"
#include "tools/gdb/address_space.hpp"
#include "tools/gdb/hex.hpp"
#include "tools/gdb/server.hpp"

namespace trnsim::gdb {
namespace {

constexpr unsigned Cores = 3;
constexpr std::uint32_t Partitions = 40;  // the last core has eight
constexpr std::uint32_t Tcm = 0x80000000, TcmBytes = 65536, Slice = 0x90000000;

using tlm::GpsimdReason;
using tlm::GpsimdResume;

struct FakeView : tlm::GpsimdView {
    std::uint32_t scalar(unsigned index) const override { return index == 0 ? 0 : scalars.at(index); }
    std::span<const std::uint8_t> vector(unsigned index) const override { return vectors.at(index); }
    std::optional<std::uint32_t> csr(std::uint32_t number) const override {
        const auto found = csrs.find(number);
        return found == csrs.end() ? std::nullopt : std::optional(found->second);
    }
    std::span<const std::uint8_t> memory() const override { return {}; }

    std::array<std::uint32_t, 64> scalars{};
    std::array<std::array<std::uint8_t, 16>, 32> vectors{};
    std::map<std::uint32_t, std::uint32_t> csrs{{1, 0}, {0x342, 2}, {0xc20, 7}};
};

struct FakePort : tlm::GpsimdDebugPort {
    unsigned cores() const override { return Cores; }
    tlm::GpsimdState state(unsigned core) const override { return static_cast<tlm::GpsimdState>(core); }
    const tlm::GpsimdView& view(unsigned core) const override { return views.at(core); }
    std::uint32_t pc(unsigned core) const override { return pcs.at(core); }
    bool set_pc(unsigned core, std::uint32_t pc) override {
        if (core != 1 || pc % 4 != 0) return false;
        pcs.at(core) = pc;
        return true;
    }
    bool set_scalar(unsigned core, unsigned index, std::uint32_t value) override {
        views.at(core).scalars.at(index) = value;
        return true;
    }
    bool set_vector(unsigned core, unsigned index, std::span<const std::uint8_t> bytes) override {
        if (index >= 32 || bytes.size() != 16) return false;
        std::copy(bytes.begin(), bytes.end(), views.at(core).vectors.at(index).begin());
        return true;
    }
    bool set_csr(unsigned core, std::uint32_t number, std::uint32_t value) override {
        if (number != 1) return false;
        views.at(core).csrs[number] = value;
        return true;
    }
    bool read(std::uint32_t offset, std::span<std::uint8_t> data) override {
        for (std::size_t i = 0; i < data.size(); ++i) {
            const auto at = offset + static_cast<std::uint32_t>(i);
            if (hole && *hole == at) return false;
            const auto found = window.find(at);
            data[i] = found == window.end() ? std::uint8_t{0} : found->second;
        }
        return true;
    }
    bool write(std::uint32_t offset, std::span<const std::uint8_t> data) override {
        for (std::size_t i = 0; i < data.size(); ++i)
            window[offset + static_cast<std::uint32_t>(i)] = data[i];
        return true;
    }

    std::array<FakeView, Cores> views;
    std::array<std::uint32_t, Cores> pcs{0x80003000, 0x80003010, 0x80003020};
    std::map<std::uint32_t, std::uint8_t> window;
    std::optional<std::uint32_t> hole;
};

// The debugger's end of the socket.
class Client {
  public:
    explicit Client(std::uint16_t port) : socket_(context_) {
        socket_.connect({asio::ip::address_v4::loopback(), port});
        socket_.set_option(asio::ip::tcp::no_delay(true));
    }
    void raw(std::string_view text) { asio::write(socket_, asio::buffer(text)); }
    void send(std::string_view packet) {
        unsigned sum = 0;
        for (const char c : packet) sum += static_cast<unsigned char>(c);
        std::array<char, 4> end{};
        std::snprintf(end.data(), end.size(), "#%02x", sum % 256);
        raw("$" + std::string(packet) + end.data());
    }
    char character() {
        char c = 0;
        asio::error_code failure;
        asio::read(socket_, asio::buffer(&c, 1), failure);
        return failure ? '\0' : c;
    }
    // Returns the next packet without acknowledging it.
    std::string packet() {
        std::string text;
        while (character() != '$') {
        }
        for (char c = character(); c != '#'; c = character()) text += c;
        character();
        character();
        return text;
    }
    std::string ask(std::string_view packet_text) {
        send(packet_text);
        const std::string answer = packet();
        raw("+");
        return answer;
    }
    void close() { socket_.close(); }

  private:
    asio::io_context context_;
    asio::ip::tcp::socket socket_;
};

// A server with stopped cores; `talk` plays the debugger and ends with a packet that resumes.
struct Session {
    explicit Session(std::function<void(Client&)> talk, tlm::GpsimdStop stop = {}) {
        std::thread debugger([&] {
            Client client(server.port());
            talk(client);
        });
        server.accept();
        try {
            resume = server.stopped(port, stop);
        } catch (const std::runtime_error& error) {
            failure = error.what();
        }
        debugger.join();
    }
    FakePort port;
    Server server{0, Partitions};
    tlm::GpsimdDebugger::Resume resume{};
    std::string failure;
};

std::vector<GpsimdResume> modes(const Session& session) {
    return {session.resume.begin(), session.resume.begin() + Cores};
}

TEST(GdbHex, NumbersAndBytes) {
    std::uint32_t number = 0;
    std::string_view text = "1f,zz";
    EXPECT_TRUE(take_number(text, number, ','));
    EXPECT_EQ(number, 0x1fu);
    EXPECT_EQ(text, "zz");
    EXPECT_FALSE(take_number(text, number));
    text = "100000000";
    EXPECT_FALSE(take_number(text, number));
    EXPECT_EQ(from_hex("0aFf"), (std::vector<std::uint8_t>{10, 255}));
    EXPECT_FALSE(from_hex("0"));
    EXPECT_FALSE(from_hex("0g"));
    EXPECT_FALSE(from_hex("-1"));
    EXPECT_EQ(unescape(escape("a#b$c}d*e")), "a#b$c}d*e");
    EXPECT_EQ(escape("#"), std::string("}\x03"));
}

// Beat b of the slice is word b of 16 partitions, one after the other (docs/gpsimd.md).
TEST(GdbAddressSpace, SliceIsBeatsOfAWordOfEachPartition) {
    for (const std::uint32_t address : {0u, 1u, 4u, 63u, 64u, 70u, 64u * 100 + 21}) {
        for (unsigned core = 0; core < Cores; ++core) {
            const std::uint32_t partition = core * 16 + address % 64 / 4,
                                byte = address / 64 * 4 + address % 4;
            const auto piece = piece_at(core, Slice + address, 100, Partitions);
            if (partition >= Partitions) {
                EXPECT_FALSE(piece);
                continue;
            }
            ASSERT_TRUE(piece);
            const std::uint32_t stride = (piece_at(0, Slice + 4, 1, Partitions))->offset;
            EXPECT_EQ(piece->offset, partition * stride + byte);
            EXPECT_EQ(piece->bytes, 4 - address % 4);
        }
    }
    EXPECT_EQ(piece_at(1, Tcm + 16, 100, Partitions)->offset - piece_at(0, Tcm, 1, Partitions)->offset,
              16 + 0x10000u);
    EXPECT_EQ(piece_at(0, Tcm + TcmBytes - 8, 100, Partitions)->bytes, 8u);
    for (const std::uint32_t nowhere : {0u, Tcm - 1, Tcm + TcmBytes, Slice - 1, Slice + 16 * 196608, ~0u})
        EXPECT_FALSE(piece_at(0, nowhere, 1, Partitions)) << nowhere;
}

TEST(GdbServer, SaysWhatItIs) {
    const Session session([](Client& client) {
        EXPECT_EQ(client.ask("?"), "T05thread:1;");
        EXPECT_NE(client.ask("qSupported:swbreak+").find("qXfer:features:read+"), std::string::npos);
        EXPECT_EQ(client.ask("qfThreadInfo"), "m1,2,3");
        EXPECT_EQ(client.ask("qsThreadInfo"), "l");
        EXPECT_EQ(client.ask("qThreadExtraInfo,3"),
                  to_hex(std::vector<std::uint8_t>{'c', 'o', 'r', 'e', ' ', '2', ',', ' ', 's', 'l', 'e', 'e',
                                                   'p', 's'}));
        EXPECT_EQ(client.ask("T3"), "OK");
        EXPECT_EQ(client.ask("T4"), "E16");
        EXPECT_EQ(client.ask("vMustReplyEmpty"), "");
        const std::string whole = client.ask("qXfer:features:read:target.xml:0,ffff");
        ASSERT_EQ(whole.front(), 'l');
        EXPECT_NE(whole.find("name=\"mcause\""), std::string::npos);
        EXPECT_NE(whole.find("name=\"v31\" bitsize=\"128\""), std::string::npos);
        // Reads the description in pieces.
        std::string text;
        for (std::string piece = "m"; piece.front() == 'm'; text += piece.substr(1)) {
            std::array<char, 64> request{};
            std::snprintf(request.data(), request.size(), "qXfer:features:read:target.xml:%zx,%x",
                          text.size(), 333u);
            piece = client.ask(request.data());
        }
        EXPECT_EQ(text, whole.substr(1));
        client.send("c");
    });
    EXPECT_EQ(modes(session), std::vector<GpsimdResume>(Cores, GpsimdResume::Run));
}

TEST(GdbServer, AcknowledgesWholePacketsAlone) {
    const Session session([](Client& client) {
        client.raw("+noise$?#00");
        EXPECT_EQ(client.character(), '-');
        client.send("?");
        EXPECT_EQ(client.character(), '+');
        EXPECT_EQ(client.packet(), "T05thread:1;");
        client.raw("-");  // asks for a repetition
        EXPECT_EQ(client.packet(), "T05thread:1;");
        client.raw("+");
        EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
        client.send("?");
        EXPECT_EQ(client.character(), '$');
        client.send("c");
    });
}

TEST(GdbServer, Registers) {
    auto random = test::generator();
    const Session session([&random](Client& client) {
        EXPECT_EQ(client.ask("Hg2"), "OK");
        EXPECT_EQ(client.ask("Hg4"), "E16");
        EXPECT_EQ(client.ask("p20"), "10300080");
        EXPECT_EQ(client.ask("P20=04000080"), "OK");
        EXPECT_EQ(client.ask("p20"), "04000080");
        std::string all;
        for (unsigned number = 0; number < 65; ++number) {
            const auto value = static_cast<std::uint32_t>(random());
            std::vector<std::uint8_t> bytes(4);
            for (unsigned i = 0; i < 4 && number != 0; ++i)
                bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
            if (number == 32) bytes = {4, 0, 0, 0x80};
            std::array<char, 8> name{};
            std::snprintf(name.data(), name.size(), "%x", number);
            EXPECT_EQ(client.ask(std::string("P") + name.data() + "=" + to_hex(bytes)), "OK") << number;
            EXPECT_EQ(client.ask(std::string("p") + name.data()), to_hex(bytes)) << number;
            all += to_hex(bytes);
        }
        EXPECT_EQ(client.ask("g"), all);
        EXPECT_EQ(client.ask("P0=01000000"), "E0e");
        EXPECT_EQ(client.ask("G" + all), "OK");
        EXPECT_EQ(client.ask("G" + all.substr(2)), "E16");
        // CSRs come first, then vector registers.
        EXPECT_EQ(client.ask("p42"), "00000000");
        EXPECT_EQ(client.ask("P42=1f000000"), "OK");
        EXPECT_EQ(client.ask("p42"), "1f000000");
        EXPECT_EQ(client.ask("p43"), "E0e");            // no frm here
        EXPECT_EQ(client.ask("Pc61=00000000"), "E0e");  // vl
        EXPECT_EQ(client.ask("P1041=" + std::string(32, 'a')), "OK");
        EXPECT_EQ(client.ask("p1041"), std::string(32, 'a'));
        EXPECT_EQ(client.ask("P1041=aa"), "E0e");
        EXPECT_EQ(client.ask("p1061"), "E0e");
        EXPECT_EQ(client.ask("Hg1"), "OK");
        EXPECT_EQ(client.ask("p1041"), std::string(32, '0'));
        // Only a stopped core takes a pc: core 0 is halted, core 1 stopped, core 2 sleeps.
        const std::string halted = "E.core 0 is halted: the engine gives it a pc when it starts it";
        EXPECT_EQ(client.ask("P20=00000080"), halted);
        EXPECT_EQ(client.ask("G" + all), halted);
        EXPECT_EQ(client.ask("Hg2"), "OK");
        EXPECT_EQ(client.ask("P20=02000080"), "E.pc is not a multiple of 4");
        EXPECT_EQ(client.ask("Hg3"), "OK");
        EXPECT_EQ(client.ask("P20=00000080"),
                  "E.core 2 sleeps in wfi: only a core that is stopped takes a pc");
        EXPECT_EQ(client.ask("p20"), "20300080") << "as it was";
        EXPECT_EQ(client.ask("p"), "E16");
        client.send("c");
    });
    EXPECT_EQ(session.port.pcs[1], 0x80000004u);
}

TEST(GdbServer, Memory) {
    const Session session([](Client& client) {
        EXPECT_EQ(client.ask("Hg2"), "OK");
        EXPECT_EQ(client.ask("M80000010,4:01020304"), "OK");
        EXPECT_EQ(client.ask("m8000000e,8"), "0000010203040000");
        EXPECT_EQ(client.ask("X90000002,5:ab}\x03"
                             "de"),
                  "OK");  // crosses a word
        EXPECT_EQ(client.ask("m90000000,8"),
                  "00006162236465"
                  "00");
        EXPECT_EQ(client.ask("m8000fffe,8"), "0000");  // up to the end of memory
        EXPECT_EQ(client.ask("m80010000,4"), "E0e");
        EXPECT_EQ(client.ask("M8000fffe,4:01020304"), "E0e");
        EXPECT_EQ(client.ask("m8000fffe,2"), "0000");
        EXPECT_EQ(client.ask("M80000000,4:0102"), "E16");
        EXPECT_EQ(client.ask("m80000000"), "E16");
        EXPECT_EQ(client.ask("Hg3"), "OK");
        EXPECT_EQ(client.ask("m90000020,4"), "E0e");  // the core's ninth partition does not exist
        EXPECT_EQ(client.ask("m80000010,4"), "00000000");
        client.send("c");
    });
    const std::uint32_t stride = piece_at(0, Slice + 4, 1, Partitions)->offset;
    EXPECT_EQ(session.port.window.at(16 * stride + 3), 'b');
    EXPECT_EQ(session.port.window.at(17 * stride), '#');
}

tlm::GpsimdCycle access(std::uint32_t address, bool store, std::uint64_t strobe, unsigned bytes = 0) {
    tlm::GpsimdCycle cycle;
    cycle.access = {.address = address, .store = store, .bytes = bytes, .strobe = strobe};
    return cycle;
}

TEST(GdbServer, BreakpointsAndWatchpoints) {
    Session session([](Client& client) {
        for (const char* packet :
             {"Z0,80003000,4", "Z1,80003000,4", "Z1,80003008,4", "Z2,80000101,2", "Z3,90000040,4"})
            EXPECT_EQ(client.ask(packet), "OK");
        EXPECT_EQ(client.ask("z1,80003000,4"), "OK");
        EXPECT_EQ(client.ask("z1,80003008,4"), "OK");
        EXPECT_EQ(client.ask("Z5,80003000,4"), "");
        EXPECT_EQ(client.ask("Z0,80003000"), "E16");
        client.send("c");
    });
    const Server& server = session.server;
    EXPECT_TRUE(server.breaks(0, 0x80003000));
    EXPECT_FALSE(server.breaks(0, 0x80003008));
    ASSERT_TRUE(server.watches());
    EXPECT_TRUE(server.watches(access(0x80000102, true, 4)));
    EXPECT_FALSE(server.watches(access(0x80000103, true, 8)));
    EXPECT_TRUE(server.watches(access(0x80000100, true, 0xf)));
    EXPECT_FALSE(server.watches(access(0x80000100, true, 0x1)));
    tlm::GpsimdCycle load = access(0x90000040, false, 0);
    load.insn = 2 << 12;  // lw
    EXPECT_TRUE(server.watches(load));
    load.access->address = 0x9000003c;
    EXPECT_FALSE(server.watches(load));
    load = access(0x90000041, false, 0);
    EXPECT_TRUE(server.watches(load));
    load = access(0x80000101, false, 0);  // only writes are watched
    EXPECT_FALSE(server.watches(load));
    EXPECT_TRUE(server.watches(access(0x90000070, false, std::uint64_t{1} << 3, 4)));
    EXPECT_FALSE(server.watches(access(0x90000070, false, std::uint64_t{1} << 4, 4)));
}

TEST(GdbServer, ResumesEachAsTheFirstActionForItSays) {
    const std::vector<std::pair<std::string, std::vector<GpsimdResume>>> cases{
        {"vCont;c", {GpsimdResume::Run, GpsimdResume::Run, GpsimdResume::Run}},
        {"vCont;s:2;c", {GpsimdResume::Run, GpsimdResume::Step, GpsimdResume::Run}},
        {"vCont;s:2", {GpsimdResume::Stay, GpsimdResume::Step, GpsimdResume::Stay}},
        {"vCont;C05:3;S00:-1", {GpsimdResume::Step, GpsimdResume::Step, GpsimdResume::Run}},
        {"s", {GpsimdResume::Step, GpsimdResume::Run, GpsimdResume::Run}},
    };
    for (const auto& [packet, expected] : cases) {
        const std::string& text = packet;
        const Session session([&text](Client& client) {
            EXPECT_EQ(client.ask("vCont;x"), "E16");
            EXPECT_EQ(client.ask("vCont;c:4"), "E16");
            client.send(text);
        });
        EXPECT_EQ(modes(session), expected) << packet;
    }
}

TEST(GdbServer, SaysWhyItStopped) {
    Server server(0, Partitions);
    std::thread debugger([&server] {
        Client client(server.port());
        EXPECT_EQ(client.ask("Z4,80000100,4"), "OK");
        for (const char* why : {"T05thread:3;swbreak:;", "T02thread:3;", "T04thread:2;",
                                "T05thread:1;awatch:80000102;", "T05thread:2;", "W01"}) {
            client.send("c");
            EXPECT_EQ(client.packet(), why);
            client.raw("+");
        }
    });
    server.accept();
    FakePort port;
    const tlm::GpsimdCycle store = access(0x80000100, true, std::uint64_t{1} << 2);
    for (const tlm::GpsimdStop& stop : {tlm::GpsimdStop{},
                                        {.reason = GpsimdReason::Breakpoint, .core = 2},
                                        {},
                                        {.reason = GpsimdReason::Trap, .core = 1},
                                        {.reason = GpsimdReason::Access, .core = 0, .cycle = store},
                                        {.reason = GpsimdReason::Step, .core = 1}})
        server.stopped(port, stop);
    server.finish(1);
    debugger.join();
}

TEST(GdbServer, WithoutADebuggerCoresRun) {
    Session gone([](Client& client) {
        EXPECT_EQ(client.ask("Z0,80003000,4"), "OK");
        client.close();
    });
    EXPECT_EQ(modes(gone), std::vector<GpsimdResume>(Cores, GpsimdResume::Run));
    EXPECT_FALSE(gone.server.breaks(0, 0x80003000));
    EXPECT_FALSE(gone.server.asks_to_stop());
    EXPECT_EQ(gone.server.stopped(gone.port, {.reason = GpsimdReason::Trap, .core = 1}),
              tlm::GpsimdDebugger::Resume{});

    Session detached([](Client& client) {
        EXPECT_EQ(client.ask("Z0,80003000,4"), "OK");
        EXPECT_EQ(client.ask("D"), "OK");
    });
    EXPECT_FALSE(detached.server.breaks(0, 0x80003000));
    EXPECT_EQ(Session([](Client& client) { client.send("k"); }).failure, "the debugger has ended the run");
}

TEST(GdbServer, InterruptIsSeenWhileCoresRun) {
    Server server(0, Partitions);
    FakePort port;
    Client client(server.port());
    server.accept();
    EXPECT_FALSE(server.asks_to_stop());
    client.raw("\x03");
    while (!server.asks_to_stop()) {
    }
    EXPECT_FALSE(server.asks_to_stop());
}

TEST(GdbServer, AnEndedRunWaitsForNoDebugger) {
    std::atomic<bool> ended = false;
    Server server(0, Partitions, [&ended] { return ended.load(); });
    std::thread debugger([&] {
        Client client(server.port());
        client.ask("Z0,80003000,4");
        ended = true;
        EXPECT_EQ(client.character(), '\0');
    });
    server.accept();
    FakePort port;
    EXPECT_EQ(server.stopped(port, {}), tlm::GpsimdDebugger::Resume{});
    EXPECT_FALSE(server.breaks(0, 0x80003000));
    EXPECT_FALSE(server.asks_to_stop());
    debugger.join();
}

TEST(GdbServer, PortInUse) {
    const Server first(0, Partitions);
    try {
        const Server second(first.port(), Partitions);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what())
                      .find("cannot listen on 127.0.0.1:" + std::to_string(first.port()) + ": "),
                  0u);
    }
}

// Every packet of random bytes gets an answer, and the server goes on.
TEST(GdbServer, SurvivesAnyPacket) {
    auto random = test::generator();
    const Session session([&random](Client& client) {
        const std::regex resumes("vCont;(([cs]|[CS][0-9a-f]+)(:(-1|[0-9a-f]+))?(;|$))+|vKill.*|QStart.*");
        constexpr std::string_view Begin = "?HTgGpPmMXZzqQv";
        for (int i = 0; i < 3000; ++i) {
            std::string packet(1, Begin[random() % Begin.size()]);
            if (random() % 4 == 0) packet = "vCont;";
            for (unsigned left = random() % 24; left > 0; --left) {
                constexpr std::string_view Likely = "0123456789abcdef,:;=-cs";
                const char c =
                    random() % 8 == 0 ? static_cast<char>(random()) : Likely[random() % Likely.size()];
                if (c != '#' && c != '$') packet += c;
            }
            if (!std::regex_match(packet, resumes)) client.ask(packet);
        }
        client.send("c");
    });
    EXPECT_EQ(session.failure, "");
}

}  // namespace
}  // namespace trnsim::gdb
