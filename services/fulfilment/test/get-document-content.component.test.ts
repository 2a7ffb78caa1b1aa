import { shared } from '@despatch/testing/shared'
import { unlistedHeaders } from '@despatch/testing/unlisted-headers'
import { expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const path = (batchNumber: string, documentId: string) =>
  `/print-runs/${batchNumber}/documents/${documentId}/content`
const get = ({ batchNumber }: { batchNumber: string }, documentId: string) =>
  fulfilment.call('GET', path(batchNumber, documentId))

async function aClaimedDocument() {
  const file = Buffer.from('%PDF-1.7 a letter')
  const { batchNumber, documentIds, printJobs } = await fulfilment.aClaimedRun({ file })
  await fulfilment.putDocument(file, printJobs[0]!.sha256)
  return { batchNumber, documentId: documentIds[0], file }
}

test('redirects to an address that returns the file without credentials, with documented headers', async () => {
  const run = await aClaimedDocument()
  const { paths } = (await fulfilment.call('GET', '/openapi.json')).body
  const route = path('{batchNumber}', '{documentId}')

  const found = await get(run, run.documentId)
  const head = await fulfilment.call('HEAD', path(run.batchNumber, run.documentId))

  const { status, headers, bytes } = found
  expect({ status, cache: headers['cache-control'], length: bytes.length }).toEqual({
    status: 303,
    cache: 'no-store',
    length: 0,
  })
  const answer = await fetch(String(headers.location))
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(run.file)
  expect(new URL(String(headers.location)).searchParams.get('X-Amz-Expires')).toBe('300')
  const { responses } = paths[`/print-fulfilment/v1${route}`].get
  expect(unlistedHeaders(found, responses)).toEqual([])
  const location = expect.stringContaining('X-Amz-Signature')
  expect(head).toMatchObject({ status: 303, headers: { location } })
})

test('404: the run is not claimed, was reassigned or lacks the document, or the letter was purged', async () => {
  const [moved, purged] = [await aClaimedDocument(), await aClaimedDocument()]
  await fulfilment.voidRun(moved)
  const released = await fulfilment.aReleasedRun({})
  const [unclaimed] = await fulfilment.rows(
    'select document_id from print_run_document where batch_number = $1',
    released.batchNumber,
  )
  const other = await fulfilment.aClaimedRun({})
  const beforePurge = await get(purged, purged.documentId)
  await fulfilment.rows(
    'update print_job set purge_began_at = now() where key = $1',
    await fulfilment.keyOf(purged.documentId),
  )

  const answers = [
    await get(released, unclaimed.document_id),
    await get(other, moved.documentId),
    await get(moved, moved.documentId),
    await get(purged, purged.documentId),
  ]

  expect(beforePurge.status).toBe(303)
  expect(refusals(...answers)).toEqual(Array(4).fill([404, 'DocumentNotFound']))
})
