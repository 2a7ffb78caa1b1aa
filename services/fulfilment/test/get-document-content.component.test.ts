import { shared } from '@despatch/testing/shared'
import { unlistedHeaders } from '@despatch/testing/unlisted-headers'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const path = (batchNumber: string, documentId: string) =>
  `/print-runs/${batchNumber}/documents/${documentId}/content`

async function aClaimedDocument() {
  const file = Buffer.from('%PDF-1.7 a letter')
  const { batchNumber, manifest, printJobs } = await fulfilment.aClaimedRun({ file })
  await fulfilment.putDocument(file, printJobs[0]!.sha256)
  return { batchNumber, documentId: manifest.documents[0].documentId as string, file }
}

describe('303', () => {
  test('redirects to an address that returns the file without credentials', async () => {
    const { batchNumber, documentId, file } = await aClaimedDocument()

    const { status, headers, bytes } = await fulfilment.call('GET', path(batchNumber, documentId))

    expect({ status, cache: headers['cache-control'], length: bytes.length }).toEqual({
      status: 303,
      cache: 'no-store',
      length: 0,
    })
    const answer = await fetch(String(headers.location))
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(file)
    expect(new URL(String(headers.location)).searchParams.get('X-Amz-Expires')).toBe('300')
  })

  test('every header is in the OpenAPI document', async () => {
    const { batchNumber, documentId } = await aClaimedDocument()
    const { paths } = (await fulfilment.call('GET', '/openapi.json')).body
    const route = path('{batchNumber}', '{documentId}')

    const found = await fulfilment.call('GET', path(batchNumber, documentId))

    const { responses } = paths[`/print-fulfilment/v1${route}`].get
    expect(unlistedHeaders(found, responses)).toEqual([])
  })

  test('also answers HEAD', async () => {
    const { batchNumber, documentId } = await aClaimedDocument()

    const { status, headers } = await fulfilment.call('HEAD', path(batchNumber, documentId))

    expect({ status, location: headers.location }).toEqual({
      status: 303,
      location: expect.stringContaining('X-Amz-Signature'),
    })
  })
})

describe('404', () => {
  test('the run is not claimed, belongs to another provider or lacks the document', async () => {
    const { batchNumber, documentId } = await aClaimedDocument()
    const other = await fulfilment.aClaimedRun({})
    const released = await fulfilment.aReleasedRun({})
    const { rows } = await fulfilment.database.pool.query(
      'select document_id from print_run_document where batch_number = $1',
      [released.batchNumber],
    )

    const answers = [
      await fulfilment.call('GET', path(released.batchNumber, rows[0].document_id)),
      await fulfilment.call('GET', path(batchNumber, documentId), { provider: 'south' }),
      await fulfilment.call('GET', path(other.batchNumber, documentId)),
      await fulfilment.call('GET', path(batchNumber, 'D1')),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
      Array(4).fill([404, 'DocumentNotFound']),
    )
  })

  test('the run was reassigned to another provider', async () => {
    const { batchNumber, documentId } = await aClaimedDocument()
    await fulfilment.database.pool.query(
      `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
      [batchNumber],
    )

    const { status, body } = await fulfilment.call('GET', path(batchNumber, documentId))

    expect([status, body.errors[0].code]).toEqual([404, 'DocumentNotFound'])
  })

  test('the letter was purged', async () => {
    const { batchNumber, documentId } = await aClaimedDocument()
    await fulfilment.database.pool.query(
      `update print_job set purge_began_at = now()
       where key = (select print_job_key from print_run_document where document_id = $1)`,
      [documentId],
    )

    const { status, body } = await fulfilment.call('GET', path(batchNumber, documentId))

    expect([status, body.errors[0].code]).toEqual([404, 'DocumentNotFound'])
  })
})
