import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql';

import {
  CALLERS,
  type CallerKind,
  fillSandbox,
  startGateway,
  startSandbox,
  writeFiles,
} from './gateways.ts';
import { attachMeter, measureSpeed } from './meter.ts';
import { createRandom } from './random.ts';
import { drawRecipe, formatRecipe, type Recipe } from './recipe.ts';
import { buildRequest, exchange } from './request.ts';

/** The cost of one payload. */
export interface Measured {
  readonly recipe: Recipe;
  /** CPU time of the gateway's process, converted to the machine of the bounds. */
  readonly cpuMs: number;
  /** The peak of the process's memory above its memory before the payload. */
  readonly growthMb: number;
  readonly status: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** A failure that no payload may cause, at any cost. */
  readonly fault: string | undefined;
  /** Whether the gateway refused the payload for one of its limits. */
  readonly isRefused: boolean;
}

/** The CPU time and memory that one request may take. */
export const MAX_CPU_MS = 250;
export const MAX_GROWTH_MB = 64;
const MB = 1_048_576;

export const isExcessive = ({ cpuMs, growthMb, fault }: Measured): boolean =>
  cpuMs > MAX_CPU_MS || growthMb > MAX_GROWTH_MB || fault !== undefined;

/** Writes a line about a payload, which ends with its recipe. */
export function formatMeasured(measured: Measured): string {
  const { cpuMs, growthMb, status, sentBytes, receivedBytes, recipe, fault = '' } = measured;
  const figures = [
    `${Math.round(cpuMs)} ms`.padStart(8),
    `${Math.round(growthMb)} MB`.padStart(7),
    `status ${status}`,
    `${sentBytes} B sent`.padStart(14),
    `${receivedBytes} B received`.padStart(19),
  ];
  return `${figures.join(' ')}  ${fault && `${fault}: `}${formatRecipe(recipe)}`;
}

/** A payload above this is measured once. Another measurement cannot make it cheap. */
const HOPELESS_MS = 1_000;
const TRIES = 3;
/** The time from the end of a process's sockets until its exit is known. */
const DYING_MS = 500;
/** The status of a busy gateway. */
const OVERLOADED = 503;
/** Payloads that are sent first, so that the gateways have compiled their code. */
const WARM_UPS = 200;
/** The most memory that a gateway's caches may hold after one measurement. */
const MAX_HELD_MB = 64;

/** Messages about a limit, or about a document that was refused before it was persisted. */
const LIMIT = /"message":"([^"]*(too (many|long|large)|at most)|PersistedQueryNotFound)/i;
const HEAD_LENGTH = 5_000;

export type Laboratory = Awaited<ReturnType<typeof openLaboratory>>;

/** Starts a gateway for each kind of caller, before one sandbox. */
export async function openLaboratory() {
  const folder = mkdtempSync(join(tmpdir(), 'amplifiers-'));
  writeFiles(folder);
  const sandbox = await startSandbox();
  const start = async (caller: string) => {
    const target = await startGateway(caller as CallerKind, sandbox.url, folder);
    return { target, meter: await attachMeter(target) };
  };
  const gateways = new Map<string, Awaited<ReturnType<typeof start>>>();
  const gatewayOf = async (caller: string) => {
    const running = gateways.get(caller);
    if (running?.target.isAlive()) return running;
    const started = await start(caller);
    gateways.set(caller, started);
    return started;
  };
  const stop = (): void => {
    for (const { meter, target } of gateways.values()) {
      meter.close();
      void target.stop();
    }
    sandbox.stop();
    rmSync(folder, { recursive: true });
  };
  const prepare = async (): Promise<GraphQLSchema> => {
    await Promise.all(CALLERS.map(gatewayOf));
    const reader = await gatewayOf('reader');
    const schema = await readSchema(reader.target.url);
    const { target } = await gatewayOf('key');
    await fillSandbox(target.url, schema);
    return schema;
  };
  const schema = await prepare().catch((error: unknown) => {
    stop();
    throw error;
  });
  let speed = measureSpeed();
  let serial = 0;

  /** Sends a payload once. */
  const send = async (recipe: Recipe): Promise<Measured> => {
    const { target, meter } = await gatewayOf(recipe.caller);
    const { before, bytes } = buildRequest(recipe, schema, serial++);
    if (before) await exchange(target.url, before);
    const sent = { recipe, growthMb: 0, sentBytes: bytes.length };
    try {
      const startMs = await meter.cpuMs();
      meter.watchPeak();
      const { status, text } = await exchange(target.url, bytes);
      const cpuMs = ((await meter.cpuMs()) - startMs) / speed;
      const isBug =
        (status >= 500 && status !== OVERLOADED) || text.includes('INTERNAL_SERVER_ERROR');
      return {
        ...sent,
        cpuMs,
        growthMb: meter.peakGrowth() / MB,
        status,
        receivedBytes: text.length,
        fault: isBug ? `it was answered with ${status}, as a bug` : undefined,
        isRefused: LIMIT.test(text.slice(0, HEAD_LENGTH)),
      };
    } catch (error) {
      await setTimeout(DYING_MS);
      if (target.isAlive()) throw error;
      const fault = 'the process ended';
      return { ...sent, cpuMs: 0, status: 0, receivedBytes: 0, fault, isRefused: false };
    }
  };

  const random = createRandom(1);
  for (let n = 0; n < WARM_UPS; n++) await send(drawRecipe(schema, random));

  return {
    schema,
    send,
    /** Sends a payload three times, and returns the lowest cost. */
    async measure(recipe: Recipe): Promise<Measured> {
      const { meter } = await gatewayOf(recipe.caller);
      const heldBefore = await meter.heldBytes();
      const all: Measured[] = [];
      for (let n = 0; n < TRIES; n++) {
        speed = measureSpeed();
        const one = await send(recipe);
        if (one.fault || one.cpuMs > HOPELESS_MS) return one;
        all.push(one);
      }
      const heldMb = ((await meter.heldBytes()) - heldBefore) / MB;
      const isHoarded = heldMb > MAX_HELD_MB;
      return {
        ...(all[0] as Measured),
        cpuMs: Math.min(...all.map(({ cpuMs }) => cpuMs)),
        growthMb: Math.min(...all.map(({ growthMb }) => growthMb)),
        fault: isHoarded ? `${Math.round(heldMb)} MB are held after ${TRIES} requests` : undefined,
      };
    },
    stop,
  };
}

/** Reads the schema by introspection. */
async function readSchema(url: string): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ oneOf: true });
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'reader' },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { readonly data: IntrospectionQuery };
  return buildClientSchema(data);
}
