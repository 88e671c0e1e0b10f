import type { GraphiQLPlugin } from '@graphiql/react';

import { SAMPLES } from './samples/index.ts';
import { useTabs } from './tabs.ts';
import { useTypedSamples } from './typed-tabs.ts';

/** The panel that lists the samples by the platform's operations. */
export const SAMPLES_PANEL: GraphiQLPlugin = { title: 'Samples', icon: SamplesIcon, content: SamplesPanel };

function SamplesPanel() {
  const { activeTitle, open, reset } = useTabs();
  const samples = [...SAMPLES, ...useTypedSamples()];
  const groups = [...new Set(samples.map(({ group }) => group))];
  return (
    <section className="samples" aria-label="Samples">
      <div className="samples-head">
        <h1 className="samples-title">Samples</h1>
        <button
          type="button"
          className="samples-reset"
          title="Gives every sample back as it was. Tabs of your own stay."
          onClick={reset}
        >
          Reset samples
        </button>
      </div>
      <p className="samples-lead">One for each operation of the platform, and for each of its forms.</p>
      {groups.map((group) => (
        <div key={group}>
          <h2 className="samples-group">{group}</h2>
          <ul className="samples-list">
            {samples
              .filter((sample) => sample.group === group)
              .map((sample) => (
                <li key={sample.name}>
                  <button
                    type="button"
                    className="sample"
                    aria-current={sample.name === activeTitle}
                    onClick={() => open(sample)}
                  >
                    <span className="sample-name">{sample.name}</span>
                    <span className={`sample-kind sample-kind-${sample.kind}`}>{sample.kind}</span>
                    <code className="sample-operation">{sample.operation}</code>
                  </button>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function SamplesIcon() {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M3 5h.01M3 10h.01M3 15h.01M7 5h10M7 10h10M7 15h10" />
    </svg>
  );
}
