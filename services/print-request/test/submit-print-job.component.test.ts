import { hash, randomUUID } from 'node:crypto'
import { uploadKey } from '@despatch/object-store/keys'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { takeWaitingLetters } from '@despatch/testing/take-waiting-letters'
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

/** Returns why the file is marked for deletion; undefined if it is not. */
async function deletionCauseOf(sha256: Buffer): Promise<string | undefined> {
  const { rows } = await service.database.pool.query(
    'select cause from doomed_object where sha256 = $1',
    [sha256],
  )
  return rows[0]?.cause
}

describe('202', () => {
  test('returns a UUID when the request has no id, and the print job can be read at once', async () => {
    const customParams = [{ key: 'letter', value: aPng }]
    const { status, body } = await submit(aRequest({ customParams }))

    expect({ status, body }).toEqual({
      status: 202,
      body: { id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) },
    })
    const { id } = body as { id: string }
    expect(await consumer.call({ path: `jobs/${id}` })).toMatchObject({
      status: 200,
      body: { id, status: 'QUARANTINE' },
    })
  })

  test('returns the id of the request', async () => {
    const id = `Ref:1_2.3-${randomUUID()}`

    expect(await submit(aRequest({ id }))).toMatchObject({ status: 202, body: { id } })
  })

  test('a letter waits for a worker, with its files and in its lane', async () => {
    const { db, pool } = service.database
    const fileParams = [{ fileId: 'scan', uploadId: await anUpload(Buffer.from('bytes')) }]
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    const details = [{}, { customParams: [{ key: 'picture', value: aPng }] }, { fileParams }]
    for (const [index, id] of ids.entries()) await submit(aRequest({ id, ...details[index] }))
    const { rows } = await pool.query(
      `select lane from letter_waiting join print_job on key = subject
       where id = any ($1) order by array_position($1, id)`,
      [ids],
    )

    const taken = await takeWaitingLetters(db)

    expect(rows.map(({ lane }) => lane)).toEqual(['plain', 'files', 'files'])
    const jobs = await pool.query('select id, key from print_job where id = any ($1)', [ids])
    const keyOf = new Map(jobs.rows.map(({ id, key }) => [id, key]))
    const filesOf = (id: string) => taken.find(({ key }) => key === keyOf.get(id))?.files
    expect(ids.map(filesOf)).toMatchObject([
      [],
      [{ fileId: 'picture', source: 'custom-param', pinned: false }],
      [{ fileId: 'scan', source: 'upload', pinned: false }],
    ])
  })

  test('a refused letter does not wait for a worker', async () => {
    const id = randomUUID()
    await submit(aRequest({ id, fileParams: [{ fileId: 'scan', uploadId: randomUUID() }] }))

    expect(await takeWaitingLetters(service.database.db)).toEqual([])
  })

  test('an inline file is stored before the answer, and is returned as a fixed text', async () => {
    const { body } = await submit(
      aRequest({
        customParams: [
          { key: 'picture', value: aPng },
          { key: 'colour', value: 'blue' },
          { key: 'looksLikeBase64', value: 'SGVsbG8gd29ybGQ=' },
          { key: 'looksLikeBmp', value: 'Qk0xMjM0' },
        ],
      }),
    )

    const { id } = body as { id: string }
    expect((await consumer.call({ path: `jobs/${id}` })).body).toMatchObject({
      customParams: [
        { key: 'picture', value: 'See fileParams for file information' },
        { key: 'colour', value: 'blue' },
        { key: 'looksLikeBase64', value: 'SGVsbG8gd29ybGQ=' },
        { key: 'looksLikeBmp', value: 'Qk0xMjM0' },
      ],
      fileParams: [{ fileId: 'picture' }],
    })
    const sha256 = hash('sha256', Buffer.from(aPng, 'base64'))
    const stored = await service.objects.get(`files/${sha256}`, { bytesMax: 2000 })
    expect(Buffer.from(stored!.bytes).toString('base64')).toBe(aPng)
  })

  test('an inline file is stored again if its bytes were removed in the meantime', async () => {
    const text = Buffer.concat([Buffer.from(aPng, 'base64'), Buffer.from(randomUUID())])
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

  test('an upload becomes a file of the print job', async () => {
    const uploadId = await anUpload(Buffer.from(aPng, 'base64'))

    const { status, body } = await submit(aRequest({ fileParams: [{ fileId: 'scan', uploadId }] }))

    expect(status).toBe(202)
    const { id } = body as { id: string }
    expect((await consumer.call({ path: `jobs/${id}` })).body).toMatchObject({
      fileParams: [{ fileId: 'scan' }],
    })
  })

  test('the same Idempotency-Key with the same content returns the first id', async () => {
    const headers = { 'idempotency-key': randomUUID() }

    const first = await submit(aRequest(), headers)
    const second = await submit(aRequest(), headers)

    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.body).toEqual(first.body)
  })

  test.each(['bare', 'Bearer', 'bearer', 'BEARER'])('accepts a token sent as %s', async (form) => {
    const { authorization } = consumer.headers
    const value = form === 'bare' ? authorization! : `${form} ${authorization}`

    expect((await submit(aRequest(), { authorization: value })).status).toBe(202)
  })

  test('saves each of many concurrent submissions under its own id', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => submit(aRequest())))

    expect(answers.every(({ status }) => status === 202)).toBe(true)
    expect(new Set(answers.map(({ body }) => (body as { id: string }).id)).size).toBe(60)
  })
})

