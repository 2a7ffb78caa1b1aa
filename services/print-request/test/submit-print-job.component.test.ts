import { hash, randomUUID } from 'node:crypto'
import { uploadKey } from '@despatch/object-store/keys'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest } from './a-print-request.ts'

const service = await shared(
  aPrintRequest({ DESPATCH_UPLOAD_BYTES_MAX: '2000', DESPATCH_REQUEST_BYTES_MAX: '20000' }),
)
const consumer = await service.aCaller()

const submit = (body: unknown, headers: Record<string, string> = {}) =>
  consumer.call({ method: 'POST', path: 'jobs', body, headers })

async function anUpload(bytes?: Buffer, by = consumer): Promise<string> {
  const { body } = await by.call({ path: 'files/upload-url' })
  const { uploadId, url } = body as { uploadId: string; url: string }
  if (bytes) {
    const put = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
    expect(put.status).toBe(200)
  }
  return uploadId
}

const png = Buffer.from(aPng, 'base64')
const withUpload = (uploadId: string) => aRequest({ fileParams: [{ fileId: 'scan', uploadId }] })

/** Returns why the file is marked for deletion; undefined if it is not. */
async function deletionCauseOf(sha256: Buffer): Promise<string | undefined> {
  const { rows } = await service.database.pool.query(
    'select cause from doomed_object where sha256 = $1',
    [sha256],
  )
  return rows[0]?.cause
}

describe('202', () => {
  test('returns a UUID when the request has no id; its files are stored before, and its inline file is returned as a fixed text', async () => {
    const fileParams = [{ fileId: 'scan', uploadId: await anUpload(png) }]
    const { status, body } = await submit(
      aRequest({
        customParams: [
          { key: 'picture', value: aPng },
          { key: 'colour', value: 'blue' },
        ],
        fileParams,
      }),
    )

    expect({ status, body }).toEqual({
      status: 202,
      body: { id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) },
    })
    const { id } = body as { id: string }
    expect((await consumer.call({ path: `jobs/${id}` })).body).toMatchObject({
      id,
      status: 'QUARANTINE',
      customParams: [
        { key: 'picture', value: 'See fileParams for file information' },
        { key: 'colour', value: 'blue' },
      ],
      fileParams: [{ fileId: 'picture' }, { fileId: 'scan' }],
    })
    const stored = await service.objects.get(`files/${hash('sha256', png)}`, { bytesMax: 2000 })
    expect(Buffer.from(stored!.bytes).equals(png)).toBe(true)
  })

  test('an inline file is stored again if its bytes were removed in the meantime', async () => {
    const text = Buffer.concat([png, Buffer.from(randomUUID())])
    const digest = hash('sha256', text, 'buffer')
    await service.database.pool.query(
      `insert into doomed_object (kind, sha256, cause, is_due, is_barred) values ('file', $1, 'purged', false, true)`,
      [digest],
    )

    const { status } = await submit(
      aRequest({ customParams: [{ key: 'picture', value: text.toString('base64') }] }),
    )

    expect(status).toBe(202)
    expect(await service.objects.head(`files/${digest.toString('hex')}`)).toBeDefined()
    expect(await deletionCauseOf(digest)).toBeUndefined()
  })

  test('saves each of many concurrent submissions under its own id', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => submit(aRequest())))

    expect(answers.every(({ status }) => status === 202)).toBe(true)
    expect(new Set(answers.map(({ body }) => (body as { id: string }).id)).size).toBe(60)
  })
})

