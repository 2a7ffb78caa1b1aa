import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
const { post, confirm, rows, statusesOf } = fulfilment

/** What a refused posting is answered with, document by document. */
const conflict = (...errors: [title: string, detail: string][]) => ({
  status: 409,
  body: {
    errors: errors.map(([title, detail]) => ({
      status: '409 CONFLICT',
      code: 'PostingConflict',
      title,
      detail,
    })),
  },
})

/** Posts what is refused, and checks that nothing is saved. */
async function postInVain(body: object) {
  const before = await rows('select count(*) as postings from posting')
  const answer = await post(body)
  expect(await rows('select count(*) as postings from posting')).toEqual(before)
  return { status: answer.status, body: answer.body }
}

describe('one posting over several print runs', () => {
  test('covers all of them, and its confirmation despatches them', async () => {
    const { printJobs } = await fulfilment.anAcknowledgedRun(
      { despatchMethod: 'FIRST', sheets: 2 },
      {},
    )
    const batchNumbers = await listAcknowledged()
    expect(batchNumbers).toHaveLength(2)

    const posted = await post({
      printRuns: batchNumbers.map((batchNumber) => ({ batchNumber })),
      counts: [
        { despatchMethod: 'FIRST', format: 'LETTER', weightBandGrams: 100, documentCount: 1 },
        { despatchMethod: 'SECOND', format: 'LETTER', documentCount: 1 },
      ],
    })

    expect(posted.status).toBe(201)
    expect(posted.body).not.toHaveProperty('batchNumber')
    expect(posted.body).toMatchObject({ documentCount: 2, sheetCount: 3 })
    expect(posted.body.printRuns).toMatchObject([{ documentCount: 1 }, { documentCount: 1 }])
    expect(await Promise.all(batchNumbers.map(production.stateOf))).toEqual(['POSTED', 'POSTED'])

    const { postingId } = posted.body
    const [one, two] = await Promise.all([confirm(postingId), confirm(postingId)])

    expect([one.body.state, two.body]).toEqual(['CONFIRMED', one.body])
    expect(await statusesOf({ printJobs })).toEqual(['DESPATCHED', 'DESPATCHED'])
    expect(await Promise.all(batchNumbers.map(production.stateOf))).toEqual([
      'RECONCILED',
      'RECONCILED',
    ])
  })

  test('is refused and not saved if one of the runs cannot be posted', async () => {
    const ready = await fulfilment.anAcknowledgedRun({})
    const early = await fulfilment.aClaimedRun({})

    const answer = await postInVain({
      printRuns: [{ batchNumber: ready.batchNumber }, { batchNumber: early.batchNumber }],
    })

    const detail = `Print run ${early.batchNumber} has not been acknowledged`
    expect(answer).toEqual(conflict(['Posting cannot be saved', detail]))
    expect((await post({ batchNumber: ready.batchNumber })).status).toBe(201)
  })

  async function listAcknowledged(): Promise<string[]> {
    const released = await fulfilment.call('GET', '/print-runs?state=RELEASED')
    for (const { batchNumber } of released.body.printRuns) {
      await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: `c ${batchNumber}` })
      const { body } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
      const { documentCount, sheetCount } = body.totals
      const acknowledgement = { documentCount, sheetCount, manifestDigest: body.manifestDigest }
      await fulfilment.acknowledge({ batchNumber, acknowledgement })
    }
    const found = await rows(
      `select batch_number from print_run where state = 'ACCEPTED' order by batch_number`,
    )
    return found.map(({ batch_number }) => batch_number)
  }
})

