import { Gauge, type Registry } from 'prom-client'

/** The state of a pool of database connections. */
export type ObservedPool = {
  totalCount: number
  idleCount: number
  waitingCount: number
  options: { max: number }
}

/** Registers gauges for the connections in use and the work that waits for one. */
export function registerPoolMetrics(registry: Registry, pool: ObservedPool): void {
  new Gauge({
    name: 'database_connections',
    help: 'Database connections of the service: busy, idle; waiting: requests for a connection while the pool is exhausted',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount, idleCount } = pool
      this.set({ state: 'busy' }, totalCount - idleCount)
      this.set({ state: 'idle' }, idleCount)
      this.set({ state: 'waiting' }, waitingIn(pool))
    },
  })
}

/** New work waits for a moment even if a connection is free or being opened for it; that does not count. */
function waitingIn({ totalCount, idleCount, waitingCount, options }: ObservedPool): number {
  return totalCount < options.max ? 0 : Math.max(waitingCount - idleCount, 0)
}
