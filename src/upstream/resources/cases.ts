import type { JsonObject } from '../../core/json.ts';
import { decodeCase } from '../decoders.ts';
import type { Dialect } from '../dialect.ts';
import type { Change } from '../operation.ts';
import { checkInt64, path } from '../path.ts';
import type { CaseRecord, Ids } from '../records.ts';
import { encodeValues } from './instances.ts';

/** The input of a case or an activity. */
interface CaseInput {
  readonly values?: JsonObject | null | undefined;
  /** Further members of the body that the dialect does not name. */
  readonly attributes?: JsonObject | null | undefined;
}

function body({ values, attributes }: CaseInput, dialect: Dialect): JsonObject {
  if (values == null) return { ...attributes };
  return { ...attributes, ...encodeValues(values, dialect.case.written) };
}

export const startCase: Change<Pick<Ids, 'process'> & CaseInput, CaseRecord> = {
  name: 'startCase',
  is: 'change',
  method: 'POST',
  path: () => path`/cases`,
  body: (input, dialect) => ({ ...body(input, dialect), [dialect.case.process]: input.process }),
  hasBody: true,
  promises: { called: 'a started case', is: 'created', id: 'case.id', members: [] },
  decode: ({ body, id }, dialect) => decodeCase(body, dialect, id),
  invalidates: () => 'everything',
  needs: ({ process, attributes }) => ({ of: 'processes', process, attributes }),
};

export const executeCurrentActivity: Change<
  Pick<Ids, 'caseId' | 'activityId'> & CaseInput,
  CaseRecord
> = {
  name: 'executeCurrentActivity',
  is: 'change',
  method: 'PUT',
  path: ({ caseId, activityId }) =>
    path`/cases/${checkInt64('caseId', caseId)}/activities/${checkInt64('activityId', activityId)}/execute`,
  body,
  hasBody: false,
  promises: {
    called: 'a confirmation',
    is: 'done',
    id: 'case.id',
    members: [],
    askedId: ({ caseId }) => caseId,
  },
  decode: (answer, dialect, { caseId }) => decodeCase(answer.body, dialect, caseId),
  invalidates: () => 'everything',
  needs: ({ attributes }) => ({ of: 'cases', attributes }),
};
