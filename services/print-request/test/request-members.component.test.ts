import { randomUUID } from 'node:crypto'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, type TestCaller, withoutFile } from './a-print-request.ts'

/** What happens to members of a request that are unknown, null or repeated. */

const service = await shared(aPrintRequest())
const { pool } = service.database
const consumer = await service.aCaller()
const refusing = await service.aCaller()
await pool.query("update contract set unknown_members = 'refuse' where consumer_id = $1", [
  refusing.consumerId,
])

const submit = (body: unknown, { by = consumer, headers = {} } = {}) =>
  by.call({ method: 'POST', path: 'jobs', body, headers })
const dryRun = (body: unknown, { by = consumer } = {}) =>
  by.call({ method: 'POST', path: 'jobs/validate', body })

const { standardParams } = aRequest()
const misspelt = { standardParams: { ...standardParams, despatchmethod: 'FIRST' }, colour: true }
const notes = [
  {
    rule: 'unknown-member',
    number: 'P001',
    severity: 'note',
    detail:
      'standardParams.despatchmethod is not known. Did you mean despatchMethod? Unknown members are ignored.',
  },
  {
    rule: 'unknown-member',
    number: 'P001',
    severity: 'note',
    detail: 'colour is not known. Unknown members are ignored.',
  },
]

async function storedFor(id: string) {
  const sql = 'select standard_params, unknown_members from print_job where id = $1'
  const { rows } = await pool.query(sql, [id])
  return rows[0]
}

