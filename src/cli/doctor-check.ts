import { messageOf, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { type Dialect, readDialect } from '../upstream/dialect.ts';

/** `note`: it works, but it could be better. `skip`: it was not checked. */
export type Verdict = 'ok' | 'note' | 'FAIL' | 'skip';

/** The finding of a check. */
export interface Finding {
  readonly verdict: Verdict;
  readonly subject: string;
  readonly finding: string;
}

export type Report = (verdict: Verdict, subject: string, finding: string) => void;

/** The outcome of a check with one dialect. */
export interface Outcome extends Pick<Finding, 'verdict' | 'finding'> {
  /** How wrong the dialect is. Below 1, no change is tried. */
  readonly faults: number;
}

/** A check of the platform, with changes of the dialect that may correct a fault. */
export interface Check {
  readonly subject: string;
  /**
   * Checks the platform with a dialect.
   *
   * @throws {UpstreamError} for a response that cannot be decoded.
   */
  look(dialect: Dialect): Promise<Outcome>;
  /** Returns changes to try, the likeliest first. */
  changes?(dialect: Dialect): Promise<readonly JsonObject[]> | readonly JsonObject[];
  /** Whether the first improvement is taken. For checks whose tries cost calls. */
  readonly takesFirst?: boolean;
  /** Whether a change is proposed that corrects only a part of the faults. */
  readonly isOfParts?: boolean;
  /** Whether a missing permission of the user is not a fault. */
  readonly mayBeForbidden?: boolean;
  /** The hooks of an adapter that can change more than a dialect. */
  readonly hook?: string;
}

/**
 * The faults of a failed read. A change of the dialect may correct the failures in `FAULTS`. No
 * change is tried for an `UNHELPED` failure.
 */
const UNHELPED = 1e10;
const FAULTS = new Map<unknown, number>([
  ['malformed', 1e8],
  ['rejected', 1e9],
  ['not-found', 1e9],
]);

/** Runs checks. It collects the findings and the proposed changes of the dialect. */
export class Examination {
  /** The successful changes, in the order of the checks. */
  readonly proposed: JsonObject[] = [];
  /** The subjects of the failed checks. */
  readonly failed = new Set<string>();
  readonly report: Report;
  readonly #mayChange: boolean;
  #dialect: Dialect;

  /** @param mayChange whether changes of the dialect are tried. Default `true`. */
  constructor(dialect: Dialect, report: Report, mayChange = true) {
    this.#dialect = dialect;
    this.report = report;
    this.#mayChange = mayChange;
  }

  /** The configured dialect with all proposed changes. */
  get dialect(): Dialect {
    return this.#dialect;
  }

  /** Adds a change to the proposal. */
  propose(change: JsonObject): void {
    this.proposed.push(change);
    this.#dialect = adjust(this.#dialect, change);
  }

  /**
   * Runs a check and reports the finding. Proposes the changes that reduce the faults.
   *
   * @returns whether the check succeeds in the end.
   */
  async run(check: Check): Promise<boolean> {
    const { subject } = check;
    const before = this.#dialect;
    const changes: JsonObject[] = [];
    const first = await lookWith(check, before);
    let last = first;
    while (last.faults >= 1 && last.faults < UNHELPED) {
      const better = await this.#improve(check, last);
      if (better === undefined) break;
      last = better.outcome;
      changes.push(better.change);
      this.#dialect = adjust(this.#dialect, better.change);
    }

    if (changes.length > 0 && first.verdict !== 'ok')
      this.report(first.verdict, subject, first.finding);
    const isFailed = last.verdict === 'FAIL';
    const paths = [...new Set(changes.flatMap((change) => pathsIn(change)))].join(', ');
    const tried = paths && ` (${isFailed ? 'also ' : ''}with ${paths})`;
    this.report(last.verdict, subject, last.finding + tried + adviceFor(last, check));
    if (isFailed) this.failed.add(subject);
    if (isFailed && !check.isOfParts) this.#dialect = before;
    else this.proposed.push(...changes);
    return !isFailed;
  }

  /**
   * Tries the changes of a check. Returns the best one; `undefined` if no change is an improvement.
   */
  async #improve(check: Check, { faults }: Outcome) {
    let best: { readonly outcome: Outcome; readonly change: JsonObject } | undefined;
    if (!this.#mayChange) return undefined;
    const changes = await Promise.resolve(check.changes?.(this.#dialect)).catch(() => undefined);
    for (const change of changes ?? []) {
      const outcome = await lookWith(check, adjust(this.#dialect, change));
      if (outcome.faults >= (best?.outcome.faults ?? faults)) continue;
      best = { outcome, change };
      if (outcome.faults === 0 || check.takesFirst) break;
    }
    return best;
  }
}

function adviceFor({ verdict, faults }: Outcome, { hook }: Check): string {
  if (verdict !== 'FAIL' || hook === undefined || faults >= UNHELPED) return '';
  return `; no dialect describes this, but ${hook} of an adapter can: docs/adapter.md`;
}

/** Returns the paths of the members that a change sets. */
function pathsIn(change: JsonObject, place = ''): readonly string[] {
  return Object.entries(change).flatMap(([name, value]) =>
    isJsonObject(value) ? pathsIn(value, `${place}${name}.`) : `${place}${name}`,
  );
}

async function lookWith(check: Check, dialect: Dialect): Promise<Outcome> {
  try {
    return await check.look(dialect);
  } catch (error) {
    const failure = error instanceof UpstreamError ? error.failure : undefined;
    if (failure === 'forbidden' && check.mayBeForbidden) return note(describeFailure(error));
    return fail(FAULTS.get(failure) ?? UNHELPED, describeFailure(error));
  }
}

export const ok = (finding: string): Outcome => ({ verdict: 'ok', finding, faults: 0 });
export const note = (finding: string, faults = 0): Outcome => ({
  verdict: 'note',
  finding,
  faults,
});
export const fail = (faults: number, finding: string): Outcome => ({
  verdict: 'FAIL',
  finding,
  faults,
});

/** Describes a failed read for the operator. The text may contain the platform's message. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof UpstreamError)) return messageOf(error);
  const { failure, status, errorCode, reason, causeCode, advice, cause } = error;
  if (failure === 'malformed') {
    const why = advice ?? (cause instanceof Error ? cause.message : undefined);
    return why === undefined ? 'the answer cannot be read' : `the answer cannot be read: ${why}`;
  }
  if (status === undefined) return [failure, causeCode].filter(Boolean).join(', ');
  return [`HTTP ${status}`, errorCode, reason].filter(Boolean).join(': ');
}

function adjust(dialect: Dialect, change: JsonObject): Dialect {
  const reading = readDialect(merge(JSON.parse(JSON.stringify(dialect)), change));
  return 'value' in reading ? reading.value : dialect;
}

/** Merges two objects, including nested ones. Members of the second object win. */
export function merge(base: JsonObject, change: JsonObject): JsonObject {
  const merged = Object.entries(change).map(([name, value]) => {
    const before = base[name];
    return [
      name,
      isJsonObject(value) && isJsonObject(before) ? merge(before, value) : value,
    ] as const;
  });
  return { ...base, ...Object.fromEntries(merged) };
}
