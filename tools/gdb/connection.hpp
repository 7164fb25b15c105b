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
    // Listens on the loopback interface; port 0: any free one. `ended`, where it is given, is asked again and again
    // while the debugger is waited for: then it counts as gone. Throws std::runtime_error where that is not possible.
    explicit Connection(std::uint16_t port, std::function<bool()> ended = {});

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    // Waits for a debugger, the only one; further ones are refused.
    void accept();
    bool open() const { return socket_.is_open(); }
    void close();

    // Waits. None: the debugger has gone, and the connection is closed.
    std::optional<std::string> receive();
    void send(std::string_view packet);
    // Whether the debugger has sent its interrupt character; what else comes waits for receive(). Does not wait.
    bool interrupted();

    // From now on neither side acknowledges packets.
    void stop_acknowledging() { acknowledges_ = false; }

  private:
    bool wait();  // for characters; false: it has ended
    int next();   // a character; -1 when there is none any more
    bool write(std::string_view text);

    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_;
    asio::ip::tcp::socket socket_;
    std::function<bool()> ended_;
    std::string read_;  // and not taken yet
    bool acknowledges_ = true;
};

// Binary data as packets hold it.
std::string escape(std::string_view data);
std::string unescape(std::string_view text);

}  // namespace trnsim::gdb
