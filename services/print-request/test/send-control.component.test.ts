import { addDays, londonDateOf, londonInstant } from '@despatch/domain/calendar/london'
import { insertProvider } from '@despatch/store/access/consumers'
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

const submit = (detail: Record<string, unknown>) =>
  consumer.call({ method: 'POST', path: 'jobs', body: aRequest(detail) })

type SendControl = Record<string, unknown>

const aPrintJob = (sendControl?: SendControl, caller = consumer) =>
  service.aPrintJob(caller, sendControl && { sendControl })
const aPendingJob = (sendControl?: SendControl) =>
  service.aPendingJob(consumer, sendControl && { sendControl })

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
    ['yesterday', -1, 'Min'],
    ['a day too far ahead', 367, 'Max'],
  ])('400: %s', async (_name, days, code) => {
    const sendControl = { notBefore: addDays(today, days) }

    expect(await submit({ sendControl })).toMatchObject(
      aProblem(400, { code, title: 'sendControl.notBefore' }),
    )
  })

  test('202: accepts today and the furthest day', async () => {
    for (const days of [0, 366]) {
      const { status } = await submit({ sendControl: { notBefore: addDays(today, days) } })
      expect(status).toBe(202)
    }
  })
})

describe('POST /print/jobs/{jobId}/hold and POST /print/jobs/{jobId}/release', () => {
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
})

test.each(['hold', 'release'] as const)(
  "404 code 5: a %s of another consumer's print job, or of an invalid id",
  async (action) => {
    const { id } = await aPrintJob({ hold: action === 'release' })
    const stranger = await service.aCaller()
    const before = await read(id)
    const call = (jobId: string) =>
      stranger.call({ method: 'POST', path: `jobs/${jobId}/${action}` })

    expect(await call(id)).toMatchObject(notFound)
    expect(await call('a%00b')).toMatchObject(notFound)
    expect(await read(id)).toEqual(before)
  },
)
