#include "model/hbm/energy.hpp"

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"
#include "model/hbm/organisation.hpp"

namespace trnsim::tlm::hbm {

DramEnergy energy(const DramStatistics& statistics, double seconds, double tck, const Currents& c) {
    constexpr double Pico = 1e-12, Milli = 1e-3;  // mA x V x ns = pJ
    // The currents are per channel; a pseudo channel takes half.
    const double half = c.volts / PseudoChannels;
    const double activate = half * (c.idd0 * c.rc - c.idd3n * c.ras - c.idd2n * (c.rc - c.ras));
    const double refresh = half * (c.idd5ab - c.idd3n) * c.rfc;
    const DramCounts counts = sum(statistics.channels);
    const double open = as_double(counts.open_cycles) * tck / FsPerSecond;
    const double all = seconds * PseudoChannels * as_double(statistics.channels.size());
    DramEnergy energy;
    energy.activate = Pico * activate * as_double(counts.activates);
    energy.read = Pico * half * (c.idd4r - c.idd3n) * c.burst * as_double(counts.reads);
    energy.write = Pico * half * (c.idd4w - c.idd3n) * c.burst * as_double(counts.writes);
    energy.refresh =
        Pico * refresh * (as_double(counts.all_refreshes) + as_double(counts.bank_refreshes) / Banks);
    energy.background = Milli * half * (c.idd3n * open + c.idd2n * (all - open));
    return energy;
}

}  // namespace trnsim::tlm::hbm
