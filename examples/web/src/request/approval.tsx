import { useMutation, useQuery } from '@apollo/client/react';
import { createIdempotencyKey } from 'caseway/client';
import { type SubmitEvent, useState } from 'react';

import type { CaseStepFragment } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { Problems } from '../graphql/problems.tsx';
import { VIEWER } from '../session/viewer.ts';

graphql(`
  fragment CaseStep on Case {
    caseId
    activity {
      activityId
      name
    }
  }
`);

const START_APPROVAL = graphql(`
  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID) {
    startCase(
      input: { process: "purchase-approval", values: $values, idempotencyKey: $idempotencyKey }
    ) {
      case {
        ...CaseStep
      }
    }
  }
`);

const EXECUTE_ACTIVITY = graphql(`
  mutation ExecuteActivity($input: ExecuteActivityInput!) {
    executeActivity(input: $input) {
      case {
        ...CaseStep
      }
    }
  }
`);

interface ApprovalProps {
  readonly instanceId: string;
  readonly title: string;
  readonly amount: string;
}

/** Runs the approval of a request: a case of the platform, activity by activity. */
export function Approval({ instanceId, title, amount }: ApprovalProps) {
  const viewer = useQuery(VIEWER).data?.viewer?.name ?? '';
  // The platform does not link a request to its case, so the tab remembers the case.
  const [step, setStep] = useSessionState<CaseStepFragment>(`case of ${instanceId} for ${viewer}`);
  const idempotency = createIdempotencyKey(sessionStorage, `approval of ${instanceId}`);
  const options = { errorPolicy: 'all', context: { idempotency } } as const;
  const [start, started] = useMutation(START_APPROVAL, options);
  const [execute, executed] = useMutation(EXECUTE_ACTIVITY, options);

  const begin = async () => {
    // A case takes numbers like the platform's process. In JavaScript they are exact up to 2^53.
    const values = { title, amount: Number(amount), purchaseRequest: Number(instanceId) };
    const { data } = await start({ variables: { values } });
    if (data?.startCase) setStep(data.startCase.case);
  };
  const finish = async (caseId: string, activityId: string, values: Record<string, unknown>) => {
    const { data } = await execute({ variables: { input: { caseId, activityId, values } } });
    if (data?.executeActivity) setStep(data.executeActivity.case);
  };

  return (
    <div className="stack" aria-live="polite">
      {step === undefined && (
        <p>
          <button type="button" className="primary" onClick={begin} disabled={started.loading}>
            Start the approval
          </button>
        </p>
      )}
      {step?.activity && (
        <Activity
          key={step.activity.activityId}
          activity={step.activity}
          isBusy={executed.loading}
          finish={(activityId, values) => finish(step.caseId, activityId, values)}
        />
      )}
      {step && !step.activity && (
        <p>
          Case {step.caseId} is finished.{' '}
          <button type="button" onClick={() => setStep(undefined)}>
            Start another
          </button>
        </p>
      )}
      <Problems error={started.error ?? executed.error} />
    </div>
  );
}

interface ActivityProps {
  readonly activity: { readonly activityId: string; readonly name?: string | null };
  readonly isBusy: boolean;
  readonly finish: (activityId: string, values: Record<string, unknown>) => void;
}

/**
 * The process variable that each activity decides, by the activity's name. The interface does not
 * describe processes.
 */
const DECISIONS: Readonly<Record<string, string>> = {
  'Review by manager': 'managerApproves',
  'Review by director': 'directorApproves',
};

/** The current activity with the controls for its values. */
function Activity({ activity: { activityId, name }, isBusy, finish }: ActivityProps) {
  const title = name ?? `Activity ${activityId}`;
  const decision = DECISIONS[title];
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    finish(activityId, Object.fromEntries(new FormData(event.currentTarget)));
  };
  const decide = (isApproved: boolean) => {
    const values = decision === undefined ? {} : { [decision]: isApproved };
    return finish(activityId, values);
  };

  return (
    <form className="stack" onSubmit={submit}>
      <h3>{title}</h3>
      {title === 'Place order' && (
        <label>
          Order number
          <input name="orderNumber" required />
        </label>
      )}
      <p className="actions">
        {decision === undefined ? (
          <button type="submit" className="primary" disabled={isBusy}>
            {title === 'Place order' ? 'Order' : 'Done'}
          </button>
        ) : (
          <>
            <button
              type="button"
              className="primary"
              disabled={isBusy}
              onClick={() => decide(true)}
            >
              Approve
            </button>
            <button type="button" disabled={isBusy} onClick={() => decide(false)}>
              Reject
            </button>
          </>
        )}
      </p>
    </form>
  );
}

/** State that survives a reload while the tab is open. */
function useSessionState<T>(key: string) {
  const [value, setValue] = useState<T | undefined>(
    () => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined,
  );
  const store = (next: T | undefined) => {
    if (next === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, store] as const;
}
