// The result of a call of the runtime, with the numbers of libnrt (NRT_STATUS).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace trnsim {

enum class Status : std::uint16_t {
    Success = 0,
    Failure = 1,
    Invalid = 2,
    InvalidHandle = 3,
    Resource = 4,
    Timeout = 5,
    Closed = 14,
    ExecUnitUnrecoverable = 101,
    ExecBadInput = 1002,
    ExecCompletedWithNumericError = 1003,
    ExecCompletedWithError = 1004,
    ExecOutOfBounds = 1006,
    ExecCollectives = 1200,
    ExecHbmUncorrectable = 1201,
    ExecUncorrectable = 1202,
    ExecDmaAbort = 1203,
    ExecQueueOverflow = 1204,
};

struct StatusInfo {
    Status status;
    std::string_view nrt;   // the name in libnrt
    std::string_view text;  // the case in which the runtime returns it
};

constexpr std::array Statuses{
    StatusInfo{Status::Success, "NRT_SUCCESS", "done"},
    StatusInfo{Status::Failure, "NRT_FAILURE", "stopped before the end by who started it"},
    StatusInfo{Status::Invalid, "NRT_INVALID",
               "the package or an argument does not fit the device or another argument"},
    StatusInfo{Status::InvalidHandle, "NRT_INVALID_HANDLE", "no such model or tensor, or not any more"},
    StatusInfo{Status::Resource, "NRT_RESOURCE", "HBM has no room"},
    StatusInfo{Status::Timeout, "NRT_TIMEOUT", "hang, or longer than the longest time allowed"},
    StatusInfo{Status::Closed, "NRT_CLOSED", "the session has been closed"},
    StatusInfo{Status::ExecUnitUnrecoverable, "NRT_EXEC_UNIT_UNRECOVERABLE",
               "the simulation itself broke off; nothing can be executed in this process any more"},
    StatusInfo{Status::ExecBadInput, "NRT_EXEC_BAD_INPUT",
               "an input or output is missing, unknown or of another type, shape or size"},
    StatusInfo{Status::ExecCompletedWithNumericError, "NRT_EXEC_COMPLETED_WITH_NUM_ERR",
               "done, and an engine has written a NaN"},
    StatusInfo{Status::ExecCompletedWithError, "NRT_EXEC_COMPLETED_WITH_ERR", "an engine stopped the core"},
    StatusInfo{Status::ExecOutOfBounds, "NRT_EXEC_OOB", "the same, for an address out of range"},
    StatusInfo{Status::ExecCollectives, "NRT_EXEC_HW_ERR_COLLECTIVES",
               "a collective cannot come to its end: a chip cannot be reached, a request was lost"},
    StatusInfo{Status::ExecHbmUncorrectable, "NRT_EXEC_HW_ERR_HBM_UE",
               "a read of HBM met a word with more than one wrong bit"},
    StatusInfo{Status::ExecUncorrectable, "NRT_EXEC_HW_ERR_NC_UE",
               "an engine stopped the core for a word of its memories with more than one wrong bit"},
    StatusInfo{Status::ExecDmaAbort, "NRT_EXEC_HW_ERR_DMA_ABORT", "a DMA engine stopped"},
    StatusInfo{Status::ExecQueueOverflow, "NRT_EXEC_HW_ERR_NQ_OVERFLOW",
               "the notification queue was full and was to stop the core then"},
};

constexpr const StatusInfo& info_of(Status status) {
    for (const StatusInfo& info : Statuses) {
        if (info.status == status) return info;
    }
    return Statuses[1];
}

}  // namespace trnsim
