// A flag that a process and those forked from it afterwards share.
#pragma once

#include <atomic>

namespace trnsim::jobs {

class SharedFlag {
  public:
    // Throws std::system_error when there is no memory.
    SharedFlag();
    ~SharedFlag();
    SharedFlag(const SharedFlag&) = delete;
    SharedFlag& operator=(const SharedFlag&) = delete;

    void raise() { *raised_ = true; }
    bool raised() const { return *raised_; }

  private:
    std::atomic<bool>* raised_;
};

}  // namespace trnsim::jobs
