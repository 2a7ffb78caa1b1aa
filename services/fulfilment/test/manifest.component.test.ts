import { hash } from 'node:crypto'
import { shared } from '@despatch/testing/shared'
import { unlistedHeaders } from '@despatch/testing/unlisted-headers'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const path = (batchNumber: string) => `/print-runs/${batchNumber}/manifest`
type Row = Record<string, string | number>

/** Computes the digest from the manifest as read, by the rule in the manifest. */
function digestOf({ run, documents, totals }: { run: Row; documents: Row[]; totals: Row }): string {
  const lines = [
    `manifest-1|${pick(run, ['batchNumber', 'printLocation', 'despatchMethod', 'stationery', 'plex', 'colour'])}`,
    ...documents.map((document) =>
      pick(document, [
        ...['sequence', 'documentId', 'fulfilmentJobId', 'attempt'],
        ...['sheets', 'pages', 'bytes', 'sha256'],
      ]),
    ),
    `${run.manifestVersion}|${pick(totals, ['documentCount', 'sheetCount', 'pageCount', 'byteCount'])}`,
  ]
  return hash('sha256', `${lines.join('\n')}\n`)
}

function pick(row: Row, members: string[]): string {
  return members.map((member) => row[member]).join('|')
}

function parseNdjson(bytes: Buffer): Row[] {
  const text = bytes.toString()
  expect(text.endsWith('\n')).toBe(true)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Needs no unquoting: no value of a manifest has quotes. */
function parseCsv(bytes: Buffer): Row[] {
  const [names = '', ...lines] = bytes.toString().trimEnd().split('\r\n')
  const members = names.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((value, index) => [members[index], value])),
  )
}

