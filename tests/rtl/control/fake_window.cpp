#include "rtl/control/fake_window.hpp"

#include <gtest/gtest.h>

namespace trnsim::test {

namespace {
constexpr std::uint32_t EndOfMemories = 0x2700000;
}

FakeWindow::FakeWindow(std::uint64_t seed, unsigned ready_percent, unsigned latency)
    : random_(seed), ready_percent_(ready_percent), latency_(latency) {}

void FakeWindow::reset() {
    address_taken_ = data_taken_ = false;
    access_.reset();
    forwarded_.reset();
    ready_.reset();
    words.clear();
}

const WindowOut& FakeWindow::drive() {
    const auto chance = [&] { return random_() % 100 < ready_percent_; };
    out_ = {};
    out_.aw_ready = chance() && !access_ && !address_taken_;
    out_.ar_ready = chance() && !access_ && !address_taken_;
    out_.w_ready = chance() && !access_ && !data_taken_;
    if (ready_ && *ready_ <= now_) {
        out_.b_valid = access_->write;
        out_.r_valid = !access_->write;
        out_.resp = error_ ? 2 : 0;
        out_.r_data = data_;
    }
    return out_;
}

void FakeWindow::answer(std::uint32_t data, bool error) {
    data_ = data;
    error_ = error;
    ready_ = now_ + 1 + random_() % (latency_ + 1);
    forwarded_.reset();
}

void FakeWindow::clock(const WindowIn& in) {
    if (out_.b_valid || out_.r_valid) {
        access_.reset();
        ready_.reset();
    }
    const bool read = in.ar_valid && out_.ar_ready;
    if (in.aw_valid && out_.aw_ready) {
        address_taken_ = true;
        request_.address = in.address;
    }
    if (in.w_valid && out_.w_ready) {
        data_taken_ = true;
        request_.data = in.w_data;
    }
    if (read) request_.address = in.address;
    if (read || (address_taken_ && data_taken_)) {
        request_.write = !read;
        EXPECT_EQ(request_.address % 4, 0u);
        access_ = request_;
        address_taken_ = data_taken_ = false;
        if (request_.address >= EndOfMemories) {
            forwarded_ = request_;
        } else {
            const bool hole = holes.contains(request_.address);
            if (request_.write && !hole) words[request_.address] = request_.data;
            answer(hole ? 0 : words[request_.address], hole);
        }
    }
    ++now_;
}

}  // namespace trnsim::test
