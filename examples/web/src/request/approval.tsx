import { useMutation } from 'urql';
import type { StepFragment } from '../__generated__/graphql.ts';
import { getFragmentData, graphql } from '../__generated__/index.ts';
import { Problems } from '../shared/problems.tsx';
import { Activity } from './activity.tsx';
import { useKept } from './kept.ts';

const STEP = graphql(`
  fragment Step on Case {
    caseId
    activity {
      activityId
      name
    }
  }
`);

const START = graphql(`
  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID!) {
    startCase(input: { process: "purchase-approval", values: $values, idempotencyKey: $idempotencyKey }) {
      case {
        ...Step
      }
    }
  }
`);

const EXECUTE = graphql(`
  mutation ExecuteActivity($caseId: ID!, $activityId: ID!, $values: JSONObject, $idempotencyKey: ID!) {
    executeActivity(
      input: { caseId: $caseId, activityId: $activityId, values: $values, idempotencyKey: $idempotencyKey }
    ) {
      case {
        ...Step
      }
    }
  }
`);

interface ApprovalProps {
  readonly instanceId: string;
  readonly title: string;
  readonly amount: string;
}

/** Takes a request through its approval, one activity after the other. */
export function Approval({ instanceId, title, amount }: ApprovalProps) {
  // The platform does not tell what case a request has, so that the page keeps it.
  const [step, keep] = useKept<StepFragment>(`case of ${instanceId}`);
  const [started, start] = useMutation(START);
  const [executed, execute] = useMutation(EXECUTE);

  const begin = async () => {
    const values = { title, amount: Number(amount), purchaseRequest: Number(instanceId) };
    const { data } = await start({ values, idempotencyKey: crypto.randomUUID() });
    const begun = getFragmentData(STEP, data?.startCase?.case);
    if (begun) keep(begun);
  };
  const goOn = async (activityId: string, values: Record<string, unknown>) => {
    if (step === undefined) return;
    const idempotencyKey = crypto.randomUUID();
    const { data } = await execute({ caseId: step.caseId, activityId, values, idempotencyKey });
    const next = getFragmentData(STEP, data?.executeActivity?.case);
    if (next) keep(next);
  };

  return (
    <div className="stack" aria-live="polite">
      {step === undefined && (
        <p>
          <button type="button" className="primary" onClick={begin} disabled={started.fetching}>
            Start the approval
          </button>
        </p>
      )}
      {step?.activity && (
        <Activity key={step.activity.activityId} activity={step.activity} isBusy={executed.fetching} execute={goOn} />
      )}
      {step && !step.activity && (
        <p>
          Case {step.caseId} is finished.{' '}
          <button type="button" onClick={() => keep(undefined)}>
            Begin another
          </button>
        </p>
      )}
      <Problems error={started.error ?? executed.error} />
    </div>
  );
}
