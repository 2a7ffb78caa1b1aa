import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment, type PendingDetail } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
const { keyOf, rows } = fulfilment

const record = (returns: readonly object[]) =>
  fulfilment.call('POST', '/returns', { body: { returns } })
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
  const documents = run.documentIds.map((documentId) => ({
    documentId,
    despatchProperties: [{ key: 'mailmarkItemId', value: `mm ${documentId}` }],
  }))
  const { body } = await fulfilment.post({ batchNumber: run.batchNumber, documents })
  await fulfilment.confirm(body.postingId)
  return run
}

test('a return by documentId or Mailmark is recorded in the timeline, and the print job stays DESPATCHED', async () => {
  const run = await aDespatchedRun({}, {})
  const [one, two] = run.documentIds

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
  expect(await fulfilment.statusesOf(run)).toEqual(['DESPATCHED', 'DESPATCHED'])
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
    aReturn('too early', { documentId: open.documentIds[0] }),
    aReturn('first', { documentId: two }),
    aReturn('second', { documentId: two }),
    aReturn('good', { documentId: three }),
  ])

  const refused = (returnId: string, refusal: string, detail: string) => ({
    returnId,
    result: 'REFUSED',
    refusal,
    detail,
  })
  const reused = 'The returnId belongs to another return, or was used with other content'
  const returned = 'The letter was already returned with another returnId'
  const unknown = 'None of your documents has this documentId or mailmarkItemId'
  const early = 'The letter has not been despatched: its posting is not confirmed'
  expect(body.results).toEqual([
    refused('known', 'return-id-reused', reused),
    refused('one more', 'already-returned', returned),
    refused('nobody', 'unknown-document', unknown),
    refused('nobody else', 'unknown-document', unknown),
    refused('too early', 'not-despatched', early),
    { returnId: 'first', result: 'RECORDED' },
    refused('second', 'already-returned', returned),
    { returnId: 'good', result: 'RECORDED' },
  ])
})

test('the consumer gets a callback if the contract requires it and the print job has a target', async () => {
  const silent = await aDespatchedRun({ wantsCallback: true })
  const setCallbacks = (isWanted: boolean) =>
    rows('update contract set callback_returns = $1', isWanted)
  await setCallbacks(true)
  const told = await aDespatchedRun({ wantsCallback: true })
  const nowhere = await aDespatchedRun({})
  await setCallbacks(false)
  await results([aReturn('silent', { documentId: silent.documentIds[0] })])
  await setCallbacks(true)
  await results([
    aReturn('told', { documentId: told.documentIds[0] }),
    aReturn('nowhere', { documentId: nowhere.documentIds[0] }),
  ])

  const callbacks = await rows(
    `select callback.id, callback.print_job_key, callback.status, callback.state, callback.sequence, callback.body,
      job.callback_sequence
    from callback join print_job job on job.key = callback.print_job_key
    where callback.kind = 'return'`,
  )

  const { printJobs } = told
  expect(callbacks).toEqual([
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
  expect(JSON.parse(callbacks[0].body.toString())).toMatchObject({
    type: 'despatch.print.messages.v1.LetterReturned',
    id: callbacks[0].id,
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

test.each([
  ['neither document nor Mailmark', {}],
  ['both', { documentId: 'D1', mailmarkItemId: 'M1' }],
])('400: the request has %s', async (_, detail) => {
  const { status, body } = await record([aReturn('invalid', detail)])

  expect([status, body.errors]).toMatchObject([
    400,
    [{ title: 'returns[0].documentId', code: 'NotNull' }],
  ])
})
