// Accesses to the memories of the GpSimd cores through their windows: beats of the bus, and accesses of the
// engine itself, which go first. A beat of the bus is one or several beats of these memories, or a part of
// one.
module gpsimd_access
  import gpsimd_engine_pkg::*;
  import gpsimd_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // A beat of the bus is waiting while request_i differs from done_o; until then it stays unchanged.
  input  logic                request_i,
  input  logic                write_i,
  /* verilator lint_off UNUSEDSIGNAL */  // only the bits of an address in these memories are used
  input  bus_pkg::target_t    target_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  core_pkg::beat_t     wdata_i,
  input  core_pkg::strobe_t   strobe_i,
  output logic                done_o,
  output core_pkg::beat_t     rdata_o,
  output logic                pending_o,

  // The engine's own accesses, see gpsimd_dispatch
  input  logic                own_active_i,
  input  cores_t              own_req_i,
  input  logic                own_write_i,
  input  tcm_beat_t           own_beat_i,
  input  beat_t               own_wdata_i,
  input  strobe_t             own_strobe_i,
  output cores_t              own_gnt_o, own_rvalid_o,

  // Windows
  output cores_t              window_req_o, window_write_o,
  output tcm_beat_t [Cores-1:0] window_beat_o,
  output beat_t [Cores-1:0]   window_wdata_o,
  output strobe_t [Cores-1:0] window_strobe_o,
  input  cores_t              window_gnt_i, window_rvalid_i,
  input  beat_t [Cores-1:0]   window_rdata_i
);

  localparam int unsigned Parts    = core_pkg::BeatBytes > BeatBytes ? core_pkg::BeatBytes / BeatBytes : 1;
  localparam int unsigned Shares   = core_pkg::BeatBytes < BeatBytes ? BeatBytes / core_pkg::BeatBytes : 1;  // beats of the bus in one of the memory
  localparam int unsigned PartBits = Parts > 1 ? $clog2(Parts) : 1;
  localparam int unsigned CoreBits = Cores > 1 ? $clog2(Cores) : 1;
  localparam int unsigned WordBits = $clog2(BeatWords);

  logic                done_q, reading_q;  // reading_q: the data of the part has not come yet
  logic [PartBits-1:0] part_q;
  logic [CoreBits-1:0] core;
  beat_t               rdata_q [Parts];

  assign pending_o = request_i != done_q;
  assign core      = CoreBits'(target_i.lane);

  logic issue, taken, answered, part_done;
  assign issue     = pending_o & ~reading_q & ~own_active_i;
  assign taken     = issue & window_gnt_i[core];
  assign answered  = reading_q & window_rvalid_i[core];
  assign part_done = (taken & write_i) | answered;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q    <= 1'b0;
      reading_q <= 1'b0;
      part_q    <= '0;
    end else begin
      if (taken && !write_i) reading_q <= 1'b1;
      if (answered) reading_q <= 1'b0;
      if (part_done) begin
        part_q <= 32'(part_q) == Parts - 1 ? '0 : part_q + 1'b1;
        if (32'(part_q) == Parts - 1) done_q <= request_i;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (answered) rdata_q[part_q] <= window_rdata_i[core];
  end

  // The part of the bus's beat, and its place in the memory's beat.
  beat_t   wdata;
  strobe_t strobe;
  if (Shares == 1) begin : g_parts
    assign wdata  = wdata_i[part_q*BeatWords+:BeatWords];
    assign strobe = strobe_i[part_q*BeatBytes+:BeatBytes];
    for (genvar p = 0; p < Parts; p++) begin : g_rdata
      assign rdata_o[p*BeatWords+:BeatWords] = rdata_q[p];
    end
  end else begin : g_shares
    localparam int unsigned ShareBits = $clog2(Shares);
    logic [ShareBits-1:0] share;
    assign share   = target_i.row[WordBits-1-:ShareBits];
    assign wdata   = {Shares{wdata_i}};
    assign strobe  = strobe_t'(strobe_i) << (32'(share) * core_pkg::BeatBytes);
    assign rdata_o = rdata_q[0][32'(share)*$bits(core_pkg::beat_t)+:$bits(core_pkg::beat_t)];
  end

  tcm_beat_t beat;
  assign beat            = own_active_i ? own_beat_i : tcm_beat_t'(target_i.row >> WordBits) + tcm_beat_t'(part_q);
  assign window_req_o    = own_active_i ? (reading_q ? '0 : own_req_i) : issue ? cores_t'(1) << core : '0;
  assign window_write_o  = {Cores{own_active_i ? own_write_i : write_i}};
  assign window_beat_o   = {Cores{beat}};
  assign window_wdata_o  = {Cores{own_active_i ? own_wdata_i : wdata}};
  assign window_strobe_o = {Cores{own_active_i ? own_strobe_i : strobe}};
  assign own_gnt_o       = own_active_i & !reading_q ? own_req_i & window_gnt_i : '0;
  assign own_rvalid_o    = reading_q ? '0 : window_rvalid_i;
  assign done_o          = done_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      CoreExists: assert (!pending_o || (32'(target_i.lane) < Cores && target_i.region == bus_pkg::RegionTcm));
      OneReader: assert (!reading_q || (window_rvalid_i & ~(cores_t'(1) << core)) == '0);
      PendingWhileReading: assert (!reading_q || (pending_o && !write_i));
      RequestsKnown: assert (!$isunknown({pending_o, window_req_o}));
    end
  end
  `endif

endmodule
