// Divider of the vector unit: it works on as many elements at a time as a register has words, one bit a
// cycle.
module gpsimd_vdivider
  import gpsimd_pkg::*;
  import gpsimd_alu_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,

  // A beat: x divided by y, or with swap_i y by x, or the root of x. Elements have 8 << width_i bits.
  input  logic       start_i,
  input  logic       fp_i,
  input  logic       root_i,
  input  logic       swap_i,
  input  logic       signed_i,
  input  logic       remainder_i,
  input  logic [1:0] width_i,
  input  logic [2:0] rm_i,
  input  vreg_t      x_i,
  input  vreg_t      y_i,
  input  vmask_t     active_i,  // elements that may set flags

  output logic       done_o,    // high for a cycle
  output vreg_t      value_o,
  output fflags_t    flags_o
);

  localparam int unsigned WordBits = $clog2(Words);

  typedef enum logic [1:0] {Idle, Load, Step, Done} state_e;
  typedef divider_t [Words-1:0] dividers_t;

  state_e     state_q;
  logic [1:0] pass_q;    // elements narrower than words take several passes
  logic [5:0] left_q;
  dividers_t  dividers_q;
  vreg_t      value_q;
  fflags_t    flags_q;

  // Returns the operand of a lane in a pass.
  function automatic logic [31:0] operand(vreg_t row, logic [1:0] width, logic [1:0] pass, int unsigned lane, logic is_signed);
    gpsimd_vint_pkg::wide_t value;
    value = gpsimd_vint_pkg::element(row, width, (32'(pass) << WordBits) + lane, is_signed);
    return value[31:0];
  endfunction

  // Each function handles all lanes, because nothing else uses its locals.
  function automatic dividers_t load(logic fp, logic root, logic is_signed, logic [1:0] width, logic [1:0] pass, vreg_t a,
                                     vreg_t b);
    for (int unsigned k = 0; k < Words; k++) begin
      load[k] = fp ? fp_start(root, a[32*k+:32], b[32*k+:32])
                   : divide_start(is_signed, width, operand(a, width, pass, k, is_signed), operand(b, width, pass, k, is_signed));
    end
  endfunction

  function automatic dividers_t step(logic root, dividers_t dividers);
    for (int unsigned k = 0; k < Words; k++) step[k] = root ? root_step(dividers[k]) : divide_step(dividers[k]);
  endfunction

  // Puts the integer results of a pass at their places.
  function automatic vreg_t finish(vreg_t old, dividers_t dividers, logic is_signed, logic is_remainder, logic [1:0] width,
                                   logic [1:0] pass, vreg_t a, vreg_t b);
    logic [31:0] value;
    int unsigned place;
    finish = old;
    for (int unsigned k = 0; k < Words; k++) begin
      value = divide_finish(dividers[k], is_signed, is_remainder, operand(a, width, pass, k, is_signed),
                            operand(b, width, pass, k, is_signed));
      place = (32'(pass) << WordBits) + k;
      case (width)
        2'd0: finish[8*(place%Vbytes)+:8] = value[7:0];
        2'd1: finish[16*(place%(Vbytes/2))+:16] = value[15:0];
        default: finish[32*k+:32] = value;
      endcase
    end
  endfunction

  // Most programs divide little, so the clock stops while there is nothing to divide.
  logic clk;
  clock_gate u_gate (
    .clk_i,
    .en_i (start_i | (state_q != Idle)),
    .clk_o(clk)
  );

  vreg_t a, b;
  assign a = swap_i ? y_i : x_i;
  assign b = swap_i ? x_i : y_i;

  vreg_t   fp_value;
  fflags_t fp_flags;
  always_comb begin
    fp_result_t r;
    r = '0;
    fp_value = '0;
    fp_flags = '0;
    if (state_q == Step && left_q == '0 && fp_i) begin
      for (int unsigned k = 0; k < Words; k++) begin
        r = fp_finish(dividers_q[k], root_i, a[32*k+:32], b[32*k+:32], rm_i);
        fp_value[32*k+:32] = r.value;
        if (active_i[k]) fp_flags = fp_flags | r.flags;
      end
    end
  end

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      pass_q     <= '0;
      left_q     <= '0;
      dividers_q <= '0;
      value_q    <= '0;
      flags_q    <= '0;
    end else begin
      case (state_q)
        Idle: begin
          pass_q <= '0;
          flags_q <= '0;
          if (start_i) state_q <= Load;
        end
        Load: begin
          dividers_q <= load(fp_i, root_i, signed_i, width_i, pass_q, a, b);
          left_q <= fp_i ? FpSteps : 6'd8 << width_i;
          state_q <= Step;
        end
        Step: begin
          left_q <= left_q - 6'd1;
          if (left_q != '0) begin
            dividers_q <= step(root_i, dividers_q);
          end else if (fp_i) begin
            value_q <= fp_value;
            flags_q <= fp_flags;
            state_q <= Done;
          end else begin
            value_q <= finish(value_q, dividers_q, signed_i, remainder_i, width_i, pass_q, a, b);
            pass_q <= pass_q + 2'd1;
            state_q <= (32'(pass_q) == (32'd4 >> width_i) - 32'd1) ? Done : Load;
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

  assign done_o  = state_q == Done;
  assign value_o = value_q;
  assign flags_o = flags_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk or negedge rst_ni) begin
    if (rst_ni) begin
      OperationStays: assert ((state_q == Idle) || start_i);
      DoneKnown: assert (!$isunknown(done_o));
    end
  end
  `endif

endmodule
