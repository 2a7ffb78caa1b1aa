import { recallDocuments } from '@despatch/store/recall/request'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
const { confirm } = fulfilment

async function ask(batchNumber: string, documentIds?: string[]): Promise<string> {
  const asked = { batchNumber, documentIds, reason: 'sent in error', actor: 'operator:test' }
  const outcome = await fulfilment.database.db
    .transaction()
    .execute((tx) => recallDocuments(tx, asked))
  if (outcome.kind !== 'asked') throw new Error(`The recall was not asked for: ${outcome.kind}`)
  return outcome.recallId
}
const list = (query = '') => fulfilment.call('GET', `/recall-requests${query}`)
const accept = (recallId: string, body?: object) =>
  fulfilment.call('POST', `/recall-requests/${recallId}/accept`, { body })
const reject = (recallId: string, reason = 'All has left') =>
  fulfilment.call('POST', `/recall-requests/${recallId}/reject`, { body: { reason } })

/** Posts documents of a run. Returns the id of the posting. */
const post = async (batchNumber: string, ...documentIds: string[]): Promise<string> =>
  (await fulfilment.post({ batchNumber, documentIds })).body.postingId

/** An acknowledged run, with the keys of its print jobs in order of sequence. */
async function aRun(...details: object[]) {
  const run = await fulfilment.anAcknowledgedRun(...details)
  return { ...run, keys: await Promise.all(run.documentIds.map(fulfilment.keyOf)) }
}

describe('POST /recall-requests/{recallId}/accept', () => {
  test('stops documents that have not left: their print jobs are rejected and the run is reconciled', async () => {
    const { batchNumber, documentIds, keys } = await aRun({}, {})
    const recallId = await ask(batchNumber)

    const { status, body } = await accept(recallId)

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        recallId,
        batchNumber,
        state: 'ACCEPTED',
        reason: 'sent in error',
        documents: documentIds.map((documentId) => ({ documentId, state: 'RECALLED' })),
        requestedAt: expect.stringMatching(/Z$/),
        answeredAt: expect.stringMatching(/Z$/),
      },
    })
    expect(await fulfilment.statuses(keys)).toEqual(['REJECTED', 'REJECTED'])
    expect((await production.timeline(keys[0]!)).at(-1)).toBe('reject Recalled: sent in error')
    expect(await production.stateOf(batchNumber)).toBe('RECONCILED')
    expect((await fulfilment.call('POST', `/print-runs/${batchNumber}/close`)).body).toMatchObject({
      state: 'CLOSED',
      recalled: 2,
    })
  })

  test('removes documents from an unconfirmed posting, and is too late for a confirmed one', async () => {
    const { batchNumber, documentIds, keys } = await aRun({}, {}, {})
    const [gone, waiting, left] = documentIds
    const goneId = await post(batchNumber, gone)
    const waitingId = await post(batchNumber, waiting, left)
    const recallId = await ask(batchNumber)
    await confirm(goneId)

    const { body } = await accept(recallId, { tooLate: [left] })

    expect([body.state, body.documents]).toEqual([
      'PARTLY_ACCEPTED',
      [
        { documentId: gone, state: 'TOO_LATE' },
        { documentId: waiting, state: 'RECALLED' },
        { documentId: left, state: 'TOO_LATE' },
      ],
    ])
    expect((await confirm(waitingId)).body).toMatchObject({ documentCount: 1, sheetCount: 1 })
    expect(await fulfilment.statuses(keys)).toEqual(['DESPATCHED', 'REJECTED', 'DESPATCHED'])
    expect(await production.stateOf(batchNumber)).toBe('RECONCILED')
  })

  test('is REJECTED if all documents were posted and confirmed in the meantime', async () => {
    const { batchNumber, documentIds, keys } = await aRun({})
    const recallId = await ask(batchNumber)
    await confirm(await post(batchNumber, documentIds[0]))

    const { body } = await accept(recallId)

    expect([body.state, body.documents[0].state]).toEqual(['REJECTED', 'TOO_LATE'])
    expect(await fulfilment.statuses(keys)).toEqual(['DESPATCHED'])
  })

  test('a concurrent confirmation of the posting leaves each document either despatched or recalled', async () => {
    const { batchNumber, documentIds, keys } = await aRun({})
    const recallId = await ask(batchNumber)
    const postingId = await post(batchNumber, documentIds[0])

    const [answered] = await Promise.all([accept(recallId), confirm(postingId)])

    const [status] = await fulfilment.statuses(keys)
    expect([answered.body.state, status]).toBeOneOf([
      ['ACCEPTED', 'REJECTED'],
      ['REJECTED', 'DESPATCHED'],
    ])
    expect(await production.stateOf(batchNumber)).toBe('RECONCILED')
  })

  test('ends a reprint that waits for an operator', async () => {
    const { batchNumber, documentIds } = await aRun({})
    const [documentId] = documentIds
    await fulfilment.rows('update print_site set reprints_free_max = 0, reprints_free_percent = 0')
    await production.report(batchNumber, [{ documentId, type: 'SPOILED' }])
    const asked = await fulfilment.call('POST', `/print-runs/${batchNumber}/reprints`, {
      body: { documents: [{ documentId, reasonCode: 'JAM' }] },
    })
    expect(asked.body.reprints[0].state).toBe('WAITING')

    await accept(await ask(batchNumber))

    const { body } = await fulfilment.call('GET', `/print-runs/${batchNumber}/reprints`)
    expect(body.reprints[0].state).toBe('REFUSED')
  })

  test('the same answer again gets the same response, even concurrently; another answer gets 409', async () => {
    const { batchNumber, documentIds } = await aRun({}, {})
    const recallId = await ask(batchNumber)
    const [one, two] = documentIds

    const [first, second] = await Promise.all([
      accept(recallId, { tooLate: [one, two] }),
      accept(recallId, { tooLate: [two, one] }),
    ])
    const others = [await accept(recallId), await reject(recallId)]

    expect([first.status, first.body.state, second.body]).toEqual([200, 'REJECTED', first.body])
    expect(refusals(...others)).toEqual(Array(2).fill([409, 'RecallAnswered']))
  })

  test('400: a document was not in the request, and nothing is stopped', async () => {
    const { batchNumber, documentIds } = await aRun({}, {})
    const recallId = await ask(batchNumber, [documentIds[0]])

    const { status, body } = await accept(recallId, { tooLate: [documentIds[0], documentIds[1]] })

    expect([status, body.errors[0].title]).toEqual([400, 'tooLate[1]'])
    expect((await list('?state=OPEN')).body.recallRequests.at(-1).recallId).toBe(recallId)
  })
})

