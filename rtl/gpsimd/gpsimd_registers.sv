// Scalar registers, integer and floating point in one array, and the scoreboard of results to come.
module gpsimd_registers
  import gpsimd_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  // Operands of the instruction in decode; a register that is written in this cycle reads as its new value.
  input  logic [2:0]       read_i,
  input  register_t [2:0]  source_i,
  output logic [2:0][31:0] operand_o,

  // The result register of that instruction, and whether the instruction has to wait for a register.
  input  logic             writes_i,
  input  register_t        dest_i,
  output logic             hazard_o,

  // The instruction in execute has a later result; it claims the register when it leaves.
  input  logic             later_i,
  input  logic             claim_i,
  input  register_t        later_dest_i,

  // Results of execute, of loads, and of other units.
  input  logic             alu_valid_i,
  input  register_t        alu_dest_i,
  input  logic [31:0]      alu_value_i,
  input  logic             load_valid_i,
  input  register_t        load_dest_i,
  input  logic [31:0]      load_value_i,
  input  logic             unit_valid_i,
  input  register_t        unit_dest_i,
  input  logic [31:0]      unit_value_i
);

  logic [31:0] registers_q [64];  // not reset: software writes one before it reads it
  logic [63:0] pending_q;

  function automatic logic [63:0] only(logic valid, register_t which);
    return 64'(valid) << which;
  endfunction

  logic [63:0] waiting;
  assign waiting = (pending_q & ~only(load_valid_i, load_dest_i) & ~only(unit_valid_i, unit_dest_i))
                 | only(later_i, later_dest_i);
  assign hazard_o = (read_i[0] & waiting[source_i[0]]) | (read_i[1] & waiting[source_i[1]])
                  | (read_i[2] & waiting[source_i[2]]) | (writes_i & waiting[dest_i]);

  always_comb begin
    for (int unsigned k = 0; k < 3; k++) begin
      operand_o[k] = registers_q[source_i[k]];
      if (load_valid_i && load_dest_i == source_i[k]) operand_o[k] = load_value_i;
      if (unit_valid_i && unit_dest_i == source_i[k]) operand_o[k] = unit_value_i;
      if (alu_valid_i && alu_dest_i == source_i[k]) operand_o[k] = alu_value_i;
      if (source_i[k] == '0) operand_o[k] = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
    end else begin
      pending_q <= (pending_q & ~only(load_valid_i, load_dest_i) & ~only(unit_valid_i, unit_dest_i))
                 | only(claim_i & (later_dest_i != '0), later_dest_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_valid_i) registers_q[load_dest_i] <= load_value_i;
    if (unit_valid_i) registers_q[unit_dest_i] <= unit_value_i;
    if (alu_valid_i) registers_q[alu_dest_i] <= alu_value_i;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      LoadWasAwaited: assert (!load_valid_i || load_dest_i == '0 || pending_q[load_dest_i]);
      UnitWasAwaited: assert (!unit_valid_i || unit_dest_i == '0 || pending_q[unit_dest_i]);
      AluDoesNotOvertake: assert (!alu_valid_i || !pending_q[alu_dest_i]);
      OneResultEach: assert (!(load_valid_i && unit_valid_i && load_dest_i != '0) || load_dest_i != unit_dest_i);
      HazardKnown: assert (!$isunknown(hazard_o));
    end
  end
  `endif

endmodule
