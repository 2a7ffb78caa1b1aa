import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, type TestCaller, withoutFile } from './a-print-request.ts'

/** What happens to values that are sent as a file: to intake, to the dry run and in the timeline. */

const service = await shared(aPrintRequest())
const { pool } = service.database
const reporting = await service.aCaller()
const refusing = await service.aCaller()
await agree(refusing, "unreadable_files = 'refuse', letters_without_file = 'refuse'")

const caseOf = async (name: string) =>
  JSON.parse(await readFile(new URL(`inline-files/${name}`, import.meta.url), 'utf8'))
const submit = (body: unknown, by: TestCaller) => by.call({ method: 'POST', path: 'jobs', body })
const dryRun = (body: unknown, by: TestCaller) =>
  by.call({ method: 'POST', path: 'jobs/validate', body })

async function agree(by: TestCaller, change: string) {
  const sql = `update contract set ${change} where consumer_id = $1 and job_type = 'LETTER'`
  await pool.query(sql, [by.consumerId])
}

async function filesOf(id: string) {
  const { rows } = await pool.query(
    `select file_id, media_type, custom_params from print_job_file join print_job on key = print_job_key where id = $1`,
    [id],
  )
  return rows
}

test('a data URL is printed, whatever the contract says', async () => {
  for (const by of [reporting, refusing]) {
    const id = randomUUID()
    const request = { ...(await caseOf('data-url.json')), id }

    expect(await dryRun(request, by)).toMatchObject({
      body: { verdict: 'accepted', pages: 2, findings: [{ number: 'P407' }] },
    })
    const answer = await submit(request, by)
    expect([answer.status, answer.body]).toEqual([202, { id }])
    const custom_params = [{ key: 'letter', value: 'See fileParams for file information' }]
    const file = { file_id: 'letter', media_type: 'application/pdf', custom_params }
    expect(await filesOf(id)).toEqual([file])
  }
})

const detail = expect.stringMatching(
  /^customParams\[0\]\.value \(key letter\) is a ZIP archive \(Word, Excel, OpenDocument\) in base64, which cannot be printed \(P103\)\. Send the whole/,
)

test('a Word file is refused with its key, and so is its dry run', async () => {
  const title = 'customParams[0].value'
  const error = { status: '400 BAD_REQUEST', code: 'UnreadableFile', title, detail }
  const refusal = { status: 400, body: { errors: [error] } }

  expect(await submit(await caseOf('docx.json'), refusing)).toMatchObject(refusal)
  expect(await dryRun(await caseOf('docx.json'), refusing)).toMatchObject(refusal)
  expect(service.logged.join('')).not.toContain('UEsDB')
})

test('a Word file is reported by a contract that still accepts it, sorted by rule, with unknown members first', async () => {
  const id = randomUUID()
  const request = { ...(await caseOf('docx.json')), callbackParam: {}, id }
  const finding = { rule: 'unreadable-file', number: 'P002', severity: 'note', detail }
  const findings = [{ rule: 'unknown-member' }, finding, withoutFile]

  expect(await dryRun(request, reporting)).toMatchObject({
    body: { verdict: 'accepted', pages: 1, findings },
  })
  expect(await submit(request, reporting)).toMatchObject({
    status: 202,
    headers: { 'x-unknown-members': '1' },
    body: {
      id,
      warnings: [
        { code: 'UnknownMember', title: 'callbackParam' },
        { code: 'UnreadableFile', title: 'customParams[0].value', detail },
        { code: 'LetterWithoutFile', title: 'body', detail: withoutFile.detail },
      ],
    },
  })
  const { body: timeline } = await reporting.call({ path: `jobs/${id}/events` })
  expect(timeline).toMatchObject({ events: [{ transition: 'submit', findings }] })
  expect(await filesOf(id)).toEqual([])
  expect(service.logged.join('')).not.toContain('UEsDB')
})

test('a letter without a file is refused if its contract requires a file, also in a dry run', async () => {
  const refusal = {
    status: 400,
    body: { errors: [{ code: 'LetterWithoutFile', title: 'body', detail: withoutFile.detail }] },
  }

  expect(await submit(aRequest(), refusing)).toMatchObject(refusal)
  expect(await dryRun(aRequest(), refusing)).toMatchObject(refusal)
  const customParams = [{ key: 'letter', value: aPng }]
  expect((await submit(aRequest({ customParams }), refusing)).status).toBe(202)
})

test('a letter without a file is not reported if the provider makes it from a template', async () => {
  const by = await service.aCaller()
  await agree(by, 'template_data = true')
  const id = randomUUID()

  expect((await submit(aRequest({ id }), by)).body).toEqual({ id })
})
