import { randomUUID } from 'node:crypto'
import { standardParamsSchema } from '@despatch/contracts/print-request/print-job-request'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintRequest, aRequest, withoutFile } from './a-print-request.ts'

/** The responses before, during and after the removal of personal information from the rows. */

const idempotency = { 'idempotency-key': randomUUID() }
const body = () => {
  const { standardParams } = aRequest()
  return aRequest({
    id,
    standardParams: { ...standardParams, businessIdentifier: 'case-7', despatchMethod: 'FIRST' },
    customParams: [{ key: 'amount', value: '12.50' }],
    callbackParams: { target: 'https://consumer.example/called' },
    hobbies: 'chess',
  })
}
const submit = (detail: object = {}) =>
  consumer.call({
    method: 'POST',
    path: 'jobs',
    headers: idempotency,
    body: { ...body(), ...detail },
  })

async function readAll() {
  const [job, extended, events, callback] = await Promise.all([
    consumer.call({ path: `jobs/${id}` }),
    consumer.call({ path: `jobs/${id}?view=extended` }),
    consumer.call({ path: `jobs/${id}/events` }),
    consumer.call({ path: `/print-request/v1/callbacks/${callbackId}` }),
  ])
  return { job, extended, events, callback }
}

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
// a print job that is rejected, reported to its consumer and purged
const id = `job-${randomUUID()}`
expect(await submit()).toMatchObject({ status: 202 })
const { db, pool } = service.database
const { rows } = await pool.query('select key from print_job where id = $1', [id])
const { key } = rows[0]
const detail = 'File letter-to-ms-person is empty'
const findings = [
  { rule: 'file-empty', severity: 'refusal', fileId: 'letter-to-ms-person', detail } as const,
]
await db
  .transaction()
  .execute((tx) =>
    movePrintJobs(tx, [{ key, comment: detail, findings }], 'reject', { actor: 'quarantine' }),
  )
const { rows: ended } = await pool.query(
  `update callback set state = 'DEAD', end_reason = 'refused', due_at = null, ended_at = now()
   where print_job_key = $1 returning id`,
  [key],
)
const callbackId = ended[0].id
await pool.query(
  `insert into callback_attempt
     (callback_id, number, planned_at, started_at, duration_ms, outcome, address, answer)
   values ($1, 1, now(), now(), 1, 'refused', '192.0.2.1', 'Ms A Person is not here')`,
  [callbackId],
)
const before = await readAll()
await pool.query('update print_job set purge_began_at = now() where key = $1', [key])
const meanwhile = await readAll()
expect(await purgeRows(db, [key], { now: new Date('2026-03-04T05:06:07Z') })).toEqual([key])
const reads = { before, while: meanwhile, after: await readAll() }

test('is returned as the specification says, without personal data but with its purge date in the extended view', () => {
  const { status, body: answer } = reads.after.job

  const standardParams = {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName: '********',
    address: { unstructuredAddress: { line1: '********', postcode: '********' } },
    despatchMethod: 'FIRST',
  }
  expect({ status, answer }).toEqual({
    status: 200,
    answer: {
      id,
      standardParams,
      status: 'REJECTED',
      comment: 'A file is not empty.',
      createdDate: expect.any(String),
      updatedDate: expect.any(String),
    },
  })
  expect(standardParamsSchema.safeParse(standardParams).success).toBe(true)
  expect(reads.after.extended.body).toMatchObject({ purgedDate: '2026-03-04T05:06:07.000Z' })
})

