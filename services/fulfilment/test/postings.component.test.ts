import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const handover = { carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z' }
const post = (key: string, body: object, options: object = {}) =>
  fulfilment.call('POST', '/postings', { key, body: { ...handover, ...body }, ...options })
const confirm = (postingId: string, options: object = {}) =>
  fulfilment.call('POST', `/postings/${postingId}/confirm`, options)

async function stateOf(batchNumber: string): Promise<string> {
  const { body } = await fulfilment.call('GET', '/print-runs?limit=100')
  return body.printRuns.find((run: { batchNumber: string }) => run.batchNumber === batchNumber)
    .state
}

const documentIds = ({ manifest }: { manifest: { documents: { documentId: string }[] } }) =>
  manifest.documents.map(({ documentId }) => documentId)

describe('201 and 200', () => {
  test('a confirmed posting despatches its documents, with despatch properties and a callback', async () => {
    const run = await fulfilment.anAcknowledgedRun({
      sheets: 3,
      despatchMethod: 'ECONOMY',
      wantsCallback: true,
    })
    const [documentId] = documentIds(run)

    const posted = await post('whole run', {
      batchNumber: run.batchNumber,
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
        batchNumber: run.batchNumber,
        printRuns: [{ batchNumber: run.batchNumber, documentCount: 1, sheetCount: 3 }],
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
    expect(await fulfilment.statuses([run.printJobs[0]!.key])).toEqual(['PRODUCTION'])

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
    expect(await stateOf(run.batchNumber)).toBe('RECONCILED')
  })

  test('repeated and concurrent confirmations despatch once', async () => {
    const run = await fulfilment.anAcknowledgedRun({ wantsCallback: true }, { wantsCallback: true })
    const { postingId } = (await post('twice', { batchNumber: run.batchNumber })).body

    const [one, two] = await Promise.all([confirm(postingId), confirm(postingId)])
    const three = await confirm(postingId)

    expect([one.status, two.body, three.body]).toEqual([200, one.body, one.body])
    const { rows } = await fulfilment.database.pool.query(
      `select (select count(*) from print_job_event where transition = 'despatch' and print_job_key = any ($1)) as events,
        (select count(*) from callback where print_job_key = any ($1)) as callbacks`,
      [run.printJobs.map(({ key }) => key)],
    )
    expect(rows).toEqual([{ events: 2, callbacks: 2 }])
  })

  test('a run posted in parts is POSTED with the last part and RECONCILED when it is confirmed', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {}, {})
    const { batchNumber } = run
    const [first, ...others] = documentIds(run)

    const part = await post('part', { batchNumber, documentIds: [first] })
    const rest = await post('rest', { batchNumber })
    expect([part.body.documentCount, rest.body.documentCount]).toEqual([1, others.length])

    await confirm(part.body.postingId)
    expect(await stateOf(batchNumber)).toBe('POSTED')
    await confirm(rest.body.postingId)
    expect(await stateOf(batchNumber)).toBe('RECONCILED')
    expect(await fulfilment.statuses(run.printJobs.map(({ key }) => key))).toEqual(
      Array(3).fill('DESPATCHED'),
    )
  })

  test('refused documents are not posted and do not prevent the run from being POSTED', async () => {
    const run = await fulfilment.aClaimedRun({}, {})
    const { batchNumber, acknowledgement } = run
    const [refused] = documentIds(run)
    await fulfilment.call('POST', `/print-runs/${batchNumber}/acknowledgement`, {
      body: {
        ...acknowledgement,
        refusals: [{ documentId: refused, reasonCode: 'TORN', reason: 'Torn' }],
      },
    })

    const { body } = await post('without refused', { batchNumber })
    await confirm(body.postingId)

    expect(body.documentCount).toBe(1)
    expect(await stateOf(batchNumber)).toBe('RECONCILED')
    const statuses = await fulfilment.statuses(run.printJobs.map(({ key }) => key))
    expect(statuses.toSorted()).toEqual(['DESPATCHED', 'REJECTED'])
  })

  test('a repetition with the same key returns the same posting', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({}, {})

    const answers = await Promise.all([
      post('same', { batchNumber }),
      post('same', { batchNumber }),
      post('same', { batchNumber }),
    ])

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.postingId)).size).toBe(1)
  })
})

