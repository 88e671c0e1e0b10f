import { useMutation } from 'urql';

import { graphql } from '../__generated__/index.ts';
import { formatMoney } from '../shared/format.ts';
import { Problems } from '../shared/problems.tsx';

const LEVEL = graphql(`
  mutation ApprovalLevel($amount: Decimal!) {
    executeApprovalLevelV1_0(input: { parameters: { amount: $amount } }) {
      outputs {
        name
        value
      }
    }
  }
`);

/** Asks the rule of the house who must approve an amount. */
export function Level({ amount }: { readonly amount: string }) {
  const [{ data, error, fetching }, ask] = useMutation(LEVEL);
  const approver = data?.executeApprovalLevelV1_0?.outputs.find(({ name }) => name === 'approver')?.value;
  const run = () => ask({ amount });
  return (
    <div className="stack">
      <p className="actions">
        <button type="button" onClick={run} disabled={fetching}>
          Who must approve this?
        </button>
        <output>{typeof approver === 'string' && sayApprover(approver, amount)}</output>
      </p>
      <Problems error={error} retry={run} />
    </div>
  );
}

const sayApprover = (approver: string, amount: string): string =>
  approver === 'nobody'
    ? `Nobody needs to approve ${formatMoney(amount)}.`
    : `A ${approver} approves ${formatMoney(amount)}.`;
