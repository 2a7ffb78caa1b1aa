import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, readDestination } from '@despatch/domain/callback/destination'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPrintRequest, secretKey } from './a-print-request.ts'
import { readCallbacks } from './some-callbacks.ts'

const path = '/print-request/v1/callbacks/test'
const target = 'https://consumer.example/status?token=a.b'

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()

const send = (callbackParams: unknown, by = consumer) =>
  by.call({ method: 'POST', path, body: { callbackParams } })

const read = (id: string, by = consumer) => by.call({ path: `/print-request/v1/callbacks/${id}` })

describe('POST /callbacks/test', () => {
  test('202: creates a callback whose message says that it is a test', async () => {
    const { status, body } = await send({ target })

    const { callbackId } = body as { callbackId: string }
    expect({ status, body }).toEqual({ status: 202, body: { callbackId } })
    expect((await read(callbackId)).body).toEqual({
      callbackId,
      sequence: 1,
      kind: 'test',
      status: 'DUE',
      origin: 'https://consumer.example',
      attempts: 0,
      replays: 0,
      createdAt: expect.stringMatching(/Z$/),
      nextAttemptAt: expect.stringMatching(/Z$/),
      message: {
        specVersion: '1',
        type: 'despatch.print.messages.v1.TestMessage',
        source: 'despatch:print:fulfilment',
        id: callbackId,
        time: expect.stringMatching(/Z$/),
        dataContentType: 'application/json',
        data: { sequence: 1, comment: expect.any(String) },
        metadata: { correlationId: callbackId },
      },
      log: [],
    })
  })

  test('202: seals the target and the credentials, and stores the retry parameters', async () => {
    const retryParams = { enabled: true, maxRetryWindow: 60 }
    const { body } = await send({ target, authenticationHeader: 'Bearer abc', retryParams })
    const { callbackId } = body as { callbackId: string }

    const kept = await service.database.db
      .selectFrom('callback')
      .select(['destination_sealed', 'retry_params', 'consumer_id'])
      .where('id', '=', callbackId)
      .executeTakeFirstOrThrow()

    const box = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
    expect(readDestination(box.unseal(kept.destination_sealed!))).toEqual({
      target,
      authenticationHeader: 'Bearer abc',
    })
    expect(kept).toMatchObject({ retry_params: retryParams, consumer_id: consumer.consumerId })
  })

  test('404: another consumer cannot read the callback', async () => {
    const { body } = await send({ target })
    const { callbackId } = body as { callbackId: string }

    expect((await read(callbackId, await service.aCaller())).status).toBe(404)
  })

  test.each([
    ['not an address', 'must be an http or https address'],
    [
      'http://169.254.169.254/',
      'is at an address that is not public, where callbacks are not delivered',
    ],
  ])('400: %s', async (refused, why) => {
    const caller = await service.aCaller()

    const { status, body } = await send({ target: refused }, caller)

    const title = 'callbackParams.target'
    expect({ status, body }).toEqual(
      aProblem(400, {
        status: '400 BAD_REQUEST',
        code: 'InvalidFormat',
        title,
        detail: `${title} ${why}`,
      }),
    )
    expect(await readCallbacks(service.database, caller.consumerId)).toEqual([])
  })

  test('202: an address in an allowed range need not be public', async () => {
    const private_ = await aPrintRequest({ DESPATCH_CALLBACK_ALLOW: '10.0.0.0/8' })
    const caller = await private_.aCaller()

    const inside = await send({ target: 'http://10.1.2.3:8080/' }, caller)
    const outside = await send({ target: 'http://192.168.1.1:8080/' }, caller)

    expect([inside.status, outside.status]).toEqual([202, 400])
    await private_.close()
  })
})