describe('409', () => {
  test('the same key comes with another body', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})
    await post('spent', { batchNumber })

    const { status, body } = await post('spent', { batchNumber, carrier: 'Another' })

    expect([status, body.errors[0].code]).toEqual([409, 'PostingConflict'])
  })

  test('the run is not acknowledged', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})

    const { status, body } = await post('too early', { batchNumber })

    expect([status, body.errors[0].detail]).toEqual([
      409,
      `Print run ${batchNumber} has not been acknowledged`,
    ])
  })

  test('names documents that are unknown or in another posting, and saves nothing', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const { batchNumber } = run
    const [posted, free] = documentIds(run)
    await post('first part', { batchNumber, documentIds: [posted] })

    const { status, body } = await post('overlap', {
      batchNumber,
      documentIds: [posted, free, 'D1'],
    })

    expect(status).toBe(409)
    expect(body.errors.map(({ title }: { title: string }) => title)).toEqual([posted, 'D1'])
    expect((await post('second part', { batchNumber })).body.documentCount).toBe(1)
    expect((await post('third part', { batchNumber })).status).toBe(409)
  })
})

const invalid: [name: string, body: object, field: string, code: string][] = [
  ['a time before mail', { handoverAt: '0000-01-01T00:00:00Z' }, 'handoverAt', 'Pattern'],
  ['a document twice', { documentIds: ['D1', 'D1'] }, 'documentIds[1]', 'Duplicate'],
  [
    'a key twice',
    {
      despatchProperties: [
        { key: 'trayId', value: '1' },
        { key: 'trayId', value: '2' },
      ],
    },
    'despatchProperties[1].key',
    'Duplicate',
  ],
  [
    'a key that is too long',
    { despatchProperties: [{ key: 'x'.repeat(51), value: '1' }] },
    'despatchProperties[0].key',
    'Size',
  ],
  [
    'sheets that are not a number',
    { despatchProperties: [{ key: 'totalSheets', value: 'five' }] },
    'despatchProperties[0].value',
    'Pattern',
  ],
  [
    'a value that does not fit its well-known key',
    {
      documents: [
        { documentId: 'D1', despatchProperties: [{ key: 'postageClass', value: 'FIRST' }] },
      ],
    },
    'documents[0].despatchProperties[0].value',
    'Pattern',
  ],
  ['no print run', { batchNumber: undefined }, 'batchNumber', 'NotNull'],
  ['a print run twice', { printRuns: [{ batchNumber: 'R1' }] }, 'batchNumber', 'NotNull'],
]

describe('400', () => {
  test.for(invalid)('%s', async ([, body, title, code]) => {
    const answer = await post('invalid', { batchNumber: 'R1', ...body })

    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([
      { status: '400 BAD_REQUEST', code, title, detail: expect.stringContaining(title) },
    ])
  })

  test('details belong to a document that the posting does not cover', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const [covered, other] = documentIds(run)

    const { status, body } = await post('details', {
      batchNumber: run.batchNumber,
      documentIds: [covered],
      documents: [{ documentId: other, serialNumber: 'S2' }],
    })

    expect([status, body.errors[0].title]).toEqual([400, 'documents[0].documentId'])
  })
})

describe('404', () => {
  test('the run or posting belongs to another provider, or is unknown', async () => {
    const { batchNumber, printJobs } = await fulfilment.anAcknowledgedRun({})
    const { postingId } = (await post('mine', { batchNumber })).body
    const south = { provider: 'south' }

    const answers = [
      await post('theirs', { batchNumber }, south),
      await confirm(postingId, south),
      await confirm('00000000-0000-4000-8000-000000000000'),
      await confirm('1'),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [404, 'PrintRunNotFound'],
      [404, 'PostingNotFound'],
      [404, 'PostingNotFound'],
      [404, 'PostingNotFound'],
    ])
    expect(await fulfilment.statuses([printJobs[0]!.key])).toEqual(['PRODUCTION'])
  })
})