describe('200', () => {
  test('lists the documents in order, with totals, fulfilment jobs and the path of each file', async () => {
    const { batchNumber, printJobs, manifest } = await fulfilment.aClaimedRun(
      { sheets: 20, despatchMethod: 'FIRST' },
      { sheets: 6, despatchMethod: 'FIRST' },
    )

    const [heavy, light] = printJobs
    const [first, second] = manifest.documents.map(({ documentId }: Row) => documentId)
    const ofRun = `/print-fulfilment/v1/print-runs/${batchNumber}`
    const jobOf = (place: number, sheetCount: number) => {
      const fulfilmentJobId = `${batchNumber}-00${place}`
      const files = `${ofRun}/fulfilment-jobs/${fulfilmentJobId}`
      return {
        fulfilmentJobId,
        documentCount: 1,
        sheetCount,
        firstSequence: place,
        lastSequence: place,
        documentsZip: `${files}/documents.zip`,
        printStream: `${files}/print-stream.pdf`,
      }
    }
    const documentOf = (place: number, documentId: unknown, others: object) => ({
      sequence: place,
      documentId,
      fulfilmentJobId: `${batchNumber}-00${place}`,
      content: `${ofRun}/documents/${documentId}/content`,
      attempt: 1,
      plex: 'duplex',
      stationery: 'A4-PLAIN',
      despatchMethod: 'FIRST',
      postageClass: '1ST',
      mailingProduct: 'UNCODED',
      bytes: 100,
      ...others,
    })
    expect(manifest).toEqual({
      batchNumber,
      manifestVersion: 1,
      manifestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      digestRule: expect.stringContaining('SHA-256'),
      printLocation: 'NORTH',
      despatchMethod: 'FIRST',
      format: 'LARGE_LETTER',
      stationery: 'A4-PLAIN',
      plex: 'duplex',
      colour: true,
      printEpoch: 1,
      expectedDespatchDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      totals: { documentCount: 2, sheetCount: 26, pageCount: 52, byteCount: 200 },
      fulfilmentJobs: [jobOf(1, 6), jobOf(2, 20)],
      documents: [
        documentOf(1, first, {
          sheets: 6,
          pages: 12,
          weightGrams: 36.44,
          weightBandGrams: 100,
          sha256: light!.sha256,
        }),
        documentOf(2, second, {
          sheets: 20,
          pages: 40,
          weightGrams: 106.29,
          weightBandGrams: 250,
          sha256: heavy!.sha256,
        }),
      ],
    })
  })

  test('as NDJSON has run, fulfilment jobs, documents and totals, one to a line, whatever Accept says', async () => {
    const { batchNumber, manifest } = await fulfilment.aClaimedRun({}, { sheets: 2 })

    const { bytes, headers } = await fulfilment.call('GET', `${path(batchNumber)}?format=ndjson`, {
      headers: { accept: 'text/csv' },
    })

    const { totals, fulfilmentJobs, documents, ...run } = manifest
    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    expect(parseNdjson(bytes)).toEqual([
      { type: 'printRun', ...run },
      ...fulfilmentJobs.map((job: Row) => ({ type: 'fulfilmentJob', ...job })),
      ...documents.map((document: Row) => ({ type: 'document', ...document })),
      { type: 'totals', ...totals },
    ])
  })

  test('as CSV has a line for each document, with the data of the run', async () => {
    const { batchNumber, printJobs, manifest } = await fulfilment.aClaimedRun({ sheets: 3 })

    const { bytes, headers } = await fulfilment.call('GET', path(batchNumber), {
      headers: { accept: 'text/csv, application/json;q=0.5' },
    })

    const { documentId } = manifest.documents[0]
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(bytes.toString()).toBe(
      'batchNumber,printLocation,fulfilmentJobId,sequence,documentId,attempt,sheets,pages,plex,colour,stationery,format,' +
        'despatchMethod,postageClass,mailingProduct,weightGrams,weightBandGrams,sha256,bytes,content\r\n' +
        `${batchNumber},NORTH,${batchNumber}-001,1,${documentId},1,3,6,duplex,true,A4-PLAIN,LETTER,` +
        `SECOND,2ND,UNCODED,21.47,100,${printJobs[0]!.sha256},100,` +
        `/print-fulfilment/v1/print-runs/${batchNumber}/documents/${documentId}/content\r\n`,
    )
  })

  test('has a digest that can be computed from each format', async () => {
    const { printJobs, batchNumber } = await fulfilment.aReleasedRun({}, { sheets: 2 }, {})
    await fulfilment.deleteJob(printJobs[0]!.id)
    await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: 'digest' })

    const json = await fulfilment.call('GET', path(batchNumber))
    const ndjson = await fulfilment.call('GET', `${path(batchNumber)}?format=ndjson`)
    const csv = await fulfilment.call('GET', `${path(batchNumber)}?format=csv`)

    const lines = parseNdjson(ndjson.bytes)
    const rows = parseCsv(csv.bytes)
    const header = (name: string) => String(csv.headers[`despatch-${name}`])
    const digests = [
      digestOf({ run: json.body, ...json.body }),
      digestOf({
        run: lines[0]!,
        documents: lines.filter(({ type }) => type === 'document'),
        totals: lines.at(-1)!,
      }),
      digestOf({
        run: { ...rows[0]!, manifestVersion: header('manifest-version') },
        documents: rows,
        totals: {
          documentCount: header('document-count'),
          sheetCount: header('sheet-count'),
          pageCount: header('page-count'),
          byteCount: header('byte-count'),
        },
      }),
    ]
    const digest: string = json.body.manifestDigest
    expect(digests).toEqual([digest, digest, digest])
    expect([json, ndjson, csv].map(({ headers }) => headers['despatch-manifest-digest'])).toEqual(
      digests,
    )
    expect([json, ndjson, csv].map(({ headers }) => headers.etag)).toEqual([
      `"${digest}"`,
      `"${digest}-ndjson"`,
      `"${digest}-csv"`,
    ])
  })

  test('is complete for a long run in each format', async () => {
    const { batchNumber, manifest } = await fulfilment.aClaimedRun(
      ...Array.from({ length: 2_001 }, () => ({})),
    )
    const expected = Array.from({ length: 2_001 }, (_, index) => index + 1)

    const ndjson = await fulfilment.call('GET', `${path(batchNumber)}?format=ndjson`)
    const csv = await fulfilment.call('GET', `${path(batchNumber)}?format=csv`)

    const sequencesOf = (documents: Row[]) => documents.map(({ sequence }) => Number(sequence))
    expect(sequencesOf(manifest.documents)).toEqual(expected)
    expect(
      sequencesOf(parseNdjson(ndjson.bytes).filter(({ type }) => type === 'document')),
    ).toEqual(expected)
    expect(sequencesOf(parseCsv(csv.bytes))).toEqual(expected)
    expect(ndjson.headers['content-length']).toBeUndefined()
  })

  test('has the headers of GET and no body for HEAD', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})
    const headersOf = (headers: Record<string, unknown>) =>
      Object.entries(headers).filter(([name]) => /^(despatch-|etag|vary|content-type)/.test(name))

    const get = await fulfilment.call('GET', `${path(batchNumber)}?format=csv`)
    const head = await fulfilment.call('HEAD', `${path(batchNumber)}?format=csv`)

    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(headersOf(head.headers)).toEqual(headersOf(get.headers))
    expect(headersOf(head.headers)).toHaveLength(9)
  })

  test('never changes when the documents, the contract or the run change', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({}, {})
    const before = await fulfilment.call('GET', path(batchNumber))
    const { pool } = fulfilment.database

    await pool.query('update contract set template_data = true')
    await pool.query(
      `update print_run_document set attempt = 2, outcome = 'RECALLED', voided_at = now() where batch_number = $1`,
      [batchNumber],
    )
    await fulfilment.voidRun({ batchNumber })
    const after = await fulfilment.call('GET', path(batchNumber))
    await pool.query('update contract set template_data = false')

    expect([after.status, after.headers.etag]).toEqual([200, before.headers.etag])
    expect(after.bytes.equals(before.bytes)).toBe(true)
  })

  test('has the path of the template data of a fulfilment job', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({})
    const { pool } = fulfilment.database
    await pool.query('update contract set template_data = true')
    await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: 'template data' })
    await pool.query('update contract set template_data = false')

    const { body } = await fulfilment.call('GET', path(batchNumber))

    const job = `/print-fulfilment/v1/print-runs/${batchNumber}/fulfilment-jobs/${batchNumber}-001`
    expect(body.fulfilmentJobs).toMatchObject([{ templateData: `${job}/template-data` }])
  })
})

