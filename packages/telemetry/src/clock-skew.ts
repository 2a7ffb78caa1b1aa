import { Gauge, type Registry } from 'prom-client'

type ClockSkewSource = {
  pool: { query(text: string): Promise<{ rows: { ms: number }[] }> }
  now?: () => Date
}

const nowOfDatabase =
  'select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms'

/**
 * Registers the gauge of a service that has a database: some of its decisions use the clock of its machine, so that
 * clock is watched. While the database does not answer, the last value stays.
 */
export function registerClockSkew(registry: Registry, source: ClockSkewSource): void {
  new Gauge({
    name: 'clock_skew_seconds',
    help: 'Seconds by which the clock of the process is ahead of the clock of the database; beyond 7.5 either way, a worker takes no work',
    registers: [registry],
    async collect() {
      const skewMs = await measureClockSkew(source).catch(() => undefined)
      if (skewMs !== undefined) this.set(skewMs / 1000)
    },
  })
}

/** Returns by how many milliseconds this machine's clock is ahead of the database's. */
export async function measureClockSkew({
  pool,
  now = () => new Date(),
}: ClockSkewSource): Promise<number> {
  const sentAtMs = now().getTime()
  const { rows } = await pool.query(nowOfDatabase)
  return Math.round((sentAtMs + now().getTime()) / 2 - rows[0]!.ms)
}
