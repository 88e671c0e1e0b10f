import { describeProblems, type Merged, type Values } from '../values/merge-values.ts';
import { badRequest } from './api-error.ts';

/** The values of a change that can be made. @throws {ApiError} 400 naming every value that cannot be taken. */
export function acceptValues({ values, problems }: Merged, errorCode = 'INVALID_VALUES'): Values {
  if (problems.length === 0) return values;
  throw badRequest(errorCode, `The values cannot be taken: ${describeProblems(problems)}.`);
}
