import { hash } from 'node:crypto'
import { aProblem } from '@despatch/testing/a-problem'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { type Answer, anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

const aDriver = (drivingLicenceNumber: string, lastName = 'Morgan') => ({
  driver: { drivingLicenceNumber, lastName, gender: 'Female', dateOfBirth: '1965-07-05' },
  licence: { type: 'Full', status: 'Valid' },
  entitlement: [
    { categoryCode: 'B', categoryType: 'Full', restrictions: [{ restrictionCode: '01' }] },
  ],
  endorsements: [],
  token: { issueNumber: '12' },
})
const aVehicle = (registrationNumber: string) => ({ registrationNumber, make: 'ROVER' })

const { asOperator: as } = administration
const begin = (kind: string, source: string, mode = 'replace') =>
  administration.asAdmin('POST', '/record-sets', {
    kind,
    mode,
    sourceSha256: hash('sha256', source),
  })

async function send(
  id: string,
  body: string | Buffer,
  fromRow = 0,
  contentType = 'application/x-ndjson',
): Promise<Answer> {
  const answer = await administration.service.api.inject({
    method: 'POST',
    url: `/administration/v1/record-sets/${id}/rows?fromRow=${fromRow}`,
    headers: { ...(await administration.headersOf('admin')), 'content-type': contentType },
    body,
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

const sendRows = (id: string, rows: readonly unknown[], fromRow = 0) =>
  send(id, rows.map((row) => JSON.stringify(row)).join('\n'), fromRow)

async function publish(id: string): Promise<Answer> {
  const answer = await administration.asAdmin('POST', `/record-sets/${id}/publish`)
  await eventually(async () => (await read(id)).state === 'CURRENT', {
    message: 'the record set is current',
  })
  return answer
}

const read = async (id: string) => (await administration.asAdmin('GET', `/record-sets/${id}`)).body
const abandon = (id: string) => administration.asAdmin('POST', `/record-sets/${id}/abandon`)

/** A new set that is loading. A set that blocks it is abandoned. */
async function aSet(kind = 'vehicle', mode = 'replace'): Promise<string> {
  const { status, body } = await begin(kind, `source ${Math.random()}`, mode)
  if (status === 201) return body.recordSetId
  const { body: listed } = await administration.asAdmin('GET', `/record-sets?kind=${kind}&limit=1`)
  await abandon(listed.recordSets[0].recordSetId)
  return aSet(kind, mode)
}

describe('POST /record-sets', () => {
  test('201, then 200 for the same source; 409 for another source, naming the unfinished set', async () => {
    const begun = await begin('vehicle', 'one')
    const resumed = await begin('vehicle', 'one')
    const other = await begin('vehicle', 'other')
    const otherMode = await begin('vehicle', 'one', 'update')
    const { recordSetId } = begun.body

    expect([begun.status, begun.body]).toEqual([
      201,
      {
        recordSetId: expect.stringMatching(/^\d+$/),
        kind: 'vehicle',
        mode: 'replace',
        state: 'LOADING',
        sourceSha256: hash('sha256', 'one'),
        rowsRead: 0,
        rowsRejected: 0,
        createdBy: `consumer:${administration.ids.admin}`,
        createdAt: expect.any(String),
      },
    ])
    expect([resumed.status, resumed.body]).toEqual([200, begun.body])
    expect(otherMode.status).toBe(409)
    const detail =
      `Record set ${recordSetId} of kind vehicle and mode replace is unfinished (LOADING, 0 rows read): ` +
      'finish it from its own source, or abandon it'
    expect(other).toMatchObject(aProblem(409, { code: 'RecordSetConflict', detail }))
  })
})

describe('POST /record-sets/{recordSetId}/rows', () => {
  test('200: accepts or rejects rows, each with reasons and without values', async () => {
    const id = await aSet('driver')
    const rows = [
      aDriver('morga657054sm9ij'),
      aDriver('MORGA657054SM9IJ', 'Again'),
      aDriver('SECRET-NUMBER'),
    ]

    const { status, body } = await sendRows(id, rows)

    const invalid =
      'driver.drivingLicenceNumber must be the 16 characters of a driving licence number of Great Britain'
    const rejected = [
      { row: 2, reasons: ['driver.drivingLicenceNumber repeats that of an earlier row'] },
      { row: 3, reasons: [invalid] },
    ]
    expect([status, body]).toEqual([200, { rowsRead: 3, accepted: 1, rejected }])
    expect((await sendRows(id, rows.slice(1), 1)).body).toMatchObject({ accepted: 0, rejected })
    expect(administration.lines.join('')).not.toMatch(/SECRET-NUMBER|MORGA657054SM9IJ|Morgan/i)
  })

  test('200: rejects lines that are not JSON or UTF-8 in their place, and skips empty lines', async () => {
    const id = await aSet()

    const { body } = await send(
      id,
      Buffer.concat([
        Buffer.from(`{"registrationNumber":"aa19aaa"}\r\n\n{"registrationNumber":\n"`),
        Buffer.from([0xff, 0x0a]),
        Buffer.from(
          `"${'x'.repeat(140_000)}"\n{"make":"A","make":"B","registrationNumber":"AA19AAB"}`,
        ),
      ]),
    )

    expect(body).toEqual({
      rowsRead: 5,
      accepted: 1,
      rejected: [
        { row: 2, reasons: ['row must be JSON'] },
        { row: 3, reasons: ['row must be UTF-8'] },
        { row: 4, reasons: ['row must be at most 131072 bytes'] },
        { row: 5, reasons: ['make must occur only once in its object'] },
      ],
    })
  })

  test('409: earlier rows are missing, or the set does not accept rows any more', async () => {
    const id = await aSet()

    const gap = await sendRows(id, [aVehicle('A1')], 5)
    await abandon(id)
    const late = await sendRows(id, [aVehicle('A1')])

    const continues = `Record set ${id} continues after row 0, not after row 5`
    expect(gap).toMatchObject(aProblem(409, { detail: continues }))
    expect(late).toMatchObject(aProblem(409, { detail: `Record set ${id} accepts no more rows` }))
  })

  test('413: the rows exceed 8 MiB; 415: the rows are JSON', async () => {
    const id = await aSet()
    const type = 'The Content-Type must be application/x-ndjson'

    expect(await send(id, Buffer.alloc(8 * 1024 * 1024 + 1, 0x20))).toMatchObject({ status: 413 })
    expect(await send(id, '{}', 0, 'application/json')).toMatchObject(
      aProblem(415, { detail: type }),
    )
  })
})

test('GET /record-sets: 200, newest first, each on one page', async () => {
  const older = await aSet('driver')
  const newer = await aSet('vehicle')

  const { body: first } = await as('GET', '/record-sets?limit=1')
  const { body: second } = await as('GET', `/record-sets?limit=1&cursor=${first.nextCursor}`)

  expect(first.recordSets).toMatchObject([{ recordSetId: newer }])
  expect(second.recordSets).toMatchObject([{ recordSetId: older }])
})

test('GET /record-sets/{recordSetId}/rejects: 200, page after page in the order of the source', async () => {
  const id = await aSet()
  await sendRows(id, [{}, aVehicle('A1'), {}, {}])

  const path = `/record-sets/${id}/rejects?limit=2`
  const { body: first } = await as('GET', path)
  const { body: second } = await as('GET', `${path}&cursor=${first.nextCursor}`)

  const rejected = (row: number) => ({ row, reasons: ['registrationNumber must not be null'] })
  expect(first).toEqual({ rejects: [rejected(1), rejected(3)], nextCursor: '3' })
  expect(second).toEqual({ rejects: [rejected(4)] })
})

describe('POST /record-sets/{recordSetId}/publish', () => {
  test('202, then the set becomes current; then 200; an operator sees who published the set', async () => {
    const id = await aSet()
    await sendRows(id, [aVehicle('A1'), {}, aVehicle('A3')])

    const asked = await publish(id)
    const again = await administration.asAdmin('POST', `/record-sets/${id}/publish`)

    expect([asked.status, asked.body]).toMatchObject([
      202,
      { recordSetId: id, state: 'PUBLISHING', publishing: 'under-way' },
    ])
    expect([again.status, again.body]).toEqual([200, await read(id)])
    const { body: listed } = await as('GET', '/record-sets?kind=vehicle')
    expect(listed.recordSets[0]).toEqual({
      ...again.body,
      state: 'CURRENT',
      recordCount: 2,
      rowsRead: 3,
      rowsRejected: 1,
      publishedAt: expect.any(String),
    })
    expect(await administration.audited(`about=${id}`)).toMatchObject([
      {
        action: 'record-set.published',
        actor: administration.actorOf('admin'),
        detail: { recordSetId: id, kind: 'vehicle', rowsRead: 3, rowsRejected: 1, recordCount: 2 },
      },
      { action: 'record-set.begun' },
    ])
  })

  test('a publication whose process died is shown as interrupted, and continues on another request', async () => {
    const id = await aSet()
    await sendRows(id, [aVehicle('A1')])
    await administration.db
      .updateTable('record_set')
      .set({ state: 'PUBLISHING' })
      .where('id', '=', Number(id))
      .execute()

    expect(await read(id)).toMatchObject({ state: 'PUBLISHING', publishing: 'broken-off' })
    expect((await publish(id)).status).toBe(202)
  })

  test('409: the set is abandoned', async () => {
    const id = await aSet()
    await abandon(id)

    const detail = `Record set ${id} is ABANDONED and cannot be published`
    expect(await administration.asAdmin('POST', `/record-sets/${id}/publish`)).toMatchObject(
      aProblem(409, { detail }),
    )
  })
})

describe('POST /record-sets/{recordSetId}/abandon', () => {
  test('200: abandons the set, audits it once even if repeated, and another set may begin', async () => {
    const id = await aSet()
    await sendRows(id, [aVehicle('A1')])

    const first = await abandon(id)
    const again = await abandon(id)

    expect([first.status, first.body]).toMatchObject([200, { state: 'ABANDONED', rowsRead: 1 }])
    expect(again.body).toEqual(first.body)
    expect(await administration.audited(`about=${id}`)).toMatchObject([
      { action: 'record-set.abandoned', detail: { rowsRead: 1 } },
      { action: 'record-set.begun' },
    ])
    expect((await begin('vehicle', 'another')).status).toBe(201)
  })

  test('409: the set is current', async () => {
    const id = await aSet()
    await sendRows(id, [aVehicle('A1')])
    await publish(id)

    expect((await abandon(id)).status).toBe(409)
  })
})

test('POST /record-sets/{recordSetId}/make-current: 200 for the previous set; 409 for one that is loading', async () => {
  const one = await aSet()
  await sendRows(one, [aVehicle('A1')])
  await publish(one)
  const next = await aSet('vehicle', 'update')
  await sendRows(next, [aVehicle('A2')])
  await publish(next)

  const back = await administration.asAdmin('POST', `/record-sets/${one}/make-current`)
  const again = await administration.asAdmin('POST', `/record-sets/${one}/make-current`)

  expect([back.status, back.body]).toMatchObject([200, { state: 'CURRENT', recordCount: 1 }])
  expect(again.body).toEqual(back.body)
  expect(await read(next)).toMatchObject({ state: 'RETIRED', recordCount: 2 })
  expect((await administration.audited(`about=${one}`))[0]).toMatchObject({
    action: 'record-set.made-current',
    detail: { recordSetId: one, recordCount: 1 },
  })
  const loading = await aSet()
  const answer = await administration.asAdmin('POST', `/record-sets/${loading}/make-current`)
  expect(answer.status).toBe(409)
})
