import { Gauge, type Registry } from '@despatch/telemetry/metrics'
import type { Figures } from '../figures/read-figures.ts'
import { type FigureGauge, registerFigureGauges } from './figure-gauges.ts'

const gauges: readonly FigureGauge<Figures>[] = [
  {
    name: 'print_jobs',
    help: 'Print jobs in each status',
    labelNames: ['status'],
    samples: ({ printJobs }) =>
      printJobs.map(({ status, count }) => ({ labels: { status }, value: count })),
  },
  {
    name: 'print_jobs_oldest_seconds',
    help: 'Time since the oldest print job entered the status',
    labelNames: ['status'],
    samples: ({ printJobs }) =>
      printJobs.map(({ status, oldestSeconds }) => ({ labels: { status }, value: oldestSeconds })),
  },
  {
    name: 'print_jobs_parked',
    help: 'Print jobs set aside for operations after repeated faults',
    samples: ({ parked }) => [{ value: parked.count }],
  },
  {
    name: 'print_jobs_parked_oldest_seconds',
    help: 'Time since the oldest parked print job was parked',
    samples: ({ parked }) => [{ value: parked.oldestSeconds }],
  },
  {
    name: 'letters_waiting',
    help: 'Letters that wait for a worker, by what one letter costs; counted up to 10,000 in each lane',
    labelNames: ['lane'],
    samples: ({ work }) =>
      work.lanes.map(({ lane, letters }) => ({ labels: { lane }, value: letters })),
  },
  {
    name: 'letters_waiting_oldest_seconds',
    help: 'How long the oldest letter that waits for a worker has waited',
    labelNames: ['lane'],
    samples: ({ work }) =>
      work.lanes.map(({ lane, oldestSeconds }) => ({ labels: { lane }, value: oldestSeconds })),
  },
  {
    name: 'letters_postponed',
    help: 'Letters that wait for a time or for a dependency; counted up to 10,000',
    samples: ({ work }) => [{ value: work.postponed }],
  },
  {
    name: 'batches_offered',
    help: 'Batches of letters that are in a queue and that no worker has taken',
    labelNames: ['queue'],
    samples: ({ work }) =>
      work.offered.map(({ queue, batches }) => ({ labels: { queue }, value: batches })),
  },
  {
    name: 'callbacks_due',
    help: 'Callbacks owed to consumers, including scheduled retries',
    samples: ({ callbacks }) => [{ value: callbacks.due }],
  },
  {
    name: 'callbacks_late_seconds',
    help: 'How long the oldest due callback has been due without an attempt, at reachable origins',
    samples: ({ callbacks }) => [{ value: callbacks.lateSeconds }],
  },
  {
    name: 'callbacks_dead_last_day',
    help: 'Callbacks given up in the last 24 hours and not replayed; counted up to 10,000',
    samples: ({ callbacks }) => [{ value: callbacks.deadLastDay }],
  },
  {
    name: 'callback_breakers_open',
    help: 'Origins that callbacks do not reach: their breaker is open or half-open',
    samples: ({ unavailableOrigins }) => [{ value: unavailableOrigins.count }],
  },
  {
    name: 'callback_breakers_open_oldest_seconds',
    help: 'How long the oldest callback to one of these origins has been owed',
    samples: ({ unavailableOrigins }) => [{ value: unavailableOrigins.oldestSeconds }],
  },
  {
    name: 'dependency_outage_seconds',
    help: 'How long services have been unable to reach a dependency; absent while it is reachable',
    labelNames: ['dependency'],
    samples: ({ outages }) =>
      outages.map(({ dependency, since, seenAt }) => ({
        labels: { dependency },
        value: (seenAt.getTime() - since.getTime()) / 1_000,
      })),
  },
  {
    name: 'database_transaction_oldest_seconds',
    help: 'How long the oldest open transaction of the database has been open, by the service that holds it; absent while none is open',
    labelNames: ['application'],
    samples: ({ oldestTransaction: oldest }) =>
      oldest
        ? [
            {
              labels: { application: oldest.isOfService ? oldest.application : 'other' },
              value: oldest.openSeconds,
            },
          ]
        : [],
  },
  {
    name: 'print_runs',
    help: 'Print runs in each state except CLOSED and VOIDED',
    labelNames: ['state'],
    samples: ({ printRuns }) =>
      printRuns.map(({ state, count }) => ({ labels: { state }, value: count })),
  },
  {
    name: 'print_runs_oldest_seconds',
    help: 'Time since the oldest print run entered the state',
    labelNames: ['state'],
    samples: ({ printRuns }) =>
      printRuns.map(({ state, oldestSeconds }) => ({ labels: { state }, value: oldestSeconds })),
  },
  {
    name: 'printing_waiting',
    help: 'Items that the work of print providers waits for, by kind: see the concerns of the console; unroutable are counted up to 10,000',
    labelNames: ['what'],
    samples: ({ printing }) =>
      Object.entries(printing).map(([what, { count }]) => ({ labels: { what }, value: count })),
  },
  {
    name: 'printing_waiting_oldest_seconds',
    help: 'How long the oldest of them has waited',
    labelNames: ['what'],
    samples: ({ printing }) =>
      Object.entries(printing).map(([what, { oldestSeconds }]) => ({
        labels: { what },
        value: oldestSeconds,
      })),
  },
]

/**
 * Registers the figures of the overview as gauges that are read at each scrape. While the figures cannot be read, the
 * gauges have no samples and `overview_readable` is 0. An age is 0 if there is nothing to measure.
 */
export function registerOverviewMetrics(registry: Registry, read: () => Promise<Figures>): void {
  registerFigureGauges(registry, gauges, read)
  new Gauge({
    name: 'overview_readable',
    help: '1 if the figures of the overview could be read from the database',
    registers: [registry],
    async collect() {
      const isReadable = await read().then(
        () => true,
        () => false,
      )
      this.set(isReadable ? 1 : 0)
    },
  })
}
