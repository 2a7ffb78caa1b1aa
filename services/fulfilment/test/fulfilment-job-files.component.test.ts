import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { documentKey } from '@despatch/object-store/keys'
import { eventually } from '@despatch/testing/eventually'
import { readZip } from '@despatch/testing/read-zip'
import { replaceObject } from '@despatch/testing/replace-object'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aPdf } from './a-pdf.ts'

const fulfilment = await shared(aFulfilment())
const address = await fulfilment.api.listen({ host: '127.0.0.1', port: 0 })
const port = Number(new URL(address).port)

type FileKind = 'documents.zip' | 'print-stream.pdf'
const kinds: FileKind[] = ['documents.zip', 'print-stream.pdf']

type Job = { batchNumber: string; fulfilmentJobId: string }

function pathOf({ batchNumber, fulfilmentJobId }: Job, kind: FileKind): string {
  return {
    'documents.zip': `/print-runs/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/documents.zip`,
    'print-stream.pdf': `/print-runs/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/print-stream.pdf`,
  }[kind]
}

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
function fetchFile(path: string, provider = 'north') {
  const headers = { 'x-provider': provider }
  return new Promise<{ message: IncomingMessage; content: Promise<Buffer> }>((resolve, reject) => {
    get({ port, path: `/print-fulfilment/v1${path}`, headers }, (message) => {
      resolve({ message, content: readAll(message) })
    }).on('error', reject)
  })
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('documents.zip', () => {
  test('has each document unchanged, in order of sequence', async () => {
    const job = await aJobOf(aPdf('a', 'b'), aPdf('c', 'd'), randomBytes(200_000))

    const { message, content } = await fetchFile(pathOf(job, 'documents.zip'))

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
  })

  test('has the same bytes on each request', async () => {
    const job = await aJobOf(aPdf('a', 'b'))

    const [one, other] = [
      await fulfilment.call('GET', pathOf(job, 'documents.zip')),
      await fulfilment.call('GET', pathOf(job, 'documents.zip')),
    ]

    expect(one.bytes.equals(other.bytes)).toBe(true)
  })
})

describe('print-stream.pdf', () => {
  test('has the pages of all documents in order; each begins on a front side', async () => {
    const run = await fulfilment.aReleasedRun(
      { file: aPdf('first') },
      { file: aPdf('second', 'third') },
    )
    await fulfilment.database.pool.query(
      `update print_run_document set pages = 1 where batch_number = $1 and sha256 = decode($2, 'hex')`,
      [run.batchNumber, run.printJobs[0]!.sha256],
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

  test('breaks off at a document whose number of pages differs from the manifest', async () => {
    const job = await aJobOf(aPdf('one page only'))

    expect(await endOf(pathOf(job, 'print-stream.pdf'))).not.toBe('whole')
  })

  test('breaks off at a document that is not a PDF', async () => {
    const job = await aJobOf(aPdf('a', 'b'), Buffer.from('a letter'))

    expect(await endOf(pathOf(job, 'print-stream.pdf'))).not.toBe('whole')
  })
})

/** Returns how a response ends. A failure before the first byte is an error response. */
async function endOf(path: string): Promise<'whole' | 'broken off' | 'refused'> {
  const { message, content } = await fetchFile(path)
  return content.then(
    () => (message.statusCode === 200 ? 'whole' : 'refused'),
    () => 'broken off',
  )
}

describe.each(kinds)('%s with a document', (kind) => {
  const spoilWith = (content: Buffer, sha256: string) =>
    replaceObject(fulfilment.objects, documentKey(sha256), new Uint8Array(content))

  test.each([
    ['that is gone', (sha256: string) => fulfilment.objects.remove(documentKey(sha256))],
    ['that is shorter', (sha256: string) => spoilWith(aPdf('x'), sha256)],
    ['of other bytes', (sha256: string) => spoilWith(aPdf('x', 'y'), sha256)],
  ])('%s breaks off', async (_, spoil) => {
    const files = [aPdf('a', 'b'), aPdf('c', 'd')]
    const job = await aJobOf(...files)
    await spoil(job.documents[1]!.sha256)

    expect(await endOf(pathOf(job, kind))).not.toBe('whole')
  })
})

describe('404', () => {
  test.each(kinds)(
    '%s of an unclaimed run, another provider, an unknown job, or a job with a purged letter',
    async (kind) => {
      const job = await aJobOf(aPdf('a', 'b'))
      const released = await fulfilment.aReleasedRun({})
      const unclaimed = { ...released, fulfilmentJobId: `${released.batchNumber}-001` }
      const moved = await aJobOf(aPdf('a', 'b'))
      await fulfilment.database.pool.query(
        `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
        [moved.batchNumber],
      )
      const purged = await aJobOf(aPdf('a', 'b'), aPdf('c', 'd'))
      await fulfilment.database.pool.query(
        `update print_job set purge_began_at = now()
         where key in (select print_job_key from print_run_document where batch_number = $1 limit 1)`,
        [purged.batchNumber],
      )

      const answers = [
        await fulfilment.call('GET', pathOf(unclaimed, kind)),
        await fulfilment.call('GET', pathOf(job, kind), { provider: 'south' }),
        await fulfilment.call('GET', pathOf({ ...job, fulfilmentJobId: 'none' }, kind)),
        await fulfilment.call('GET', pathOf(moved, kind)),
        await fulfilment.call('GET', pathOf(purged, kind)),
      ]

      expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
        Array(5).fill([404, 'FulfilmentJobNotFound']),
      )
    },
  )
})

describe('a provider that uses three of the four slots', () => {
  test('gets a 503 for its fourth file, and a caller that disconnects frees its slot', async () => {
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
})

function pauseFile(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-provider': 'north' }
    get({ port, path: `/print-fulfilment/v1${path}`, headers, agent: false }, (message) => {
      message.on('error', () => {})
      message.pause()
      resolve(message)
    }).on('error', reject)
  })
}
