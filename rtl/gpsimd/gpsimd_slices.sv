// Connects the GpSimd cores to the port of SBUF that they share with Vector: claims it while a core has
// accesses, lets all cores use it, each for its own partitions, and gives it back soon when Vector waits.
module gpsimd_slices
  import gpsimd_engine_pkg::*;
  import gpsimd_pkg::*;
  import row_port_pkg::*;
#(
  parameter int unsigned Turn   = 64,  // cycles of a turn; then Vector gets the port if it waits
  parameter int unsigned Gap    = 8,   // cycles without an access after which Vector gets it earlier
  parameter int unsigned Linger = 16   // cycles without an access after which the port is given back anyway
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Cores. A row that SBUF does not have reads as 0 and is not written.
  input  cores_t                  read_valid_i, write_valid_i,
  input  slice_beat_t [Cores-1:0] read_beat_i, write_beat_i,
  output logic                    ready_o,
  output cores_t                  rvalid_o,

  // Port, see memories
  output row_claim_t              claim_o,
  input  row_grant_t              grant_i,
  output slice_req_t [Cores-1:0]  req_o,

  output logic                    active_o  // the next edge is needed
);

  localparam int unsigned TurnBits   = $clog2(Turn + 1);
  localparam int unsigned LingerBits = $clog2(Linger + 1);

  logic                  ready_q, ready_d, wanted;
  logic [TurnBits-1:0]   turn_q;
  logic [LingerBits-1:0] still_q;
  cores_t                rvalid_q;

  assign wanted  = (read_valid_i | write_valid_i) != '0;
  // Once the port is given back, it is not taken again while Vector waits for it, although the grant stays
  // for a cycle.
  assign ready_d = grant_i.granted & (wanted | (ready_q & 32'(still_q) < Linger)) &
                   ~(grant_i.hold & (~ready_q | 32'(still_q) >= Gap | 32'(turn_q) >= Turn));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q  <= 1'b0;
      turn_q   <= '0;
      still_q  <= '0;
      rvalid_q <= '0;
    end else begin
      ready_q  <= ready_d;
      rvalid_q <= ready_q ? read_valid_i : '0;
      if (!ready_q) turn_q <= '0;
      else if (32'(turn_q) < Turn) turn_q <= turn_q + 1'b1;
      if (wanted) still_q <= '0;
      else if (ready_q && 32'(still_q) < Linger) still_q <= still_q + 1'b1;
    end
  end

  for (genvar k = 0; k < Cores; k++) begin : g_core
    logic read_exists, write_exists;
    assign read_exists  = 32'(read_beat_i[k]) < core_pkg::SbufRows;
    assign write_exists = 32'(write_beat_i[k]) < core_pkg::SbufRows;
    assign req_o[k] = '{re: ready_q & read_valid_i[k], exists: read_exists, raddr: core_pkg::memory_row_t'(read_beat_i[k]),
                        we: ready_q & write_valid_i[k] & write_exists, waddr: core_pkg::memory_row_t'(write_beat_i[k])};
  end

  assign ready_o  = ready_q;
  assign rvalid_o = rvalid_q;
  assign claim_o  = '{needs: wanted | ready_q, uses: ready_q};
  assign active_o = wanted | ready_q | rvalid_q != '0;

  `ifndef SYNTHESIS
  logic [TurnBits:0] held_q;  // number of cycles in which the port was kept while Vector waited
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else held_q <= ready_q & grant_i.hold ? held_q + 1'b1 : '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      UsesWhatItHas: assert (!ready_q || grant_i.granted);
      TurnIsBounded: assert (32'(held_q) <= Turn + 1);
      RequestsKnown: assert (!$isunknown({wanted, ready_q}));
    end
  end
  `endif

endmodule
