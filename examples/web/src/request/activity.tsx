import type { SubmitEvent } from 'react';

interface ActivityProps {
  readonly activity: { readonly activityId: string; readonly name?: string | null };
  readonly isBusy: boolean;
  readonly execute: (activityId: string, values: Record<string, unknown>) => void;
}

/** What an activity asks for, by its name; the interface does not say, so that a client knows its process. */
const DECISIONS: Readonly<Record<string, string>> = {
  'Review by manager': 'managerApproves',
  'Review by director': 'directorApproves',
};

/** The activity that is due, with what it asks for. */
export function Activity({ activity: { activityId, name }, isBusy, execute }: ActivityProps) {
  const title = name ?? `Activity ${activityId}`;
  const decision = DECISIONS[title];
  const order = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const orderNumber = String(new FormData(event.currentTarget).get('orderNumber'));
    execute(activityId, { orderNumber });
  };

  if (title === 'Place order') {
    return (
      <form className="stack" onSubmit={order}>
        <h3>{title}</h3>
        <label>
          Order number
          <input name="orderNumber" required />
        </label>
        <p className="actions">
          <button type="submit" className="primary" disabled={isBusy}>
            Order
          </button>
        </p>
      </form>
    );
  }
  return (
    <>
      <h3>{title}</h3>
      <p className="actions">
        {decision === undefined ? (
          <button type="button" className="primary" disabled={isBusy} onClick={() => execute(activityId, {})}>
            Done
          </button>
        ) : (
          <>
            <button
              type="button"
              className="primary"
              disabled={isBusy}
              onClick={() => execute(activityId, { [decision]: true })}
            >
              Approve
            </button>
            <button type="button" disabled={isBusy} onClick={() => execute(activityId, { [decision]: false })}>
              Reject
            </button>
          </>
        )}
      </p>
    </>
  );
}
