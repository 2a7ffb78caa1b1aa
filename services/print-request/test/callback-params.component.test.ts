import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, writeDestination } from '@despatch/domain/callback/destination'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, secretKey } from './a-print-request.ts'

const target = "https://Consumer.Example:443/status?token=a.b-c_d&name=o'hara"
const earlierKey = 'cd'.repeat(32)

const service = await shared(aPrintRequest({ DESPATCH_KEY_CALLBACKS_PREVIOUS: earlierKey }))
const consumer = await service.aCaller()
const { db } = service.database

const submitted = async (callbackParams?: object) =>
  (await service.aPrintJob(consumer, { callbackParams })).id

const shown = async (id: string) =>
  ((await consumer.call({ path: `jobs/${id}` })).body as { callbackParams?: object }).callbackParams

const readRow = (id: string) =>
  db
    .selectFrom('print_job')
    .select(['callback_params', 'callback_origin', 'callback_destination_sealed'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const sealWith = (key: string) =>
  sealedBox(key, { purpose: callbackDestinationPurpose }).seal(
    writeDestination({ target: 'https://earlier.example/', authenticationHeader: 'Bearer abc' }),
  )

const change = (id: string, callback_destination_sealed: Buffer) =>
  db.updateTable('print_job').set({ callback_destination_sealed }).where('id', '=', id).execute()

describe('a submission', () => {
  test('seals the target and the credentials together, and stores only the origin unsealed', async () => {
    const retryParams = { enabled: true, maxRetryWindow: 60 }

    const id = await submitted({ target, authenticationHeader: 'Bearer abc', retryParams })

    const { callback_destination_sealed, ...rest } = await readRow(id)
    expect(rest).toEqual({
      callback_params: { retryParams },
      callback_origin: 'https://consumer.example',
    })
    const box = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
    expect(box.unseal(callback_destination_sealed!)).toBe(JSON.stringify([target, 'Bearer abc']))
    // the credentials are masked where they are shown
    expect(await shown(id)).toEqual({ target, authenticationHeader: '********', retryParams })
  })

  test('without callbackParams stores no callback parameters', async () => {
    const id = await submitted()

    expect(await readRow(id)).toEqual({
      callback_params: null,
      callback_origin: null,
      callback_destination_sealed: null,
    })
    expect(await shown(id)).toBeUndefined()
  })

  test.each(['jobs', 'jobs/validate'])(
    'to %s has its violations in the order of the request',
    async (path) => {
      const body = aRequest({
        standardParams: { ...aRequest().standardParams, jobType: 'OTHER' },
        customParams: [{ key: 'x'.repeat(256), value: aPng }],
        fileParams: [{ fileId: 'scan', uploadId: randomUUID() }],
        callbackParams: { target: 'http://10.0.0.1/' },
      })

      const answer = await consumer.call({ method: 'POST', path, body })

      expect(answer.status).toBe(400)
      const { errors } = answer.body as { errors: { code: string; title: string }[] }
      expect(errors.map(({ code, title }) => [code, title])).toEqual([
        ['NotAgreed', 'standardParams.jobType'],
        ['Size', 'customParams[0].key'],
        ['InvalidFormat', 'callbackParams.target'],
      ])
    },
  )
})

describe('GET /print/jobs/{jobId} shows', () => {
  test('a target that is sealed with a previous key', async () => {
    const id = await submitted({ target })
    await change(id, sealWith(earlierKey))

    expect(await shown(id)).toEqual({
      target: 'https://earlier.example/',
      authenticationHeader: '********',
    })
  })

  test('only the origin when the key is lost, which is logged', async () => {
    const id = await submitted({ target })
    await change(id, sealWith('ef'.repeat(32)))

    expect(await shown(id)).toEqual({ target: 'https://consumer.example/********' })
    const lines = service.logged.filter((line) => line.includes('callback-destination.unreadable'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', jobId: id }])
  })
})
