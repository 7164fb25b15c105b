// The scalar registers of one sequencer, 16 of 32 bits, and their effect on the instruction at the head: the
// result of register_alu, the condition of branch, and the registers that data-path instructions,
// register_load and register_store add to their addresses. Register 0 reads as zero. The registers have the
// values that the instructions before the head left.
module scalar_registers
  import control_pkg::*;
  import isa_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // Pulse: the program starts with registers of zero.
  input  logic         start_i,
  input  instruction_t head_i,
  // The head with registers added to its addresses, the word that register_store writes, and whether branch
  // is taken.
  output instruction_t instr_o,
  output logic [31:0]  store_data_o,
  output logic         taken_o,
  // Write the result of register_alu, or the word that register_load has read.
  input  logic         alu_i,
  input  logic         load_i,
  input  logic [31:0]  load_data_i
);

  localparam int unsigned Registers = 16;

  logic [Registers-1:0][31:0] register_q;

  // Formats share the places of their register fields.
  /* verilator lint_off UNUSEDSIGNAL */
  register_t operation;
  binary_t operands;
  register_memory_t move;
  branch_t branch;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] value_a, value_b, value_c, operand;

  assign operation = register_t'(head_i);
  assign branch    = branch_t'(head_i);
  assign value_a   = register_q[operation.reg_a];
  assign value_b   = register_q[operation.reg_b];

  always_comb begin
    instr_o  = head_i;
    operands = binary_t'(head_i);
    move     = register_memory_t'(head_i);
    value_c  = register_q[operands.b_reg];
    if (uses_window(operation.opcode)) begin
      move.address = move.address + 64'(value_a);
      instr_o      = instruction_t'(move);
    end else if (!is_control(operation.opcode)) begin
      if (uses_dst(operation.opcode)) operands.dst_addr = operands.dst_addr + value_a;
      if (uses_a(operation.opcode)) operands.a_addr = operands.a_addr + value_b;
      if (uses_b(operation.opcode)) operands.b_addr = operands.b_addr + value_c;
      instr_o = instruction_t'(operands);
    end
  end

  assign store_data_o = value_b;

  always_comb begin
    case (branch.condition)
      BranchCondAlways: taken_o = 1'b1;
      BranchCondEq: taken_o = value_a == value_b;
      BranchCondNe: taken_o = value_a != value_b;
      BranchCondLt: taken_o = value_a < value_b;
      default: taken_o = value_a >= value_b;
    endcase
  end

  // A shift by 32 or more gives 0.
  logic [31:0] result;
  assign operand = operation.use_imm ? operation.data : value_b;
  always_comb begin
    case (operation.reg_op)
      RegOpAdd: result = value_a + operand;
      RegOpSub: result = value_a - operand;
      RegOpMul: result = value_a * operand;
      RegOpAnd: result = value_a & operand;
      RegOpOr: result = value_a | operand;
      RegOpXor: result = value_a ^ operand;
      RegOpShl: result = (operand < 32'd32) ? value_a << operand[4:0] : '0;
      RegOpShr: result = (operand < 32'd32) ? value_a >> operand[4:0] : '0;
      default: result = operand;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) register_q <= '0;
    else if (start_i) register_q <= '0;
    else if ((alu_i | load_i) & (operation.reg_dst != '0)) register_q[operation.reg_dst] <= load_i ? load_data_i : result;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneResult: assert (!(alu_i & load_i));
      ZeroStays: assert (register_q[0] == '0);
      OutputsKnown: assert ((alu_i | load_i) -> !$isunknown({taken_o, result}));
    end
  end
  `endif

endmodule
