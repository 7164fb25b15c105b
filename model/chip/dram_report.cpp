#include "model/chip/dram_report.hpp"

namespace trnsim::tlm::chip {

using hbm::Command;

DramReport::DramReport(const config::BankedHbm& hbm, unsigned chip, unsigned stack, trace::Sink& sink)
    : ck_(hbm.tck),
      read_delay_(timing_of(hbm).cl),
      write_delay_(timing_of(hbm).cwl),
      chip_(chip),
      stack_(stack),
      sink_(sink) {}

void DramReport::command(const hbm::CommandRecord& record) {
    const bool read = record.command == Command::Read || record.command == Command::ReadAuto;
    const bool write = record.command == Command::Write || record.command == Command::WriteAuto;
    const Time start = record.at * ck_;
    const Time data = start + (read ? read_delay_ : write_delay_) * ck_;
    sink_.dram_command({.chip = chip_,
                        .stack = stack_,
                        .channel = record.channel,
                        .pseudo = record.pseudo,
                        .name = hbm::name_of(record.command),
                        .start = start,
                        .end = start + hbm::cycles_of(record.command) * ck_,
                        .data_start = data,
                        .data_end = data + (read || write ? hbm::BurstCycles * ck_ : 0),
                        .write = write,
                        .bank = record.bank,
                        .row = record.row,
                        .column = record.column});
}

}  // namespace trnsim::tlm::chip
