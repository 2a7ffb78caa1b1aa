import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment, type PendingDetail } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)

const record = (returns: readonly object[], options: object = {}) =>
  fulfilment.call('POST', '/returns', { body: { returns }, ...options })
const aReturn = (returnId: string, detail: object) => ({
  returnId,
  reasonCode: 'R01',
  disposition: 'DESTROYED',
  scannedAt: '2026-02-14T10:11:12.345+01:00',
  ...detail,
})
const results = async (returns: readonly object[]): Promise<string[]> =>
  (await record(returns)).body.results.map(
    ({ result, refusal }: { result: string; refusal?: string }) => refusal ?? result,
  )

/** A run with a confirmed posting, each document with its own Mailmark item. */
async function aDespatchedRun(...details: PendingDetail[]) {
  const run = await fulfilment.anAcknowledgedRun(...details)
  const { batchNumber } = run
  const documentIds = production.documentIds(run) as [string, ...string[]]
  const { body } = await fulfilment.call('POST', '/postings', {
    key: batchNumber,
    body: {
      batchNumber,
      carrier: 'Royal Mail',
      handoverAt: '2026-01-31T17:30:00Z',
      documents: documentIds.map((documentId) => ({
        documentId,
        despatchProperties: [{ key: 'mailmarkItemId', value: `mm ${documentId}` }],
      })),
    },
  })
  await fulfilment.call('POST', `/postings/${body.postingId}/confirm`)
  return { ...run, documentIds }
}

async function keyOf(documentId: string): Promise<string> {
  const { rows } = await fulfilment.database.pool.query(
    'select print_job_key from print_run_document where document_id = $1',
    [documentId],
  )
  return rows[0].print_job_key
}

test('a return by documentId or Mailmark is recorded in the timeline, and the print job stays DESPATCHED', async () => {
  const { documentIds, printJobs } = await aDespatchedRun({}, {})
  const [one, two = ''] = documentIds

  const { status, body } = await record([
    aReturn('r1', { documentId: one }),
    aReturn('r2', { mailmarkItemId: `mm ${two}`, reasonCode: 'R04', disposition: 'FORWARDED' }),
  ])

  expect({ status, body }).toEqual({
    status: 200,
    body: {
      results: [
        { returnId: 'r1', result: 'RECORDED' },
        { returnId: 'r2', result: 'RECORDED' },
      ],
    },
  })
  expect((await production.timeline(await keyOf(one))).at(-1)).toBe(
    'return R01 gone away, destroyed',
  )
  expect((await production.timeline(await keyOf(two))).at(-1)).toBe(
    'return R04 addressee unknown, forwarded',
  )
  expect(await fulfilment.statuses(printJobs.map(({ key }) => key))).toEqual([
    'DESPATCHED',
    'DESPATCHED',
  ])
})

test('a repeated return is recorded once, even concurrently', async () => {
  const { documentIds } = await aDespatchedRun({})
  const [documentId] = documentIds
  const again = [aReturn('again', { documentId })]

  const answers = await Promise.all([results(again), results(again), results(again)])

  expect(answers.flat().toSorted()).toEqual(['DUPLICATE', 'DUPLICATE', 'RECORDED'])
  const notes = (await production.timeline(await keyOf(documentId))).filter((entry) =>
    entry.startsWith('return '),
  )
  expect(notes).toHaveLength(1)
})

test('an impossible return is refused alone', async () => {
  const { documentIds } = await aDespatchedRun({}, {}, {})
  const [one, two, three] = documentIds
  const open = await fulfilment.anAcknowledgedRun({})
  await results([aReturn('known', { documentId: one })])

  const { body } = await record([
    aReturn('known', { documentId: two }),
    aReturn('one more', { documentId: one }),
    aReturn('nobody', { documentId: 'D1' }),
    aReturn('nobody else', { mailmarkItemId: 'mm D1' }),
    aReturn('too early', { documentId: production.documentIds(open)[0] }),
    aReturn('first', { documentId: two }),
    aReturn('second', { documentId: two }),
    aReturn('good', { documentId: three }),
  ])

  expect(body.results).toEqual([
    {
      returnId: 'known',
      result: 'REFUSED',
      refusal: 'return-id-reused',
      detail: 'The returnId belongs to another return, or was used with other content',
    },
    {
      returnId: 'one more',
      result: 'REFUSED',
      refusal: 'already-returned',
      detail: 'The letter was already returned with another returnId',
    },
    ...['nobody', 'nobody else'].map((returnId) => ({
      returnId,
      result: 'REFUSED',
      refusal: 'unknown-document',
      detail: 'None of your documents has this documentId or mailmarkItemId',
    })),
    {
      returnId: 'too early',
      result: 'REFUSED',
      refusal: 'not-despatched',
      detail: 'The letter has not been despatched: its posting is not confirmed',
    },
    { returnId: 'first', result: 'RECORDED' },
    {
      returnId: 'second',
      result: 'REFUSED',
      refusal: 'already-returned',
      detail: 'The letter was already returned with another returnId',
    },
    { returnId: 'good', result: 'RECORDED' },
  ])
})

test('a letter of another provider is unknown', async () => {
  const { documentIds } = await aDespatchedRun({})

  const { body } = await record([aReturn('theirs', { documentId: documentIds[0] })], {
    provider: 'south',
  })

  expect(body.results[0].refusal).toBe('unknown-document')
})

test('the consumer gets a callback if the contract requires it and the print job has a target', async () => {
  const silent = await aDespatchedRun({ wantsCallback: true })
  const { pool } = fulfilment.database
  await pool.query('update contract set callback_returns = true')
  const told = await aDespatchedRun({ wantsCallback: true })
  const nowhere = await aDespatchedRun({})
  await pool.query('update contract set callback_returns = false')
  await results([aReturn('silent', { documentId: silent.documentIds[0] })])
  await pool.query('update contract set callback_returns = true')
  await results([
    aReturn('told', { documentId: told.documentIds[0] }),
    aReturn('nowhere', { documentId: nowhere.documentIds[0] }),
  ])

  const { rows } = await pool.query(
    `select callback.id, callback.print_job_key, callback.status, callback.state, callback.sequence, callback.body,
      job.callback_sequence
    from callback join print_job job on job.key = callback.print_job_key
    where callback.kind = 'return'`,
  )

  const { printJobs } = told
  expect(rows).toEqual([
    {
      id: expect.any(String),
      print_job_key: printJobs[0]!.key,
      status: 'DESPATCHED',
      state: 'DUE',
      sequence: 2,
      callback_sequence: 2,
      body: expect.any(Buffer),
    },
  ])
  expect(JSON.parse(rows[0].body.toString())).toMatchObject({
    type: 'despatch.print.messages.v1.LetterReturned',
    id: rows[0].id,
    data: {
      jobId: printJobs[0]!.id,
      jobType: 'LETTER',
      templateReference: 'LETTER',
      reasonCode: 'R01',
      reason: 'gone away',
      disposition: 'DESTROYED',
      returnedDate: '2026-02-14T09:11:12Z',
      sequence: 2,
    },
  })
})

const invalid: [name: string, detail: object, field: string, code: string][] = [
  ['neither document nor Mailmark', {}, 'returns[0].documentId', 'NotNull'],
  ['both', { documentId: 'D1', mailmarkItemId: 'M1' }, 'returns[0].documentId', 'NotNull'],
]

test.for(invalid)('400: the request has %s', async ([, detail, title, code]) => {
  const { status, body } = await record([aReturn('invalid', detail)])

  expect([status, body.errors[0].title, body.errors[0].code]).toEqual([400, title, code])
})
