import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  /** What is wrong with the value, as the gateway says it; absent while nothing is. */
  readonly violation: string | undefined;
  /** Gives the control, with what ties it to its violation. */
  readonly children: (tie: Tie) => ReactNode;
}

interface Tie {
  readonly id: string;
  readonly 'aria-invalid'?: true;
  readonly 'aria-describedby'?: string;
}

/** A control with its name, and below it what is wrong with what was entered. */
export function Field({ label, violation, children }: FieldProps) {
  const id = useId();
  const reason = `${id}-reason`;
  const tie = violation === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': reason } as const);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...tie })}
      {violation !== undefined && (
        <p id={reason} className="violation">
          It {violation}.
        </p>
      )}
    </div>
  );
}
