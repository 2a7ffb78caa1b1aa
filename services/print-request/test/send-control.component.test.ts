import { randomUUID } from 'node:crypto'
import { addDays, londonDateOf, londonInstant } from '@despatch/domain/calendar/london'
import { insertProvider } from '@despatch/store/access/consumers'
import { holdPrintJob } from '@despatch/store/print-job/hold'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { aProblem } from '@despatch/testing/a-problem'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { makePending } from '@despatch/testing/make-pending'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPrintRequest, aRequest } from './a-print-request.ts'

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
await insertProvider(service.database.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const today = londonDateOf(new Date())
const inAWeek = addDays(today, 7)

const submit = (detail: Record<string, unknown>, headers: Record<string, string> = {}) =>
  consumer.call({ method: 'POST', path: 'jobs', body: aRequest(detail), headers })

type SendControl = Record<string, unknown>

const aPrintJob = (sendControl?: SendControl, caller = consumer) =>
  service.aPrintJob(caller, sendControl && { sendControl })
const aPendingJob = (sendControl?: SendControl) =>
  service.aPendingJob(consumer, sendControl && { sendControl })

const move = (key: string, transition: 'release' | 'produce') =>
  service.database.db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [{ key }], transition, { actor: 'test' }))

async function isGathered(key: string): Promise<boolean> {
  const limits = { runAgeMs: 3_600_000, documentsMax: 100, jobsMax: 100 }
  const { db, pool } = service.database
  await gatherAndRelease(db, limits)
  const { rows } = await pool.query(
    'select from print_run_document where print_job_key = $1 and removed_at is null',
    [key],
  )
  return rows.length === 1
}

type Read = { heldSince?: string; notBefore?: string; status: string }

async function read(id: string): Promise<Read> {
  return (await consumer.call({ path: `jobs/${id}?view=extended` })).body
}

const post = (id: string, action: 'hold' | 'release', body?: unknown) =>
  consumer.call({
    method: 'POST',
    path: `jobs/${id}/${action}`,
    ...(body !== undefined && { body }),
  })

async function lastEvent(id: string) {
  const { body } = await consumer.call({ path: `jobs/${id}/events` })
  const { transition, actor, reason } = (body as { events: Record<string, string>[] }).events.at(
    -1,
  )!
  return { transition, actor, reason }
}

const refused = (detail: string) =>
  aProblem(409, { status: '409 CONFLICT', code: 'NotPossible', title: 'Not possible now', detail })
const notFound = aProblem(404, { status: '404 NOT_FOUND', code: '5' })
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

describe('POST /print/jobs with sendControl', () => {
  test('202: notBefore holds the letter until that day begins in London', async () => {
    const { id, key } = await aPendingJob({ notBefore: inAWeek })

    expect(await isGathered(key)).toBe(false)
    expect(await read(id)).toMatchObject({ status: 'PENDING', notBefore: inAWeek })
    const { rows } = await service.database.pool.query(
      'select not_before, route_after, held_at from print_job where key = $1',
      [key],
    )
    const at = londonInstant(inAWeek, '00:00')
    expect(rows).toEqual([{ not_before: at, route_after: at, held_at: null }])
  })

  test('202: notBefore today does not hold the letter', async () => {
    const { key } = await aPendingJob({ notBefore: today })

    expect(await isGathered(key)).toBe(true)
  })

  test('202: a held print job is still checked, and the hold is in the timeline', async () => {
    const { id, key } = await aPrintJob({ hold: true })

    expect(await lastEvent(id)).toEqual({
      transition: 'submit',
      actor: 'consumer',
      reason: 'held until it is released',
    })
    await makePending(service.database.db, { key })
    expect(await isGathered(key)).toBe(false)
    expect(await read(id)).toMatchObject({ status: 'PENDING', heldSince: time })
    const plain = (await consumer.call({ path: `jobs/${id}` })).body as object
    expect(Object.keys(plain)).not.toContain('heldSince')
  })

  test('202: a contract can hold all letters for approval', async () => {
    const approving = await service.aCaller()
    await service.database.pool.query(
      'update contract set hold_for_approval = true where consumer_id = $1',
      [approving.consumerId],
    )
    const { id, key } = await aPrintJob({ hold: false }, approving)

    const { rows } = await service.database.pool.query(
      'select held_by from print_job where key = $1',
      [key],
    )
    expect(rows).toEqual([{ held_by: 'contract' }])
    const released = await approving.call({ method: 'POST', path: `jobs/${id}/release` })
    expect(released.status).toBe(200)
    expect(Object.keys(released.body)).not.toContain('heldSince')
  })

  test.each([
    ['yesterday', addDays(today, -1), 'Min'],
    ['a day too far ahead', addDays(today, 367), 'Max'],
  ])('400: %s', async (_name, notBefore, code) => {
    expect(await submit({ sendControl: { notBefore } })).toMatchObject(
      aProblem(400, { code, title: 'sendControl.notBefore' }),
    )
  })

  test('202: accepts the furthest day', async () => {
    expect(await submit({ sendControl: { notBefore: addDays(today, 366) } })).toMatchObject({
      status: 202,
    })
  })

  test('409: the Idempotency-Key belongs to a print job with another send control', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const held = await submit({ sendControl: { hold: true } }, headers)

    expect(await submit({ sendControl: { hold: true } }, headers)).toMatchObject({
      status: 202,
      body: held.body,
    })
    expect(await submit({}, headers)).toMatchObject({ status: 409 })
  })

  test('POST /print/jobs/validate checks send control as a submission does', async () => {
    const body = aRequest({ sendControl: { notBefore: addDays(today, -1) } })

    expect(await consumer.call({ method: 'POST', path: 'jobs/validate', body })).toMatchObject(
      aProblem(400, { code: 'Min', title: 'sendControl.notBefore' }),
    )
  })
})