describe('400', () => {
  test('lists every violation, each with its code and the field in its detail', async () => {
    const { status, body } = await submit({
      id: 'no spaces allowed',
      standardParams: {
        jobType: '',
        templateReference: 'LETTER',
        address: { bfpoAddress: { line1: 'Sgt A', bfpoNumber: 10_000 } },
        despatchMethod: 'PIGEON',
      },
      customParams: [],
    })

    expect(status).toBe(400)
    const { errors } = body as { errors: { status: string; code: string; title: string }[] }
    expect(errors.map(({ status, code, title }) => [status, code, title]).sort()).toEqual([
      ['400 BAD_REQUEST', 'InvalidFormat', 'standardParams.despatchMethod'],
      ['400 BAD_REQUEST', 'Max', 'standardParams.address.bfpoAddress.bfpoNumber'],
      ['400 BAD_REQUEST', 'NotEmpty', 'customParams'],
      ['400 BAD_REQUEST', 'NotEmpty', 'standardParams.jobType'],
      ['400 BAD_REQUEST', 'NotNull', 'standardParams.recipientName'],
      ['400 BAD_REQUEST', 'Pattern', 'id'],
    ])
    for (const { title, detail } of errors as unknown as { title: string; detail: string }[]) {
      expect(detail).toContain(title)
    }
  })

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
    const uploadId = await anUpload(Buffer.from(aPng, 'base64'))

    expect(
      await submit(
        aRequest({
          customParams: [{ key: 'picture', value: aPng }],
          fileParams: [{ fileId: 'picture', uploadId }],
        }),
      ),
    ).toMatchObject(aProblem(400, { code: 'Duplicate', title: 'fileParams[0].fileId' }))
  })

  test('an inline file exceeds the limit', async () => {
    const value = Buffer.concat([Buffer.from(aPng, 'base64'), Buffer.alloc(2000)]).toString(
      'base64',
    )

    expect(await submit(aRequest({ customParams: [{ key: 'picture', value }] }))).toMatchObject(
      aProblem(400, { code: 'Size', title: 'customParams[0].value' }),
    )
  })

  test('an upload exceeds the limit: its bytes are deleted, and a repetition gets the same reason', async () => {
    const uploadId = await anUpload(Buffer.alloc(2001))
    const request = aRequest({ fileParams: [{ fileId: 'scan', uploadId }] })
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

    expect(await submit(aRequest({ fileParams: [{ fileId: 'scan', uploadId }] }))).toMatchObject(
      aProblem(404, { code: '12' }),
    )
    expect(await service.objects.head(uploadKey(uploadId))).toMatchObject({ bytes: 2001 })
  })

  test.each([
    ['not JSON', '{"standardParams":'],
    ['empty', ''],
  ])('the body is %s, and the error has the usual format', async (_name, body) => {
    expect(await submit(body)).toMatchObject(
      aProblem(400, { status: '400 BAD_REQUEST', detail: expect.any(String) }),
    )
  })

  test('the Idempotency-Key is malformed', async () => {
    expect(await submit(aRequest(), { 'idempotency-key': 'a b' })).toMatchObject(
      aProblem(400, { code: 'InvalidRequiredHeader', title: 'idempotency-key' }),
    )
  })
})

