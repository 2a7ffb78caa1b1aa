import { callbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import type { PrintJobEventsResponse } from '@despatch/contracts/print-request/print-job-events'
import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import { startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { readText } from '@despatch/testing/read-text'
import { shared } from '@despatch/testing/shared'
import { PDFDocument, PDFName } from 'pdf-lib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { sharedDespatch } from '../stack/shared-despatch.ts'

const receiver = await shared(startCallbackReceiver())
const despatch = await sharedDespatch()
const { baseUrl, consumer: credential } = despatch.credentials
const consumer = await aConsumer(baseUrl, credential)

type Case = {
  what: string
  pdf: () => Promise<Uint8Array>
  found: FindingResponse
  /** The page of the letter. The first page is Despatch's own. */
  page: number
  pages: number
  /** The shape of the picture of that page. */
  shape: 'wider' | 'higher'
}

const cases: Case[] = [
  {
    what: 'a second page that lies on its side',
    pdf: () => aPdf([a4, [a4[1], a4[0]]]),
    found: {
      rule: 'page-size',
      number: 'P401',
      severity: 'refusal',
      fileId: 'enclosure',
      page: 2,
      measured: { unit: 'mm', value: [297, 210] },
      allowed: { unit: 'mm', min: [208, 295], max: [212, 299] },
      detail:
        'Page 2 of file enclosure is 297 × 210 mm as it is read; it must be A4 portrait, 210 × 297 mm, give or take 2 mm.',
    },
    page: 3,
    pages: 3,
    shape: 'wider',
  },
  {
    what: 'JavaScript when it is opened',
    pdf: () => aPdf([a4], { script: 'app.alert(1)' }),
    found: {
      rule: 'pdf-javascript',
      number: 'P204',
      severity: 'refusal',
      fileId: 'enclosure',
      detail: 'File enclosure: The PDF has JavaScript.',
    },
    page: 2,
    pages: 2,
    shape: 'higher',
  },
]

test.concurrent.each(cases)(
  'every interface refuses a PDF with $what in the same words',
  async (wrong) => {
    const uploadId = await consumer.upload(await wrong.pdf())
    const letter = {
      ...aSmallLetter,
      fileParams: [{ fileId: 'enclosure', uploadId }],
      callbackParams: { target: receiver.url },
    }

    const dryRun = await consumer.call<ValidationResponse>('POST', 'jobs/validate', letter)
    const id = await consumer.submit(letter)
    const job = await consumer.reached(id, 'REJECTED')
    const callback = await receiver.received(
      ({ body }) => (body as { data?: { jobId?: string } }).data?.jobId === id,
      { deadlineMs: 60_000, message: `the callback for ${id}` },
    )
    const timeline = await consumer.call<PrintJobEventsResponse>('GET', `jobs/${id}/events`)

    const { found } = wrong
    expect(dryRun).toMatchObject({
      status: 200,
      body: { verdict: 'rejected', comment: found.detail, findings: [found] },
    })
    expect(job.comment).toBe(found.detail)
    expect(callbackEnvelope.parse(callback.body).data).toMatchObject({
      jobStatus: 'REJECTED',
      comment: found.detail,
    })
    expect(timeline.body.events.at(-1)).toMatchObject({
      transition: 'reject',
      reason: found.detail,
      findings: [found],
    })
    const proof = await consumer.download(`jobs/${id}/proof.pdf`)
    expect(proof.contentType).toBe('application/pdf')
    const [list, ...pages] = await readText(proof.bytes)
    expect(list).toContain(found.number)
    expect(list).toContain(found.detail)
    expect(pages).toHaveLength(wrong.pages)
    const picture = await consumer.download(`jobs/${id}/proof/${wrong.page}.png`)
    expect(picture.contentType).toBe('image/png')
    const { format, width, height } = await sharp(picture.bytes).metadata()
    expect({ format, shape: width > height ? 'wider' : 'higher' }).toEqual({
      format: 'png',
      shape: wrong.shape,
    })
  },
)

const a4: [number, number] = [595.28, 841.89]

async function aPdf(
  sizes: readonly [number, number][],
  { script }: { script?: string } = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  for (const size of sizes) {
    document.addPage(size).drawRectangle({ x: 100, y: 100, width: 100, height: 50 })
  }
  if (script) {
    const { context, catalog } = document
    catalog.set(PDFName.of('OpenAction'), context.obj({ S: 'JavaScript', JS: script }))
  }
  return document.save()
}
