import { afterEach, expect, test } from 'vitest'
import { aPlay } from '../test/a-play.ts'
import { ordinaryRun } from './cases/ordinary-run.ts'

let play: Awaited<ReturnType<typeof aPlay>>
afterEach(() => play.close())

const run = '/print-fulfilment/v1/print-runs/R1'

async function begin() {
  play = await aPlay(ordinaryRun)
  await play.client.signIn()
  return play
}

test('only these credentials open it', async () => {
  const { client } = await begin()
  const wrong = { body: { userName: 'factory', password: 'guess' } }
  const statuses = [
    (await client.send('POST', '/thirdparty-access/v1/authenticate', wrong)).status,
    (await client.send('GET', run, { headers: { 'x-api-key': 'guess' } })).status,
    (await client.send('POST', `${run}/claim`, { headers: { authorization: 'guess' } })).status,
    (await client.send('POST', `${run}/claim`, { headers: { 'x-api-key': 'guess' } })).status,
  ]

  expect(statuses).toEqual([401, 404, 401, 401])
})

test('a request that the contract does not allow is refused as the platform would', async () => {
  const { client } = await begin()
  const { status, json } = await client.send('POST', `${run}/acknowledgement`, {
    body: { documentCount: 'many', manifestDigest: 'x' },
  })

  expect(status).toBe(400)
  expect(json.errors).toEqual([
    {
      status: '400 BAD_REQUEST',
      code: 'TypeMismatch',
      title: 'documentCount',
      detail: 'documentCount must be a number',
    },
    {
      status: '400 BAD_REQUEST',
      code: 'NotNull',
      title: 'sheetCount',
      detail: 'sheetCount must not be null',
    },
    {
      status: '400 BAD_REQUEST',
      code: 'Size',
      title: 'manifestDigest',
      detail: 'manifestDigest size must be 64',
    },
  ])
})

test('one claim key has one answer, byte for byte, and after the acknowledgement no other key has any', async () => {
  const { client, clock } = await begin()
  const first = await client.claim('k1')
  clock.now = new Date(clock.now.getTime() + 60_000)
  const other = await client.claim('k2')
  await client.acknowledge()
  const repeat = await client.claim('k1')
  const late = await client.claim('k3')

  expect(Buffer.from(repeat.bytes).equals(first.bytes)).toBe(true)
  expect(other.json.manifestDigest).toBe(first.json.manifestDigest)
  expect([other.status, late.status]).toEqual([200, 409])
})

test('the manifest comes in three formats, and not at all when it is known', async () => {
  const { client } = await begin()
  await client.claim()
  const inFormat = async (format: string) =>
    (await client.send('GET', `${run}/manifest?format=${format}`)).headers['content-type']
  const { headers } = await client.manifest()
  const again = await client.send('GET', `${run}/manifest`, {
    headers: { 'if-none-match': headers.etag ?? '' },
  })

  expect(await inFormat('ndjson')).toContain('application/x-ndjson')
  expect(await inFormat('csv')).toContain('text/csv')
  expect(again.status).toBe(304)
})

test('files come one by one, as an archive and as one stream', async () => {
  const { client, calls, run: kept } = await begin()
  await client.claim()
  const job = `${run}/fulfilment-jobs/R1-J1`
  const one = await client.fetch('R1-0001')
  const zip = await client.send('GET', `${job}/documents.zip`)
  const stream = await client.send('GET', `${job}/print-stream.pdf`)

  expect(Buffer.from(one.bytes).equals(kept.documents[0]!.file)).toBe(true)
  expect(Buffer.from(zip.bytes).includes(Buffer.from(kept.documents[2]!.file))).toBe(true)
  expect(Buffer.from(stream.bytes).toString('latin1', 0, 5)).toBe('%PDF-')
  expect(calls.map(({ served }) => served.map(({ documentId }) => documentId)).slice(-2)).toEqual([
    ['R1-0001', 'R1-0002', 'R1-0003'],
    ['R1-0001', 'R1-0002', 'R1-0003'],
  ])
})

test('an address of a file works for five minutes and wants no credentials', async () => {
  const { client, clock } = await begin()
  await client.claim()
  const address = await client.link('R1-0001')
  const headers = { authorization: '', 'x-api-key': '' }
  const fresh = await client.send('GET', address, { headers })
  clock.now = new Date(clock.now.getTime() + 301_000)
  const stale = await client.send('GET', address, { headers })

  expect([fresh.status, stale.status]).toEqual([200, 403])
})

test('calls are named by their operation, and belong to the run that they are about', async () => {
  const { client, calls } = await begin()
  await client.takeIn()
  await client.bringOut()
  await client.send('GET', '/elsewhere')

  const named = calls.map(({ kind, batchNumbers }) => `${kind} ${batchNumbers.join()}`)
  expect([...new Set(named)]).toEqual([
    'authenticate ',
    'listPrintRuns ',
    'claimPrintRun R1',
    'getDocumentContent R1',
    'file R1',
    'getManifest R1',
    'acknowledgePrintRun R1',
    'createPosting R1',
    'confirmPosting R1',
    'closePrintRun R1',
    'unknown ',
  ])
})

test('a posting whose counts are not what it covers is not saved', async () => {
  const { client } = await begin()
  await client.takeIn()
  const counts = (documentCount: number) => ({
    counts: [{ despatchMethod: 'SECOND', format: 'LETTER', documentCount }],
  })

  const wrong = await client.post(counts(5))
  const right = await client.post(counts(6), 'posting-2')

  expect([wrong.status, right.status]).toEqual([409, 201])
})
