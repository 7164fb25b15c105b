#include "tools/gdb/connection.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/write.hpp>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace trnsim::gdb {
namespace {

using asio::ip::tcp;

constexpr char Interrupt = 3, Escape = '}', EscapeBit = 0x20;
constexpr std::size_t LongestPacket = 1 << 20;
constexpr int MillisecondsPerQuestion = 100;  // time between two calls of `ended`
constexpr std::string_view Special = "#$}*";

std::uint8_t checksum(std::string_view packet) {
    std::uint8_t sum = 0;
    for (const char c : packet) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
    return sum;
}

}  // namespace

std::string escape(std::string_view data) {
    std::string text;
    for (const char c : data) {
        if (Special.find(c) == std::string_view::npos) {
            text += c;
        } else {
            text += Escape;
            text += static_cast<char>(c ^ EscapeBit);
        }
    }
    return text;
}

std::string unescape(std::string_view text) {
    std::string data;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == Escape && i + 1 < text.size();
        data += escaped ? static_cast<char>(text[++i] ^ EscapeBit) : text[i];
    }
    return data;
}

Connection::Connection(std::uint16_t port, std::function<bool()> ended)
    : acceptor_(context_), socket_(context_), ended_(std::move(ended)) {
    const tcp::endpoint place(asio::ip::address_v4::loopback(), port);
    asio::error_code failure;
    acceptor_.open(place.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    (void)acceptor_.bind(place, failure);
    if (!failure) (void)acceptor_.listen(1, failure);
    if (failure)
        throw std::runtime_error(fmt::format("cannot listen on 127.0.0.1:{}: {}", port, failure.message()));
}

void Connection::accept() {
    acceptor_.accept(socket_);
    acceptor_.close();
    socket_.set_option(tcp::no_delay(true));
}

void Connection::close() {
    asio::error_code ignored;
    (void)socket_.close(ignored);
}

bool Connection::wait() {
    pollfd socket{.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
    while (::poll(&socket, 1, MillisecondsPerQuestion) <= 0)
        if (ended_ && ended_()) return false;
    return true;
}

int Connection::next() {
    if (read_.empty()) {
        if (!wait()) return -1;
        std::array<char, 4096> piece{};
        asio::error_code failure;
        const std::size_t bytes = socket_.read_some(asio::buffer(piece), failure);
        if (failure || bytes == 0) return -1;
        read_.assign(piece.data(), bytes);
    }
    const auto c = static_cast<unsigned char>(read_.front());
    read_.erase(0, 1);
    return c;
}

bool Connection::write(std::string_view text) {
    asio::error_code failure;
    asio::write(socket_, asio::buffer(text), failure);
    if (failure) close();
    return !failure;
}

std::optional<std::string> Connection::receive() {
    while (open()) {
        int c = next();
        while (c != '$' && c >= 0) c = next();
        std::string packet;
        while ((c = next()) >= 0 && c != '#' && packet.size() < LongestPacket) packet += static_cast<char>(c);
        std::string sum;
        for (int digit = 0; digit < 2 && c >= 0; ++digit) sum += static_cast<char>(c = next());
        if (c < 0 || packet.size() == LongestPacket) break;
        unsigned expected = 0;
        const bool good = std::from_chars(sum.data(), sum.data() + sum.size(), expected, 16).ptr ==
                              sum.data() + sum.size() &&
                          expected == checksum(packet);
        if (acknowledges_ && !write(good ? "+" : "-")) break;
        if (good || !acknowledges_) return packet;
    }
    close();
    return std::nullopt;
}

void Connection::send(std::string_view packet) {
    const std::string text = fmt::format("${}#{:02x}", packet, checksum(packet));
    for (;;) {
        if (!open() || !write(text)) return;
        if (!acknowledges_) return;
        int c = next();
        while (c != '+' && c != '-' && c >= 0) c = next();
        if (c < 0) close();
        if (c != '-') return;
    }
}

bool Connection::interrupted() {
    asio::error_code failure;
    const std::size_t bytes = socket_.available(failure);
    if (failure) {
        close();
        return false;
    }
    if (bytes != 0) {
        std::string piece(bytes, '\0');
        piece.resize(socket_.read_some(asio::buffer(piece), failure));
        read_ += piece;
    }
    const std::size_t at = read_.find(Interrupt);
    if (at == std::string::npos) return false;
    read_.erase(at, 1);
    return true;
}

}  // namespace trnsim::gdb
