import type { PrintJobStatus, Transition } from '@despatch/domain/print-job/status'
import { aDatabase } from '@despatch/testing/a-database'
import { aMade } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { takeLetters } from '@despatch/testing/take-letters'
import { describe, expect, test } from 'vitest'
import { type Move, movePrintJobs } from '../src/print-job/print-jobs.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'

const { db, pool } = await shared(aDatabase({ connectionsMax: 8 }))
const consumer = await insertConsumer(db)

async function aLetter(detail: Parameters<typeof aSubmission>[1] = {}): Promise<string> {
  const submission = aSubmission(consumer, detail)
  await saveSubmissions(pool, [submission])
  return submission.key
}

/** Releases and accepts letters in one statement, as the pipeline does with letters that have no files to pin. */
const accept = (...moves: Move[]) =>
  db.transaction().execute((tx) =>
    movePrintJobs(
      tx,
      moves.map((move) => ({ ...move, made: aMade })),
      'accept',
      { actor: 'validate', releasedBy: 'quarantine' },
    ),
  )

const move = (transition: Transition, ...moves: Move[]) =>
  db.transaction().execute((tx) => movePrintJobs(tx, moves, transition, { actor: 'test' }))

const read = (key: string) =>
  db.selectFrom('print_job').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

const eventsOf = (key: string) =>
  db
    .selectFrom('print_job_event')
    .select(['sequence', 'transition', 'status', 'actor', 'reason', 'findings'])
    .where('print_job_key', '=', key)
    .orderBy('sequence')
    .execute()

const callbacksOf = (key: string) =>
  db
    .selectFrom('callback')
    .select(['id', 'sequence', 'status', 'body', 'state'])
    .where('print_job_key', '=', key)
    .orderBy('sequence')
    .execute()

const commentsOf = async (key: string) =>
  (await callbacksOf(key)).map(({ status, body }) => [
    status,
    JSON.parse(body.toString()).data.comment,
  ])

