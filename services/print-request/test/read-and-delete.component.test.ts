import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { aProblem } from '@despatch/testing/a-problem'
import { makePending } from '@despatch/testing/make-pending'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPrintRequest, aRequest, withoutFile } from './a-print-request.ts'

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
const stranger = await service.aCaller()

const notFound = aProblem(404, { status: '404 NOT_FOUND', code: '5', detail: expect.any(String) })

const printableAddress = {
  line1: '1 HIGH STREET',
  recipientLine1: 'Ms A Person',
  recipientLine2: '',
  postcode: 'AB1 2CD',
  dps: null,
}

async function aPrintJob(detail: Record<string, unknown> = {}): Promise<string> {
  const { id } = await service.aPrintJob(consumer, detail)
  return id
}

/** Does what the pipeline does, so that the print job is PENDING. Returns its key. */
async function makePendingById(id: string): Promise<string> {
  const sql = 'select key from print_job where id = $1'
  const { rows } = await service.database.pool.query<{ key: string }>(sql, [id])
  const { key } = rows[0]!
  await makePending(service.database.db, { key, made: { printableAddress } })
  return key
}

describe('GET /print/jobs/{jobId}', () => {
  test('200: returns a print job as submitted, with its status', async () => {
    const request = aRequest({
      customParams: [{ key: 'colour', value: 'blue' }],
      callbackParams: {
        target: 'https://consumer.example/status?token=a.b-c_d',
        retryParams: { enabled: true, maxRetryWindow: 10800 },
      },
    })
    const id = await aPrintJob(request)
    await makePendingById(id)

    const { status, body } = await consumer.call({ path: `jobs/${id}` })

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id,
        ...request,
        status: 'PENDING',
        createdDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updatedDate: expect.any(String),
        printableAddress,
      },
    })
  })

  test('200: returns the data of fulfilment', async () => {
    const id = await aPrintJob()
    const key = await makePendingById(id)
    const despatchProperties = [{ key: 'totalSheets', value: '1' }]
    await service.database.db.transaction().execute(async (tx) => {
      await movePrintJobs(tx, [{ key }], 'produce', { actor: 'provider' })
      const fulfilment = {
        batchNumber: 'B1',
        fulfilmentJobId: 'B1-01',
        documentId: 'D1',
        printLocation: 'north',
        serialNumber: 'S1',
        despatchProperties,
      }
      await movePrintJobs(tx, [{ key, fulfilment }], 'despatch', { actor: 'provider' })
    })

    expect(await consumer.call({ path: `jobs/${id}` })).toMatchObject({
      body: {
        status: 'DESPATCHED',
        batchNumber: 'B1',
        fulfilmentJobId: 'B1-01',
        documentId: 'D1',
        printLocation: 'north',
        serialNumber: 'S1',
        despatchProperties,
      },
    })
  })

  test.each(['never-was', 'with%20space', `${'x'.repeat(300)}`, '%00', 'a%2Fb'])(
    '404 code 5: no print job has the id %s',
    async (id) => {
      expect(await consumer.call({ path: `jobs/${id}` })).toMatchObject(notFound)
    },
  )
})

describe('GET /print/jobs/{jobId}/events', () => {
  test('200: lists every transition with its time, actor, reason and findings, oldest first', async () => {
    const id = await aPrintJob()
    const key = await makePendingById(id)
    const finding = {
      rule: 'print-area',
      severity: 'refusal',
      fileId: 'scan',
      page: 2,
      rectangle: { x: 0, y: 10, width: 4, height: 5 },
      measured: { unit: 'mm', value: 4 },
      allowed: { unit: 'mm', max: 0.5 },
      detail: 'Page 2 of file scan has print outside the printable area.',
    } as const
    const comment = finding.detail
    await service.database.db
      .transaction()
      .execute((tx) =>
        movePrintJobs(tx, [{ key, comment, findings: [finding] }], 'reject', { actor: 'validate' }),
      )

    const { status, body } = await consumer.call({ path: `jobs/${id}/events` })

    const at = expect.stringMatching(/Z$/)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        callbacks: [],
        actions: expect.any(Array),
        id,
        events: [
          {
            sequence: 1,
            transition: 'submit',
            status: 'QUARANTINE',
            at,
            actor: 'consumer',
            findings: [withoutFile],
          },
          { sequence: 2, transition: 'release', status: 'VALIDATING', at, actor: 'quarantine' },
          { sequence: 3, transition: 'accept', status: 'PENDING', at, actor: 'validate' },
          {
            sequence: 4,
            transition: 'reject',
            status: 'REJECTED',
            at,
            actor: 'validate',
            reason: comment,
            findings: [{ ...finding, number: 'P403' }],
          },
        ],
      },
    })
    expect((await consumer.call({ path: `jobs/${id}` })).body).toMatchObject({
      status: 'REJECTED',
      comment,
    })
  })
})

describe('DELETE /print/jobs/{jobId}', () => {
  const remove = (id: string, by = consumer) => by.call({ method: 'DELETE', path: `jobs/${id}` })

  test('204 without a body: a pending print job is deleted, and then unknown', async () => {
    const id = await aPrintJob()
    await makePendingById(id)

    const { status, body } = await remove(id)

    expect({ status, body }).toEqual({ status: 204, body: undefined })
    expect(await consumer.call({ path: `jobs/${id}` })).toMatchObject(notFound)
    expect(await consumer.call({ path: `jobs/${id}/events` })).toMatchObject(notFound)
    expect(await remove(id)).toMatchObject(notFound)
  })

  test('404 code 5: the print job of another consumer looks unknown, and stays', async () => {
    const id = await aPrintJob()
    await makePendingById(id)

    expect(await stranger.call({ path: `jobs/${id}` })).toMatchObject(notFound)
    expect(await stranger.call({ path: `jobs/${id}/events` })).toMatchObject(notFound)
    expect(await remove(id, stranger)).toMatchObject(notFound)
    expect(await consumer.call({ path: `jobs/${id}` })).toMatchObject({ status: 200 })
  })
})

describe('GET /print/files/upload-url', () => {
  test('200: returns an id and an upload address, under both pairs of names', async () => {
    const { status, body } = await consumer.call({ path: 'files/upload-url' })

    expect(status).toBe(200)
    const { uploadId, url, fileId, uploadUrl } = body as Record<string, string>
    expect(uploadId).toMatch(/^[0-9a-f-]{36}$/)
    expect([fileId, uploadUrl]).toEqual([uploadId, url])
    const put = await fetch(url!, { method: 'PUT', body: 'raw bytes' })
    expect(put.status).toBe(200)
    expect(await service.objects.head(`uploads/${uploadId}`)).toMatchObject({ bytes: 9 })
  })
})