describe('POST /print/jobs/{jobId}/hold', () => {
  test('200: removes the letter from its print run until the release, with the reason in the timeline', async () => {
    const { id, key } = await aPendingJob()
    expect(await isGathered(key)).toBe(true)

    const held = await post(id, 'hold', { reason: 'a wrong enclosure' })

    expect(held).toMatchObject({ status: 200, body: { id, status: 'PENDING', heldSince: time } })
    expect(Object.keys(held.body)).not.toContain('batchNumber')
    expect(await lastEvent(id)).toEqual({
      transition: 'hold',
      actor: 'consumer',
      reason: 'a wrong enclosure',
    })
    expect(await isGathered(key)).toBe(false)
    expect(await post(id, 'hold')).toMatchObject(refused('It is already held.'))

    expect(await post(id, 'release')).toMatchObject({ status: 200, body: { id } })
    expect(await lastEvent(id)).toMatchObject({ transition: 'release-hold', actor: 'consumer' })
    expect(await isGathered(key)).toBe(true)
    expect(await post(id, 'release')).toMatchObject(refused('It is not held.'))
  })

  test('200: holds a print job that is being checked, without a body', async () => {
    const { id, key } = await aPrintJob()

    expect(await post(id, 'hold')).toMatchObject({ status: 200, body: { status: 'QUARANTINE' } })
    expect(await move(key, 'release')).toEqual([key])
    expect(await read(id)).toMatchObject({ status: 'VALIDATING', heldSince: time })
  })

  test('409: a provider has claimed the print job', async () => {
    const { id, key } = await aPendingJob()
    await move(key, 'produce')

    expect(await post(id, 'hold')).toMatchObject(refused('A provider has claimed it.'))
    expect(await read(id)).toMatchObject({ status: 'PRODUCTION' })
  })

  test('200: a held print job can be deleted', async () => {
    const { id, key } = await aPendingJob({ hold: true })

    expect((await consumer.call({ method: 'DELETE', path: `jobs/${id}` })).status).toBe(204)
    expect(await post(id, 'release')).toMatchObject(notFound)
    expect(await isGathered(key)).toBe(false)
  })
})

describe('POST /print/jobs/{jobId}/release', () => {
  test('409: an operator holds the print job', async () => {
    const { id, key } = await aPendingJob()
    const by = { actor: 'consumer:operator' }
    await service.database.db.transaction().execute((tx) => holdPrintJob(tx, { key }, by))

    expect(await post(id, 'release')).toMatchObject(refused('An operator holds it.'))
    expect(await isGathered(key)).toBe(false)
  })

  test.each(['hold', 'release'] as const)(
    "404 code 5: a %s of another consumer's print job, or of an invalid id",
    async (action) => {
      const { id, key } = await aPrintJob({ hold: action === 'release' })
      const stranger = await service.aCaller()
      const call = (jobId: string) =>
        stranger.call({ method: 'POST', path: `jobs/${jobId}/${action}` })

      expect(await call(id)).toMatchObject(notFound)
      expect(await call('a%00b')).toMatchObject(notFound)
      const { rows } = await service.database.pool.query(
        'select held_at is not null as held from print_job where key = $1',
        [key],
      )
      expect(rows).toEqual([{ held: action === 'release' }])
    },
  )
})
