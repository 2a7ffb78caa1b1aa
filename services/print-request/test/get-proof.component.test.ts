import { hash } from 'node:crypto'
import { makeDocument } from '@despatch/documents/make-document'
import { planDocument } from '@despatch/documents/plan-document'
import { printAddressee } from '@despatch/domain/address/printable-address'
import type { Finding } from '@despatch/domain/preflight/finding'
import { documentKey, fileKey } from '@despatch/object-store/keys'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { insertUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, type SubmittedJob } from './a-print-request.ts'

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
const stranger = await service.aCaller()

const aPrintJob = (detail = {}) => service.aPrintJob(consumer, detail)

const move = (
  given: Parameters<typeof movePrintJobs>[1][number],
  transition: Parameters<typeof movePrintJobs>[2],
) =>
  service.database.db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [given], transition, { actor: 'test' }))

/** Does what the pipeline does with a letter that consists of an address only. */
async function accepted({ isUnstored = false } = {}): Promise<SubmittedJob> {
  const job = await aPrintJob()
  const { standardParams } = aRequest()
  const printed = printAddressee(standardParams)
  const { printableAddress } = printed
  const terms = {
    ...({ production: 'letter', plex: 'duplex', ruleSet: 'standard-2026-11' } as const),
    suppliedFileKey: null,
    printsHandlingInstruction: true,
    pagesMax: 10,
    marks: true,
    ...({ addressPlacement: 'own-page', documentId: 'D1', submittedAt: new Date() } as const),
    strict: false,
    template: null,
    refusedRules: [],
    standardParams,
  }
  const { document } = await makeDocument(planDocument(terms, printed, []))
  const { pdf, sha256, pages, sheets } = document!
  if (isUnstored) {
    const unstored = { sha256, pdf }
    const { db } = service.database
    await db.transaction().execute((tx) => insertUnstoredDocuments(tx, [unstored]))
  } else await service.objects.put(documentKey(sha256), pdf, 'application/pdf')
  await move({ key: job.key }, 'release')
  const made = {
    printableAddress,
    documentSha256: sha256,
    documentBytes: pdf.length,
    documentPages: pages,
    documentSheets: sheets,
  }
  await move({ key: job.key, made }, 'accept')
  return job
}

const pngSha256 = hash('sha256', Buffer.from(aPng, 'base64'))

async function rejected(
  findings: readonly Finding[],
  { pinned = true } = {},
): Promise<SubmittedJob> {
  const job = await aPrintJob({ customParams: [{ key: 'photo', value: aPng }] })
  if (pinned) {
    await service.database.pool.query(
      'update print_job_file set pinned_at = now() where print_job_key = $1',
      [job.key],
    )
    await move({ key: job.key }, 'release')
  }
  await move({ key: job.key, comment: findings[0]!.detail, findings }, 'reject')
  return job
}

async function get(path: string, by = consumer) {
  const { statusCode, headers, rawPayload } = await service.get(path, by.headers)
  return { status: statusCode, headers, bytes: rawPayload }
}

const privately = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }
const pngSignature = '89504e470d0a1a0a'
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)]

const tooManyPages: Finding = {
  rule: 'pages-max',
  severity: 'refusal',
  measured: { unit: 'pages', value: 2 },
  allowed: { unit: 'pages', max: 1 },
  detail: 'The document has 2 pages; at most 1 are allowed',
}
const damagedPhoto: Finding = {
  rule: 'image-damaged',
  severity: 'refusal',
  fileId: 'photo',
  detail: 'File photo: The image is damaged or of a kind that cannot be read.',
}

describe('200: GET /print/jobs/{jobId}/proof.pdf', () => {
  test.each([false, true])(
    'shows the document of an accepted print job, as PDF and page by page; still in the database: %s',
    async (isUnstored) => {
      const { id } = await accepted({ isUnstored })

      const pdf = await get(`jobs/${id}/proof.pdf`)
      const png = await get(`jobs/${id}/proof/1.png`)

      expect(pdf).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/pdf', ...privately },
      })
      expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-')
      expect(png).toMatchObject({
        status: 200,
        headers: { 'content-type': 'image/png', ...privately },
      })
      expect(png.bytes.subarray(0, 8).toString('hex')).toBe(pngSignature)
      expect(sizeOf(png.bytes)[0]).toBeGreaterThan(900)
    },
  )

  test('shows the address and the files of a rejected print job, with the findings', async () => {
    const { id } = await rejected([tooManyPages])

    const [pdf, first, second] = await Promise.all(
      ['proof.pdf', 'proof/1.png', 'proof/2.png'].map((what) => get(`jobs/${id}/${what}`)),
    )

    expect([pdf, first, second].map((answer) => answer!.status)).toEqual([200, 200, 200])
    expect(first!.bytes.equals(second!.bytes)).toBe(false)
  })

  test.each([
    ['that is pinned', true],
    ['that is not', false],
  ])('shows a notice page instead of a refused file %s', async (_what, pinned) => {
    const { id } = await rejected([damagedPhoto], { pinned })
    await service.objects.remove(fileKey(pngSha256))

    expect((await get(`jobs/${id}/proof.pdf`)).status).toBe(200)
    expect((await get(`jobs/${id}/proof/2.png`)).status).toBe(200)
    expect((await get(`jobs/${id}/proof/3.png`)).status).toBe(404)
  })
})

test.each(['proof.pdf', 'proof/1.png'])(
  "404 code 5: the print job is unknown, deleted or another consumer's: %s",
  async (what) => {
    const { id } = await accepted()

    const answers = [
      await consumer.call({ path: `jobs/never-was/${what}` }),
      await stranger.call({ path: `jobs/${id}/${what}` }),
    ]
    await savePrintJobDeletion(service.database.db, consumer.consumerId, id)
    answers.push(await consumer.call({ path: `jobs/${id}/${what}` }))

    for (const answer of answers) expect(answer).toMatchObject(aProblem(404, { code: '5' }))
  },
)

test('404: GET /print/jobs/{jobId}/proof/{page}.png of a page that does not exist', async () => {
  const { id } = await accepted()

  for (const page of ['2', '0', 'one', '999999']) {
    expect(await consumer.call({ path: `jobs/${id}/proof/${page}.png` })).toMatchObject(
      aProblem(404, { code: 'NotFound' }),
    )
  }
})

test('409: a print job that is still being checked has no proof yet', async () => {
  const { id, key } = await aPrintJob()
  const inQuarantine = await consumer.call({ path: `jobs/${id}/proof.pdf` })
  await move({ key }, 'release')
  const inValidation = await consumer.call({ path: `jobs/${id}/proof/1.png` })

  for (const answer of [inQuarantine, inValidation]) {
    expect(answer).toMatchObject(
      aProblem(409, {
        status: '409 CONFLICT',
        code: 'NotReady',
        detail: expect.stringContaining(id),
      }),
    )
  }
})

test('no content of a proof is logged', () => {
  expect(service.logged.length).toBeGreaterThan(0)
  expect(service.logged.join('')).not.toMatch(/High Street|A Person|AB1 2CD/)
})
