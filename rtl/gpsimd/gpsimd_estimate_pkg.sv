// Estimates of the reciprocal and of the reciprocal square root to 7 bits, as the vector extension defines
// them.
package gpsimd_estimate_pkg;


  import gpsimd_pkg::*;
  import gpsimd_fp_pkg::*;

  // Fractions of the results, indexed by the upper bits of the operand's fraction: element i is the
  // reciprocal of the middle of its interval, rounded to 8 bits. In the table of the square root the lower 64
  // elements are for even exponents (odd powers of two). Element 127 is first.
  localparam logic [127:0][6:0] ReciprocalTable = {
    7'd0, 7'd1, 7'd1, 7'd2, 7'd2, 7'd3, 7'd3, 7'd4,
    7'd4, 7'd5, 7'd5, 7'd6, 7'd7, 7'd7, 7'd8, 7'd8,
    7'd9, 7'd9, 7'd10, 7'd11, 7'd11, 7'd12, 7'd12, 7'd13,
    7'd14, 7'd14, 7'd15, 7'd15, 7'd16, 7'd17, 7'd17, 7'd18,
    7'd19, 7'd19, 7'd20, 7'd21, 7'd21, 7'd22, 7'd23, 7'd23,
    7'd24, 7'd25, 7'd25, 7'd26, 7'd27, 7'd28, 7'd28, 7'd29,
    7'd30, 7'd31, 7'd31, 7'd32, 7'd33, 7'd34, 7'd35, 7'd35,
    7'd36, 7'd37, 7'd38, 7'd39, 7'd40, 7'd40, 7'd41, 7'd42,
    7'd43, 7'd44, 7'd45, 7'd46, 7'd47, 7'd48, 7'd49, 7'd50,
    7'd51, 7'd52, 7'd53, 7'd54, 7'd55, 7'd56, 7'd57, 7'd58,
    7'd59, 7'd60, 7'd61, 7'd62, 7'd63, 7'd64, 7'd65, 7'd66,
    7'd68, 7'd69, 7'd70, 7'd71, 7'd72, 7'd74, 7'd75, 7'd76,
    7'd77, 7'd79, 7'd80, 7'd81, 7'd83, 7'd84, 7'd85, 7'd87,
    7'd88, 7'd90, 7'd91, 7'd93, 7'd94, 7'd96, 7'd97, 7'd99,
    7'd100, 7'd102, 7'd104, 7'd105, 7'd107, 7'd109, 7'd110, 7'd112,
    7'd114, 7'd116, 7'd117, 7'd119, 7'd121, 7'd123, 7'd125, 7'd127
  };

  localparam logic [127:0][6:0] RootTable = {
    7'd53, 7'd54, 7'd55, 7'd56, 7'd56, 7'd57, 7'd58, 7'd59,
    7'd59, 7'd60, 7'd61, 7'd62, 7'd63, 7'd63, 7'd64, 7'd65,
    7'd66, 7'd67, 7'd68, 7'd69, 7'd70, 7'd70, 7'd71, 7'd72,
    7'd73, 7'd74, 7'd75, 7'd76, 7'd77, 7'd78, 7'd79, 7'd80,
    7'd82, 7'd83, 7'd84, 7'd85, 7'd86, 7'd87, 7'd88, 7'd90,
    7'd91, 7'd92, 7'd93, 7'd95, 7'd96, 7'd97, 7'd99, 7'd100,
    7'd102, 7'd103, 7'd105, 7'd106, 7'd108, 7'd109, 7'd111, 7'd113,
    7'd114, 7'd116, 7'd118, 7'd119, 7'd121, 7'd123, 7'd125, 7'd127,
    7'd0, 7'd1, 7'd1, 7'd2, 7'd2, 7'd3, 7'd3, 7'd4,
    7'd4, 7'd5, 7'd6, 7'd6, 7'd7, 7'd7, 7'd8, 7'd9,
    7'd9, 7'd10, 7'd10, 7'd11, 7'd12, 7'd12, 7'd13, 7'd14,
    7'd14, 7'd15, 7'd16, 7'd16, 7'd17, 7'd18, 7'd19, 7'd19,
    7'd20, 7'd21, 7'd22, 7'd23, 7'd23, 7'd24, 7'd25, 7'd26,
    7'd27, 7'd28, 7'd29, 7'd30, 7'd30, 7'd31, 7'd32, 7'd33,
    7'd34, 7'd35, 7'd36, 7'd38, 7'd39, 7'd40, 7'd41, 7'd42,
    7'd43, 7'd44, 7'd46, 7'd47, 7'd48, 7'd50, 7'd51, 7'd52
  };

  function automatic fp_result_t reciprocal(logic [31:0] a, logic [2:0] rm);
    logic [31:0] exponent;
    logic [23:0] significand;
    logic [8:0]  estimate;
    logic        infinite;
    if (is_nan(a)) return {is_signaling(a) ? FlagInvalid : 5'b0, CanonicalNan};
    if (is_infinite(a)) return {5'b0, a[31], 31'b0};
    if (is_zero(a)) return {FlagDivide, a[31], Infinity[30:0]};
    if ((a[30:23] == '0) & (a[22:21] == '0)) begin
      infinite = (rm == RoundNearest) | (rm == RoundMax) | (rm == (a[31] ? RoundDown : RoundUp));
      return {FlagOverflow, a[31], infinite ? Infinity[30:0] : Largest[30:0]};
    end
    significand = significand_of(a);
    exponent = 32'd253 - exponent_of(a);
    estimate = {2'b01, ReciprocalTable[significand[22:16]]};
    // The result is at most two exponents below the normal numbers.
    if (exponent == '0) return {5'b0, a[31], 8'd0, estimate[7:0], 15'b0};
    if (exponent[31]) return {5'b0, a[31], 8'd0, estimate[8:0], 14'b0};
    return {5'b0, a[31], exponent[7:0], estimate[6:0], 16'b0};
  endfunction

  function automatic fp_result_t reciprocal_root(logic [31:0] a);
    logic [31:0] exponent, halved;
    logic [23:0] significand;
    if (is_nan(a)) return {is_signaling(a) ? FlagInvalid : 5'b0, CanonicalNan};
    if (is_zero(a)) return {FlagDivide, a[31], Infinity[30:0]};
    if (a[31]) return {FlagInvalid, CanonicalNan};
    if (is_infinite(a)) return '0;
    significand = significand_of(a);
    exponent = exponent_of(a);
    halved = (32'd380 - exponent) >> 1;
    return {5'b0, 1'b0, halved[7:0], RootTable[{exponent[0], significand[22:17]}], 16'b0};
  endfunction

endpackage
