import type { Registry } from '@despatch/telemetry/metrics'
import type { Watch } from '../figures/read-watch.ts'
import { type FigureGauge, registerFigureGauges } from './figure-gauges.ts'

const gauges: readonly FigureGauge<Watch>[] = [
  {
    name: 'stuck_seconds',
    help: 'How far the oldest print job in the status exceeds its usual time, by the calendar of its site',
    labelNames: ['status'],
    samples: ({ stuckSeconds }) => labelled('status', stuckSeconds),
  },
  {
    name: 'print_sites_working',
    help: 'Enabled print sites that are working now, according to their calendars and maintenance',
    samples: ({ sitesWorking }) => [{ value: sitesWorking }],
  },
  {
    name: 'print_runs_last_day',
    help: 'Print runs that completed the step in the last 24 hours',
    labelNames: ['step'],
    samples: ({ runsLastDay }) => labelled('step', runsLastDay),
  },
  {
    name: 'print_run_documents',
    help: 'Documents of claimed print runs that have not ended, by their place in the reconciliation',
    labelNames: ['account'],
    samples: ({ documents }) => labelled('account', documents),
  },
  {
    name: 'invariant_violations',
    help: 'Violations of invariants: any value other than 0 is a fault of ours',
    labelNames: ['check'],
    samples: ({ violations }) => labelled('check', violations),
  },
]

/** Registers the figures of the watch as gauges. Without the database they have no samples. */
export function registerWatchMetrics(registry: Registry, read: () => Promise<Watch>): void {
  registerFigureGauges(registry, gauges, read)
}

function labelled(label: string, values: Readonly<Record<string, number>>) {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}
