// Arithmetic of one row of tensor-engine processing elements, all lanes at once.
//
// An operand is decoded once, at the array's edge, from its storage format to 1 + 8 + 11 bits (sign, exponent, fraction);
// the processing elements then multiply two decoded operands exactly and add the product to an fp32 accumulator with one
// rounding (nearest even). Subnormals flush on the accumulator and the result (tininess after rounding); every NaN result
// is 32'h7fc00000.
//
// Row functions hand their result out through an argument: the simulator cannot return more than 64 bits from a function
// that is not inlined. In the lane functions no condition is tested by two `?:` of which one follows from the other, and
// what is needed twice is a {32{...}} mask: the C++ compiler then sees straight-line code and vectorises the lane loop.
package tensor_lane_pkg;
  import cfg_pkg::Cols;
  import cfg_pkg::Lanes;

  // A decoded operand:
  //   [31:20] exponent code: 449 + the exponent with fp32's bias; 0 for zero, 2048 for infinity, 4095 for NaN
  //   [13]    set in the low part of an fp32 element
  //   [12]    sign
  //   [11:0]  significand, bit 11 set unless zero or NaN, which have none
  // The sum of two codes is 1024 + the exponent field of the product, its significand taken to lie in [1/2, 2). It tells a
  // finite product (< 2048) from an infinite or invalid one; a zero's code is so small that its product is always the
  // smaller addend.
  typedef logic [31:0] operand_t;
  typedef logic [Cols-1:0][31:0] cols_t;
  typedef logic [Lanes-1:0][31:0] lanes_t;

  localparam logic [31:0] OperandInf = 32'h8000_0800;
  localparam logic [31:0] OperandNan = 32'hfff0_0000;
  localparam int unsigned LowBit = 13;
  localparam logic [31:0] CodeBias = 32'd449;
  localparam logic [31:0] CodeSpecial = 32'd2048;
  localparam logic [31:0] CanonicalNan = 32'h7fc0_0000;

  // Decodes sign, exponent field and fraction (left-aligned to 11 bits) of a format whose largest exponent field means
  // infinity or NaN. `rebias` is 127 minus the format's bias. Subnormals keep their value.
  function automatic operand_t decode_lane(logic [31:0] sign, logic [31:0] exponent, logic [31:0] fraction,
                                           logic [31:0] rebias, logic [31:0] special);
    logic [31:0] sig, code, shift, nonzero, operand;
    sig = (exponent == 32'd0) ? fraction : fraction | 32'h800;
    code = (exponent == 32'd0) ? 32'd1 : exponent;
    nonzero = {32{sig != 32'd0}};
    shift = (sig < 32'h010) ? 32'd8 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    shift = (sig < 32'h100) ? 32'd4 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    shift = (sig < 32'h400) ? 32'd2 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    shift = (sig < 32'h800) ? 32'd1 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    operand = (((code + rebias + CodeBias) << 20) | sig) & nonzero;
    operand = (exponent == special) ? OperandInf : operand;
    operand = ((exponent == special) & (fraction != 32'd0)) ? OperandNan : operand;
    return operand | (sign << 12);
  endfunction

  // Decodes a format with fp32's exponent range, where subnormals read as zero.
  function automatic operand_t decode_flushing_lane(logic [31:0] sign, logic [31:0] exponent, logic [31:0] fraction,
                                                    logic [31:0] is_nan);
    logic [31:0] operand;
    operand = ((exponent + CodeBias) << 20) | 32'h800 | fraction;
    operand = (exponent == 32'd0) ? 32'd0 : operand;
    operand = (exponent == 32'd255) ? OperandInf : operand;
    operand = (is_nan != 32'd0) ? OperandNan : operand;
    return operand | (sign << 12);
  endfunction

  // The low 12 significand bits of an fp32 element as an operand of their own, of the element's sign; flushed to zero when
  // below the normal range. Nothing is left of an infinity or NaN: +0.
  function automatic operand_t decode_fp32_low_lane(logic [31:0] raw);
    logic [31:0] exponent, sig, code, shift, operand;
    exponent = (raw >> 23) & 32'hff;
    sig = raw & 32'hfff;
    code = exponent + CodeBias - 32'd12;
    shift = (sig < 32'h010) ? 32'd8 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    shift = (sig < 32'h100) ? 32'd4 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    shift = (sig < 32'h400) ? 32'd2 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    shift = (sig < 32'h800) ? 32'd1 : 32'd0;
    sig = sig << (shift & 32'd31);
    code = code - shift;
    operand = ((code << 20) | sig) & {32{(code > CodeBias) & (sig >= 32'h800)}};
    operand = operand | ((raw >> 31) << 12);
    return (operand & {32{exponent != 32'd255}}) | (32'd1 << LowBit);
  endfunction

  // Decodes a row of raw elements (right-aligned in their lanes) of a floating-point format. fp32 comes in two parts: part = 1
  // gives the upper 12 significand bits, infinities and NaN, part = 0 what is left. Other formats ignore part. tf32 is stored
  // as fp32 whose low 13 fraction bits are ignored.
  function automatic void decode_row(output lanes_t operands, input lanes_t raw, input isa_pkg::dtype_e dtype,
                                     input logic part);
    /* verilator no_inline_task */
    case (dtype)
      isa_pkg::DtypeBf16:
        for (int unsigned k = 0; k < Lanes; ++k)
          operands[k] = decode_flushing_lane((raw[k] >> 15) & 32'd1, (raw[k] >> 7) & 32'hff, (raw[k] << 4) & 32'h7f0,
                                             {32{(raw[k] & 32'h7fff) > 32'h7f80}});
      isa_pkg::DtypeTf32:
        for (int unsigned k = 0; k < Lanes; ++k)
          operands[k] = decode_flushing_lane(raw[k] >> 31, (raw[k] >> 23) & 32'hff, (raw[k] >> 12) & 32'h7fe,
                                             {32{(raw[k] & 32'h7fff_e000) > 32'h7f80_0000}});
      isa_pkg::DtypeFp16:
        for (int unsigned k = 0; k < Lanes; ++k)
          operands[k] = decode_lane((raw[k] >> 15) & 32'd1, (raw[k] >> 10) & 32'h1f, (raw[k] << 1) & 32'h7fe, 32'd112, 32'd31);
      isa_pkg::DtypeFp8E5m2:
        for (int unsigned k = 0; k < Lanes; ++k)
          operands[k] = decode_lane((raw[k] >> 7) & 32'd1, (raw[k] >> 2) & 32'h1f, (raw[k] << 9) & 32'h600, 32'd112, 32'd31);
      isa_pkg::DtypeFp8E4m3:
        for (int unsigned k = 0; k < Lanes; ++k)
          operands[k] = decode_lane((raw[k] >> 7) & 32'd1, (raw[k] >> 3) & 32'hf, (raw[k] << 8) & 32'h700, 32'd120, 32'd15);
      isa_pkg::DtypeFp8E3m4:
        for (int unsigned k = 0; k < Lanes; ++k)
          operands[k] = decode_lane((raw[k] >> 7) & 32'd1, (raw[k] >> 4) & 32'h7, (raw[k] << 7) & 32'h780, 32'd124, 32'd7);
      default:  // fp32
        if (part) begin
          for (int unsigned k = 0; k < Lanes; ++k)
            operands[k] = decode_flushing_lane(raw[k] >> 31, (raw[k] >> 23) & 32'hff, (raw[k] >> 12) & 32'h7ff,
                                               {32{(raw[k] & 32'h7fff_ffff) > 32'h7f80_0000}});
        end else begin
          for (int unsigned k = 0; k < Lanes; ++k) operands[k] = decode_fp32_low_lane(raw[k]);
        end
    endcase
  endfunction

  // One processing element. The moving operand comes unpacked, being the same for all columns: its significand shifted up by
  // the six guard bits, its exponent code, its sign in bit 31 of an otherwise don't-care word.
  function automatic logic [31:0] fma_lane(operand_t stationary, logic [31:0] moving_sig, logic [31:0] moving_code,
                                           logic [31:0] moving_sign, logic [31:0] acc);
    logic [31:0] product, product_code, product_sign, acc_sig, acc_code;
    logic [31:0] upper, lower, code, lower_code, sign, unlike, distance, aligned, restored;
    logic [31:0] sum, mag, nonzero, result, invalid;

    // The 24-bit product and the accumulator's significand, both with their units in bit 6: the accumulator's leading one is
    // bit 29, the product's bit 29 or 28. An infinite accumulator gets a code that no finite product reaches.
    product = (stationary & 32'hfff) * moving_sig;
    product_code = (stationary >> 20) + moving_code;
    product_sign = (stationary << 19) ^ moving_sign;
    acc_code = ((acc >> 23) & 32'hff) | 32'd1024;
    acc_sig = ((acc << 6) & 32'h1fff_ffc0) | 32'h2000_0000;
    acc_sig = (acc_code == 32'd1024) ? 32'd0 : acc_sig;
    acc_code = (acc_code == 32'd1279) ? CodeSpecial : acc_code;
    unlike = product_sign ^ acc;

    // Align the addend of the lower exponent; what is shifted out is jammed into its lowest bit.
    upper = (product_code > acc_code) ? product : acc_sig;
    lower = (product_code > acc_code) ? acc_sig : product;
    sign = (product_code > acc_code) ? product_sign : acc;
    code = (product_code > acc_code) ? product_code : acc_code;
    lower_code = (product_code > acc_code) ? acc_code : product_code;
    distance = code - lower_code;
    distance = (distance > 32'd31) ? 32'd31 : distance;
    aligned = lower >> (distance & 32'd31);
    restored = aligned << (distance & 32'd31);
    aligned = (restored != lower) ? aligned | 32'd1 : aligned;

    // Add. At equal exponents, or with an unnormalised product, the difference can turn out negative.
    aligned = (unlike >= 32'h8000_0000) ? 32'd0 - aligned : aligned;
    sum = upper + aligned;
    mag = (sum >= 32'h8000_0000) ? 32'd0 - sum : sum;
    nonzero = {32{mag != 32'd0}};
    // An exact difference of zero is +0.
    sign = (sign ^ sum) & (nonzero | ~unlike);

    // Normalise: the leading one to bit 30.
    code = (mag < 32'h0000_8000) ? code - 32'd16 : code;
    mag = (mag < 32'h0000_8000) ? mag << 16 : mag;
    code = (mag < 32'h0080_0000) ? code - 32'd8 : code;
    mag = (mag < 32'h0080_0000) ? mag << 8 : mag;
    code = (mag < 32'h0800_0000) ? code - 32'd4 : code;
    mag = (mag < 32'h0800_0000) ? mag << 4 : mag;
    code = (mag < 32'h2000_0000) ? code - 32'd2 : code;
    mag = (mag < 32'h2000_0000) ? mag << 2 : mag;
    code = (mag < 32'h4000_0000) ? code : code + 32'd1;
    mag = (mag < 32'h4000_0000) ? mag << 1 : mag;

    // Round: a set lowest kept bit acts as a sticky bit, which makes ties go to even. Here the code is 1024 plus the result's
    // exponent field; 1024 << 23 is 0 in 32 bits. One addition joins exponent and significand, whose leading one and rounding
    // carry raise the exponent field, so that the word stands 1 << 23 too high until flushing has subtracted it.
    result = ((mag | ((mag >> 7) & 32'd1)) + 32'h3f) >> 7;
    code = (code < 32'd1023) ? 32'd1023 : code;
    code = (code > 32'd1400) ? 32'd1400 : code;
    result = (result + (code << 23)) & nonzero;
    result = (result < 32'h0100_0000) ? 32'h0080_0000 : result;
    result = (result > 32'h8000_0000) ? 32'h8000_0000 : result;
    result = result - 32'h0080_0000;
    result = result | (sign & 32'h8000_0000);

    // NaN: an operand is one or infinity meets zero (both leave a special code and no product); infinities of unlike sign;
    // the accumulator is one.
    invalid = {32{((product == 32'd0) & (product_code >= CodeSpecial)) | (unlike[31] & (lower_code >= CodeSpecial)) |
                  ((acc << 1) > 32'hff00_0000)}};
    return (result & ~invalid) | (CanonicalNan & invalid);
  endfunction

  // result[k] = stationary[k] * moving + acc[k], rounded once. The infinities and NaN of fp32 elements take part only where two
  // high parts meet: against a low part they read as +0.
  function automatic void fma_row(output cols_t result, input cols_t stationary, input operand_t moving, input cols_t acc);
    /* verilator no_inline_task */
    cols_t finite;
    logic [31:0] lane [Cols];
    logic [31:0] low, moving_sig, moving_code, moving_sign;
    if (moving[LowBit]) begin
      for (int unsigned k = 0; k < Cols; ++k) finite[k] = stationary[k] & ~{32{stationary[k] >= OperandInf}};
      stationary = finite;
    end
    if (moving >= OperandInf) begin
      // A row of weights is of one part; where a lane is not loaded it tells nothing.
      low = 32'd0;
      for (int unsigned k = 0; k < Cols; ++k) low = low | stationary[k];
      if (low[LowBit]) moving = 32'd0;
    end
    moving_sig = (moving & 32'hfff) << 6;
    moving_code = moving >> 20;
    moving_sign = moving << 19;
    for (int unsigned k = 0; k < Cols; ++k)
      lane[k] = fma_lane(stationary[k], moving_sig, moving_code, moving_sign, acc[k]);
    // Packing the lanes directly from the loop above compiles to a scatter. These loops unroll to plain word moves, which are
    // vector moves in the end; odd lanes apart from even ones, as neighbouring assignments would be joined to 64-bit ones.
    for (int unsigned k = 0; k < Cols; k += 2) result[k] = lane[k];
    for (int unsigned k = 1; k < Cols; k += 2) result[k] = lane[k];
  endfunction
endpackage
