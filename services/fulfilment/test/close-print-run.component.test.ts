import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)

const reconcile = (batchNumber: string, query = '', options: object = {}) =>
  fulfilment.call('GET', `/print-runs/${batchNumber}/reconciliation${query}`, options)
const close = (batchNumber: string, options: object = {}) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/close`, options)

async function post(batchNumber: string, documentIds?: readonly string[]): Promise<string> {
  const handover = { carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z' }
  const body = { ...handover, batchNumber, ...(documentIds && { documentIds }) }
  const key = `${batchNumber} ${documentIds}`
  return (await fulfilment.call('POST', '/postings', { key, body })).body.postingId
}
const confirm = (postingId: string) => fulfilment.call('POST', `/postings/${postingId}/confirm`)

/** A run with one refused, one failed and one despatched document; the others are under way. */
async function aRunUnderWay() {
  const run = await fulfilment.aClaimedRun({}, {}, {}, {}, {}, {})
  const { batchNumber, acknowledgement } = run
  const documentIds = production.documentIds(run) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const [refused, failed, despatched, spoiled, posted] = documentIds
  await fulfilment.call('POST', `/print-runs/${batchNumber}/acknowledgement`, {
    body: {
      ...acknowledgement,
      refusals: [{ documentId: refused, reasonCode: 'TORN', reason: 'Torn' }],
    },
  })
  await production.report(batchNumber, [
    { documentId: failed, type: 'FAILED' },
    { documentId: spoiled, type: 'SPOILED' },
    { documentId: posted, type: 'ENCLOSED' },
  ])
  await confirm(await post(batchNumber, [despatched]))
  return { ...run, documentIds, postingId: await post(batchNumber, [posted]) }
}

describe('GET /print-runs/{batchNumber}/reconciliation', () => {
  test('reconciles all documents, and lists those without a known outcome', async () => {
    const { batchNumber, documentIds } = await aRunUnderWay()
    const [, , , spoiled, posted, untouched] = documentIds

    const { status, body } = await reconcile(batchNumber)

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        batchNumber,
        state: 'IN_PRODUCTION',
        expected: 6,
        despatched: 1,
        refused: 1,
        failed: 1,
        recalled: 0,
        missing: 3,
        reprints: 0,
        waitingReprints: 0,
        isBalanced: false,
        missingDocuments: [
          { documentId: spoiled, sequence: 4, attempt: 1, progress: 'SPOILED', isPosted: false },
          { documentId: posted, sequence: 5, attempt: 1, progress: 'ENCLOSED', isPosted: true },
          { documentId: untouched, sequence: 6, attempt: 1, progress: 'NONE', isPosted: false },
        ],
      },
    })
  })

  test('lists the missing documents in pages', async () => {
    const run = await fulfilment.aClaimedRun({}, {}, {})
    const { batchNumber } = run

    const first = await reconcile(batchNumber, '?limit=2')
    const second = await reconcile(batchNumber, `?limit=2&cursor=${first.body.nextCursor}`)

    const listed = [...first.body.missingDocuments, ...second.body.missingDocuments]
    expect(listed.map(({ documentId }) => documentId)).toEqual(production.documentIds(run))
    expect([first.body.state, first.body.missing]).toEqual(['CLAIMED', 3])
    expect(second.body).not.toHaveProperty('nextCursor')
    expect((await reconcile(batchNumber, '?cursor=x')).body.errors[0].title).toBe('cursor')
  })

  test('404: the provider has not claimed the run', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({})
    const claimed = await fulfilment.aClaimedRun({})

    const answers = [
      await reconcile(batchNumber),
      await reconcile(claimed.batchNumber, '', { provider: 'south' }),
      await reconcile('R1'),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
      answers.map(() => [404, 'PrintRunNotFound']),
    )
  })
})

describe('POST /print-runs/{batchNumber}/close', () => {
  test('409: names every document that is unaccounted for with a remedy, and closes nothing', async () => {
    const { batchNumber, documentIds, postingId } = await aRunUnderWay()
    const [, , , spoiled, posted, untouched] = documentIds
    const error = (documentId: string, detail: string) => ({
      status: '409 CONFLICT',
      code: 'DocumentsUnaccounted',
      title: documentId,
      detail: `Attempt 1 at document ${documentId} ${detail}`,
    })

    const { status, body } = await close(batchNumber)

    expect({ status, errors: body.errors }).toEqual({
      status: 409,
      errors: [
        error(spoiled, 'is SPOILED: request a reprint or report it FAILED'),
        error(posted, `is in posting ${postingId}: confirm the posting`),
        error(untouched, 'has not been reported on: post it or report it FAILED'),
      ],
    })
    expect(await production.stateOf(batchNumber)).toBe('IN_PRODUCTION')
  })

  test('409: names at most a hundred documents', async () => {
    const run = await fulfilment.anAcknowledgedRun(...Array.from({ length: 101 }, () => ({})))

    const { status, body } = await close(run.batchNumber)

    expect([status, body.errors.length, body.errors[99].title]).toEqual([
      409,
      100,
      production.documentIds(run)[99],
    ])
  })

  test('200: a reconciled run is CLOSED, and a repetition changes nothing', async () => {
    const { batchNumber, documentIds, postingId } = await aRunUnderWay()
    const [, , , spoiled, , untouched] = documentIds
    await confirm(postingId)
    await production.report(batchNumber, [
      { documentId: spoiled, type: 'FAILED' },
      { documentId: untouched, type: 'FAILED' },
    ])
    expect((await reconcile(batchNumber)).body).toMatchObject({ missing: 0, isBalanced: true })

    const [one, two] = await Promise.all([close(batchNumber), close(batchNumber)])

    expect({ status: one.status, body: one.body }).toEqual({
      status: 200,
      body: {
        batchNumber,
        state: 'CLOSED',
        expected: 6,
        despatched: 2,
        refused: 1,
        failed: 3,
        recalled: 0,
        missing: 0,
        closedAt: expect.stringMatching(/Z$/),
      },
    })
    expect([two.body, (await close(batchNumber)).body]).toEqual([one.body, one.body])
    const { rows } = await fulfilment.database.pool.query(
      'select state, closed_by from print_run where batch_number = $1',
      [batchNumber],
    )
    expect(rows).toEqual([{ state: 'CLOSED', closed_by: 'provider:north' }])
    const late = await production.report(batchNumber, [{ documentId: spoiled, type: 'FETCHED' }])
    expect([late.status, late.body.errors[0].code]).toEqual([409, 'PrintRunNotInProduction'])
  })

  test('409: the run is not acknowledged; 404: the run belongs to another provider', async () => {
    const released = await fulfilment.aReleasedRun({})
    const claimed = await fulfilment.aClaimedRun({})
    const { batchNumber } = claimed

    const answers = [
      await close(released.batchNumber),
      await close(batchNumber),
      await close(batchNumber, { provider: 'south' }),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [409, 'PrintRunNotInProduction'],
      [409, 'PrintRunNotInProduction'],
      [404, 'PrintRunNotFound'],
    ])
  })

  test('409: the provider refused the whole run, whose documents are unaccounted for', async () => {
    const { batchNumber, acknowledgement } = await fulfilment.aClaimedRun({})
    const refusal = { reasonCode: 'NO_PAPER', reason: 'No paper' }
    await fulfilment.call('POST', `/print-runs/${batchNumber}/acknowledgement`, {
      body: { ...acknowledgement, refusal },
    })
    expect(await production.stateOf(batchNumber)).toBe('REFUSED')

    const { status, body } = await close(batchNumber)

    expect([status, body.errors[0].code]).toEqual([409, 'DocumentsUnaccounted'])
  })
})
