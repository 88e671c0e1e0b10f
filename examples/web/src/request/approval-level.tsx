import { useMutation } from '@apollo/client/react';

import { graphql } from '../__generated__/index.ts';
import { formatMoney } from '../format.ts';
import { Problems } from '../graphql/problems.tsx';

const APPROVAL_LEVEL = graphql(`
  mutation ApprovalLevel($amount: JSON!) {
    executeRule(
      input: {
        component: "approval-level"
        version: "1.0"
        parameters: [{ name: "amount", value: $amount }]
      }
    ) {
      outputs {
        name
        value
      }
    }
  }
`);

/** Runs the rule that decides who must approve an amount. */
export function ApprovalLevel({ amount }: { readonly amount: string }) {
  const [execute, { data, error, loading }] = useMutation(APPROVAL_LEVEL, { errorPolicy: 'all' });
  const approver = data?.executeRule?.outputs.find(({ name }) => name === 'approver')?.value;
  const run = () => execute({ variables: { amount: Number(amount) } });
  return (
    <div className="stack">
      <p className="actions">
        <button type="button" onClick={run} disabled={loading}>
          Who must approve this?
        </button>
        <output>{typeof approver === 'string' && wordApprover(approver, amount)}</output>
      </p>
      <Problems error={error} retry={run} />
    </div>
  );
}

const wordApprover = (approver: string, amount: string): string =>
  approver === 'nobody'
    ? `Nobody needs to approve ${formatMoney(amount)}.`
    : `A ${approver} approves ${formatMoney(amount)}.`;
