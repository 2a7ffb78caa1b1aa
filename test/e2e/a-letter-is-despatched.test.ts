import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { callbackEnvelope } from '@despatch/contracts/callback/envelope'
import { type CallbackReceiver, startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { byEffort } from '@despatch/testing/effort'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { shared } from '@despatch/testing/shared'
import { PDFDocument } from 'pdf-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aConsumer, type Consumer } from '../stack/a-consumer.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { sharedDespatch } from '../stack/shared-despatch.ts'

const [postgres, ...others] = await takeQueueBackends()
const stopping = await shared(new AsyncDisposableStack())
const settings = { DESPATCH_PRINT_RUN_AGE_MS: '300', DESPATCH_SIMULATOR: 'on' }

/** In the landing loop, other journeys use Redis. */
const starts = [
  { name: postgres!.name, start: sharedDespatch },
  ...byEffort({ landing: [], full: others }).map(({ name, url }) => ({
    name,
    start: async () => stopping.use(await aDespatch({ ...settings, QUEUE_URL: url })),
  })),
]

describe.each(starts)('with queues on $name', ({ start }) => {
  let despatch: Awaited<ReturnType<typeof sharedDespatch>>
  let consumer: Consumer
  let receiver: CallbackReceiver

  beforeAll(async () => {
    receiver = await startCallbackReceiver()
    despatch = await start()
    const { baseUrl, consumer: credential } = despatch.credentials
    consumer = await aConsumer(baseUrl, credential)
  })
  afterAll(async () => {
    await receiver.stop()
  })

  const callbackFor = async (id: string) => {
    const { body, headers, path } = await receiver.received(
      ({ body }) => (body as { data?: { jobId?: string } }).data?.jobId === id,
      { deadlineMs: 60_000, message: `the callback for ${id}` },
    )
    return { envelope: callbackEnvelope.parse(body), headers, path }
  }

  const letter = (detail: Record<string, unknown> = {}) => ({
    ...aSmallLetter,
    callbackParams: {
      target: `${receiver.url}?token=a.b-c_d`,
      authenticationHeader: 'Bearer of-the-consumer',
    },
    ...detail,
  })

  test.concurrent('a letter with an uploaded PDF is despatched, and its callback arrives', async () => {
    const uploadId = await consumer.upload(await aPdf(3))
    const id = await consumer.submit(letter({ fileParams: [{ fileId: 'enclosure', uploadId }] }))

    const job = await consumer.reached(id, 'DESPATCHED')

    expect(job).toMatchObject({
      batchNumber: expect.any(String),
      fulfilmentJobId: expect.any(String),
      documentId: expect.any(String),
      printLocation: expect.any(String),
      printableAddress: { recipientLine1: 'Ms Ada Example', postcode: 'AB1 2CD' },
      fileParams: [{ fileId: 'enclosure' }],
    })
    const { envelope, headers, path } = await callbackFor(id)
    expect(path).toBe('/callbacks?token=a.b-c_d')
    expect(headers).toMatchObject({
      authorization: 'Bearer of-the-consumer',
      'content-type': 'application/json',
    })
    expect(envelope.data).toMatchObject({ jobId: id, jobStatus: 'DESPATCHED' })
    const { body } = await consumer.call<{ events: { transition: string }[] }>(
      'GET',
      `jobs/${id}/events`,
    )
    expect(body.events.map(({ transition }) => transition)).toEqual([
      'submit',
      'release',
      'accept',
      'produce',
      'fetch',
      'print',
      'enclose',
      'despatch',
    ])
  })

  test.concurrent('a PDF as supplied is printed byte for byte', async () => {
    const pdf = await aPdf(2)
    const id = await consumer.submit(
      letter({
        standardParams: {
          ...aSmallLetter.standardParams,
          jobType: 'NOTIFY',
          templateReference: 'NOTIFY',
        },
        customParams: [{ key: 'pdfContent', value: Buffer.from(pdf).toString('base64') }],
      }),
    )

    const { documentId } = await consumer.reached(id, 'DESPATCHED')

    const printed = await readFile(
      join(despatch.directory, 'provider-simulator', 'print-log.ndjson'),
      'utf8',
    )
    const entries = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const hash = await crypto.subtle.digest('SHA-256', new Uint8Array(pdf))
    expect(entries.filter((entry) => entry.documentId === documentId)).toEqual([
      expect.objectContaining({ sha256: Buffer.from(hash).toString('hex'), attempt: 1 }),
    ])
  })
})

async function aPdf(pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page += 1) {
    document.addPage([595.28, 841.89]).drawText(`Page ${page}`, { x: 72, y: 700 })
  }
  return document.save()
}
