import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { callbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { ReconciliationResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { type CallbackReceiver, startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replayTimelinesAt } from '../model/replay-timelines.ts'
import { aCaller, type Call, signedIn } from '../stack/a-caller.ts'
import { aConsumer, type Consumer } from '../stack/a-consumer.ts'
import { type ADespatch, aDespatch } from '../stack/a-despatch.ts'

const queueBackends = await takeQueueBackendsByEffort('postgres')

const refusal = 'Refused by the print provider: UNPRINTABLE: The document cannot be printed'

/** The recipient's name decides what the provider does with a letter, as in the test environment. */
const recipients = {
  printed: 'Ms Ada Example',
  spoiled: 'UAT SPOIL',
  refused: 'UAT REFUSE UNPRINTABLE',
} as const
type Which = keyof typeof recipients
const everyLetter = Object.keys(recipients) as Which[]

describe.each(queueBackends)('with queues on $name', ({ url: queueUrl }) => {
  let despatch: ADespatch
  let consumer: Consumer
  let receiver: CallbackReceiver
  let askAsProvider: Call
  const ids = {} as Record<Which, string>
  const jobs = {} as Record<Which, Record<string, unknown>>

  beforeAll(async () => {
    receiver = await startCallbackReceiver()
    despatch = await aDespatch({
      QUEUE_URL: queueUrl,
      DESPATCH_ENVIRONMENT: 'uat',
      DESPATCH_PRINT_RUN_AGE_MS: '1000',
      DESPATCH_SIMULATOR: 'on',
      DESPATCH_SIMULATOR_FLOOR: '{"serialNumberPrefix":"E2E"}',
    })
    const { baseUrl, consumer: credential, provider } = despatch.credentials
    consumer = await aConsumer(baseUrl, credential)
    askAsProvider = aCaller(`${baseUrl}/print-fulfilment/v1/`, await signedIn(baseUrl, provider))

    for (const which of everyLetter) ids[which] = await consumer.submit(letterTo(which))
    for (const which of everyLetter) {
      const status = which === 'refused' ? 'REJECTED' : 'DESPATCHED'
      jobs[which] = await consumer.reached(ids[which], status)
    }
  })
  afterAll(async () => {
    await despatch[Symbol.asyncDispose]()
    await receiver.stop()
  })

  const letterTo = (which: Which) => ({
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: recipients[which],
      address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
      despatchMethod: 'FIRST',
    },
    callbackParams: { target: receiver.url },
  })

  const batchNumbers = () => [...new Set(everyLetter.map((which) => jobs[which].batchNumber))]

  const storyOf = async (which: Which) => {
    const { body } = await consumer.call<{
      events: { transition: string; status: string; reason?: string }[]
    }>('GET', `jobs/${ids[which]}/events`)
    return body.events
      .filter(({ status }) => status !== 'QUARANTINE' && status !== 'VALIDATING')
      .map(({ transition, reason }) => (reason ? `${transition}: ${reason}` : transition))
  }

  test('the print runs are closed, and each document has an outcome', async () => {
    const accounts = await Promise.all(
      batchNumbers().map((batchNumber) =>
        eventually(
          async () => {
            const path = `print-runs/${batchNumber}/reconciliation`
            const { body: account } = await askAsProvider<ReconciliationResponse>('GET', path)
            return account.state === 'CLOSED' && account
          },
          { deadlineMs: 60_000, pollMs: 100, message: `print run ${batchNumber} is closed` },
        ),
      ),
    )

    const total = (count: (account: ReconciliationResponse) => number) =>
      accounts.reduce((sum, account) => sum + count(account), 0)
    // Depending on timing, the letters are in one run or in several.
    expect({
      expected: total(({ expected }) => expected),
      despatched: total(({ despatched }) => despatched),
      refused: total(({ refused }) => refused),
      failed: total(({ failed }) => failed),
      recalled: total(({ recalled }) => recalled),
      missing: total(({ missing }) => missing),
      reprints: total(({ reprints }) => reprints),
    }).toEqual({
      expected: 3,
      despatched: 2,
      refused: 1,
      failed: 0,
      recalled: 0,
      missing: 0,
      reprints: 1,
    })
  })

  test('every attempt is printed once, and the refused letter is not printed', async () => {
    const path = join(despatch.directory, 'provider-simulator', 'print-log.ndjson')
    const lines = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { documentId: string; attempt: number })

    const attemptsOf = (which: Which) =>
      lines
        .filter(({ documentId }) => documentId === jobs[which].documentId)
        .map(({ attempt }) => attempt)
    expect(everyLetter.map((which) => [which, attemptsOf(which)])).toEqual([
      ['printed', [1]],
      ['spoiled', [1, 2]],
      ['refused', []],
    ])
  })

  test('a consumer reads in the timeline how a spoiled letter was reprinted', async () => {
    expect(await storyOf('spoiled')).toEqual([
      'accept',
      'produce',
      'fetch',
      'print',
      'spoil: SMUDGED',
      'reprint: attempt 2',
      'fetch',
      'print',
      'enclose',
      'despatch',
    ])
    expect(jobs.spoiled).not.toHaveProperty('comment')
  })

  test.each(['printed', 'spoiled'] as const)(
    'a consumer reads in the timeline how the %s letter was posted',
    async (which) => {
      const { serialNumber, despatchProperties } = jobs[which]

      expect(serialNumber).toMatch(/^E2E\d{8}$/)
      expect(despatchProperties).toEqual(
        expect.arrayContaining([
          { key: 'totalSheets', value: '1' },
          { key: 'postageClass', value: '1ST' },
          { key: 'mailingProduct', value: expect.any(String) },
        ]),
      )
      expect((await callbackFor(ids[which])).data).toMatchObject({
        jobStatus: 'DESPATCHED',
        despatchProperties,
      })
    },
  )

  test('a consumer reads in the timeline why a letter was refused', async () => {
    expect(jobs.refused).toMatchObject({ status: 'REJECTED', comment: refusal })
    expect(jobs.refused).not.toHaveProperty('despatchProperties')
    expect((await callbackFor(ids.refused)).data).toMatchObject({
      jobStatus: 'REJECTED',
      comment: refusal,
    })
    expect(await storyOf('refused')).toEqual(['accept', 'produce', `reject: ${refusal}`])
  })

  const callbackFor = async (id: string) => {
    const { body } = await receiver.received(
      ({ body }) => (body as { data?: { jobId?: string } }).data?.jobId === id,
      { deadlineMs: 60_000, message: `the callback for ${id}` },
    )
    return callbackEnvelope.parse(body)
  }

  test('the model allows every timeline in the database', async () => {
    expect(await replayTimelinesAt(despatch.databaseUrl)).toEqual([])
  })
})
