// The pretrained models' large sums: one matrix times the vectors of several tokens, with weights of 4, 8 or 14 bits. AssemblyScript,
// which `npm run kernel` compiles to models/kernel.wasm; the page decides where in the memory everything lies.
//
// Numbers come in blocks of 32. The vectors are rounded to 14 or 16 bits, each block with a scale of its own, so that a block's
// sum is one of whole numbers, which is exact. A block of 4-bit weights is d * code + m, so that its share of the product is
//     sum of (d * code + m) * x  =  d * scale * (sum of code * rounded x)  +  m * (sum of x).
// Rows of scales and sums are `stride` blocks long, a multiple of 4, since the terms with m are added four blocks at a time.
// In the blocks that fill up a row, m is 0.

/** Bytes: of a block as 4-bit codes, as int8, as int16 and as float32. */
const CODES: usize = 16;
const BYTES: usize = 32;
const SHORTS: usize = 64;
const FLOATS: usize = 128;

@inline function total(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3);
}

/** The largest of four. */
@inline function largest(v: v128): f32 {
  return max(max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

/** The float16 at a place. */
@inline function half(place: usize): f32 {
  const bits = load<u16>(place) as u32;
  if ((bits & 0x7c00) == 0x7c00) return NaN; // or infinite
  const size = reinterpret<f32>((bits & 0x7fff) << 13) * reinterpret<f32>(0x77800000); // 2 ** 112 lies between their exponents
  return bits & 0x8000 ? -size : size;
}

/**
 * Copies a row of blocks as files have them, of 18, 20 or 34 bytes (Q4_0, Q4_1, Q8_0): a step in float16, with 20 bytes a least value, and
 * codes that the products read. With 18, codes of 4 bits stand for -8 to 7. Gives 0 where all are finite.
 */
export function copy(from: usize, blocks: usize, size: usize, codes: usize, d: usize, m: usize): f32 {
  const length = size & ~15; // of the codes
  let sum: f32 = 0;
  for (let block: usize = 0; block < blocks; block++, from += size) {
    const step = half(from);
    f32.store(d + (block << 2), step);
    if (length == CODES) {
      const least = size == 20 ? half(from + 2) : -8 * step;
      f32.store(m + (block << 2), least);
      sum += 0 * least;
    }
    for (let at: usize = 0; at < length; at += 16) v128.store(codes + block * length + at, v128.load(from + size - length + at));
    sum += 0 * step;
  }
  return sum;
}

/** x float32 [tokens, columns] -> rounded int16 [tokens, columns], up to `highest`, scales and sums float32 [tokens, stride]. */
export function quantise(
  x: usize, tokens: i32, columns: i32, stride: i32, highest: f32, rounded: usize, scales: usize, sums: usize,
): void {
  const blocks = columns >> 5;
  for (let token = 0; token < tokens; token++) {
    for (let block = 0; block < blocks; block++) {
      const number = (token * blocks + block) as usize;
      const from = x + number * FLOATS;
      let most = f32x4.splat(0);
      let sum = most;
      for (let at: usize = 0; at < FLOATS; at += 16) {
        const four = v128.load(from + at);
        most = f32x4.pmax(most, f32x4.abs(four));
        sum = f32x4.add(sum, four);
      }
      const top = largest(most);
      const at = ((token * stride + block) as usize) << 2;
      f32.store(sums + at, total(sum));
      f32.store(scales + at, top / highest);
      const by = f32x4.splat(top > 0 ? highest / top : 0);
      const to = rounded + number * SHORTS;
      for (let eight: usize = 0; eight < 4; eight++) {
        const low = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + (eight << 5)), by)));
        const high = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + (eight << 5) + 16), by)));
        v128.store(to + (eight << 4), i16x8.narrow_i32x4_s(low, high));
      }
    }
  }
}

/** The product of a block of whole numbers, `w0` to `w3`, with a block of rounded ones, in four parts, as floats. */
@inline function product(w0: v128, w1: v128, w2: v128, w3: v128, x: usize): v128 {
  const low = i32x4.add(i32x4.dot_i16x8_s(w0, v128.load(x)), i32x4.dot_i16x8_s(w1, v128.load(x, 16)));
  const high = i32x4.add(i32x4.dot_i16x8_s(w2, v128.load(x, 32)), i32x4.dot_i16x8_s(w3, v128.load(x, 48)));
  return f32x4.convert_i32x4_s(i32x4.add(low, high));
}

/** The terms with m of a row of weights and one token, in four parts. */
@inline function offset(m: usize, sums: usize, stride: usize): v128 {
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at < stride; at += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(m + at), v128.load(sums + at)));
  return sum;
}

/**
 * y [token, row] = x W^T for W of 4-bit codes (u8) [rows, columns / 32, 16 bytes], d and m float32 [rows, stride], or of 8-bit codes
 * (i8) [rows, columns], d float32 [rows, columns / 32]. Results of a token are `tall` bytes after those of the one before.
 */
