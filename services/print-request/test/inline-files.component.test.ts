import { hash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, type TestCaller, withoutFile } from './a-print-request.ts'

/** What happens to values that are sent as a file: to intake, to the dry run and in the timeline. */

const service = await shared(aPrintRequest())
const { pool } = service.database
const reporting = await service.aCaller()
const refusing = await service.aCaller()
await agree(refusing, "unreadable_files = 'refuse'")

const cases = new URL('inline-files/', import.meta.url)
const caseOf = async (name: string) =>
  JSON.parse(await readFile(new URL(name, cases), 'utf8')) as { customParams: { value: string }[] }
const submit = (body: unknown, by: TestCaller, headers = {}) =>
  by.call({ method: 'POST', path: 'jobs', body, headers })
const dryRun = (body: unknown, by: TestCaller) =>
  by.call({ method: 'POST', path: 'jobs/validate', body })

async function agree(by: TestCaller, change: string) {
  const sql = `update contract set ${change} where consumer_id = $1 and job_type = 'LETTER'`
  await pool.query(sql, [by.consumerId])
}

async function anInlinePdf(name: string) {
  const value = await readFile(new URL(name, cases), 'base64')
  return aRequest({ customParams: [{ key: 'letter', value }] })
}

async function fileOf(id: string) {
  const { rows } = await pool.query(
    `select file_id, media_type, custom_params from print_job_file join print_job on key = print_job_key where id = $1`,
    [id],
  )
  return rows[0]
}

const asFile = {
  file_id: 'letter',
  media_type: 'application/pdf',
  custom_params: [{ key: 'letter', value: 'See fileParams for file information' }],
}

const percentEncoded = async () => {
  const { customParams, ...others } = await caseOf('data-url.json')
  const [, base64 = ''] = customParams[0]!.value.split(',')
  const value = encodeURIComponent(base64)
  expect(value).toContain('%')
  return { ...others, customParams: [{ key: 'letter', value }] }
}

test.each<[string, () => Promise<object>]>([
  ['a data URL', () => caseOf('data-url.json')],
  ['base64 whose line breaks became blanks', () => caseOf('base64-spaces.json')],
  ['percent-encoded base64', percentEncoded],
])('%s is printed, whatever the contract says', async (_, body) => {
  for (const by of [reporting, refusing]) {
    const id = randomUUID()
    const request = { ...(await body()), id }

    expect(await dryRun(request, by)).toMatchObject({
      body: { verdict: 'accepted', pages: 2, findings: [{ number: 'P407' }] },
    })
    const answer = await submit(request, by)
    expect([answer.status, answer.body]).toEqual([202, { id }])
    expect(await fileOf(id)).toEqual(asFile)
  }
})

describe.each<[string, () => Promise<object>, string]>([
  [
    'a cut-off end',
    () => caseOf('truncated.json'),
    'looks like a PDF file in base64, but cannot be decoded: its end is missing',
  ],
  [
    'a Word file',
    () => caseOf('docx.json'),
    'is a ZIP archive (Word, Excel, OpenDocument) in base64, which cannot be printed (P103)',
  ],
  [
    'a PDF behind a byte order mark',
    () => anInlinePdf('byte-order-mark.pdf'),
    'is a PDF file with other bytes in front of %PDF- in base64, which cannot be printed (P103)',
  ],
  [
    'a PDF behind line breaks',
    () => anInlinePdf('line-breaks.pdf'),
    'is a PDF file with other bytes in front of %PDF- in base64, which cannot be printed (P103)',
  ],
])('%s', (_, body, says) => {
  const detail = expect.stringMatching(
    new RegExp(`^${literally(`customParams[0].value (key letter) ${says}. Send the whole`)}`),
  )

  test('is refused with its key, and so is its dry run', async () => {
    const refusal = {
      status: 400,
      body: {
        errors: [
          {
            status: '400 BAD_REQUEST',
            code: 'UnreadableFile',
            title: 'customParams[0].value',
            detail,
          },
        ],
      },
    }

    expect(await submit(await body(), refusing)).toMatchObject(refusal)
    expect(await dryRun(await body(), refusing)).toMatchObject(refusal)
  })

  test('is reported by a contract that still accepts it', async () => {
    const id = randomUUID()
    const request = { ...(await body()), id }
    const finding = { rule: 'unreadable-file', number: 'P002', severity: 'note', detail }

    expect(await dryRun(request, reporting)).toMatchObject({
      body: { verdict: 'accepted', pages: 1, findings: [finding, withoutFile] },
    })
    expect(await submit(request, reporting)).toMatchObject({
      status: 202,
      body: {
        id,
        warnings: [
          { code: 'UnreadableFile', title: 'customParams[0].value', detail },
          { code: 'LetterWithoutFile', title: 'body', detail: withoutFile.detail },
        ],
      },
    })
    const { body: timeline } = await reporting.call({ path: `jobs/${id}/events` })
    expect(timeline).toMatchObject({
      events: [{ transition: 'submit', findings: [finding, withoutFile] }],
    })
    expect(await fileOf(id)).toBeUndefined()
  })
})

test('an upload of a PDF after a byte order mark is refused with P103', async () => {
  const { body: upload } = await reporting.call({ path: 'files/upload-url' })
  const { uploadId, url } = upload as { uploadId: string; url: string }
  const body = await readFile(new URL('byte-order-mark.pdf', cases))
  await fetch(url, { method: 'PUT', body })

  const fileParams = [{ fileId: 'letter', uploadId }]
  expect(await dryRun(aRequest({ fileParams }), reporting)).toMatchObject({
    body: { verdict: 'rejected', findings: [{ number: 'P103' }] },
  })
})

