import { randomUUID } from 'node:crypto'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPrintRequest } from './a-print-request.ts'
import { origin, seedCallback, seedPrintJob } from './some-callbacks.ts'

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
const { consumerId } = consumer
const printJobKey = await seedPrintJob(service.database, consumerId, 'job-1')
const callbackId = await seedCallback(service.database, { consumerId, printJobKey, attempts: 2 })

const read = (id: string, by = consumer) => by.call({ path: `/print-request/v1/callbacks/${id}` })

describe('GET /callbacks/{callbackId}', () => {
  test('200: returns the message and every attempt, in order', async () => {
    const at = new Date('2026-03-04T05:06:07Z')
    const again = new Date('2026-03-04T05:06:08Z')
    await service.database.db
      .insertInto('callback_attempt')
      .values([
        {
          callback_id: callbackId,
          number: 2,
          planned_at: again,
          started_at: again,
          duration_ms: 31,
          outcome: 'refused',
          http_status: 400,
          address: '93.184.216.34',
          answer: Buffer.from([0x6e, 0x6f, 0xff]),
        },
        {
          callback_id: callbackId,
          number: 1,
          planned_at: at,
          started_at: at,
          duration_ms: 15_000,
          outcome: 'timeout',
          next_at: again,
          failure: 'TimeoutError',
        },
      ])
      .execute()

    const { status, body } = await read(callbackId)

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        callbackId,
        jobId: 'job-1',
        sequence: 1,
        kind: 'status',
        jobStatus: 'DESPATCHED',
        status: 'DEAD',
        reason: 'window-ended',
        origin,
        attempts: 2,
        replays: 0,
        createdAt: '2026-03-04T05:06:07.000Z',
        endedAt: '2026-03-04T05:06:07.000Z',
        message: { id: callbackId, data: { sequence: 1 } },
        log: [
          {
            number: 1,
            plannedAt: '2026-03-04T05:06:07.000Z',
            startedAt: '2026-03-04T05:06:07.000Z',
            durationMs: 15_000,
            outcome: 'timeout',
            detail:
              'The receiver did not answer in time (TimeoutError). The message may have arrived.',
            failure: 'TimeoutError',
            nextAttemptAt: '2026-03-04T05:06:08.000Z',
          },
          {
            number: 2,
            plannedAt: '2026-03-04T05:06:08.000Z',
            startedAt: '2026-03-04T05:06:08.000Z',
            durationMs: 31,
            outcome: 'refused',
            detail: 'The receiver answered 400, which does not accept the message.',
            httpStatus: 400,
            address: '93.184.216.34',
            answer: 'no\ufffd',
          },
        ],
      },
    })
  })

  test('404: a callback of another consumer looks unknown', async () => {
    const stranger = await service.aCaller()
    const unknown = randomUUID()
    const absent = (id: string) =>
      aProblem(404, {
        status: '404 NOT_FOUND',
        code: 'CallbackNotFound',
        detail: `There is no callback with the id ${id}`,
      })

    expect(await read(callbackId, stranger)).toMatchObject(absent(callbackId))
    expect(await read(unknown)).toMatchObject(absent(unknown))
  })
})
