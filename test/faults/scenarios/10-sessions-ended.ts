import { byEffort } from '@despatch/testing/effort'
import { again } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const sessionsEnded: Scenario = {
  number: 10,
  name: 'sessions of PostgreSQL are ended at random, including those that LISTEN',
  holds: 'I1 I10; what is submitted afterwards is picked up without a restart',
  queues: 'each',
  smoke: 'postgres',
  plan: {
    strike: async (world) => {
      const { database, chance, outage } = world
      const end = async () => {
        await database.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name <> 'faults' and hashtext(pid::text || $1) % 2 = 0`,
          [String(chance())],
        )
      }
      await outage('database', () =>
        again(world, { forMs: byEffort({ landing: 2_000, full: 6_000 }), everyMs: 700 }, end),
      )
    },
  },
}
