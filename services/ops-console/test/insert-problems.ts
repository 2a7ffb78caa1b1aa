import type { Db } from '@despatch/store/database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { someStandardParams } from '@despatch/testing/print-job-builders'
import { secondsAgo, seeder } from '@despatch/testing/seed-print-job'

/**
 * Inserts print jobs of which one is parked, callbacks of which three are dead and one waits, and an origin whose
 * breaker is not closed.
 */
export async function insertProblems(db: Db): Promise<void> {
  const seed = await seeder(db)
  const personal = {
    standard_params: JSON.stringify({ ...someStandardParams, recipientName: 'Ms Recipient Name' }),
    callback_params: JSON.stringify({ target: 'https://example.com/?token=SECRET' }),
  }
  await seed.printJob({ ...personal, id: 'letter-fine' })
  const failure = { step_failures: 8, step_failure: '<b>TimeoutError</b>' }
  const parked = { status: 'VALIDATING', ...failure, parked_at: secondsAgo(7_300) } as const
  await seed.printJob({ ...personal, id: 'letter-parked', ...parked })
  const rejected = { id: 'letter-rejected', status: 'REJECTED' } as const
  const print_job_key = await seed.printJob({ ...personal, ...rejected })
  const origin = 'https://example.com:443'
  const dead = { origin, state: 'DEAD', end_reason: 'gone', ended_at: new Date() } as const
  await seed.callback({ ...dead, print_job_key })
  await seed.callback({ ...dead, print_job_key, sequence: 2, kind: 'return' })
  await seed.callback({ ...dead, print_job_key: null, kind: 'test' })
  const waiting = { owed_since: secondsAgo(7_300), due_at: secondsAgo(-3_600) }
  await seed.callback({ origin, print_job_key, sequence: 3, ...waiting })
  await db
    .insertInto('callback_origin')
    .values({ origin, breaker: 'open', breaker_until: secondsAgo(-3_600) })
    .execute()
  await correctCounts(db)
}
