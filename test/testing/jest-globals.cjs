/** The globals of jest that the example for it uses, over Node's own test runner: jest itself is 280 packages. */
const assert = require('node:assert/strict');
const { after, afterEach, before, test } = require('node:test');

const expect = (value) => ({
  toBe: (other) => assert.equal(value, other),
  toEqual: (other) => assert.deepEqual(value, other),
  toHaveLength: (length) => assert.equal(value.length, length),
});

Object.assign(globalThis, { beforeAll: (run) => before(run), afterAll: after, afterEach, expect, test });
