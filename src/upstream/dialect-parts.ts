import { z } from 'zod';

/** Every name that is looked for, first come first served. */
export const names = (...defaults: readonly string[]) => z.array(z.string().min(1)).min(1).readonly().default(defaults);

/** The one name that is written. */
export const name = (fallback: string) => z.string().min(1).default(fallback);

/** Makes a section of the dialect that may be left out as a whole; unknown members are refused as likely typos. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .readonly();