describe('unknown members', () => {
  test('are counted in a header, and listed by a dry run and with the submission in the timeline', async () => {
    const id = randomUUID()

    const answer = await submit({ id, ...misspelt })

    expect(answer).toMatchObject({
      status: 202,
      headers: { 'x-unknown-members': '2' },
      body: {
        warnings: [
          {
            code: 'UnknownMember',
            title: 'standardParams.despatchmethod',
            detail: notes[0]!.detail,
          },
          { code: 'UnknownMember', title: 'colour', detail: notes[1]!.detail },
          { code: 'LetterWithoutFile', title: 'body', detail: withoutFile.detail },
        ],
      },
    })
    const findings = [...notes, withoutFile]
    const { body } = await consumer.call({ path: `jobs/${id}/events` })
    expect(body).toMatchObject({ events: [{ transition: 'submit', findings }] })
    expect(await dryRun(misspelt)).toMatchObject({
      headers: { 'x-unknown-members': '2' },
      body: { verdict: 'accepted', findings },
    })
    expect(await storedFor(id)).toEqual({
      standard_params: standardParams,
      unknown_members: ['standardParams.despatchmethod', 'colour'],
    })
  })

  test.each([
    [400, { fileParams: [] }],
    [404, { fileParams: [{ fileId: 'scan', uploadId: randomUUID() }] }],
    [409, { id: 'taken' }],
  ])('are counted in an answer of %i', async (status, detail) => {
    await submit(aRequest({ id: 'taken' }))

    expect(await submit({ ...misspelt, ...detail })).toMatchObject({
      status,
      headers: { 'x-unknown-members': '2' },
    })
  })

  test('leave no header, warning, note or stored data if there are none', async () => {
    const id = randomUUID()
    const customParams = [{ key: 'letter', value: aPng }]

    const answer = await submit(aRequest({ id, customParams }))

    expect(answer.headers).not.toHaveProperty('x-unknown-members')
    expect(answer.body).toEqual({ id })
    const { body } = await consumer.call({ path: `jobs/${id}/events` })
    expect((body as { events: unknown[] }).events[0]).not.toHaveProperty('findings')
    expect(await storedFor(id)).toMatchObject({ unknown_members: null })
  })

  test('are stored for letters with files, and for letters that are saved together', async () => {
    const { body } = await consumer.call({ path: 'files/upload-url' })
    const { uploadId, url } = body as { uploadId: string; url: string }
    await fetch(url, { method: 'PUT', body: 'bytes' })
    const details = [
      { customParams: [{ key: 'picture', value: aPng, kind: 'png' }] },
      { fileParams: [{ fileId: 'scan', uploadId, pages: 1 }] },
      { first: 1 },
      { second: 1 },
      {},
    ]
    const ids = details.map(() => randomUUID())

    await Promise.all(
      details.map((detail, index) => submit(aRequest({ id: ids[index], ...detail }))),
    )

    const stored = await Promise.all(ids.map(storedFor))
    expect(stored.map((row) => row?.unknown_members)).toEqual([
      ['customParams[0].kind'],
      ['fileParams[0].pages'],
      ['first'],
      ['second'],
      null,
    ])
  })

  test('can be refused by a contract, also in its dry run', async () => {
    const refusal = {
      status: 400,
      headers: { 'x-unknown-members': '2' },
      body: {
        errors: [
          {
            status: '400 BAD_REQUEST',
            code: 'UnknownMember',
            title: 'standardParams.despatchmethod',
            detail: 'standardParams.despatchmethod is not known. Did you mean despatchMethod?',
          },
          {
            status: '400 BAD_REQUEST',
            code: 'UnknownMember',
            title: 'colour',
            detail: 'colour is not known.',
          },
        ],
      },
    }

    expect(await submit(misspelt, { by: refusing })).toMatchObject(refusal)
    expect(await dryRun(misspelt, { by: refusing })).toMatchObject(refusal)
    expect(await submit(aRequest(), { by: refusing })).toMatchObject({ status: 202 })
  })

  /** Changes the contract of a consumer so that it refuses unknown members. */
  async function change(by: TestCaller, to: string) {
    const sql = `update contract set ${to} where consumer_id = $1 and job_type = 'LETTER'`
    await pool.query(sql, [by.consumerId])
    await eventually(async () => (await dryRun(misspelt, { by })).status === 400, {
      message: 'the changed contract takes effect',
    })
  }
  const other = { ...misspelt, customParams: [{ key: 'a', value: 'b' }] }

  test.each([
    ['has come to refuse them', "unknown_members = 'refuse'"],
    ['has ended', "template_reference = 'ANOTHER'"],
  ])('do not refuse a repeated submission although its contract %s', async (_name, to) => {
    const by = await service.aCaller()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await submit(misspelt, { by, headers })
    await change(by, to)

    const { id } = first.body as { id: string }
    expect(await submit(misspelt, { by, headers })).toMatchObject({ status: 202, body: { id } })
    expect((await submit(other, { by, headers })).status).toBe(400)
    expect((await submit(misspelt, { by })).status).toBe(400)
  })

  test('do not change the conflict of a repeated id although its contract now refuses them', async () => {
    const by = await service.aCaller()
    const id = randomUUID()
    await submit({ id, ...misspelt }, { by })
    await change(by, "unknown_members = 'refuse'")

    expect(await submit({ id, ...misspelt }, { by })).toMatchObject({
      status: 409,
      body: { errors: [{ code: '11', detail: expect.stringContaining('the same') }] },
    })
    expect(await submit({ id, ...other }, { by })).toMatchObject({
      status: 400,
      body: { errors: { 0: { code: 'UnknownMember' } } },
    })
    expect((await submit({ id: randomUUID(), ...misspelt }, { by })).status).toBe(400)
  })

  test('are not logged when a contract refuses them', async () => {
    await submit(aRequest({ msPersonOfHighStreet: 1 }), { by: refusing })

    expect(service.logged.join('')).not.toContain('msPersonOfHighStreet')
  })
})

describe('null', () => {
  const nulls = {
    customParams: null,
    fileParams: null,
    callbackParams: null,
    sendControl: { notBefore: null, hold: null },
    standardParams: {
      ...standardParams,
      businessIdentifier: null,
      handlingInstruction: null,
      despatchMethod: null,
      address: {
        structuredAddress: null,
        bfpoAddress: null,
        internationalAddress: null,
        unstructuredAddress: {
          ...standardParams.address.unstructuredAddress,
          line2: null,
          dps: null,
        },
      },
    },
  }

  test('and an absent member have the same content for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const { sendControl: _, ...others } = nulls
    const first = await submit(aRequest(), { headers })

    expect(await submit(others, { headers })).toMatchObject({ status: 202, body: first.body })
    expect(await submit({ ...others, sendControl: null }, { headers })).toMatchObject({
      status: 202,
      body: first.body,
    })
  })
})
