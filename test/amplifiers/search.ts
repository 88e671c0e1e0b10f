import { isExcessive, type Laboratory, MAX_GROWTH_MB, type Measured } from './laboratory.ts';
import { createRandom } from './random.ts';
import { drawRecipe, lessenRecipe, parseRecipe, type Recipe, varyRecipe } from './recipe.ts';

interface SearchOptions {
  readonly laboratory: Laboratory;
  /** The same seed draws the same payloads, if they cost the same. */
  readonly seed: number;
  readonly seconds: number;
  readonly onProgress: (line: string) => void;
}

/** Holes that were found before. A search begins with them. */
const FOUND = [
  'target=Query/employee/expenses(where.amount.eq) value=exponent spread=deep',
  'target=Query/employee/expenses(where.amount.in) value=exponent items=100 spread=deep',
  'target=Query/form/instances(where.value) value=escapes spread=deep caller=stranger',
  'target=Query/employees/nodes/reference(field) units=aliases text=newlines',
  'target=Query/employees/nodes/reference(field) units=aliases text=newlines way=hash',
  'target=Subscription/employees/nodes/reference(field) units=aliases text=newlines',
  'target=Query/_entities(representations) value=members size=0.003 items=1000 via=whole text=newlines',
  'target=Mutation/createInstance(input.values) value=numbers via=whole',
  'target=Query/__schema/types/name spread=deep caller=stranger',
  'target=Query/__schema/types/fields/args units=aliases selected=all caller=reader',
  'target=Query/purchaseRequests/nodes/notes units=aliases headers=gzip',
  'target=Query/purchaseRequests units=aliases count=0.2 selected=texts headers=gzip',
  'target=Query/_service/sdl units=aliases caller=reader',
  'target=Query/__schema/types/name units=longAliases caller=reader',
  'target=Query/_entities(representations) value=representation items=1000 via=whole units=aliases count=0.1',
  'target=Query/purchaseRequests/nodes/notes units=longAliases',
  'target=Tool/Search(where.value) value=text',
  'target=Tool/Bulk(items.values.name) value=text items=100',
];

/** The number of most expensive payloads from which others are varied. */
const PARENTS = 20;
/** How often a refused payload is made smaller. */
const MAX_REFUSALS = 6;
/** A cheaper payload is measured once, and not varied. */
const MEASURED_FROM_MS = 20;
const PROGRESS_MS = 15_000;

/** Searches for the most expensive payloads, and returns them, the most expensive first. */
export async function search(options: SearchOptions): Promise<readonly Measured[]> {
  const { laboratory, seed, seconds, onProgress } = options;
  const { schema } = laboratory;
  const random = createRandom(seed);
  const worst = new Map<string, Measured>();
  let count = 0;

  /** Draws a payload, or varies one of the most expensive. */
  const draw = (): Recipe => {
    const found = FOUND[count];
    if (found !== undefined) return parseRecipe(found);
    const parents = inOrder(worst).slice(0, PARENTS);
    const parent = parents[Math.floor(random() * parents.length)];
    if (parent === undefined || random() < 0.5) return drawRecipe(schema, random);
    return varyRecipe(parent.recipe, schema, random);
  };
  /** Sends a payload, made smaller until the limits accept it. */
  const screen = async (drawn: Recipe): Promise<Measured> => {
    let screened = await laboratory.send(drawn);
    for (let n = 0; n < MAX_REFUSALS && screened.isRefused && !isWorthy(screened); n++) {
      const smaller = lessenRecipe(screened.recipe, random);
      if (smaller === undefined) break;
      screened = await laboratory.send(smaller);
    }
    return screened;
  };
  const isWorthy = ({ recipe, cpuMs, growthMb, fault }: Measured): boolean => {
    const known = worst.get(kindOf(recipe));
    if (fault) return !known?.fault;
    if (growthMb > MAX_GROWTH_MB && !known) return true;
    const least = inOrder(worst)[PARENTS]?.cpuMs ?? 0;
    return cpuMs > Math.max(MEASURED_FROM_MS, least, 1.2 * (known?.cpuMs ?? 0));
  };
  const note = (measured: Measured): void => {
    const kind = kindOf(measured.recipe);
    const known = worst.get(kind);
    if (!known || isExcessive(measured) || known.cpuMs < measured.cpuMs) worst.set(kind, measured);
  };

  const endsAtMs = performance.now() + 1_000 * seconds;
  let shownAtMs = performance.now();
  while (performance.now() < endsAtMs) {
    const screened = await screen(draw());
    count++;
    if (isWorthy(screened))
      note(screened.status === 0 ? screened : await laboratory.measure(screened.recipe));
    if (performance.now() - shownAtMs < PROGRESS_MS) continue;
    shownAtMs = performance.now();
    const most = inOrder(worst)[0]?.cpuMs ?? 0;
    onProgress(
      `${count} payloads, ${Math.round((endsAtMs - shownAtMs) / 1_000)} s left, at most ${Math.round(most)} ms`,
    );
  }
  await confirm(worst, laboratory);
  return inOrder(worst);
}

/**
 * Measures excessive payloads again, since a busy machine may have made them expensive. Skips
 * payloads that ended a process.
 */
async function confirm(worst: Map<string, Measured>, laboratory: Laboratory): Promise<void> {
  for (const [kind, first] of worst) {
    if (!isExcessive(first) || first.status === 0) continue;
    const second = await laboratory.measure(first.recipe);
    if (!isExcessive(second)) worst.set(kind, second);
  }
}

const inOrder = (worst: ReadonlyMap<string, Measured>): readonly Measured[] =>
  [...worst.values()].toSorted((one, other) => other.cpuMs - one.cpuMs);

/** Returns the kind of a payload. Only the most expensive payload of each kind is shown. */
function kindOf({ target, value, way, fault }: Recipe): string {
  const [, field, slot = ''] = /([^/(]*)(\(.*)?$/.exec(target) ?? [];
  return [field, slot.replace(/^.*\./, ''), slot && value, way, fault].join();
}
