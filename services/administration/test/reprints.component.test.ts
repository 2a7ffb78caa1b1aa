import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { aWaitingReprint } from './a-waiting-reprint.ts'
import { anAdministration, printRunConflict, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))

const { asOperator: as } = administration
const aReprint = (requestedBy: string = administration.ids.provider) =>
  aWaitingReprint(runs, requestedBy)

async function recordedOf(reprintId: string): Promise<string[]> {
  return (await administration.audited(`about=${reprintId}`)).map(({ action }) => action)
}

test('GET /reprints: 200, waiting reprints in their order, page by page', async () => {
  const first = await aReprint()
  const second = await aReprint()

  const page = await as('GET', '/reprints?state=WAITING&limit=1')
  const next = await as('GET', `/reprints?state=WAITING&cursor=${page.body.nextCursor}`)

  expect([page.status, page.body]).toEqual([
    200,
    { reprints: [first.waiting], nextCursor: first.reprintId },
  ])
  expect(next.body).toEqual({ reprints: [second.waiting] })
  expect(await as('GET', `/print-runs/${first.waiting.batchNumber}`)).toMatchObject({
    body: { waitingReprintCount: 1 },
  })
})

describe('POST /reprints/{reprintId}/authorise', () => {
  test('200: the document has its next attempt, and a repetition is safe', async () => {
    const { reprintId, waiting } = await aReprint()
    const path = `/reprints/${reprintId}/authorise`

    const authorised = await as('POST', path)
    const again = await as('POST', path)

    expect([authorised.status, authorised.body]).toEqual([
      200,
      {
        ...waiting,
        state: 'AUTHORISED',
        decidedAt: expect.any(String),
        decidedBy: administration.actorOf('operator'),
      },
    ])
    expect(again.body).toEqual(authorised.body)
    const { rows } = await runs.pool.query(
      `select attempt, progress from print_run_document where document_id = $1`,
      [waiting.documentId],
    )
    expect(rows).toEqual([{ attempt: 2, progress: null }])
    expect(await recordedOf(reprintId)).toEqual(['reprint.authorised'])
  })

  test('403: the requester of a reprint cannot decide on it', async () => {
    const { reprintId } = await aReprint(administration.ids.operator)

    expect(await as('POST', `/reprints/${reprintId}/authorise`)).toMatchObject(
      refusal('403 FORBIDDEN', 'Forbidden', 'The decision on a reprint requires a second person'),
    )
    expect(await recordedOf(reprintId)).toEqual([])
  })
})

describe('POST /reprints/{reprintId}/refuse', () => {
  test('200: the print job is rejected with the reason', async () => {
    const { reprintId, waiting, keys } = await aReprint()
    const path = `/reprints/${reprintId}/refuse`

    const refused = await as('POST', path, { reason: 'too late' })
    const again = await as('POST', path, { reason: 'too late' })

    expect(refused).toMatchObject({ status: 200, body: { ...waiting, state: 'REFUSED' } })
    expect(refused.body).toMatchObject({ decisionReason: 'too late' })
    expect(again.body).toEqual(refused.body)
    expect(await runs.statuses(keys)).toEqual([['REJECTED', 'Reprint refused: too late']])
    expect(await as('GET', `/print-runs/${waiting.batchNumber}`)).toMatchObject({
      body: { state: 'RECONCILED', account: { expected: 1, failed: 1, missing: 0 } },
    })
    expect(await recordedOf(reprintId)).toEqual(['reprint.refused'])
  })

  test('409: the reprint was already authorised', async () => {
    const { reprintId } = await aReprint()
    await as('POST', `/reprints/${reprintId}/authorise`)

    expect(await as('POST', `/reprints/${reprintId}/refuse`, { reason: 'x' })).toMatchObject(
      printRunConflict(`Reprint ${reprintId} is already AUTHORISED`),
    )
  })
})
