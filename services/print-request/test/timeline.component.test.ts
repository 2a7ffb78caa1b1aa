import { insertProvider } from '@despatch/store/access/consumers'
import { holdPrintJob } from '@despatch/store/print-job/hold'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { aProblem } from '@despatch/testing/a-problem'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { readWhileMonthsDrop } from '@despatch/testing/read-while-months-drop'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintRequest, type SubmittedJob } from './a-print-request.ts'
import { createdAt, origin, type SeededCallback, seedCallback } from './some-callbacks.ts'

const service = await shared(aPrintRequest())
const { db, pool } = service.database
const consumer = await service.aCaller()
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

type Action = { action: 'hold' | 'release' | 'delete'; isPossible: boolean; whyNot?: string }
type Timeline = { events: object[]; printRun?: object; callbacks: object[]; actions: Action[] }

async function read(id: string): Promise<Timeline> {
  const { status, body } = await consumer.call({ path: `jobs/${id}/events` })
  expect(status).toBe(200)
  return body as Timeline
}

const move = (key: string, transition: 'release' | 'produce' | 'despatch' | 'reject') =>
  db.transaction().execute((tx) => movePrintJobs(tx, [{ key }], transition, { actor: 'test' }))

const gather = () => gatherAndRelease(db, { runAgeMs: 3_600_000, documentsMax: 100, jobsMax: 100 })

const submitted = () => service.aPrintJob(consumer)
const pending = () => service.aPendingJob(consumer)

async function moved(...transitions: ('produce' | 'despatch' | 'reject')[]): Promise<SubmittedJob> {
  const job = await pending()
  for (const transition of transitions) await move(job.key, transition)
  return job
}

async function held(by: 'consumer' | 'operator', job: SubmittedJob): Promise<SubmittedJob> {
  if (by === 'consumer') await carryOut('hold', job.id)
  else {
    const actor = 'consumer:operator'
    await db.transaction().execute((tx) => holdPrintJob(tx, { key: job.key }, { actor }))
  }
  return job
}

const carryOut = (action: Action['action'], id: string) =>
  action === 'delete'
    ? consumer.call({ method: 'DELETE', path: `jobs/${id}` })
    : consumer.call({ method: 'POST', path: `jobs/${id}/${action}` })

const states: Record<string, () => Promise<SubmittedJob>> = {
  QUARANTINE: submitted,
  'QUARANTINE, held': async () => held('consumer', await submitted()),
  VALIDATING: async () => {
    const job = await submitted()
    await move(job.key, 'release')
    return job
  },
  PENDING: pending,
  'PENDING, in a print run': async () => {
    const job = await pending()
    await gather()
    return job
  },
  'PENDING, held': async () => held('consumer', await pending()),
  'PENDING, held by an operator': async () => held('operator', await pending()),
  'PENDING, parked': async () => {
    const job = await pending()
    await pool.query('update print_job set parked_at = now() where key = $1', [job.key])
    return job
  },
  PRODUCTION: () => moved('produce'),
  DESPATCHED: () => moved('produce', 'despatch'),
  REJECTED: () => moved('reject'),
  purged: async () => {
    const job = await moved('reject')
    await pool.query('update print_job set purge_began_at = now() where key = $1', [job.key])
    return job
  },
}

test.for(
  Object.keys(states).flatMap((state) =>
    (['hold', 'release', 'delete'] as const).map((action) => [state, action] as const),
  ),
)('%s: %s is shown as possible exactly if its operation succeeds', async ([state, action]) => {
  const { id } = await states[state]!()
  const judged = (await read(id)).actions.find((one) => one.action === action)!

  const { status, body } = await carryOut(action, id)

  if (judged.isPossible) {
    expect(status).toBe(action === 'delete' ? 204 : 200)
    expect(judged.whyNot).toBeUndefined()
  } else if (action === 'delete') {
    expect(judged.whyNot).toMatch(/\.$/)
    expect({ status, body }).toMatchObject(aProblem(409, { code: '7' }))
  } else {
    expect({ status, body }).toMatchObject(aProblem(409, { detail: judged.whyNot }))
  }
})

test('the timeline has the print run, from gathering until the print job leaves it', async () => {
  const { id } = await pending()
  expect(await read(id)).not.toHaveProperty('printRun')

  await gather()

  const { rows } = await pool.query<{ batch_number: string }>(
    'select batch_number from print_job where id = $1',
    [id],
  )
  const printRun = { batchNumber: rows[0]!.batch_number, state: 'OPEN', printLocation: 'NORTH' }
  expect((await read(id)).printRun).toEqual(printRun)
  await pool.query(`update print_run set release_asked_at = now() where batch_number = $1`, [
    printRun.batchNumber,
  ])
  await gather()
  expect((await read(id)).printRun).toEqual({ ...printRun, state: 'RELEASED' })
  await carryOut('hold', id)
  expect(await read(id)).not.toHaveProperty('printRun')
})

test('the timeline has the callbacks, due and delivered, without path and credentials of their target', async () => {
  const { id, key: print_job_key } = await service.aPrintJob(consumer, {
    callbackParams: {
      target: `${origin}/secret-path?token=secret-token`,
      authenticationHeader: 'Bearer secret-header',
    },
  })
  const other = await service.aPrintJob(consumer)
  const seed = (given: Partial<SeededCallback> = {}) =>
    seedCallback(service.database, { consumer_id: consumer.consumerId, print_job_key, ...given })
  await seed({ print_job_key: other.key })
  expect((await read(id)).callbacks).toEqual([])
  const delivered = await seed({ state: 'DELIVERED' })
  const due = await seed({ sequence: 2, state: 'DUE' })

  const timeline = await read(id)

  const common = { jobId: id, kind: 'status', jobStatus: 'DESPATCHED', origin, replays: 0 }
  expect(timeline.callbacks).toEqual([
    {
      ...common,
      callbackId: due,
      sequence: 2,
      status: 'DUE',
      attempts: 0,
      createdAt,
      nextAttemptAt: expect.stringMatching(/Z$/),
    },
    {
      ...common,
      callbackId: delivered,
      sequence: 1,
      status: 'DELIVERED',
      attempts: 1,
      createdAt,
      endedAt: createdAt,
    },
  ])
  expect(JSON.stringify(timeline)).not.toContain('secret')
})

// Comes last, because the database has no month for further letters then.
test('the timeline is complete while the month of its events is dropped', async () => {
  const { id } = await pending()
  const { events } = await read(id)

  const meanwhile = await readWhileMonthsDrop(pool, 'print_job_event', () => read(id))

  expect(meanwhile.events).toEqual(events)
})
