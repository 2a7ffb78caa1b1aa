import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)

const handover = { carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z' }
const post = (key: string, body: object) =>
  fulfilment.call('POST', '/postings', { key, body: { ...handover, ...body } })
const confirm = (postingId: string) => fulfilment.call('POST', `/postings/${postingId}/confirm`)
const errorsOf = ({ status, body }: { status: number; body: { errors: object[] } }) => ({
  status,
  errors: body.errors,
})
const postingCount = async (): Promise<number> => {
  const { rows } = await fulfilment.database.pool.query('select count(*) as postings from posting')
  return rows[0].postings
}

/** Spoils the document; an operator or the quota then authorises another attempt. */
async function reprint(batchNumber: string, documentId: string): Promise<void> {
  await production.report(batchNumber, [{ documentId, type: 'SPOILED' }])
  await fulfilment.call('POST', `/print-runs/${batchNumber}/reprints`, {
    body: { documents: [{ documentId, reasonCode: 'JAM' }] },
  })
}

describe('one posting over several print runs', () => {
  test('covers all of them, and its confirmation despatches them', async () => {
    const first = await fulfilment.anAcknowledgedRun({ despatchMethod: 'FIRST', sheets: 2 }, {})
    const batchNumbers = await listAcknowledged()
    expect(batchNumbers).toHaveLength(2)

    const posted = await post('two runs', {
      printRuns: batchNumbers.map((batchNumber) => ({ batchNumber })),
      counts: [
        { despatchMethod: 'FIRST', format: 'LETTER', weightBandGrams: 100, documentCount: 1 },
        { despatchMethod: 'SECOND', format: 'LETTER', documentCount: 1 },
      ],
    })

    expect(posted.status).toBe(201)
    expect(posted.body).not.toHaveProperty('batchNumber')
    expect(posted.body).toMatchObject({ documentCount: 2, sheetCount: 3 })
    expect(
      posted.body.printRuns.map(({ documentCount }: { documentCount: number }) => documentCount),
    ).toEqual([1, 1])
    expect(await Promise.all(batchNumbers.map(production.stateOf))).toEqual(['POSTED', 'POSTED'])

    const { postingId } = posted.body
    const [one, two] = await Promise.all([confirm(postingId), confirm(postingId)])

    expect([one.body.state, two.body]).toEqual(['CONFIRMED', one.body])
    expect(await fulfilment.statuses(first.printJobs.map(({ key }) => key))).toEqual([
      'DESPATCHED',
      'DESPATCHED',
    ])
    expect(await Promise.all(batchNumbers.map(production.stateOf))).toEqual([
      'RECONCILED',
      'RECONCILED',
    ])
  })

  test('is refused and not saved if one of the runs cannot be posted', async () => {
    const ready = await fulfilment.anAcknowledgedRun({})
    const early = await fulfilment.aClaimedRun({})
    const before = await postingCount()

    const answer = await post('one too early', {
      printRuns: [{ batchNumber: ready.batchNumber }, { batchNumber: early.batchNumber }],
    })

    expect(errorsOf(answer)).toEqual({
      status: 409,
      errors: [
        {
          status: '409 CONFLICT',
          code: 'PostingConflict',
          title: 'Posting cannot be saved',
          detail: `Print run ${early.batchNumber} has not been acknowledged`,
        },
      ],
    })
    expect(await postingCount()).toBe(before)
    expect((await post('ready alone', { batchNumber: ready.batchNumber })).status).toBe(201)
  })

  async function listAcknowledged(): Promise<string[]> {
    const released = await fulfilment.call('GET', '/print-runs?state=RELEASED')
    for (const { batchNumber } of released.body.printRuns) await acknowledge(batchNumber)
    const { rows } = await fulfilment.database.pool.query(
      `select batch_number from print_run where state = 'ACCEPTED' order by batch_number`,
    )
    return rows.map(({ batch_number }) => batch_number)
  }
})

async function acknowledge(batchNumber: string): Promise<void> {
  await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: `c ${batchNumber}` })
  const { body } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
  const { documentCount, sheetCount } = body.totals
  await fulfilment.call('POST', `/print-runs/${batchNumber}/acknowledgement`, {
    body: { documentCount, sheetCount, manifestDigest: body.manifestDigest },
  })
}