describe('a posting', () => {
  test('does not cover a spoiled document, and covers a reprint once it is reported as printed', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {}, {})
    const { batchNumber } = run
    const [spoiled, reprinted, whole] = run.documentIds
    await production.report(batchNumber, [
      { documentId: spoiled, type: 'SPOILED' },
      { documentId: reprinted, type: 'SPOILED' },
    ])
    await fulfilment.call('POST', `/print-runs/${batchNumber}/reprints`, {
      body: { documents: [{ documentId: reprinted, reasonCode: 'JAM' }] },
    })

    expect(await postInVain({ batchNumber, documentIds: [whole, spoiled, reprinted] })).toEqual(
      conflict(
        [spoiled, `Attempt 1 at document ${spoiled} is SPOILED`],
        [
          reprinted,
          `Attempt 2 at document ${reprinted}, a reprint, has not been reported as PRINTED`,
        ],
      ),
    )
    expect((await post({ batchNumber })).body.documentCount).toBe(1)

    await production.report(batchNumber, [{ documentId: reprinted, type: 'PRINTED', attempt: 2 }])
    expect((await post({ batchNumber })).body.documentCount).toBe(1)
    expect((await post({ batchNumber })).body.errors[0].detail).toBe(
      `Print run ${batchNumber} has no documents left to post`,
    )
  })

  test('lists the first hundred of the documents that it cannot cover', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})
    const documentIds = Array.from({ length: 150 }, (_, index) => `X${index}`)

    const { status, body } = await post({ batchNumber, documentIds })

    expect([status, body.errors.length, body.errors[99].title]).toEqual([409, 100, 'X99'])
  })
})

test("has the carrier's weight bands instead of our estimate; counts that differ are refused, and nothing is saved", async () => {
  const { batchNumber } = await fulfilment.anAcknowledgedRun({}, {}, {})
  const of = { despatchMethod: 'SECOND', format: 'LETTER' }
  const counts = [
    { ...of, weightBandGrams: 100, documentCount: 1 },
    { ...of, weightBandGrams: 250, documentCount: 2 },
  ]

  const refused = await postInVain({ batchNumber, counts: [{ ...of, documentCount: 4 }] })
  const { status, body } = await post({ batchNumber, counts })

  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    409,
    'The carrier counts 4 of SECOND LETTER; the posting covers 3',
  ])
  expect([status, body.counts]).toEqual([
    201,
    [
      { ...counts[0], estimatedCount: 3 },
      { ...counts[1], estimatedCount: 0 },
    ],
  ])
})

test('serial numbers of another document are refused, and nothing is saved', async () => {
  const { batchNumber, documentIds } = await fulfilment.anAcknowledgedRun({}, {})
  const [one, two] = documentIds
  const ofOne = { documentIds: [one], documents: [{ documentId: one, serialNumber: 'N1' }] }
  await post({ batchNumber, ...ofOne })

  const answer = await postInVain({
    batchNumber,
    documents: [{ documentId: two, serialNumber: 'N1' }],
  })

  const detail = `The serial number N1 of document ${two} belongs to another document or attempt`
  expect(answer).toEqual(conflict([two, detail]))
  expect((await post({ batchNumber })).body.documentCount).toBe(1)
  expect(await production.serialNumbers('LETTER')).toEqual([`N1 USED ${one} 1`])
})

describe('the despatch properties of a document', () => {
  test('in the posting override those of its events, which override those of the whole posting', async () => {
    const run = await fulfilment.anAcknowledgedRun({})
    const { batchNumber } = run
    const [documentId] = run.documentIds
    const told = (...pairs: [key: string, value: string][]) =>
      pairs.map(([key, value]) => ({ key, value }))
    await production.report(batchNumber, [
      {
        documentId,
        type: 'PRINTED',
        serialNumber: 'E1',
        despatchProperties: told(['trayId', 'event'], ['sortSelection', 'event']),
      },
    ])
    const { body } = await post({
      batchNumber,
      despatchProperties: told(['trayId', 'posting'], ['docketNumber', 'posting']),
      documents: [{ documentId, despatchProperties: told(['trayId', 'document']) }],
    })

    await confirm(body.postingId)

    const job = await fulfilment.findJob(run.printJobs[0]!.id)
    expect(job?.serialNumber).toBe('E1')
    expect(job?.despatchProperties).toEqual(
      expect.arrayContaining(
        told(['trayId', 'document'], ['sortSelection', 'event'], ['docketNumber', 'posting']),
      ),
    )
  })

  test('that is not covered are refused with 409, and nothing is saved', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})
    const documents = [{ documentId: 'D1', serialNumber: 'N2' }]

    const { status, body } = await postInVain({ batchNumber, documents })

    expect([status, body.errors[0].title]).toEqual([409, 'D1'])
  })
})
