// Arithmetic of one row of processing elements of the Tensor engine, on all lanes at once.
//
// An operand is decoded once, at the array's edge, from its storage format to 1 + 8 + 11 bits (sign, exponent, fraction);
// the processing elements then multiply two decoded operands exactly and add the product to an fp32 accumulator with one
// rounding (nearest even). Subnormals flush on the accumulator and the result (tininess after rounding); every NaN result
// is 32'h7fc00000.
//
// Row functions return their result in their first argument, because the simulator cannot return more than 64
// bits from a function that is not inlined.
package tensor_lane_pkg;
  import cfg_pkg::Cols;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  // A decoded operand:
  //   [31:20] exponent code: 449 + the exponent field in fp32; 0 for zero, 2048 for infinity, 4095 for NaN
  //   [13]    set in the low part of an fp32 element
  //   [12]    sign
  //   [11:0]  significand, bit 11 set unless zero or NaN, which have none
  // The sum of two codes is the exponent code of the product (as in fp32_lane_pkg, with CodeLimit) if its
  // significand is taken to lie in [1, 4) / 2. A zero's code is so small that its product is always the
  // lesser addend.
  typedef logic [31:0] operand_t;
  // One word for each column. The number is a power of two, so that every index is valid: else the simulator
  // guards each write.
  localparam int unsigned ColWords = 1 << $clog2(Cols);
  typedef logic [ColWords-1:0][31:0] cols_t;

  localparam int unsigned LowBit = 13;
  localparam logic [31:0] OperandBias = 32'd449;
  localparam logic [31:0] OperandInf = 32'h8000_0800;
  localparam logic [31:0] OperandNan = 32'hfff0_0000;

  // Decodes an fp32 value with at most 12 significant bits, not subnormal; takes the upper 12 bits of a
  // longer one.
  function automatic operand_t high_lane(logic [31:0] value);
    logic [31:0] exponent, operand;
    exponent = (value >> 23) & 32'hff;
    operand = (((exponent + OperandBias) << 20) | 32'h800 | ((value >> 12) & 32'h7ff)) & {32{exponent != 32'd0}};
    operand = (exponent == 32'd255) ? OperandInf : operand;
    operand = (operand & ~is_nan(value)) | (OperandNan & is_nan(value));
    return operand | ((value >> 31) << 12);
  endfunction

  // Decodes the lower 12 significand bits of an fp32 value as an operand with the value's sign. It is flushed
  // to zero when it is below the normal range. Infinity and NaN give +0.
  function automatic operand_t low_lane(logic [31:0] value);
    logic [31:0] exponent, sig, code, zeros, operand;
    exponent = (value >> 23) & 32'hff;
    sig = value & 32'hfff;
    // The leading one of the rest goes to bit 11.
    zeros = leading_zeros(sig) - 32'd20;
    sig = sig << (zeros & 32'd31);
    code = exponent + OperandBias - 32'd12 - zeros;
    operand = ((code << 20) | sig) & {32{(code > OperandBias) & (sig >= 32'h800)}};
    operand = (operand | ((value >> 31) << 12)) & {32{exponent != 32'd255}};
    return operand | (32'd1 << LowBit);
  endfunction

  // Decodes a row of raw elements (right-aligned in their lanes) of a floating-point format. fp32 comes in
  // two parts: part = 1 gives the upper 12 significand bits, infinities and NaN; part = 0 gives the rest.
  // Other formats ignore part.
  function automatic void decode_row(output lanes_t operands, input lanes_t raw, input isa_pkg::dtype_e dtype,
                                     input logic part);
    /* verilator no_inline_task */
    lanes_t value;
    widen_lane_pkg::to_fp32_row(value, raw, dtype);
    if (part | (dtype != isa_pkg::DtypeFp32)) begin
      for (int unsigned k = 0; k < Lanes; ++k) operands[k] = high_lane(value[k]);
    end else begin
      for (int unsigned k = 0; k < Lanes; ++k) operands[k] = low_lane(value[k]);
    end
  endfunction

  // The moving operand in the form that the lanes take, which is the same for all columns: its significand
  // shifted up by the six guard bits, and its sign in bit 31 of a word with arbitrary other bits.
  function automatic logic [31:0] sig_of_moving(operand_t moving);
    return (moving & 32'hfff) << 6;
  endfunction

  function automatic logic [31:0] sign_of_moving(operand_t moving);
    return moving << 19;
  endfunction

  // Returns the exponent code of the greater addend if nothing is infinite or NaN; else at least CodeBias +
  // 255.
  function automatic logic [31:0] upper_code(operand_t stationary, operand_t moving, logic [31:0] acc);
    logic [31:0] product_code, acc_code;
    product_code = (stationary >> 20) + (moving >> 20);
    acc_code = finite_code_of(acc);
    return (product_code > acc_code) ? product_code : acc_code;
  endfunction

  // Computes one processing element if nothing is infinite or NaN.
  function automatic logic [31:0] finite_lane(operand_t stationary, operand_t moving, logic [31:0] acc);
    logic [31:0] product, product_code, acc_code;
    product = (stationary & 32'hfff) * sig_of_moving(moving);
    product_code = (stationary >> 20) + (moving >> 20);
    acc_code = finite_code_of(acc);
    return add_unpacked((stationary << 19) ^ sign_of_moving(moving), product_code, product, acc, acc_code, sig_of(acc, acc_code));
  endfunction

  // Computes one processing element.
  function automatic logic [31:0] fma_lane(operand_t stationary, operand_t moving, logic [31:0] acc);
    logic [31:0] product, product_code, product_sign, acc_code, acc_sig, lower_code, sum, invalid;
    product = (stationary & 32'hfff) * sig_of_moving(moving);
    product_code = (stationary >> 20) + (moving >> 20);
    product_code = (product_code > CodeLimit) ? InfiniteCode : product_code;
    product_sign = (stationary << 19) ^ sign_of_moving(moving);
    acc_code = code_of(acc);
    acc_sig = sig_of(acc, acc_code);
    sum = add_unpacked(product_sign, product_code, product, acc, acc_code, acc_sig);

    // NaN: an operand is NaN, or infinity meets zero (both leave a special code and no product); infinities
    // have unlike signs; or the accumulator is NaN. Bit 31 holds the answer.
    lower_code = (product_code > acc_code) ? acc_code : product_code;
    invalid = {32{(product == 32'd0) & (product_code > CodeLimit)}};
    invalid = invalid | ({32{lower_code > CodeLimit}} & (product_sign ^ acc));
    invalid = invalid | {32{(acc_code > CodeLimit) & (acc_sig != 32'h2000_0000)}};
    return (invalid >= SignBit) ? CanonicalNan : sum;
  endfunction

  // Computes result[k] = stationary[k] * moving + acc[k], rounded once. The infinities and NaN of fp32
  // elements take part only where two high parts meet: against a low part they read as +0.
  function automatic void fma_row(output cols_t result, input cols_t stationary, input operand_t moving, input cols_t acc);
    /* verilator no_inline_task */
    logic [31:0] highest, code, low, limit;
    // First computes as if everything were finite. The highest exponent code tells whether that was so: an
    // infinite or NaN operand or accumulator has a code above any other, except for products that overflow.
    highest = 32'd0;
    for (int unsigned k = 0; k < Cols; ++k) begin
      result[k] = finite_lane(stationary[k], moving, acc[k]);
      code = upper_code(stationary[k], moving, acc[k]);
      highest = (code > highest) ? code : highest;
    end
    if (highest >= CodeBias + 32'd255) begin
      if (moving >= OperandInf) begin
        // All loaded weights of a row are the same part; lanes that are not loaded have no part bit.
        low = 32'd0;
        for (int unsigned k = 0; k < Cols; ++k) low = low | stationary[k];
        if (low[LowBit]) moving = 32'd0;
      end
      limit = (OperandInf - 32'd1) | {32{~moving[LowBit]}};
      for (int unsigned k = 0; k < Cols; ++k)
        result[k] = fma_lane(stationary[k] & {32{stationary[k] <= limit}}, moving, acc[k]);
    end
  endfunction
endpackage
