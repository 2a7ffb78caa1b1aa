import { hash, randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, writeDestination } from '@despatch/domain/callback/destination'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, secretKey } from './a-print-request.ts'

const target = "https://Consumer.Example:443/status?token=a.b-c_d&name=o'hara"
const earlierKey = 'cd'.repeat(32)

const service = await shared(aPrintRequest({ DESPATCH_KEY_CALLBACKS_PREVIOUS: earlierKey }))
const consumer = await service.aCaller()

const submit = (callbackParams: unknown, detail: Record<string, unknown> = {}) =>
  consumer.call({ method: 'POST', path: 'jobs', body: aRequest({ callbackParams, ...detail }) })

async function submitted(callbackParams: unknown): Promise<string> {
  const { status, body } = await submit(callbackParams)
  expect(status).toBe(202)
  return (body as { id: string }).id
}

const shown = async (id: string) =>
  ((await consumer.call({ path: `jobs/${id}` })).body as { callbackParams?: object }).callbackParams

const readRow = (id: string) =>
  service.database.db
    .selectFrom('print_job')
    .select([
      'callback_params',
      'callback_origin',
      'callback_destination_sealed',
      'request_fingerprint',
    ])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const sealWith = (key: string, destination: Parameters<typeof writeDestination>[0]) =>
  sealedBox(key, { purpose: callbackDestinationPurpose }).seal(writeDestination(destination))

async function change(id: string, columns: Record<string, unknown>): Promise<void> {
  await service.database.db.updateTable('print_job').set(columns).where('id', '=', id).execute()
}

describe('a submission', () => {
  test('seals the target and the credentials together, and stores only the origin unsealed', async () => {
    const retryParams = { enabled: true, maxRetryWindow: 60 }

    const id = await submitted({ target, authenticationHeader: 'Bearer abc', retryParams })

    const { callback_destination_sealed, ...rest } = await readRow(id)
    expect(rest).toMatchObject({
      callback_params: { retryParams },
      callback_origin: 'https://consumer.example',
    })
    expect(Object.keys(rest.callback_params!)).toEqual(['retryParams'])
    const box = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
    expect(box.unseal(callback_destination_sealed!)).toBe(JSON.stringify([target, 'Bearer abc']))
  })

  test.each([undefined, null])(
    'with the authenticationHeader %j has no credentials',
    async (authenticationHeader) => {
      const id = await submitted({ target, authenticationHeader })

      const { callback_params, callback_destination_sealed } = await readRow(id)
      const box = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
      expect(callback_params).toEqual({})
      expect(box.unseal(callback_destination_sealed!)).toBe(JSON.stringify([target]))
      expect(await shown(id)).toEqual({ target })
    },
  )

  test('without callbackParams stores no callback parameters', async () => {
    const id = await submitted(undefined)

    expect(await readRow(id)).toMatchObject({
      callback_params: null,
      callback_origin: null,
      callback_destination_sealed: null,
    })
    expect(await shown(id)).toBeUndefined()
  })

  test('that is repeated is recognised, and differs if the credentials differ', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const callbackParams = { target, authenticationHeader: 'Bearer abc' }
    const body = aRequest({ callbackParams })
    const call = () => consumer.call({ method: 'POST', path: 'jobs', body, headers })

    const first = await call()
    const second = await call()
    const other = await consumer.call({
      method: 'POST',
      path: 'jobs',
      headers,
      body: aRequest({ callbackParams: { ...callbackParams, authenticationHeader: 'Bearer abd' } }),
    })

    expect([first.status, second.status, other.status]).toEqual([202, 202, 409])
    expect(second.body).toEqual(first.body)
    const { id } = first.body as { id: string }
    const { request_fingerprint } = await readRow(id)
    // older rows have this fingerprint, and a late repeat is compared with it
    const content = JSON.stringify([body.standardParams, null, callbackParams, []])
    expect(request_fingerprint.toString('hex')).toBe(hash('sha256', content))
  })
})

describe.each(['jobs', 'jobs/validate'])('POST /print/%s, 400:', (path) => {
  const ask = (callbackParams: unknown, detail: Record<string, unknown> = {}) =>
    consumer.call({ method: 'POST', path, body: aRequest({ callbackParams, ...detail }) })

  const isNoAddress = 'must be an http or https address'
  const isNotPublic = 'is at an address that is not public, where callbacks are not delivered'

  test.each([
    ['ftp://consumer.example/', isNoAddress],
    ['http://127.0.0.1:8080/', isNotPublic],
  ])('the target %s', async (refused, why) => {
    const { status, body } = await ask({ target: refused })

    expect({ status, body }).toEqual(
      aProblem(400, {
        status: '400 BAD_REQUEST',
        code: 'InvalidFormat',
        title: 'callbackParams.target',
        detail: `callbackParams.target ${why}`,
      }),
    )
  })

  test('is reported after other violations, in the order of the request', async () => {
    const { standardParams } = aRequest()
    const { status, body } = await ask(
      { target: 'http://10.0.0.1/' },
      {
        standardParams: { ...standardParams, jobType: 'OTHER' },
        customParams: [{ key: 'x'.repeat(256), value: aPng }],
        fileParams: [{ fileId: 'scan', uploadId: randomUUID() }],
      },
    )

    expect(status).toBe(400)
    const { errors } = body as { errors: { code: string; title: string }[] }
    expect(errors.map(({ code, title }) => [code, title])).toEqual([
      ['NotAgreed', 'standardParams.jobType'],
      ['Size', 'customParams[0].key'],
      ['InvalidFormat', 'callbackParams.target'],
    ])
  })
})

test('accepts a name that does not resolve, because it is resolved for each call', async () => {
  expect((await submit({ target: 'https://no-such-host.invalid/' })).status).toBe(202)
})

describe('GET /print/jobs/{jobId} shows', () => {
  test('the target unchanged, and the credentials masked', async () => {
    const retryParams = { enabled: true, maxRetryWindow: 60 }
    const id = await submitted({ target, authenticationHeader: 'Bearer abc', retryParams })

    expect(await shown(id)).toEqual({ target, authenticationHeader: '********', retryParams })
  })

  test('a target that is sealed with a previous key', async () => {
    const id = await submitted({ target })
    const destination = { target: 'https://earlier.example/', authenticationHeader: 'Bearer abc' }
    await change(id, { callback_destination_sealed: sealWith(earlierKey, destination) })

    expect(await shown(id)).toEqual({
      target: 'https://earlier.example/',
      authenticationHeader: '********',
    })
  })

  test('only the origin when the key is lost, which is logged', async () => {
    const retryParams = { enabled: true }
    const id = await submitted({ target, retryParams })
    await change(id, { callback_destination_sealed: sealWith('ef'.repeat(32), { target }) })

    expect(await consumer.call({ path: `jobs/${id}` })).toMatchObject({
      status: 200,
      body: {
        id,
        callbackParams: { target: 'https://consumer.example/********', retryParams },
      },
    })
    const lines = service.logged.filter((line) => line.includes('callback-destination.unreadable'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', jobId: id }])
  })

  test('no callback parameters among its events', async () => {
    const id = await submitted({ target })

    const { status, body } = await consumer.call({ path: `jobs/${id}/events` })

    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain('Consumer.Example')
  })
})
