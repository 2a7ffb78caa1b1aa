import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'

export type BulkActionMetrics = {
  items: Counter<'outcome'>
  /** Sets when the oldest running bulk action was confirmed; null if none is running. */
  setOldest(since: Date | null): void
}

const outcomes = ['done', 'refused', 'absent', 'failed'] as const

export function createBulkActionMetrics(registry: Registry, now: () => Date): BulkActionMetrics {
  const items = new Counter({
    name: 'bulk_action_items_total',
    help: 'Print jobs of bulk actions, by outcome; one that failed by a fault of ours is retried',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of outcomes) items.inc({ outcome }, 0)
  let oldest: Date | null = null
  new Gauge({
    name: 'bulk_action_oldest_seconds',
    help: 'Time since the oldest running bulk action was confirmed; 0 if none is running',
    registers: [registry],
    // computed at each scrape, so that the age also grows while the database cannot be read
    collect() {
      this.set(oldest === null ? 0 : Math.max(0, (now().getTime() - oldest.getTime()) / 1_000))
    },
  })
  return {
    items,
    setOldest: (since) => {
      oldest = since
    },
  }
}