describe('a posting', () => {
  test('does not cover a spoiled document, and covers a reprint once it is reported as printed', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {}, {})
    const { batchNumber } = run
    const [spoiled, reprinted, whole] = production.documentIds(run) as [string, string, string]
    await production.report(batchNumber, [{ documentId: spoiled, type: 'SPOILED' }])
    await reprint(batchNumber, reprinted)

    const named = await post('named', { batchNumber, documentIds: [whole, spoiled, reprinted] })

    expect(errorsOf(named)).toEqual({
      status: 409,
      errors: [
        {
          status: '409 CONFLICT',
          code: 'PostingConflict',
          title: spoiled,
          detail: `Attempt 1 at document ${spoiled} is SPOILED`,
        },
        {
          status: '409 CONFLICT',
          code: 'PostingConflict',
          title: reprinted,
          detail: `Attempt 2 at document ${reprinted}, a reprint, has not been reported as PRINTED`,
        },
      ],
    })
    expect((await post('the rest', { batchNumber })).body.documentCount).toBe(1)

    await production.report(batchNumber, [{ documentId: reprinted, type: 'PRINTED', attempt: 2 }])
    expect((await post('the reprint', { batchNumber })).body.documentCount).toBe(1)
    expect((await post('nothing left', { batchNumber })).body.errors[0].detail).toBe(
      `Print run ${batchNumber} has no documents left to post`,
    )
  })

  test('loses a document that is spoiled before the confirmation', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, { sheets: 2 })
    const { batchNumber } = run
    const spoiled = run.manifest.documents.find(({ sheets }: { sheets: number }) => sheets === 2)
    const { postingId } = (await post('before the jam', { batchNumber })).body
    const { documentId } = spoiled
    await production.report(batchNumber, [{ documentId, type: 'SPOILED' }])

    const { body } = await confirm(postingId)

    expect(body).toMatchObject({ state: 'CONFIRMED', documentCount: 1, sheetCount: 1 })
    expect(body.printRuns).toEqual([{ batchNumber, documentCount: 1, sheetCount: 1 }])
    const statuses = await fulfilment.statuses(run.printJobs.map(({ key }) => key))
    expect(statuses.toSorted()).toEqual(['DESPATCHED', 'PRODUCTION'])
    expect(await production.stateOf(batchNumber)).toBe('IN_PRODUCTION')
  })

  test('lists the first hundred of the documents that it cannot cover', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})
    const documentIds = Array.from({ length: 150 }, (_, index) => `X${index}`)

    const { status, body } = await post('strangers', { batchNumber, documentIds })

    expect([status, body.errors.length, body.errors[99].title]).toEqual([409, 100, 'X99'])
  })
})

const miscounts: [name: string, count: object, detail: string][] = [
  [
    'one too many',
    { despatchMethod: 'SECOND', format: 'LETTER', documentCount: 3 },
    'The carrier counts 3 of SECOND LETTER; the posting covers 2',
  ],
  [
    'one too many in a weight band',
    { despatchMethod: 'SECOND', format: 'LETTER', weightBandGrams: 250, documentCount: 3 },
    'The carrier counts 3 of SECOND LETTER; the posting covers 2',
  ],
  [
    'another class',
    { despatchMethod: 'FIRST', format: 'LETTER', documentCount: 2 },
    'The carrier counts 2 of FIRST LETTER; the posting covers 0',
  ],
]

test("has the carrier's weight bands instead of our estimate, which is shown beside them", async () => {
  const { batchNumber } = await fulfilment.anAcknowledgedRun({}, {}, {})
  const of = { despatchMethod: 'SECOND', format: 'LETTER' }
  const counts = [
    { ...of, weightBandGrams: 100, documentCount: 1 },
    { ...of, weightBandGrams: 250, documentCount: 2 },
  ]

  const { status, body } = await post('weighed', { batchNumber, counts })

  expect([status, body.counts]).toEqual([
    201,
    [
      { ...counts[0], estimatedCount: 3 },
      { ...counts[1], estimatedCount: 0 },
    ],
  ])
})

describe('carrier counts that differ', () => {
  test.for(miscounts)('%s: 409, and nothing is saved', async ([name, count, detail]) => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({}, {})
    const before = await postingCount()

    const { status, body } = await post(`counted ${name}`, { batchNumber, counts: [count] })

    expect([status, body.errors[0].detail]).toEqual([409, detail])
    expect(await postingCount()).toBe(before)
    expect((await post(`after ${name}`, { batchNumber })).body.documentCount).toBe(2)
  })
})

describe('serial numbers', () => {
  test('of another document are refused, and nothing is saved', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const { batchNumber } = run
    const [one = '', two = ''] = production.documentIds(run)
    const part = { batchNumber, documentIds: [one] }
    await post('has it', { ...part, documents: [{ documentId: one, serialNumber: 'N1' }] })

    const answer = await post('wants it', {
      batchNumber,
      documents: [{ documentId: two, serialNumber: 'N1' }],
    })

    expect(errorsOf(answer)).toEqual({
      status: 409,
      errors: [
        {
          status: '409 CONFLICT',
          code: 'PostingConflict',
          title: two,
          detail: `The serial number N1 of document ${two} belongs to another document or attempt`,
        },
      ],
    })
    expect((await post('another', { batchNumber })).body.documentCount).toBe(1)
    expect(await production.serialNumbers('LETTER')).toEqual([`N1 USED ${one} 1`])
  })
})

describe('the despatch properties of a document', () => {
  test('in the posting override those of its events, which override those of the whole posting', async () => {
    const run = await fulfilment.anAcknowledgedRun({})
    const { batchNumber } = run
    const [documentId = ''] = production.documentIds(run)
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
    const { body } = await post('told', {
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

    const { status, body } = await post('details of a stranger', {
      batchNumber,
      documents: [{ documentId: 'D1', serialNumber: 'N2' }],
    })

    expect([status, body.errors[0].title]).toEqual([409, 'D1'])
    expect((await post('without', { batchNumber })).status).toBe(201)
  })
})

test('a closed run is not posted', async () => {
  const run = await fulfilment.anAcknowledgedRun({})
  const { batchNumber } = run
  const { body } = await post('all', { batchNumber })
  await confirm(body.postingId)
  await fulfilment.call('POST', `/print-runs/${batchNumber}/close`)

  const again = await post('again', { batchNumber })

  expect([again.status, again.body.errors[0].detail]).toEqual([
    409,
    `Print run ${batchNumber} is not in production: it was refused, closed or reassigned`,
  ])
})