describe('401', () => {
  const unauthorised = aProblem(401, {
    status: '401 UNAUTHORIZED',
    code: 'Unauthorized',
    detail: 'API Key or JWT is either not provided, expired or invalid',
  })

  test('the cached API key was replaced a moment ago, and nothing is saved', async () => {
    const caller = await service.aCaller()
    const id = randomUUID()
    await caller.call({ path: 'jobs/warm-up' })
    await service.database.db
      .updateTable('consumer')
      .set({ api_key_hash: Buffer.from(randomUUID()) })
      .where('id', '=', caller.consumerId)
      .execute()

    const answer = await caller.call({ method: 'POST', path: 'jobs', body: aRequest({ id }) })

    expect(answer).toMatchObject(unauthorised)
    const saved = await service.database.db
      .selectFrom('print_job')
      .select('id')
      .where('id', '=', id)
      .execute()
    expect(saved).toEqual([])
  })
})

describe('404 code 12: the upload cannot be used', () => {
  const withUpload = (uploadId: string) => aRequest({ fileParams: [{ fileId: 'scan', uploadId }] })
  const notFound = (detail: RegExp) =>
    aProblem(404, {
      status: '404 NOT_FOUND',
      code: '12',
      detail: expect.stringMatching(detail),
    })
  const filled = () => anUpload(Buffer.from(aPng, 'base64'))

  test.each([
    ['unknown', randomUUID()],
    ['36 characters that are not a UUID', 'x'.repeat(36)],
  ])('because its id is %s', async (_name, uploadId) => {
    expect(await submit(withUpload(uploadId))).toMatchObject(notFound(/^There is no upload/))
  })

  test('because it has no content', async () => {
    const request = withUpload(await anUpload())

    expect(await submit(request)).toMatchObject(notFound(/^Nothing has been uploaded/))
  })

  test('because it belongs to another consumer, and nothing of it is revealed', async () => {
    const other = await service.aCaller()
    const uploadId = await anUpload(Buffer.from(aPng, 'base64'), other)

    expect(await submit(withUpload(uploadId))).toMatchObject(notFound(/^There is no upload/))
  })

  test('because another print job has used it', async () => {
    const uploadId = await filled()
    expect((await submit(withUpload(uploadId))).status).toBe(202)

    expect(await submit(withUpload(uploadId))).toMatchObject(notFound(/is used by another/))
  })

  test('because it has expired', async () => {
    const uploadId = await filled()
    await service.database.pool.query('update upload set expires_at = now() where id = $1', [
      uploadId,
    ])

    expect(await submit(withUpload(uploadId))).toMatchObject(notFound(/has expired/))
  })
})