describe('400', () => {
  test.each([
    ['jobType', { jobType: 'POSTER' }, 'standardParams.jobType'],
    ['templateReference', { templateReference: 'OTHER' }, 'standardParams.templateReference'],
  ])('the contract does not include the %s', async (_name, detail, field) => {
    const { standardParams } = aRequest()

    expect(await submit({ standardParams: { ...standardParams, ...detail } })).toMatchObject(
      aProblem(400, {
        code: 'NotAgreed',
        title: field,
        detail: expect.stringMatching(/Agreed: .*LETTER/),
      }),
    )
  })

  test('a required member is misspelt, and the known name is suggested', async () => {
    const { recipientName, ...standardParams } = aRequest().standardParams

    expect(
      await submit({ standardParams: { ...standardParams, recipient: recipientName } }),
    ).toMatchObject(
      aProblem(400, {
        code: 'NotNull',
        title: 'standardParams.recipientName',
        detail:
          'standardParams.recipientName must not be null. standardParams.recipient is not known. Did you mean ' +
          'recipientName?',
      }),
    )
  })

  test('the contract requires a supplied PDF, which is missing', async () => {
    const { standardParams } = aRequest()
    const notify = { ...standardParams, jobType: 'NOTIFY', templateReference: 'NOTIFY' }

    expect(
      await submit({
        standardParams: notify,
        customParams: [{ key: 'pdfContent', value: 'text' }],
      }),
    ).toMatchObject(
      aProblem(400, { code: 'NotNull', detail: expect.stringContaining('pdfContent') }),
    )
  })

  test('an inline file and an upload have the same fileId', async () => {
    const uploadId = await anUpload(png)

    expect(
      await submit(
        aRequest({
          customParams: [{ key: 'picture', value: aPng }],
          fileParams: [{ fileId: 'picture', uploadId }],
        }),
      ),
    ).toMatchObject(aProblem(400, { code: 'Duplicate', title: 'fileParams[0].fileId' }))
  })

  test('an upload exceeds the limit: its bytes are deleted, and a repetition gets the same reason', async () => {
    const uploadId = await anUpload(Buffer.alloc(2001))
    const request = withUpload(uploadId)
    const tooLarge = aProblem(400, {
      code: 'Size',
      title: 'fileParams[0].uploadId',
      detail: 'fileParams[0].uploadId names an upload of 2001 bytes; at most 2000 are allowed',
    })

    expect(await submit(request)).toMatchObject(tooLarge)
    expect(await service.objects.head(uploadKey(uploadId))).toBeUndefined()
    expect(await submit(request)).toMatchObject(tooLarge)
  })

  test("another consumer's upload exceeds the limit, and looks unknown", async () => {
    const uploadId = await anUpload(Buffer.alloc(2001), await service.aCaller())

    expect(await submit(withUpload(uploadId))).toMatchObject(aProblem(404, { code: '12' }))
    expect(await service.objects.head(uploadKey(uploadId))).toMatchObject({ bytes: 2001 })
  })
})

test('401: the cached API key was replaced a moment ago, and nothing is saved', async () => {
  const caller = await service.aCaller()
  const id = randomUUID()
  await caller.call({ path: 'jobs/warm-up' })
  const { db, pool } = service.database
  await db
    .updateTable('consumer')
    .set({ api_key_hash: Buffer.from(randomUUID()) })
    .where('id', '=', caller.consumerId)
    .execute()

  const answer = await caller.call({ method: 'POST', path: 'jobs', body: aRequest({ id }) })

  expect(answer).toMatchObject(
    aProblem(401, {
      status: '401 UNAUTHORIZED',
      code: 'Unauthorized',
      detail: 'API Key or JWT is either not provided, expired or invalid',
    }),
  )
  expect((await pool.query('select from print_job where id = $1', [id])).rows).toEqual([])
})

test.each<[string, () => Promise<string>, RegExp]>([
  ['of 36 characters that are no UUID', async () => 'x'.repeat(36), /^There is no upload/],
  ["another consumer's", async () => anUpload(png, await service.aCaller()), /^There is no upload/],
  ['without content', () => anUpload(), /^Nothing has been uploaded/],
  ['used by another print job', aUsedUpload, /is used by another/],
])('404 code 12: an upload is %s', async (_, upload, detail) => {
  expect(await submit(withUpload(await upload()))).toMatchObject(
    aProblem(404, {
      status: '404 NOT_FOUND',
      code: '12',
      detail: expect.stringMatching(detail),
    }),
  )
})

async function aUsedUpload() {
  const uploadId = await anUpload(png)
  expect((await submit(withUpload(uploadId))).status).toBe(202)
  return uploadId
}