test('is returned like that from the start of its purge', () => {
  const { before, while: meanwhile, after } = reads
  const personal = /Person|192\.0\.2\.1|case-7|12\.50|consumer\.example\/called|hobbies/

  expect(JSON.stringify(before)).toMatch(personal)
  expect(JSON.stringify(meanwhile)).not.toMatch(personal)
  const { updatedDate: _, ...job }: Record<string, unknown> = after.job.body
  expect(meanwhile.job.body).toEqual({ ...job, updatedDate: expect.any(String) })
  expect(meanwhile.extended.body).not.toHaveProperty('purgedDate')
  const { events, ...others }: { events: unknown[] } = after.events.body
  expect(meanwhile.events.body).toEqual({ ...others, events: events.slice(0, -1) })
  expect(meanwhile.callback.body).toEqual(after.callback.body)
})

test('keeps its timeline, in which a finding has only the text of its rule', () => {
  const { status, body: answer } = reads.after.events

  const at = expect.any(String)
  const says = 'A file is not empty.'
  expect({ status, answer }).toEqual({
    status: 200,
    answer: {
      id,
      events: [
        {
          sequence: 1,
          transition: 'submit',
          status: 'QUARANTINE',
          at,
          actor: 'consumer',
          findings: [
            {
              ...withoutFile,
              detail: 'A letter has a file, unless its contract prints from a template.',
            },
          ],
        },
        {
          sequence: 2,
          transition: 'reject',
          status: 'REJECTED',
          at,
          actor: 'quarantine',
          reason: says,
          findings: [{ rule: 'file-empty', number: 'P101', severity: 'refusal', detail: says }],
        },
        { sequence: 3, transition: 'purge', status: 'REJECTED', at, actor: 'pipeline' },
      ],
      callbacks: [expect.objectContaining({ callbackId, status: 'DEAD' })],
      actions: ['hold', 'release', 'delete'].map((action) => ({
        action,
        isPossible: false,
        whyNot: 'Its personal data has been deleted.',
      })),
    },
  })
})

test.each(['proof.pdf', 'proof/1.png'])('409: has no %s', async (proof) => {
  const answer = await consumer.call({ path: `jobs/${id}/${proof}` })

  expect(answer).toMatchObject(aProblem(409, { code: 'NotReady' }))
})

test('has its callback with an empty message, which cannot be replayed', async () => {
  const path = `/print-request/v1/callbacks/${callbackId}`
  expect(reads.after.callback).toMatchObject({
    status: 200,
    body: { callbackId, status: 'DEAD', message: { purged: true } },
  })
  expect(await consumer.call({ method: 'POST', path: `${path}/replay` })).toMatchObject(
    aProblem(409, { code: 'ReplayConflict' }),
  )
  const many = { method: 'POST', path: '/print-request/v1/callbacks/replay' } as const
  expect(await consumer.call({ ...many, body: { dryRun: true } })).toMatchObject({
    body: { count: 0 },
  })
  expect(await consumer.call({ ...many, body: { expectedCount: 1 } })).toMatchObject({
    status: 409,
  })
})

test('409: its id and its Idempotency-Key cannot be used again, and it cannot be deleted', async () => {
  const answers = [
    await submit(),
    await submit({ id: `job-${randomUUID()}` }),
    await consumer.call({ method: 'POST', path: 'jobs', body: body() }),
    await consumer.call({ method: 'DELETE', path: `jobs/${id}` }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409])
})

test('is not found after its retirement, and its id stays taken', async () => {
  const gone = `job-${randomUUID()}`
  await pool.query(
    `insert into retired_print_job (first_hash, second_hash)
     select retired_id_hash(consumer_id, $2, 1), retired_id_hash(consumer_id, $2, 2) from print_job where key = $1`,
    [key, gone],
  )

  expect(await consumer.call({ path: `jobs/${gone}` })).toMatchObject({ status: 404 })
  expect(await consumer.call({ path: `jobs/${gone}/events` })).toMatchObject({ status: 404 })
  const late = await consumer.call({ method: 'POST', path: 'jobs', body: aRequest({ id: gone }) })
  expect(late).toMatchObject(
    aProblem(409, {
      detail: `The supplied identifier ${gone} conflicts with another print job. Please supply a unique identifier.`,
    }),
  )
})