describe('a letter that is released and accepted in one statement', () => {
  test('is PENDING with its document, and its worker can write no more', async () => {
    const key = await aLetter()
    const [step] = await takeLetters(db, [key])

    expect(await accept(step!)).toEqual([key])

    expect(await read(key)).toMatchObject({
      status: 'PENDING',
      document_pages: 1,
      event_sequence: 3,
      step_epoch: step!.epoch + 1,
      step_starts: 0,
    })
    expect(await accept(step!)).toEqual([])
  })

  test('has both events in order, each with its actor', async () => {
    const key = await aLetter()

    await accept({ key, findings: [], comment: 'checked by hand' })

    const nothing = { reason: null, findings: null }
    expect(await eventsOf(key)).toEqual([
      { sequence: 1, transition: 'submit', status: 'QUARANTINE', actor: 'consumer', ...nothing },
      { sequence: 2, transition: 'release', status: 'VALIDATING', actor: 'quarantine', ...nothing },
      {
        sequence: 3,
        transition: 'accept',
        status: 'PENDING',
        actor: 'validate',
        reason: 'checked by hand',
        findings: null,
      },
    ])
  })

  const both = ['VALIDATING', 'PENDING'] as const
  test.each<{ callbackStatuses: PrintJobStatus[]; owed: readonly PrintJobStatus[] }>([
    { callbackStatuses: ['VALIDATING', 'PENDING'], owed: both },
    { callbackStatuses: ['PENDING', 'DESPATCHED', 'VALIDATING'], owed: both },
    { callbackStatuses: ['VALIDATING', 'REJECTED'], owed: ['VALIDATING'] },
    { callbackStatuses: ['PENDING'], owed: ['PENDING'] },
    { callbackStatuses: ['QUARANTINE', 'PRODUCTION', 'DESPATCHED', 'REJECTED'], owed: [] },
    { callbackStatuses: [], owed: [] },
  ])(
    'owes callbacks for $owed if the contract names $callbackStatuses',
    async ({ callbackStatuses, owed }) => {
      const key = await aLetter({ callbackParams: {}, callbackStatuses })

      await accept({ key })

      const callbacks = await callbacksOf(key)
      const { callback_sequence, id } = await read(key)
      expect(callback_sequence).toBe(owed.length)
      expect(callbacks).toMatchObject(
        owed.map((status, index) => ({ sequence: index + 1, status, state: 'DUE' })),
      )
      expect(callbacks.map(({ body }) => JSON.parse(body.toString()))).toMatchObject(
        callbacks.map((callback) => ({
          id: callback.id,
          data: { jobId: id, jobStatus: callback.status },
        })),
      )
      expect(new Set(callbacks.map((callback) => callback.id)).size).toBe(owed.length)
    },
  )

  test('has its comment only in the callback of PENDING, and keeps it', async () => {
    const callbackStatuses: PrintJobStatus[] = [...both, 'PRODUCTION', 'DESPATCHED']
    const key = await aLetter({ callbackParams: {}, callbackStatuses })
    const comment = 'P504: line1 is printed only in part.'

    await accept({ key, comment })
    await move('produce', { key })
    await move('despatch', { key })

    expect(await commentsOf(key)).toEqual([
      ['VALIDATING', undefined],
      ['PENDING', comment],
      ['PRODUCTION', undefined],
      ['DESPATCHED', undefined],
    ])
    expect(await read(key)).toMatchObject({ comment })
  })

  test('that is rejected later has the comment of the rejection in its callback', async () => {
    const callbackStatuses: PrintJobStatus[] = ['PENDING', 'REJECTED']
    const key = await aLetter({ callbackParams: {}, callbackStatuses })

    await accept({ key, comment: 'P504: line1 is printed only in part.' })
    await move('reject', { key, comment: 'Recalled.' })

    expect((await commentsOf(key)).at(-1)).toEqual(['REJECTED', 'Recalled.'])
    expect(await read(key)).toMatchObject({ comment: 'Recalled.' })
  })

  test('continues the sequence of its callbacks', async () => {
    const callbackStatuses: PrintJobStatus[] = ['VALIDATING', 'PENDING', 'PRODUCTION']
    const key = await aLetter({ callbackParams: {}, callbackStatuses })
    await pool.query('update print_job set callback_sequence = 4 where key = $1', [key])

    await accept({ key })
    await move('produce', { key })

    expect((await callbacksOf(key)).map(({ sequence, status }) => [sequence, status])).toEqual([
      [5, 'VALIDATING'],
      [6, 'PENDING'],
      [7, 'PRODUCTION'],
    ])
  })

  test('among several print jobs has the callbacks of its own contract', async () => {
    const statuses: PrintJobStatus[][] = [['VALIDATING'], ['PENDING'], ['VALIDATING', 'PENDING']]
    const keys: string[] = []
    for (const callbackStatuses of statuses) {
      keys.push(await aLetter({ callbackParams: {}, callbackStatuses }))
    }

    const moved = await accept(...keys.map((key) => ({ key })))

    expect(moved.toSorted()).toEqual(keys.toSorted())
    const owed = await Promise.all(keys.map(callbacksOf))
    expect(owed.map((callbacks) => callbacks.map(({ status }) => status))).toEqual(statuses)
  })
})

test.each(['VALIDATING', 'PENDING', 'PRODUCTION', 'REJECTED'] as const)(
  'a letter that is %s is not released and accepted, and gets no event and no callback',
  async (status) => {
    const callbackStatuses: PrintJobStatus[] = ['VALIDATING', 'PENDING']
    const key = await aLetter({ callbackParams: {}, callbackStatuses })
    await pool.query(
      `update print_job set status = $2, document_sha256 = decode($3, 'hex') where key = $1`,
      [key, status, aMade.documentSha256],
    )
    const before = await read(key)

    expect(await accept({ key })).toEqual([])

    expect(await read(key)).toEqual(before)
    expect(await eventsOf(key)).toHaveLength(1)
    expect(await callbacksOf(key)).toEqual([])
  },
)
