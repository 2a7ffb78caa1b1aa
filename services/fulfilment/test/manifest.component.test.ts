import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFulfilment, type Fulfilment } from './a-fulfilment.ts'

let fulfilment: Fulfilment
beforeAll(async () => {
  fulfilment = await aFulfilment()
})
afterAll(() => fulfilment.close())

const path = (batchNumber: string) => `/print-runs/${batchNumber}/manifest`
type Document = Record<
  | 'sequence'
  | 'documentId'
  | 'fulfilmentJobId'
  | 'attempt'
  | 'sheets'
  | 'pages'
  | 'bytes'
  | 'sha256',
  string | number
>

describe('200', () => {
  test('lists the documents in order, with totals, fulfilment jobs and where each file is', async () => {
    const { batchNumber, printJobs, manifest } = await fulfilment.aClaimedRun(
      { sheets: 6, despatchMethod: 'FIRST' },
      { sheets: 1, despatchMethod: 'FIRST' },
    )

    const [large, letter] = printJobs
    const [first, second] = manifest.documents.map(
      ({ documentId }: { documentId: string }) => documentId,
    )
    expect(manifest).toEqual({
      batchNumber,
      manifestVersion: 1,
      manifestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      digestRule: expect.stringContaining('SHA-256'),
      printLocation: 'NORTH',
      despatchMethod: 'FIRST',
      stationery: 'A4-PLAIN',
      plex: 'duplex',
      colour: true,
      totals: { documentCount: 2, sheetCount: 7, pageCount: 14, byteCount: 200 },
      fulfilmentJobs: [
        {
          fulfilmentJobId: `${batchNumber}-001`,
          documentCount: 1,
          sheetCount: 1,
          firstSequence: 1,
          lastSequence: 1,
        },
        {
          fulfilmentJobId: `${batchNumber}-002`,
          documentCount: 1,
          sheetCount: 6,
          firstSequence: 2,
          lastSequence: 2,
        },
      ],
      documents: [
        {
          sequence: 1,
          documentId: first,
          fulfilmentJobId: `${batchNumber}-001`,
          attempt: 1,
          sheets: 1,
          pages: 2,
          weightGrams: 11.49,
          plex: 'duplex',
          despatchMethod: 'FIRST',
          sha256: letter!.sha256,
          bytes: 100,
          content: `/print-fulfilment/v1/print-runs/${batchNumber}/documents/${first}/content`,
        },
        {
          sequence: 2,
          documentId: second,
          fulfilmentJobId: `${batchNumber}-002`,
          attempt: 1,
          sheets: 6,
          pages: 12,
          weightGrams: 36.44,
          plex: 'duplex',
          despatchMethod: 'FIRST',
          sha256: large!.sha256,
          bytes: 100,
          content: `/print-fulfilment/v1/print-runs/${batchNumber}/documents/${second}/content`,
        },
      ],
    })
  })

  test('the digest can be computed from the manifest by its rule', async () => {
    const { printJobs, batchNumber } = await fulfilment.aReleasedRun({}, { sheets: 2 }, {})
    await fulfilment.deleteJob(printJobs[0]!.id)
    await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: 'digest' })

    const { body: manifest, headers } = await fulfilment.call('GET', path(batchNumber))

    const { documentCount, sheetCount, pageCount, byteCount } = manifest.totals
    const lines = [
      `manifest-1|${batchNumber}|NORTH|SECOND|A4-PLAIN|duplex|true`,
      ...manifest.documents.map((document: Document) =>
        [
          document.sequence,
          document.documentId,
          document.fulfilmentJobId,
          document.attempt,
          document.sheets,
          document.pages,
          document.bytes,
          document.sha256,
        ].join('|'),
      ),
      `2|${documentCount}|${sheetCount}|${pageCount}|${byteCount}`,
    ]
    const digest = createHash('sha256')
      .update(`${lines.join('\n')}\n`)
      .digest('hex')
    expect(manifest.manifestDigest).toBe(digest)
    expect(headers.etag).toBe(`"${digest}"`)
  })

  test('a long run comes whole, page after page', async () => {
    const { batchNumber, manifest } = await fulfilment.aClaimedRun(
      ...Array.from({ length: 2_001 }, () => ({})),
    )

    const sequences = manifest.documents.map((document: Document) => document.sequence)
    expect(sequences).toEqual(Array.from({ length: 2_001 }, (_, index) => index + 1))
    expect(manifest.batchNumber).toBe(batchNumber)
  })
})

describe('304', () => {
  test('for who has it already', async () => {
    const { batchNumber, manifest } = await fulfilment.aClaimedRun({})

    const known = await fulfilment.call('GET', path(batchNumber), {
      headers: { 'if-none-match': `"other", W/"${manifest.manifestDigest}"` },
    })
    const other = await fulfilment.call('GET', path(batchNumber), {
      headers: { 'if-none-match': '"other"' },
    })

    expect([known.status, known.bytes.length, other.status]).toEqual([304, 0, 200])
  })
})

describe('404', () => {
  test('a run that is not claimed, or of another provider', async () => {
    const released = await fulfilment.aReleasedRun({})
    const claimed = await fulfilment.aClaimedRun({})

    const answers = [
      await fulfilment.call('GET', path(released.batchNumber)),
      await fulfilment.call('GET', path(claimed.batchNumber), { provider: 'south' }),
      await fulfilment.call('GET', path('R999999')),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [404, 'PrintRunNotFound'],
      [404, 'PrintRunNotFound'],
      [404, 'PrintRunNotFound'],
    ])
  })
})
