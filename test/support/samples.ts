import { loadDefinitions, SAMPLE_DEFINITIONS } from '../../sandbox/index.ts';

/** The sandbox's samples, loaded once: reading them takes most of the time of a sandbox's start. */
export const SAMPLES = loadDefinitions(SAMPLE_DEFINITIONS);
