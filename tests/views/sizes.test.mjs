// How large a picture is: what follows from what it holds and from its room.
import assert from "node:assert/strict";
import test from "node:test";
import { layOut, lettersOf } from "../../src/manyheads/web/figures/head-map/sizes.ts";
import { pushApart } from "../../src/manyheads/web/figures/head-map/translation.ts";

/** The columns of a grid, and the side of each head. */
const laid = (layers, heads, tokens, room) => {
  const { columns, side } = layOut({ shape: [layers, heads, tokens, tokens] }, room);
  return [columns, side];
};

test("all layers of a grid are there at once, on a desk and on a phone", () => {
  assert.deepEqual(laid(6, 12, 13, 687), [12, 57]);
  assert.deepEqual(laid(6, 12, 13, 244), [6, 40], "heads would be small otherwise");
  assert.deepEqual(laid(30, 9, 5, 687), [30, 22], "nine columns would be three screens high");
  assert.deepEqual(laid(30, 9, 5, 244), [9, 27], "thirty columns don't fit");
  assert.deepEqual(laid(1, 40, 5, 244), [40, 20], "a single row is not turned");
});

test("few heads are no larger than they have to be, nor are few weights", () => {
  assert.deepEqual(laid(2, 2, 16, 687), [2, 180]);
  assert.deepEqual(laid(2, 4, 2, 687), [4, 48]);
});

test("a name takes as many letters as it has, up to ten", () => {
  assert.equal(lettersOf(["[CLS]", "##able", "tea"]), 5);
  assert.equal(lettersOf(["incomprehensibly"]), 10);
});

test("labels that would lie on each other are pushed apart, and stay on their line", () => {
  const placed = (middles, width, room) =>
    pushApart(
      middles.map((middle) => ({ middle, width })),
      room,
    );
  assert.deepEqual(placed([100, 300], 40, 400), [100, 300], "those that don't are left alone");
  assert.deepEqual(placed([100, 110], 40, 400), [100, 148]);
  assert.deepEqual(placed([390, 380, 20], 40, 400), [380, 332, 20]);
});