describe('409 code 11', () => {
  const conflict = (detail: string) =>
    aProblem(409, {
      status: '409 CONFLICT',
      code: '11',
      detail: expect.stringContaining(detail),
    })

  test('another print job has the id, and the detail says whether the content is the same and when it was deleted', async () => {
    const id = randomUUID()
    await submit(aRequest({ id }))

    expect(await submit(aRequest({ id }))).toMatchObject(conflict('the same'))
    const other = aRequest({ id, customParams: [{ key: 'a', value: 'b' }] })
    expect(await submit(other)).toMatchObject(conflict('different'))
    await service.database.pool.query(
      `update print_job set status = 'PENDING', document_sha256 = $3, deleted_at = $2 where id = $1`,
      [id, '2026-11-20T10:00:00Z', Buffer.alloc(32)],
    )
    expect(await submit(aRequest({ id }))).toMatchObject(
      conflict('which was deleted at 2026-11-20T10:00:00.000Z'),
    )
  })

  test('the Idempotency-Key was used for different content, while the same content gets the first id', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await submit(aRequest(), headers)
    const other = aRequest({ customParams: [{ key: 'a', value: 'b' }] })

    expect(await submit(other, headers)).toMatchObject(conflict('was used for another print job'))
    expect(await submit(aRequest(), headers)).toMatchObject({ status: 202, body: first.body })
  })

  test('no inline file is left in the object store', async () => {
    const id = randomUUID()
    await submit(aRequest({ id }))
    const text = Buffer.concat([png, Buffer.from(randomUUID())])

    const { status } = await submit(
      aRequest({ id, customParams: [{ key: 'picture', value: text.toString('base64') }] }),
    )

    expect(status).toBe(409)
    expect(await deletionCauseOf(hash('sha256', text, 'buffer'))).toBe('unnamed')
  })

  test('code 11 precedes code 12, so that a retry of a job with an upload learns that it was accepted', async () => {
    const uploadId = await anUpload(png)
    const body = aRequest({ id: randomUUID(), fileParams: [{ fileId: 'scan', uploadId }] })
    await submit(body)

    expect(await submit(body)).toMatchObject(conflict('the same'))
    // quarantine has taken it meanwhile
    await service.objects.remove(uploadKey(uploadId))
    expect(await submit(body)).toMatchObject(conflict('the same'))
  })

  test('only one of concurrent submissions with one id is accepted', async () => {
    const id = randomUUID()

    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(aRequest({ id }))))

    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(9).fill(409)])
  })
})

test('413: the body exceeds the limit', async () => {
  const body = aRequest({ customParams: [{ key: 'long', value: 'x'.repeat(20_000) }] })

  expect(await submit(body)).toMatchObject(
    aProblem(413, { status: '413 PAYLOAD_TOO_LARGE', detail: expect.any(String) }),
  )
})

test('the correlation id and the trace of the caller are stored with the print job', async () => {
  const correlation = `trace-${randomUUID()}`
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const id = randomUUID()

  const given = { 'x-correlation-id': correlation, traceparent }
  const { headers } = await submit(aRequest({ id }), given)

  expect(headers['x-correlation-id']).toBe(correlation)
  const stored = await service.database.db
    .selectFrom('print_job')
    .select(['correlation_id', 'trace_context'])
    .where('id', '=', id)
    .executeTakeFirst()
  expect(stored).toEqual({ correlation_id: correlation, trace_context: traceparent })
})

test('no content of a submission is logged', async () => {
  const canary = 'Canary'
  await submit(
    aRequest({
      standardParams: {
        ...aRequest().standardParams,
        recipientName: `${canary}-name`,
        address: { unstructuredAddress: { line1: `${canary}-line`, postcode: 'ZZ9 9ZZ' } },
      },
      [`${canary}-member`]: true,
      customParams: [{ key: `${canary}-key`, value: `${canary}-value` }],
      callbackParams: {
        target: `https://consumer.example/?token=${canary}-token`,
        authenticationHeader: `Bearer ${canary}-header`,
      },
    }),
  )
  await submit(aRequest({ standardParams: { recipientName: `${canary}-bad` } }))
  await submit(`{"${canary}-twice":1,"${canary}-twice":2}`)

  expect(service.logged.length).toBeGreaterThan(0)
  for (const line of service.logged) {
    expect(line).not.toContain(canary)
    expect(line).not.toContain(consumer.headers['x-api-key'])
    expect(line).not.toContain(consumer.headers.authorization)
  }
})
