import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const { stateOf } = aProductionReport(fulfilment)
const { post, confirm, statusesOf } = fulfilment

describe('201 and 200', () => {
  test('a confirmed posting despatches its documents, with despatch properties and a callback', async () => {
    const run = await fulfilment.anAcknowledgedRun({
      sheets: 3,
      despatchMethod: 'ECONOMY',
      wantsCallback: true,
    })
    const { batchNumber } = run
    const [documentId] = run.documentIds

    const posted = await post({
      batchNumber,
      manifestNumber: 'EM42',
      despatchProperties: [{ key: 'mailingProduct', value: 'MM ECONOMY' }],
      documents: [
        { documentId, serialNumber: 'S1', despatchProperties: [{ key: 'trayId', value: '7' }] },
      ],
    })
    const { postingId } = posted.body
    expect({ status: posted.status, body: posted.body }).toEqual({
      status: 201,
      body: {
        postingId,
        batchNumber,
        printRuns: [{ batchNumber, documentCount: 1, sheetCount: 3 }],
        state: 'SAVED',
        carrier: 'Royal Mail',
        handoverAt: '2026-01-31T17:30:00.000Z',
        manifestNumber: 'EM42',
        documentCount: 1,
        sheetCount: 3,
        evidence: [],
        createdAt: expect.stringMatching(/Z$/),
      },
    })
    expect(await statusesOf(run)).toEqual(['PRODUCTION'])

    const confirmed = await confirm(postingId)

    expect({ status: confirmed.status, body: confirmed.body }).toEqual({
      status: 200,
      body: { ...posted.body, state: 'CONFIRMED', confirmedAt: expect.stringMatching(/Z$/) },
    })
    expect(await fulfilment.findJob(run.printJobs[0]!.id)).toMatchObject({
      status: 'DESPATCHED',
      serialNumber: 'S1',
      despatchProperties: [
        { key: 'totalSheets', value: '3' },
        { key: 'postageClass', value: '2ND' },
        { key: 'mailingProduct', value: 'MM ECONOMY' },
        { key: 'productionRunDate', value: expect.stringMatching(/^[\d-]{10} [\d:]{8}\.\d{3}$/) },
        { key: 'weightGrams', value: '21.47' },
        { key: 'mailProvider', value: 'Royal Mail' },
        { key: 'handoverAt', value: '2026-01-31 17:30:00.000' },
        { key: 'eManifestId', value: 'EM42' },
        { key: 'trayId', value: '7' },
      ],
    })
    expect(await stateOf(batchNumber)).toBe('RECONCILED')
  })

  test('repeated and concurrent confirmations despatch once', async () => {
    const run = await fulfilment.anAcknowledgedRun({ wantsCallback: true }, { wantsCallback: true })
    const { postingId } = (await post({ batchNumber: run.batchNumber })).body

    const [one, two] = await Promise.all([confirm(postingId), confirm(postingId)])
    const three = await confirm(postingId)

    expect([one.status, two.body, three.body]).toEqual([200, one.body, one.body])
    expect(
      await fulfilment.rows(
        `select (select count(*) from print_job_event where transition = 'despatch' and print_job_key = any ($1)) as events,
          (select count(*) from callback where print_job_key = any ($1)) as callbacks`,
        run.printJobs.map(({ key }) => key),
      ),
    ).toEqual([{ events: 2, callbacks: 2 }])
  })

  test('a run posted in parts is POSTED with the last part and RECONCILED when it is confirmed', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {}, {})
    const { batchNumber } = run

    const part = await post({ batchNumber, documentIds: [run.documentIds[0]] })
    const rest = await post({ batchNumber })
    expect([part.body.documentCount, rest.body.documentCount]).toEqual([1, 2])

    await confirm(part.body.postingId)
    expect(await stateOf(batchNumber)).toBe('POSTED')
    await confirm(rest.body.postingId)
    expect(await stateOf(batchNumber)).toBe('RECONCILED')
    expect(await statusesOf(run)).toEqual(Array(3).fill('DESPATCHED'))
  })

  test('refused documents are not posted and do not prevent the run from being POSTED', async () => {
    const run = await fulfilment.aClaimedRun({}, {})
    const { batchNumber } = run
    await fulfilment.acknowledge(run, {
      refusals: [{ documentId: run.documentIds[0], reasonCode: 'TORN', reason: 'Torn' }],
    })

    const { body } = await post({ batchNumber })
    await confirm(body.postingId)

    expect(body.documentCount).toBe(1)
    expect(await stateOf(batchNumber)).toBe('RECONCILED')
    expect((await statusesOf(run)).toSorted()).toEqual(['DESPATCHED', 'REJECTED'])
  })

  test('repetitions with the same key return the same posting, and another body is refused', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({}, {})
    const again = () => post({ batchNumber }, { key: 'same' })

    const answers = await Promise.all([again(), again(), again()])
    const other = await post({ batchNumber, carrier: 'Another' }, { key: 'same' })

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.postingId)).size).toBe(1)
    expect(refusals(other)).toEqual([[409, 'PostingConflict']])
  })
})

