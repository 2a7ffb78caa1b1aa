import { aDatabase } from '@despatch/testing/a-database'
import { type Seeder, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { beforeEach } from 'vitest'
import type { DatabaseOptions } from '../src/database.ts'

const tables = ['callback_attempt', 'callback_batch', 'callback', 'callback_origin'] as const

/** A database for a file of tests. Each test begins without callbacks, and with a new consumer, to which `seed` adds. */
export async function aCallbackStore(options: Partial<DatabaseOptions> = {}) {
  const database = await shared(aDatabase({ pipeline: true, ...options }))
  const { db } = database
  const seed = {} as Seeder
  beforeEach(async () => {
    for (const table of tables) await db.deleteFrom(table).execute()
    Object.assign(seed, await seeder(db))
  })
  return {
    ...database,
    seed,
    /** Inserts a callback of a new print job, and returns its id. It is due unless something else is given. */
    aCallback: async (given: Partial<Parameters<Seeder['callback']>[0]> = {}, of = seed) =>
      of.callback({ print_job_key: await of.printJob(), ...given }),
    read: (id: string) =>
      db.selectFrom('callback').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  }
}