test('every header is in the OpenAPI document', async () => {
  const { batchNumber, manifest } = await fulfilment.aClaimedRun({})
  const { paths } = (await fulfilment.call('GET', '/openapi.json')).body
  const { responses } = paths['/print-fulfilment/v1/print-runs/{batchNumber}/manifest'].get

  const headers = { 'if-none-match': `"${manifest.manifestDigest}"` }
  const found = await fulfilment.call('GET', path(batchNumber))
  const known = await fulfilment.call('GET', path(batchNumber), { headers })
  const refused = await fulfilment.call('POST', path(batchNumber))

  expect([found, known, refused].map(({ status }) => status)).toEqual([200, 304, 405])
  expect(known.headers).toHaveProperty('etag')
  expect(refused.headers).toHaveProperty('allow')
  for (const answer of [found, known, refused]) {
    expect(unlistedHeaders(answer, responses)).toEqual([])
  }
})

test('304: the caller has the current manifest in this format', async () => {
  const { batchNumber, manifest } = await fulfilment.aClaimedRun({})
  const statusOf = async (tag: string, query = '', method: 'GET' | 'HEAD' = 'GET') => {
    const headers = { 'if-none-match': tag }
    return (await fulfilment.call(method, path(batchNumber) + query, { headers })).status
  }
  const digest = manifest.manifestDigest

  expect(await statusOf(`"other", W/"${digest}"`)).toBe(304)
  expect(await statusOf('"other"')).toBe(200)
  const ofCsv = `"${digest}-csv"`
  expect([
    await statusOf(ofCsv, '?format=csv'),
    await statusOf(ofCsv, '?format=csv', 'HEAD'),
  ]).toEqual([304, 304])
  expect([await statusOf(ofCsv, '?format=ndjson'), await statusOf(ofCsv)]).toEqual([200, 200])
})

test('404: the run is not claimed', async () => {
  const { batchNumber } = await fulfilment.aReleasedRun({})

  const answer = await fulfilment.call('GET', path(batchNumber))

  expect(refusals(answer)).toEqual([[404, 'PrintRunNotFound']])
})
