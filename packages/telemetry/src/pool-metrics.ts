import { Gauge, type Registry } from 'prom-client'

/** What a pool of database connections tells of itself. */
export type ObservedPool = {
  totalCount: number
  idleCount: number
  waitingCount: number
  options: { max: number }
}

/** Registers how much of a service's connections is in use, and how much work waits for one that is free. */
export function registerPoolMetrics(registry: Registry, pool: ObservedPool): void {
  new Gauge({
    name: 'database_connections',
    help: 'Connections of the service to the database: busy, idle; waiting: work for which there is none, and no other may be made',
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

/** Work that has just been asked for waits for a moment too, although a connection is free or is made for it. */
function waitingIn({ totalCount, idleCount, waitingCount, options }: ObservedPool): number {
  return totalCount < options.max ? 0 : Math.max(waitingCount - idleCount, 0)
}
