// The byte stream between a debugger and its target: packets of GDB's remote serial protocol over TCP.
//
// Protocol: "Remote Protocol" in the manual of GDB.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace trnsim::gdb {

class Connection {
  public:
    // Listens on the loopback interface; port 0 means any free one. `ended`, if given, is called again and
    // again while waiting for the debugger; once it returns true, the debugger counts as gone. Throws
    // std::runtime_error if it cannot listen.
    explicit Connection(std::uint16_t port, std::function<bool()> ended = {});

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    // Waits for the only debugger; further ones are refused.
    void accept();
    bool open() const { return socket_.is_open(); }
    void close();

    // Waits for a packet. Returns nothing if the debugger has gone; then the connection is closed.
    std::optional<std::string> receive();
    void send(std::string_view packet);
    // Returns whether the debugger has sent its interrupt character, without waiting; other data is left for
    // receive().
    bool interrupted();

    // From now on neither side acknowledges packets.
    void stop_acknowledging() { acknowledges_ = false; }

  private:
    bool wait();  // for characters; false if the connection has ended
    int next();   // a character; -1 when there are no more
    bool write(std::string_view text);

    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_;
    asio::ip::tcp::socket socket_;
    std::function<bool()> ended_;
    std::string read_;  // characters read but not taken yet
    bool acknowledges_ = true;
};

// Escape binary data for packets, and undo that.
std::string escape(std::string_view data);
std::string unescape(std::string_view text);

}  // namespace trnsim::gdb
