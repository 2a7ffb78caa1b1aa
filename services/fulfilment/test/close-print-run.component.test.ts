import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)

const reconcile = (batchNumber: string, query = '') =>
  fulfilment.call('GET', `/print-runs/${batchNumber}/reconciliation${query}`)
const close = (batchNumber: string) => fulfilment.call('POST', `/print-runs/${batchNumber}/close`)

/** A run with one refused, one failed and one despatched document; the others are under way. */
async function aRunUnderWay() {
  const run = await fulfilment.aClaimedRun({}, {}, {}, {}, {}, {})
  const { batchNumber } = run
  const [refused, failed, despatched, spoiled, posted] = run.documentIds
  const refusals = [{ documentId: refused, reasonCode: 'TORN', reason: 'Torn' }]
  await fulfilment.acknowledge(run, { refusals })
  await production.report(batchNumber, [
    { documentId: failed, type: 'FAILED' },
    { documentId: spoiled, type: 'SPOILED' },
    { documentId: posted, type: 'ENCLOSED' },
  ])
  const post = async (documentId: string): Promise<string> =>
    (await fulfilment.post({ batchNumber, documentIds: [documentId] })).body.postingId
  await fulfilment.confirm(await post(despatched))
  return { ...run, postingId: await post(posted) }
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
    const { batchNumber, documentIds } = await fulfilment.aClaimedRun({}, {}, {})

    const first = await reconcile(batchNumber, '?limit=2')
    const second = await reconcile(batchNumber, `?limit=2&cursor=${first.body.nextCursor}`)

    const listed = [...first.body.missingDocuments, ...second.body.missingDocuments]
    expect(listed.map(({ documentId }) => documentId)).toEqual(documentIds)
    expect([first.body.state, first.body.missing]).toEqual(['CLAIMED', 3])
    expect(second.body).not.toHaveProperty('nextCursor')
    expect((await reconcile(batchNumber, '?cursor=x')).body.errors[0].title).toBe('cursor')
  })

  test('404: the provider has not claimed the run', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({})

    expect(refusals(await reconcile(batchNumber))).toEqual([[404, 'PrintRunNotFound']])
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
      (run.documentIds as string[])[99],
    ])
  })

  test('200: a reconciled run is CLOSED, and a repetition changes nothing', async () => {
    const { batchNumber, documentIds, postingId } = await aRunUnderWay()
    const [, , , spoiled, , untouched] = documentIds
    await fulfilment.confirm(postingId)
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
    expect(
      await fulfilment.rows(
        'select state, closed_by from print_run where batch_number = $1',
        batchNumber,
      ),
    ).toEqual([{ state: 'CLOSED', closed_by: 'provider:north' }])
    const late = await production.report(batchNumber, [{ documentId: spoiled, type: 'FETCHED' }])
    expect(refusals(late)).toEqual([[409, 'PrintRunNotInProduction']])
  })

  test('409: the run is not acknowledged, or its provider refused it', async () => {
    const released = await fulfilment.aReleasedRun({})
    const claimed = await fulfilment.aClaimedRun({})
    const refused = await fulfilment.aClaimedRun({})
    await fulfilment.acknowledge(refused, {
      refusal: { reasonCode: 'NO_PAPER', reason: 'No paper' },
    })

    expect(
      refusals(
        await close(released.batchNumber),
        await close(claimed.batchNumber),
        await close(refused.batchNumber),
      ),
    ).toEqual([
      [409, 'PrintRunNotInProduction'],
      [409, 'PrintRunNotInProduction'],
      [409, 'DocumentsUnaccounted'],
    ])
  })
})