test('404: the id is malformed', async () => {
  const answers = [await confirm('1'), await fulfilment.call('GET', '/postings/1')]

  expect(refusals(...answers)).toEqual(Array(2).fill([404, 'PostingNotFound']))
})

describe('409', () => {
  test('the run is closed', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})
    await confirm((await post({ batchNumber })).body.postingId)
    await fulfilment.call('POST', `/print-runs/${batchNumber}/close`)

    const { status, body } = await post({ batchNumber })

    expect([status, body.errors[0].detail]).toEqual([
      409,
      `Print run ${batchNumber} is not in production: it was refused, closed or reassigned`,
    ])
  })

  test('names documents that are unknown or in another posting, and saves nothing', async () => {
    const { batchNumber, documentIds } = await fulfilment.anAcknowledgedRun({}, {})
    const [posted, free] = documentIds
    await post({ batchNumber, documentIds: [posted] })

    const { status, body } = await post({ batchNumber, documentIds: [posted, free, 'D1'] })

    expect(status).toBe(409)
    expect(body.errors.map(({ title }: { title: string }) => title)).toEqual([posted, 'D1'])
    expect((await post({ batchNumber })).body.documentCount).toBe(1)
    expect((await post({ batchNumber })).status).toBe(409)
  })
})

const property = (key: string, value: string) => [{ key, value }]
const twice = [...property('trayId', '1'), ...property('trayId', '2')]
const wrong = property('postageClass', 'FIRST')
const invalid: [name: string, body: object, field: string, code: string][] = [
  ['a time before mail', { handoverAt: '0000-01-01T00:00:00Z' }, 'handoverAt', 'Pattern'],
  ['a document twice', { documentIds: ['D1', 'D1'] }, 'documentIds[1]', 'Duplicate'],
  ['a key twice', { despatchProperties: twice }, 'despatchProperties[1].key', 'Duplicate'],
  [
    'a key that is too long',
    { despatchProperties: property('x'.repeat(51), '1') },
    'despatchProperties[0].key',
    'Size',
  ],
  [
    'a value that does not fit its well-known key',
    { documents: [{ documentId: 'D1', despatchProperties: wrong }] },
    'documents[0].despatchProperties[0].value',
    'Pattern',
  ],
  [
    'details of a document that it does not cover',
    { documentIds: ['D1'], documents: [{ documentId: 'D2', serialNumber: 'S2' }] },
    'documents[0].documentId',
    'NotFound',
  ],
  ['no print run', { batchNumber: undefined }, 'batchNumber', 'NotNull'],
  ['a print run twice', { printRuns: [{ batchNumber: 'R1' }] }, 'batchNumber', 'NotNull'],
]

test.for(invalid)('400: %s', async ([, body, title, code]) => {
  const answer = await post({ batchNumber: 'R1', ...body })

  expect(answer.status).toBe(400)
  expect(answer.body.errors).toEqual([
    { status: '400 BAD_REQUEST', code, title, detail: expect.stringContaining(title) },
  ])
})
