import { startTcpProxy, type TcpProxy } from '@despatch/testing/tcp-proxy'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  type Answer,
  aPng,
  aPrintRequest,
  aRequest,
  type TestCaller,
  type TestPrintRequest,
} from './a-print-request.ts'

const unavailable = {
  errors: [
    {
      status: '503 SERVICE_UNAVAILABLE',
      code: 'ServiceUnavailable',
      detail: 'The service is temporarily unavailable. Retry the request.',
    },
  ],
}
const withFile = () => aRequest({ customParams: [{ key: 'photo', value: aPng }] })

const told = ({ status, headers, body }: Answer) => ({
  status,
  body,
  retryAfter: headers['retry-after'],
})
const refusedForNow = {
  status: 503,
  body: unavailable,
  retryAfter: expect.stringMatching(/^[2-5]$/),
}

describe('while the object store and Redis are unavailable', () => {
  let proxy: TcpProxy
  let service: TestPrintRequest
  let caller: TestCaller
  beforeAll(async () => {
    const { endpoint } = inject('infra').objectStore
    proxy = await startTcpProxy({ port: Number(new URL(endpoint).port) })
    service = await aPrintRequest({
      S3_ENDPOINT: proxy.through(endpoint),
      QUEUE_URL: 'redis://127.0.0.1:1',
    })
    caller = await service.aCaller()
    proxy.refuse()
  })
  afterAll(async () => {
    await service.close()
    await proxy.close()
  })

  const submit = (body: object) => caller.call({ method: 'POST', path: 'jobs', body })

  test('202: a letter without files is accepted, and an upload address is returned', async () => {
    const answers = [await submit(aRequest()), await caller.call({ path: 'files/upload-url' })]

    expect(answers.map(({ status }) => status)).toEqual([202, 200])
  })

  test('503: the upload of a letter cannot be read', async () => {
    const { body } = await caller.call({ path: 'files/upload-url' })
    const { uploadId } = body as { uploadId: string }

    const refused = await submit(aRequest({ fileParams: [{ fileId: 'photo', uploadId }] }))

    expect(told(refused)).toEqual(refusedForNow)
  })

  test('the service is ready, so that the gateway continues to send letters', async () => {
    const answer = await service.call({ path: '/health/ready' })

    expect([answer.status, answer.body]).toEqual([
      200,
      { status: 'ready', checks: [{ name: 'database', ok: true }] },
    ])
  })

  test('503: an inline file cannot be stored, nothing is saved, and the letter is accepted afterwards', async () => {
    const body = withFile()

    const refused = await submit(body)
    const { rows } = await service.database.pool.query(
      'select from print_job where custom_params is not null',
    )
    proxy.resume()
    const accepted = await submit(body)
    proxy.refuse()

    expect(told(refused)).toEqual(refusedForNow)
    expect(rows).toEqual([])
    expect(accepted.status).toBe(202)
    const lines = service.logged.map((line) => JSON.parse(line))
    const why = {
      level: 'warn',
      dependency: 'object-store',
      fault: expect.stringMatching(/^(ECONN|UND_ERR_SOCKET)/),
    }
    expect(lines.findLast(({ status }) => status === 503)).toMatchObject(why)
    expect(lines.filter(({ level, msg }) => level === 'error' && msg === 'request.failed')).toEqual(
      [],
    )
  })
})

describe('when the disk of the database is full', () => {
  let service: TestPrintRequest
  let caller: TestCaller
  beforeAll(async () => {
    service = await aPrintRequest()
    caller = await service.aCaller()
  })
  afterAll(() => service.close())
  afterEach(() => service.database.pool.query('drop trigger disk_full on print_job'))

  test('503: nothing is saved, and letters are accepted when there is space', async () => {
    const submit = () => caller.call({ method: 'POST', path: 'jobs', body: aRequest() })
    await service.database.pool.query(
      `create function disk_full() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
       create trigger disk_full before insert on print_job for each statement execute function disk_full()`,
    )

    const refused = await Promise.all([submit(), submit(), submit()])
    await service.database.pool.query('alter table print_job disable trigger disk_full')
    const accepted = await submit()
    const { rows } = await service.database.pool.query('select count(*) from print_job')

    expect(refused.map(told)).toEqual([refusedForNow, refusedForNow, refusedForNow])
    expect(accepted.status).toBe(202)
    expect(rows).toEqual([{ count: 1 }])
  })
})
