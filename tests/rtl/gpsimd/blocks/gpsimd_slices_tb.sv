// The path of three cores to the port of SBUF, field by field.
module gpsimd_slices_tb
  import gpsimd_engine_pkg::*;
  import gpsimd_pkg::*;
  import row_port_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [2:0]        read_valid_i,
  input  logic [2:0]        write_valid_i,
  input  logic [2:0][15:0]  read_beat_i,
  input  logic [2:0][15:0]  write_beat_i,
  output logic              ready_o,
  output logic [2:0]        rvalid_o,
  output logic              needs_o,
  output logic              uses_o,
  input  logic              granted_i,
  input  logic              hold_i,
  output logic [2:0]        re_o,
  output logic [2:0]        exists_o,
  output logic [2:0]        we_o,
  output logic [2:0][15:0]  raddr_o,
  output logic [2:0][15:0]  waddr_o,
  output logic              active_o
);

  row_claim_t             claim;
  row_grant_t             grant;
  slice_req_t [Cores-1:0] req;
  assign needs_o = claim.needs;
  assign uses_o  = claim.uses;
  assign grant   = '{granted: granted_i, hold: hold_i};
  for (genvar k = 0; k < Cores; k++) begin : g_core
    assign re_o[k]     = req[k].re;
    assign exists_o[k] = req[k].exists;
    assign we_o[k]     = req[k].we;
    assign raddr_o[k]  = 16'(req[k].raddr);
    assign waddr_o[k]  = 16'(req[k].waddr);
  end

  gpsimd_slices u_slices (
    .clk_i, .rst_ni, .read_valid_i, .write_valid_i, .read_beat_i, .write_beat_i, .ready_o, .rvalid_o, .claim_o(claim),
    .grant_i(grant), .req_o(req), .active_o
  );

endmodule
