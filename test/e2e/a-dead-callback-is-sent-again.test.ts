import type {
  CallbackResponse,
  CallbacksResponse,
  CallbackWithLogResponse,
  ReplayResultResponse,
} from '@despatch/contracts/print-request/callback'
import type { CreatedSigningSecretResponse } from '@despatch/contracts/print-request/signing-secret'
import { eventually } from '@despatch/testing/eventually'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayTimelinesAt } from '../model/replay-timelines.ts'
import { aCaller, type Call, signedIn } from '../stack/a-caller.ts'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import {
  type KeptCall,
  type RecordingReceiver,
  startRecordingReceiver,
} from '../stack/callbacks/recording-receiver.ts'
import { putContract } from '../stack/put-contract.ts'
import { sharedDespatch } from '../stack/shared-despatch.ts'

const callbackStatuses = ['VALIDATING', 'PENDING', 'DESPATCHED']
const windowSeconds = 30
/** The letters whose callbacks are not retried. Their failures are too few to open the breaker of their origin. */
const unretriedLetters = 3
const callbacksMax = (unretriedLetters + 1) * callbackStatuses.length
/** Time for a retry window, a breaker that opened in it, and a probe. */
const endsWithinMs = 180_000

const despatch = await sharedDespatch()
const kept: KeptCall[] = []
const receivers: RecordingReceiver[] = []
let call: Call
let secret: string
let dead: CallbackResponse[]

beforeAll(async () => {
  const { baseUrl, consumer } = despatch.credentials
  call = aCaller(`${baseUrl}/print-request/v1/`, await signedIn(baseUrl, consumer))
  const contract = { jobType: 'LETTER', templateReference: 'LETTER' }
  await putContract(despatch.credentials, contract, { callbackStatuses })
  secret = await makeSecret()
  for (let places = 0; places < 2; places += 1) {
    receivers.push(await startRecordingReceiver({ keep: (call) => kept.push(call) }))
  }
})
afterAll(async () => {
  for (const receiver of receivers) await receiver.shut()
})

test('while its receiver is unavailable for the whole window, every callback dies, and is listed with its attempts', async () => {
  for (const receiver of receivers) await receiver.shut()
  const [unretriedAt, retriedAt] = receivers.map(({ origin }) => `${origin}/callbacks`)
  const consumer = await aConsumer(despatch.credentials.baseUrl, despatch.credentials.consumer)
  for (let letters = 0; letters < unretriedLetters; letters += 1) {
    await consumer.submit({ ...aSmallLetter, callbackParams: { target: unretriedAt } })
  }
  const retryParams = { enabled: true, maxRetryWindow: windowSeconds }
  await consumer.submit({ ...aSmallLetter, callbackParams: { target: retriedAt, retryParams } })

  dead = await untilListed('DEAD')

  const shown = await Promise.all(dead.map(({ callbackId }) => read(callbackId)))
  expect(new Set(shown.flatMap(({ log }) => log.map(({ outcome }) => outcome)))).toEqual(
    new Set(['connection_refused']),
  )
  for (const { log, attempts, reason, windowEndsAt } of shown) {
    expect(log.map(({ number }) => number)).toEqual(numbersTo(attempts))
    if (reason === 'retries-off') expect(attempts).toBe(1)
    else {
      expect(reason).toBe('window-ended')
      expect(attempts).toBeGreaterThan(1)
      expect(Date.parse(log.at(-1)!.startedAt)).toBeGreaterThanOrEqual(Date.parse(windowEndsAt!))
    }
  }
  expect(kept).toEqual([])
})

test('when the receiver is back, a replay delivers each callback once, in order and signed', async () => {
  for (const receiver of receivers) await receiver.open()

  const dryRun = await call<ReplayResultResponse>('POST', 'callbacks/replay', { dryRun: true })
  expect(dryRun).toMatchObject({ status: 200, body: { dryRun: true, count: callbacksMax } })
  expect(kept).toEqual([])
  const { count: expectedCount } = dryRun.body
  const replay = await call('POST', 'callbacks/replay', { expectedCount })
  expect(replay).toMatchObject({ status: 202, body: { dryRun: false, count: callbacksMax } })
  const delivered = await untilListed('DELIVERED')

  expect(kept.map(({ id }) => id).toSorted()).toEqual(idsOf(dead))
  expect(idsOf(delivered)).toEqual(idsOf(dead))
  expect(delivered.map(({ replays }) => replays)).toEqual(Array(callbacksMax).fill(1))
  expect((await list('DEAD')).callbacks).toEqual([])

  const messages = kept.map(({ body, headers }) => {
    const { 'webhook-id': id } = headers
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as Message
    expect(message.id).toBe(id)
    return message
  })
  const letters = [...Map.groupBy(messages, ({ data }) => data.jobId).values()]
  expect(
    letters.map((told) => told.map(({ data }) => `${data.sequence} ${data.jobStatus}`)),
  ).toEqual(
    Array(unretriedLetters + 1).fill(
      callbackStatuses.map((status, index) => `${index + 1} ${status}`),
    ),
  )
  const another = new Webhook(await makeSecret())
  const { body, headers } = kept[0]!
  expect(() => another.verify(body, headers as Record<string, string>)).toThrow()
})

type Message = { id: string; data: { jobId: string; jobStatus: string; sequence: number } }

async function makeSecret(): Promise<string> {
  const path = 'callback-signing-secrets'
  const made = await call<CreatedSigningSecretResponse>('POST', path, {})
  expect(made.status).toBe(201)
  return made.body.secret
}

async function list(status: string): Promise<CallbacksResponse> {
  const { body } = await call<CallbacksResponse>('GET', `callbacks?status=${status}`)
  return body
}

function untilListed(status: string): Promise<CallbackResponse[]> {
  return eventually(
    async () => {
      const { callbacks } = await list(status)
      if (callbacks.length !== callbacksMax) throw new Error(`${callbacks.length} are ${status}`)
      return callbacks
    },
    { deadlineMs: endsWithinMs, pollMs: 500, message: `all callbacks are ${status}` },
  )
}

async function read(callbackId: string): Promise<CallbackWithLogResponse> {
  const { body } = await call<CallbackWithLogResponse>('GET', `callbacks/${callbackId}`)
  return body
}

function idsOf(callbacks: readonly CallbackResponse[]): string[] {
  return callbacks.map(({ callbackId }) => callbackId).toSorted()
}

function numbersTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

test('the model allows every timeline in the database', async () => {
  expect(await replayTimelinesAt(despatch.databaseUrl)).toEqual([])
})
