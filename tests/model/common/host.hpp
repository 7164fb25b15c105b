// An initiator for tests: it sends reads and writes, and keeps the replies and their times.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "model/protocol/checker.hpp"
#include "model/protocol/initiator_port.hpp"

namespace trnsim::test {

struct Reply {
    tlm::Time at;
    tlm::Response status;
    std::vector<std::uint8_t> data;
};

class Host : public sc_core::sc_module {
  public:
    explicit Host(const sc_core::sc_module_name& name)
        : sc_module(name), port("port", [this](tlm::protocol::Transaction& t, tlm::Time at) {
              replies[t.tag] = {
                  at, t.get_response_status(), {t.get_data_ptr(), t.get_data_ptr() + t.get_data_length()}};
          }) {}

    tlm::protocol::PayloadPool pool;
    tlm::protocol::InitiatorPort port;
    std::map<std::uint64_t, Reply> replies;  // by the number that read() or write() returned

    std::uint64_t read(std::uint64_t address, std::uint32_t length, tlm::Time at = 0) {
        return send(pool.make(::tlm::TLM_READ_COMMAND, address, length), at);
    }

    std::uint64_t write(std::uint64_t address, const std::vector<std::uint8_t>& data, tlm::Time at = 0) {
        auto& t = pool.make(::tlm::TLM_WRITE_COMMAND, address, static_cast<std::uint32_t>(data.size()));
        std::copy(data.begin(), data.end(), t.get_data_ptr());
        return send(t, at);
    }

    std::uint64_t write32(std::uint64_t address, std::uint32_t value, tlm::Time at = 0) {
        std::vector<std::uint8_t> bytes(4);
        for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
        return write(address, bytes, at);
    }

    std::uint64_t send(tlm::protocol::Transaction& t, tlm::Time at) {
        t.tag = next_++;
        const std::uint64_t tag = t.tag;
        port.send(t, std::max(at, tlm::now()));
        return tag;
    }

    unsigned debug(::tlm::tlm_command command, std::uint64_t address, std::vector<std::uint8_t>& data) {
        auto& t = pool.make(command, address, static_cast<std::uint32_t>(data.size()));
        if (command == ::tlm::TLM_WRITE_COMMAND) std::copy(data.begin(), data.end(), t.get_data_ptr());
        const unsigned count = port.socket->transport_dbg(t);
        if (command == ::tlm::TLM_READ_COMMAND) std::copy_n(t.get_data_ptr(), data.size(), data.begin());
        t.release();
        return count;
    }

  private:
    std::uint64_t next_ = 0;
};

// The checkers between pairs of sockets, and their findings.
class Checkers {
  public:
    template <typename Initiator, typename Target>
    void bind(Initiator& initiator, Target& target) {
        auto& checker = all_.emplace_back(("checker_" + std::to_string(all_.size())).c_str());
        initiator.bind(checker.target);
        checker.initiator.bind(target);
    }

    // Returns every violation and every unfinished transaction.
    std::vector<std::string> findings() const {
        std::vector<std::string> found;
        for (const auto& checker : all_) {
            for (const auto& violation : checker.violations()) found.push_back(violation.text);
            if (checker.unfinished() != 0)
                found.push_back(std::string(checker.name()) + ": unfinished transactions");
        }
        return found;
    }

  private:
    std::deque<tlm::protocol::Checker> all_;
};

// Binds everything; no further modules are possible after this.
inline void elaborate() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

inline std::vector<std::uint8_t> pattern(std::size_t length, std::uint64_t seed) {
    std::vector<std::uint8_t> bytes(length);
    std::uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
    for (std::uint8_t& byte : bytes) {
        state = state * 6364136223846793005 + 1442695040888963407;
        byte = static_cast<std::uint8_t>(state >> 56);
    }
    return bytes;
}

}  // namespace trnsim::test