test('a long value in base64 of an unknown kind is reported, and stays text', async () => {
  const value = Buffer.from(Array.from({ length: 300 }, (_, n) => (n * 89) % 251)).toString(
    'base64',
  )
  const id = randomUUID()

  const answer = await submit(aRequest({ id, customParams: [{ key: 'key', value }] }), refusing)

  expect(answer).toMatchObject({
    status: 202,
    body: { warnings: [{ code: 'LongBase64' }, { code: 'LetterWithoutFile' }] },
  })
  const { body } = await refusing.call({ path: `jobs/${id}` })
  expect(body).toMatchObject({ customParams: [{ key: 'key', value }] })
})

test('warnings are sorted by rule, with unknown members first', async () => {
  const body = { ...(await caseOf('docx.json')), callbackParam: {} }

  expect(await submit(body, reporting)).toMatchObject({
    status: 202,
    headers: { 'x-unknown-members': '1' },
    body: {
      warnings: [
        {
          code: 'UnknownMember',
          title: 'callbackParam',
          detail:
            'callbackParam is not known. Did you mean callbackParams? Unknown members are ignored.',
        },
        { code: 'UnreadableFile' },
        { code: 'LetterWithoutFile' },
      ],
    },
  })
})

test('a valid submission with a base64 PDF gets only an id, without warnings', async () => {
  const { customParams } = await caseOf('data-url.json')
  const [, value] = customParams[0]!.value.split(',')
  const id = randomUUID()

  const answer = await submit(
    {
      id,
      standardParams: {
        ...aRequest().standardParams,
        jobType: 'NOTIFY',
        templateReference: 'NOTIFY',
      },
      customParams: [
        { key: 'pdfContent', value },
        { key: 'organisationIdentifier', value: 'None' },
        { key: 'serviceIdentifier', value: randomUUID() },
      ],
    },
    reporting,
  )

  expect([answer.status, answer.body]).toEqual([202, { id }])
})

describe('a submission that was accepted as text', () => {
  test('can be repeated with its Idempotency-Key although its contract now refuses it', async () => {
    const by = await service.aCaller()
    const headers = { 'idempotency-key': randomUUID() }
    const body = await caseOf('truncated.json')
    const first = await submit(body, by, headers)
    await agree(by, "unreadable_files = 'refuse'")
    await eventually(async () => (await dryRun(body, by)).status === 400, {
      message: 'the changed contract takes effect',
    })

    const { id } = first.body as { id: string }
    expect(await submit(body, by, headers)).toMatchObject({ status: 202, body: { id } })
    expect((await submit(body, by)).status).toBe(400)
  })

  test('has the same fingerprint as in a release that read a data URL as text, so it is printed once', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = { ...aRequest(), customParams: (await caseOf('data-url.json')).customParams }
    const first = await submit(body, reporting, headers)

    const again = await submit(body, reporting, headers)

    expect([again.status, again.body]).toEqual([202, first.body])
    const sql = `select encode(request_fingerprint, 'hex') as stored from print_job where id = $1`
    const { rows } = await pool.query(sql, [(first.body as { id: string }).id])
    const asText = JSON.stringify([body.standardParams, body.customParams, null, []])
    expect(rows).toEqual([{ stored: hash('sha256', asText) }])
  })
})

test('no part of a value is logged', async () => {
  const body = { ...(await caseOf('docx.json')), id: randomUUID() }
  await submit(body, refusing)
  await submit(body, reporting)
  await submit(aRequest({ customParams: [{ key: 'letter', value: aPng.slice(0, 50) }] }), refusing)

  const logged = service.logged.join('')
  expect(logged).not.toContain('UEsDB')
  expect(logged).not.toContain(aPng.slice(0, 20))
})

function literally(text: string): string {
  return text.replaceAll(/[.()[\]]/g, '\\$&')
}

describe('a letter without a file', () => {
  test('is reported, and printed with only its address page', async () => {
    const id = randomUUID()

    expect(await dryRun(aRequest(), reporting)).toMatchObject({
      body: { verdict: 'accepted', pages: 1, findings: [withoutFile] },
    })
    const answer = await submit(aRequest({ id }), reporting)
    const warnings = [{ code: 'LetterWithoutFile', title: 'body', detail: withoutFile.detail }]
    expect([answer.status, answer.body]).toEqual([202, { id, warnings }])
    const { body } = await reporting.call({ path: `jobs/${id}/events` })
    expect(body).toMatchObject({ events: [{ transition: 'submit', findings: [withoutFile] }] })
  })

  test('is refused if its contract requires a file, also in a dry run', async () => {
    const by = await service.aCaller()
    await agree(by, "letters_without_file = 'refuse'")
    const refusal = {
      status: 400,
      body: { errors: [{ code: 'LetterWithoutFile', title: 'body', detail: withoutFile.detail }] },
    }

    expect(await submit(aRequest(), by)).toMatchObject(refusal)
    expect(await dryRun(aRequest(), by)).toMatchObject(refusal)
    const customParams = [{ key: 'letter', value: aPng }]
    expect((await submit(aRequest({ customParams }), by)).status).toBe(202)
  })

  test('is not reported if the provider makes the letter from a template', async () => {
    const by = await service.aCaller()
    await agree(by, 'template_data = true')
    const id = randomUUID()

    expect((await submit(aRequest({ id }), by)).body).toEqual({ id })
  })
})