function multiply<Code>(
  tokens: usize, columns: i32, stride: i32, rows: usize, codes: usize, d: usize, m: usize, rounded: usize, scales: usize, sums: usize,
  y: usize, tall: usize,
): void {
  const blocks = (columns >> 5) as usize;
  const row = (stride as usize) << 2; // bytes of a row of scales, sums or m
  const wide = blocks * SHORTS; // of a token's rounded numbers
  for (let r: usize = 0; r < rows; r++) {
    const codesHere = codes + r * blocks * (isSigned<Code>() ? BYTES : CODES);
    const dHere = d + r * (isSigned<Code>() ? blocks << 2 : row);
    const mHere = m + r * row;
    let token: usize = 0;
    for (; token + 4 <= tokens; token += 4) { // so that codes are unpacked once for four
      const x = rounded + token * wide;
      const scale = scales + token * row;
      const sum = sums + token * row;
      let a = start<Code>(mHere, sum, row);
      let b = start<Code>(mHere, sum + row, row);
      let c = start<Code>(mHere, sum + 2 * row, row);
      let e = start<Code>(mHere, sum + 3 * row, row);
      for (let block: usize = 0; block < blocks; block++) {
        const below = lower<Code>(codesHere, block);
        const above = upper<Code>(codesHere, block);
        const w0 = v128.extend_low<Code>(below);
        const w1 = v128.extend_high<Code>(below);
        const w2 = v128.extend_low<Code>(above);
        const w3 = v128.extend_high<Code>(above);
        const step = f32.load(dHere + (block << 2));
        const from = x + block * SHORTS;
        const by = scale + (block << 2);
        a = f32x4.add(a, f32x4.mul(product(w0, w1, w2, w3, from), f32x4.splat(step * f32.load(by))));
        b = f32x4.add(b, f32x4.mul(product(w0, w1, w2, w3, from + wide), f32x4.splat(step * f32.load(by + row))));
        c = f32x4.add(c, f32x4.mul(product(w0, w1, w2, w3, from + 2 * wide), f32x4.splat(step * f32.load(by + 2 * row))));
        e = f32x4.add(e, f32x4.mul(product(w0, w1, w2, w3, from + 3 * wide), f32x4.splat(step * f32.load(by + 3 * row))));
      }
      const to = y + token * tall + (r << 2);
      f32.store(to, total(a));
      f32.store(to + tall, total(b));
      f32.store(to + 2 * tall, total(c));
      f32.store(to + 3 * tall, total(e));
    }
    for (; token < tokens; token++) {
      const x = rounded + token * wide;
      const scale = scales + token * row;
      let a = start<Code>(mHere, sums + token * row, row);
      for (let block: usize = 0; block < blocks; block++) {
        const below = lower<Code>(codesHere, block);
        const above = upper<Code>(codesHere, block);
        const parts = product(v128.extend_low<Code>(below), v128.extend_high<Code>(below),
          v128.extend_low<Code>(above), v128.extend_high<Code>(above), x + block * SHORTS);
        a = f32x4.add(a, f32x4.mul(parts, f32x4.splat(f32.load(dHere + (block << 2)) * f32.load(scale + (block << 2)))));
      }
      f32.store(y + token * tall + (r << 2), total(a));
    }
  }
}

/** With what a row's sum begins: codes of 4 bits have least values. */
@inline function start<Code>(m: usize, sums: usize, row: usize): v128 {
  return isSigned<Code>() ? f32x4.splat(0) : offset(m, sums, row);
}

/** The first 16 codes of a block, and the others. */
@inline function lower<Code>(codes: usize, block: usize): v128 {
  return isSigned<Code>() ? v128.load(codes + block * BYTES) : v128.and(v128.load(codes + block * CODES), i8x16.splat(15));
}

@inline function upper<Code>(codes: usize, block: usize): v128 {
  return isSigned<Code>() ? v128.load(codes + block * BYTES, 16) : i8x16.shr_u(v128.load(codes + block * CODES), 4);
}

export function multiply4(
  tokens: usize, columns: i32, stride: i32, rows: usize, codes: usize, d: usize, m: usize, rounded: usize, scales: usize, sums: usize,
  y: usize, tall: usize,
): void {
  multiply<u8>(tokens, columns, stride, rows, codes, d, m, rounded, scales, sums, y, tall);
}

export function multiply8(
  tokens: usize, columns: i32, stride: i32, rows: usize, codes: usize, d: usize, rounded: usize, scales: usize, y: usize, tall: usize,
): void {
  multiply<i8>(tokens, columns, stride, rows, codes, d, 0, rounded, scales, 0, y, tall);
}

/** y [tokens, rows] = x W^T + bias for W = d * code, codes int16 [rows, columns], d and bias float32 [rows]. */
export function multiply14(
  tokens: i32, columns: i32, stride: i32, rows: i32, codes: usize, d: usize, bias: usize, rounded: usize, scales: usize, y: usize,
): void {
  const blocks = (columns >> 5) as usize;
  const row = (stride as usize) << 2;
  const wide = blocks * SHORTS;
  const tall = (rows as usize) << 2;
  for (let r: usize = 0; r < (rows as usize); r++) {
    const codesHere = codes + r * wide;
    const step = f32.load(d + (r << 2));
    const start = f32.load(bias + (r << 2));
    for (let token: usize = 0; token < (tokens as usize); token++) {
      const x = rounded + token * wide;
      const scale = scales + token * row;
      let a = f32x4.splat(0);
      for (let block: usize = 0; block < blocks; block++) {
        const w = codesHere + block * SHORTS;
        const parts = product(v128.load(w), v128.load(w, 16), v128.load(w, 32), v128.load(w, 48), x + block * SHORTS);
        a = f32x4.add(a, f32x4.mul(parts, f32x4.splat(f32.load(scale + (block << 2)))));
      }
      f32.store(y + token * tall + (r << 2), start + step * total(a));
    }
  }
}
