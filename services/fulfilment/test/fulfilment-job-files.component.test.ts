import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { documentKey } from '@despatch/object-store/keys'
import { eventually } from '@despatch/testing/eventually'
import { readZip } from '@despatch/testing/read-zip'
import { replaceObject } from '@despatch/testing/replace-object'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'
import { aPdf } from './a-pdf.ts'

const fulfilment = await shared(aFulfilment())
const address = await fulfilment.api.listen({ host: '127.0.0.1', port: 0 })
const port = Number(new URL(address).port)

type FileKind = 'documents.zip' | 'print-stream.pdf'
const kinds: FileKind[] = ['documents.zip', 'print-stream.pdf']

type Job = { batchNumber: string; fulfilmentJobId: string }

const pathOf = ({ batchNumber, fulfilmentJobId }: Job, kind: FileKind) =>
  `/print-runs/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/${kind}`

/** A claimed run with a fulfilment job of these documents, with their files stored. */
async function aJobOf(...files: Buffer[]) {
  const run = await fulfilment.aClaimedRun(...files.map((file) => ({ file })))
  for (const [index, { sha256 }] of run.printJobs.entries()) {
    await fulfilment.putDocument(files[index]!, sha256)
  }
  const bySha256 = new Map(run.printJobs.map(({ sha256, content }) => [sha256, content]))
  const { fulfilmentJobId } = run.manifest.fulfilmentJobs[0]
  const documents: { documentId: string; sha256: string; content: Buffer }[] =
    run.manifest.documents.map((document: { documentId: string; sha256: string }) => ({
      ...document,
      content: bySha256.get(document.sha256)!,
    }))
  return { ...run, fulfilmentJobId: fulfilmentJobId as string, documents }
}

/** What a client receives over the network, and whether the response was complete. */
async function fetchFile(path: string) {
  const message = await openFile(path)
  return { message, content: buffer(message) }
}

function openFile(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-provider': 'north' }
    get({ port, path: `/print-fulfilment/v1${path}`, headers, agent: false }, resolve).on(
      'error',
      reject,
    )
  })
}

test('documents.zip has each document unchanged, in order of sequence, with the same bytes each time', async () => {
  const job = await aJobOf(aPdf('a', 'b'), aPdf('c', 'd'), randomBytes(200_000))
  const path = pathOf(job, 'documents.zip')

  const { message, content } = await fetchFile(path)

  const zip = await content
  expect(readZip(zip)).toEqual(
    job.documents.map(({ documentId, content }) => ({ name: `${documentId}.pdf`, content })),
  )
  expect(message.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(zip.length),
    'content-disposition': `attachment; filename="${job.fulfilmentJobId}.zip"`,
    'cache-control': 'private, no-store',
  })
  expect((await fulfilment.call('GET', path)).bytes.equals(zip)).toBe(true)
})

test('print-stream.pdf has the pages of all documents in order; each begins on a front side', async () => {
  const run = await fulfilment.aReleasedRun(
    { file: aPdf('first') },
    { file: aPdf('second', 'third') },
  )
  await fulfilment.rows(
    `update print_run_document set pages = 1 where batch_number = $1 and sha256 = decode($2, 'hex')`,
    run.batchNumber,
    run.printJobs[0]!.sha256,
  )
  await fulfilment.call('POST', `/print-runs/${run.batchNumber}/claim`, { key: 'odd pages' })
  for (const { content, sha256 } of run.printJobs) await fulfilment.putDocument(content, sha256)
  const fulfilmentJobId = `${run.batchNumber}-001`

  const { message, content } = await fetchFile(
    pathOf({ ...run, fulfilmentJobId }, 'print-stream.pdf'),
  )

  const pdf = (await content).toString('latin1')
  expect(pdf).toMatch(/^%PDF-1\.7[\s\S]*\/Count 4[\s\S]*%%EOF\n$/)
  expect(pdf.match(/\((first|second|third)\)/g)?.toSorted()).toEqual([
    '(first)',
    '(second)',
    '(third)',
  ])
  expect(message.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${fulfilmentJobId}.pdf"`,
  })
})

test.each<[what: string, kind: FileKind, files: Buffer[], isAltered: boolean]>([
  ['has other bytes', 'documents.zip', [aPdf('a', 'b'), aPdf('c', 'd')], true],
  ['has other bytes', 'print-stream.pdf', [aPdf('a', 'b'), aPdf('c', 'd')], true],
  ['has other pages than its manifest says', 'print-stream.pdf', [aPdf('one page only')], false],
  ['is not a PDF', 'print-stream.pdf', [aPdf('a', 'b'), Buffer.from('a letter')], false],
])('a document that %s breaks off %s', async (_, kind, files, isAltered) => {
  const job = await aJobOf(...files)
  const key = documentKey(job.documents.at(-1)!.sha256)
  if (isAltered) await replaceObject(fulfilment.objects, key, new Uint8Array(aPdf('x', 'y')))

  expect(await endOf(pathOf(job, kind))).not.toBe('whole')
})

/** Returns how a response ends. A failure before the first byte is an error response. */
async function endOf(path: string): Promise<'whole' | 'broken off' | 'refused'> {
  const { message, content } = await fetchFile(path)
  return content.then(
    () => (message.statusCode === 200 ? 'whole' : 'refused'),
    () => 'broken off',
  )
}

test.each(kinds)(
  '404: %s of an unclaimed run, a reassigned one, or with a purged letter',
  async (kind) => {
    const released = await fulfilment.aReleasedRun({})
    const unclaimed = { ...released, fulfilmentJobId: `${released.batchNumber}-001` }
    const moved = await aJobOf(aPdf('a', 'b'))
    await fulfilment.voidRun(moved)
    const purged = await aJobOf(aPdf('a', 'b'), aPdf('c', 'd'))
    await fulfilment.rows(
      `update print_job set purge_began_at = now()
     where key in (select print_job_key from print_run_document where batch_number = $1 limit 1)`,
      purged.batchNumber,
    )

    const answers = [unclaimed, moved, purged].map((job) =>
      fulfilment.call('GET', pathOf(job, kind)),
    )

    expect(refusals(...(await Promise.all(answers)))).toEqual(
      Array(3).fill([404, 'FulfilmentJobNotFound']),
    )
  },
)

test('a provider that uses three of the four slots gets a 503 for its fourth file, and a caller that disconnects frees its slot', async () => {
  // together more than the buffers of a connection hold
  const big = randomBytes(2 * 1024 * 1024)
  const job = await aJobOf(
    ...Array.from({ length: 8 }, (_, index) => Buffer.concat([big, Buffer.of(index)])),
  )
  const path = pathOf(job, 'documents.zip')
  const stalled = await Promise.all(Array.from({ length: 3 }, () => pauseFile(path)))

  const fourth = await fulfilment.call('GET', path)
  for (const message of stalled) message.destroy()

  expect({ status: fourth.status, retryAfter: fourth.headers['retry-after'] }).toEqual({
    status: 503,
    retryAfter: '5',
  })
  const after = await eventually(
    async () => {
      const answer = await fulfilment.call('GET', path)
      return answer.status === 200 && answer
    },
    { message: 'a place is free again' },
  )
  expect(readZip(after.bytes)).toHaveLength(8)
})

async function pauseFile(path: string): Promise<IncomingMessage> {
  const message = await openFile(path)
  message.on('error', () => {})
  return message.pause()
}