describe('409 code 11', () => {
  test('another print job has the id, and the detail says whether the content is the same', async () => {
    const id = randomUUID()
    await submit(aRequest({ id }))

    const same = await submit(aRequest({ id }))
    const different = await submit(aRequest({ id, customParams: [{ key: 'a', value: 'b' }] }))

    expect(same).toMatchObject(
      aProblem(409, {
        status: '409 CONFLICT',
        code: '11',
        detail: expect.stringContaining('the same'),
      }),
    )
    expect((different.body as { errors: { detail: string }[] }).errors[0]!.detail).toContain(
      'different',
    )
  })

  test('a deleted print job has the id, and the detail says when it was deleted', async () => {
    const id = randomUUID()
    await submit(aRequest({ id }))
    await service.database.pool.query(
      `update print_job set status = 'PENDING', document_sha256 = $3, deleted_at = $2 where id = $1`,
      [id, '2026-11-20T10:00:00Z', Buffer.alloc(32)],
    )

    expect(await submit(aRequest({ id }))).toMatchObject(
      aProblem(409, {
        code: '11',
        detail: expect.stringContaining('which was deleted at 2026-11-20T10:00:00.000Z'),
      }),
    )
  })

  test('no inline file is left in the object store', async () => {
    const id = randomUUID()
    await submit(aRequest({ id }))
    const text = Buffer.concat([Buffer.from(aPng, 'base64'), Buffer.from(randomUUID())])

    const { status } = await submit(
      aRequest({ id, customParams: [{ key: 'picture', value: text.toString('base64') }] }),
    )

    expect(status).toBe(409)
    expect(await deletionCauseOf(hash('sha256', text, 'buffer'))).toBe('unnamed')
  })

  test('code 11 precedes code 12, so that a retry of a job with an upload learns that it was accepted', async () => {
    const uploadId = await anUpload(Buffer.from(aPng, 'base64'))
    const body = aRequest({ id: randomUUID(), fileParams: [{ fileId: 'scan', uploadId }] })
    await submit(body)

    expect(await submit(body)).toMatchObject(aProblem(409, { code: '11' }))
  })

  test('only one of concurrent submissions with one id is accepted', async () => {
    const id = randomUUID()

    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(aRequest({ id }))))

    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(9).fill(409)])
  })

  test('the Idempotency-Key was used for different content', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    await submit(aRequest(), headers)

    expect(
      await submit(aRequest({ customParams: [{ key: 'a', value: 'b' }] }), headers),
    ).toMatchObject(aProblem(409, { code: '11' }))
  })
})

test('413: the body exceeds the limit', async () => {
  const body = aRequest({ customParams: [{ key: 'long', value: 'x'.repeat(20_000) }] })

  expect(await submit(body)).toMatchObject(
    aProblem(413, { status: '413 PAYLOAD_TOO_LARGE', detail: expect.any(String) }),
  )
})

test('415: the content type is not JSON', async () => {
  const headers = { 'content-type': 'text/plain' }

  expect(await submit(aRequest(), headers)).toMatchObject(
    aProblem(415, { status: '415 UNSUPPORTED_MEDIA_TYPE', detail: expect.any(String) }),
  )
})

test('500 code 2: a fault returns only an error id', async () => {
  const broken = await aPrintRequest()
  const caller = await broken.aCaller()
  await caller.call({ path: 'jobs/warm-up' })
  await broken.database.pool.query('alter table print_job rename to print_job_away')

  const answer = await caller.call({ method: 'POST', path: 'jobs', body: aRequest() })

  expect(answer).toMatchObject(
    aProblem(500, {
      status: '500 INTERNAL_SERVER_ERROR',
      code: '2',
      detail: expect.stringMatching(/[0-9a-f-]{36}/),
    }),
  )
  expect(JSON.stringify(answer.body)).not.toContain('print_job')
  await broken.close()
})

describe('X-Correlation-ID', () => {
  test('is returned and stored with the print job', async () => {
    const correlation = `trace-${randomUUID()}`
    const id = randomUUID()

    const { headers } = await submit(aRequest({ id }), { 'x-correlation-id': correlation })

    expect(headers['x-correlation-id']).toBe(correlation)
    const stored = await service.database.db
      .selectFrom('print_job')
      .select('correlation_id')
      .where('id', '=', id)
      .executeTakeFirst()
    expect(stored).toEqual({ correlation_id: correlation })
    expect(service.logged.some((line) => line.includes(correlation))).toBe(true)
  })

  test('is created when it is absent', async () => {
    const { headers } = await submit(aRequest())

    expect(headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('traceparent', () => {
  const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  test.each([
    [valid, valid],
    ['00-not-a-trace-01', null],
    [undefined, null],
  ])('%s: the print job stores %s', async (given, kept) => {
    const id = randomUUID()

    await submit(aRequest({ id }), given === undefined ? {} : { traceparent: given })

    const stored = await service.database.db
      .selectFrom('print_job')
      .select('trace_context')
      .where('id', '=', id)
      .executeTakeFirst()
    expect(stored).toEqual({ trace_context: kept })
  })
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