describe('POST /recall-requests/{recallId}/reject', () => {
  test('marks all documents as too late, and changes no print job', async () => {
    const { batchNumber, keys } = await aRun({}, {})
    const recallId = await ask(batchNumber)

    const { status, body } = await reject(recallId)

    expect([status, body.state]).toEqual([200, 'REJECTED'])
    expect(body.documents.map(({ state }: { state: string }) => state)).toEqual([
      'TOO_LATE',
      'TOO_LATE',
    ])
    expect(await fulfilment.statuses(keys)).toEqual(['PRODUCTION', 'PRODUCTION'])
    expect((await reject(recallId)).body).toEqual(body)
    expect((await reject(recallId, 'Another reason')).status).toBe(409)
  })
})

test('404: the id is malformed', async () => {
  expect(refusals(await reject('1'))).toEqual([[404, 'RecallNotFound']])
})

test('GET /recall-requests lists recalls in pages, oldest first, and by state', async () => {
  await fulfilment.rows(
    `update recall_request set provider_id = 'south' where provider_id = 'north'`,
  )
  const { batchNumber, documentIds } = await aRun({}, {}, {})
  const asked: string[] = []
  for (const documentId of documentIds) asked.push(await ask(batchNumber, [documentId]))
  await reject(asked[1]!)

  const first = await list('?limit=2')
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`)

  const listed = [...first.body.recallRequests, ...second.body.recallRequests]
  expect(listed.map(({ recallId }) => recallId)).toEqual(asked)
  expect(listed[0]).toEqual({
    recallId: asked[0],
    batchNumber,
    state: 'OPEN',
    reason: 'sent in error',
    documents: [{ documentId: documentIds[0], state: 'ASKED' }],
    requestedAt: expect.stringMatching(/Z$/),
  })
  expect(second.body).not.toHaveProperty('nextCursor')
  const open = await list('?state=OPEN')
  expect(open.body.recallRequests.map(({ recallId }: { recallId: string }) => recallId)).toEqual([
    asked[0],
    asked[2],
  ])
  expect((await list('?cursor=x')).body.errors[0].title).toBe('cursor')
})
