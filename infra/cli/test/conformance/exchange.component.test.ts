import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { ordinaryRun } from '../../src/conformance/cases/ordinary-run.ts'
import { aStage } from './a-play.ts'

const stage = await shared(aStage())

async function begin() {
  const play = await stage.play(ordinaryRun)
  await play.client.signIn()
  return play
}

test('only these credentials open it', async () => {
  const { client, at } = await begin()
  const wrong = { body: { userName: 'factory', password: 'guess' } }
  const statuses = [
    (await client.send('POST', '/thirdparty-access/v1/authenticate', wrong)).status,
    (await client.send('POST', `${at}/claim`, { headers: { authorization: 'guess' } })).status,
    (await client.send('POST', `${at}/claim`, { headers: { 'x-api-key': 'guess' } })).status,
  ]

  expect(statuses).toEqual([401, 401, 401])
})

test('files come one by one, as an archive and as one stream, and count as served', async () => {
  const { client, calls, run, ids, at } = await begin()
  const { json: claim } = await client.claim()
  const { json: manifest } = await client.manifest()
  const job = `${at}/fulfilment-jobs/${manifest.fulfilmentJobs[0].fulfilmentJobId}`
  const one = await client.fetch(ids[0])
  const zip = await client.send('GET', `${job}/documents.zip`)
  const stream = await client.send('GET', `${job}/print-stream.pdf`)

  expect(claim.documentCount).toBe(6)
  expect(Buffer.from(one.bytes).equals(run.documents[0]!.file)).toBe(true)
  expect(Buffer.from(zip.bytes).includes(Buffer.from(run.documents[2]!.file))).toBe(true)
  expect(Buffer.from(stream.bytes).toString('latin1', 0, 5)).toBe('%PDF-')
  expect(calls.map(({ served }) => served.map(({ documentId }) => documentId)).slice(-3)).toEqual([
    [ids[0]],
    ids,
    ids,
  ])
})

test('a link to a file works without credentials, for GET and HEAD', async () => {
  const { client, ids } = await begin()
  await client.claim()
  const address = await client.link(ids[0])
  const headers = { authorization: '', 'x-api-key': '' }
  const statuses = [
    (await client.send('GET', address, { headers })).status,
    (await client.send('HEAD', address, { headers })).status,
    (await client.send('GET', '/presigned/another/file.pdf', { headers })).status,
  ]

  expect(address).toMatch(/^\/presigned\//)
  expect(statuses).toEqual([200, 200, 404])
})

test('evidence of a posting is uploaded through the kit', async () => {
  const { client } = await begin()
  await client.takeIn()
  const { json: posting } = await client.post()
  const body = { fileName: 'docket.pdf', mediaType: 'application/pdf' }
  const path = `/print-fulfilment/v1/postings/${posting.postingId}/evidence`
  const { status, json } = await client.send('POST', path, { body })
  const { pathname } = new URL(json.uploadUrl)
  const headers = { 'content-type': 'application/pdf', authorization: '' }
  const uploaded = await client.send('PUT', pathname, { body: 'a docket', headers })

  expect([status, uploaded.status]).toEqual([201, 200])
})

test('calls are named by their operation, and belong to the run that they are about', async () => {
  const { client, calls, run } = await begin()
  await client.takeIn()
  await client.bringOut()
  await client.send('GET', '/elsewhere')

  const named = calls.map(({ kind, batchNumbers }) => [kind, ...batchNumbers].join(' '))
  expect([...new Set(named)]).toEqual([
    'authenticate',
    'listPrintRuns',
    ...[
      ...['claimPrintRun', 'getDocumentContent', 'file', 'getManifest', 'acknowledgePrintRun'],
      ...['createPosting', 'confirmPosting', 'closePrintRun'],
    ].map((kind) => `${kind} ${run.batchNumber}`),
    'unknown',
  ])
})

test('a run that an earlier case has left is not shown', async () => {
  const left = await begin()
  const { client, run } = await begin()
  const { json } = await client.list()

  expect(json.printRuns).toMatchObject([{ batchNumber: run.batchNumber }])
  expect(run.batchNumber).not.toBe(left.run.batchNumber)
})
