import { DEPTH_MAX, tooDeep } from './depth.ts';

/**
 * Whether a plain parse got something wrong: an integer that a double rounds, a number beyond all doubles, or a member
 * named `__proto__`, in whatever way it was written.
 *
 * @throws {Error} for a value that is nested too deep.
 */
export function needsCare(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value) && !isFraction(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth === DEPTH_MAX) throw tooDeep();
  return Array.isArray(value) ? someItem(value, depth + 1) : someMember(value as Members, depth + 1);
}

type Members = Readonly<Record<string, unknown>>;

// Everything is looked at, since what needs care may lie before what is nested too deep.
function someItem(items: readonly unknown[], depth: number): boolean {
  let isFound = false;
  for (const item of items) isFound = needsCare(item, depth) || isFound;
  return isFound;
}

function someMember(members: Members, depth: number): boolean {
  let isFound = false;
  for (const name in members) isFound = needsCare(members[name], depth) || name === '__proto__' || isFound;
  return isFound;
}

const isFraction = (value: number): boolean => Number.isFinite(value) && !Number.isInteger(value);
