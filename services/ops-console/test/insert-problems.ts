import { randomUUID } from 'node:crypto'
import type { Db } from '@despatch/store/database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'

/**
 * Inserts print jobs of which one is parked, callbacks of which three are dead and one waits, and an origin whose
 * breaker is not closed.
 */
export async function insertProblems(db: Db): Promise<void> {
  const { consumerId, contractId } = await insertConsumer(db)
  const printJob = {
    consumer_id: consumerId,
    contract_id: contractId,
    status: 'VALIDATING' as const,
    standard_params: JSON.stringify({ ...someStandardParams, recipientName: 'Ms Recipient Name' }),
    callback_params: JSON.stringify({ target: 'https://example.com/?token=SECRET' }),
    callback_statuses: ['REJECTED' as const],
    correlation_id: 'correlation-1',
    request_fingerprint: Buffer.alloc(32),
  }
  const rejectedKey = randomUUID()
  await db
    .insertInto('print_job')
    .values([
      { ...printJob, key: randomUUID(), id: 'letter-fine', status: 'QUARANTINE' },
      {
        ...printJob,
        key: randomUUID(),
        id: 'letter-parked',
        step_failures: 8,
        step_failure: '<b>TimeoutError</b>',
        parked_at: new Date(Date.now() - 7_300_000),
      },
      { ...printJob, key: rejectedKey, id: 'letter-rejected', status: 'REJECTED' },
    ])
    .execute()
  const callback = {
    consumer_id: consumerId,
    print_job_key: rejectedKey,
    sequence: 1,
    body: Buffer.from('{}'),
    origin: 'https://example.com:443',
  }
  const dead = { state: 'DEAD', end_reason: 'gone', ended_at: new Date() } as const
  await db
    .insertInto('callback')
    .values([
      { ...callback, id: randomUUID(), ...dead, kind: 'status', status: 'REJECTED' },
      { ...callback, id: randomUUID(), ...dead, sequence: 2, kind: 'return', status: 'REJECTED' },
      { ...callback, id: randomUUID(), ...dead, print_job_key: null, kind: 'test' },
      {
        ...callback,
        id: randomUUID(),
        sequence: 3,
        kind: 'status',
        status: 'REJECTED',
        owed_since: new Date(Date.now() - 7_300_000),
        due_at: new Date(Date.now() + 3_600_000),
      },
    ])
    .execute()
  await db
    .insertInto('callback_origin')
    .values({
      origin: callback.origin,
      breaker: 'open',
      breaker_until: new Date(Date.now() + 3_600_000),
    })
    .execute()
  await correctCounts(db)
}
