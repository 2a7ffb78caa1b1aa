import { hash } from 'node:crypto'
import type { Finding } from '@despatch/domain/preflight/finding'
import { documentKey, fileKey } from '@despatch/object-store/keys'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { eventually } from '@despatch/testing/eventually'
import { readZip } from '@despatch/testing/read-zip'
import { replaceObject } from '@despatch/testing/replace-object'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anAdministration, oneError, type User } from './an-administration.ts'
import { someLetters } from './some-letters.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const administration = await shared(anAdministration())
const letters = await someLetters(administration)
const runs = await shared(somePrintRuns(administration.url))

async function ask(key: string, user: User = 'operator', { service, headersOf } = administration) {
  return service.api.inject({
    method: 'GET',
    url: `/administration/v1/print-jobs/${key}/evidence.zip`,
    headers: await headersOf(user),
  })
}

/** Returns the entries of the evidence in order. Each must match its checksum. */
async function exported(key: string): Promise<Map<string, Buffer>> {
  const { statusCode, rawPayload, headers } = await ask(key)
  expect(statusCode).toBe(200)
  expect(Number(headers['content-length'])).toBe(rawPayload.length)
  const entries = new Map(readZip(rawPayload).map(({ name, content }) => [name, content]))
  const sums = [...entries].flatMap(([name, content]) =>
    name === 'SHA256SUMS.txt' ? [] : `${hash('sha256', content)}  ${name}`,
  )
  expect(textOf(entries, 'SHA256SUMS.txt')).toBe(`${sums.join('\n')}\n`)
  return entries
}

const textOf = (entries: Map<string, Buffer>, name: string) => entries.get(name)!.toString()
const jsonOf = (entries: Map<string, Buffer>, name: string) => JSON.parse(textOf(entries, name))

const exportsOf = (key: string) =>
  administration.audited(`action=print-job.evidence-exported&about=${key}`)

/** Inserts a row, and returns its id. */
async function insert(into: string, values: readonly unknown[]): Promise<string> {
  const places = values.map((_, index) => `$${index + 1}`).join(', ')
  const { rows } = await administration.pool.query(
    `insert into ${into} values (gen_random_uuid(), ${places}) returning id`,
    [...values],
  )
  return rows[0].id
}

const purge = (key: string) => purgeRows(administration.db, [key], { now })
const beginPurge = (key: string) =>
  administration.pool.query('update print_job set purge_began_at = now() where key = $1', [key])
const isPersonal = /photo|High Street|\bPerson\b/

const always = [
  ...['README.txt', 'print-job.json', 'timeline.csv', 'timeline.json'],
  ...['findings.csv', 'callbacks.json', 'printing.json'],
]
const damaged: Finding = {
  rule: 'image-damaged',
  severity: 'refusal',
  fileId: 'photo',
  detail: 'File photo: The image is damaged or of a kind that cannot be read.',
}

describe('200: GET /print-jobs/{printJobKey}/evidence.zip', () => {
  test('exports a letter whose document is not in the object store yet', async () => {
    const { key, document } = await letters.aLetter([], { isUnstored: true })

    const entries = await exported(key)

    expect(entries.get('document.pdf')).toEqual(document.pdf)
    // its print run could not be released
    await administration.pool.query('delete from unstored_document')
  })

  test('exports an accepted letter with its data, document and files, and their checksums', async () => {
    const { key, id, document, files } = await letters.aLetter(['photo', 'plan.png'])

    const answer = await ask(key)
    const entries = await exported(key)

    expect(answer.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="evidence-${key}.zip"`,
      'cache-control': 'private, no-store',
    })
    expect([...entries.keys()]).toEqual([
      ...[...always, 'document.pdf', 'files.csv'],
      ...['files/01-photo.png', 'files/02-plan.png', 'SHA256SUMS.txt'],
    ])
    expect(entries.get('document.pdf')).toEqual(document.pdf)
    expect(entries.get('files/01-photo.png')).toEqual(files[0]!.bytes)
    expect(entries.get('files/02-plan.png')).toEqual(files[1]!.bytes)
    expect(jsonOf(entries, 'print-job.json')).toEqual(
      (await administration.as('operator', 'GET', `/print-jobs/${key}`)).body,
    )
    expect(textOf(entries, 'files.csv').split('\r\n')).toEqual([
      'entry,fileId,source,mediaType,bytes,sha256,verdict,whyNot',
      `files/01-photo.png,photo,custom-param,image/png,${files[0]!.bytes.length},${files[0]!.sha256},accepted: nothing was found in it,`,
      `files/02-plan.png,plan.png,custom-param,image/png,${files[1]!.bytes.length},${files[1]!.sha256},accepted: nothing was found in it,`,
      '',
    ])
    const readme = textOf(entries, 'README.txt')
    expect(readme).toContain(`Print job    ${id}\nKey          ${key}\n`)
    expect(readme).toMatch(/Exported {5}\d{4}-\d{2}-\d{2}T[\d:.]+Z by operator\n/)
    expect(readme).not.toContain('Missing files')
    for (const name of entries.keys()) expect(readme).toContain(name)
  })

  test('exports the timeline with actors and reasons, and the callbacks with each attempt and no message', async () => {
    const { key } = await letters.aLetter()
    await administration.as('operator', 'POST', `/print-jobs/${key}/hold`, {
      reason: '=cmd("a"), asked for',
    })
    const message = '{"secret":"of a message"}'
    const callbackId = await insert(
      'callback (id, consumer_id, origin, sequence, status, body, due_at, print_job_key)',
      [letters.consumer.consumerId, 'https://example.com', 1, 'PENDING', message, now, key],
    )
    await administration.pool.query(
      `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status)
       values ($1, 1, now(), now(), 12, 'server-error', 503)`,
      [callbackId],
    )

    const entries = await exported(key)

    const [header, ...lines] = textOf(entries, 'timeline.csv').trimEnd().split('\r\n')
    expect(header).toBe('sequence,at,transition,status,actor,actorUserName,reason,findings')
    expect(lines.map((line) => line.split(',')[2])).toEqual(['submit', 'release', 'accept', 'hold'])
    expect(lines.at(-1)).toContain(`,operator,"'=cmd(""a""), asked for"`)
    expect(jsonOf(entries, 'timeline.json')).toHaveLength(4)
    expect(jsonOf(entries, 'callbacks.json')).toMatchObject([
      { callbackId, log: [{ httpStatus: 503 }] },
    ])
    expect(textOf(entries, 'callbacks.json')).not.toContain('of a message')
  })

  test('exports the print runs, postings, reports, reprints and returns', async () => {
    const { keys, batchNumber, documentIds } = await runs.anAcknowledgedRun()
    const [key] = keys as [string]
    const postingId = await insert(
      'posting (id, provider_id, posting_key, request_hash, carrier, handover_at, despatch_properties, document_count, sheet_count)',
      ['north', batchNumber, '', 'Royal Mail', now, '[]', 1, 1],
    )
    await insert('posting_evidence (id, posting_id, file_name, media_type)', [
      ...[postingId, 'docket.pdf', 'application/pdf'],
    ])
    await administration.pool.query(
      'update print_run_document set posting_id = $1 where batch_number = $2',
      [postingId, batchNumber],
    )
    await reportAndAskForReprint(batchNumber, documentIds[0]!, 'e1')

    const printing = jsonOf(await exported(key), 'printing.json')

    const at = expect.stringMatching(/Z$/)
    const run = { batchNumber, providerId: 'north', documentId: documentIds[0], postingId }
    const docket = { fileName: 'docket.pdf', mediaType: 'application/pdf', createdAt: at }
    const reprint = { attempt: 2, state: 'WAITING', reasonCode: 'DAMAGED', requestedBy: 'provider' }
    expect(printing).toEqual({
      printRuns: [expect.objectContaining({ ...run, claimedAt: at })],
      postings: [expect.objectContaining({ postingId, carrier: 'Royal Mail', documentCount: 1 })],
      postingEvidence: [{ postingId, evidenceId: expect.any(String), ...docket }],
      itemEvents: [
        expect.objectContaining({ eventId: 'e1', type: 'PRINTED', reasonCode: 'OK', attempt: 1 }),
      ],
      reprints: [expect.objectContaining(reprint)],
      recalls: [],
      returnedLetters: [],
    })
  })

  test('exports a rejected letter with its file, verdict and findings, and why it has no document', async () => {
    const { key, files } = await letters.aRejected([damaged], ['photo'])

    const entries = await exported(key)

    expect([...entries.keys()]).toEqual([
      ...[...always, 'files.csv', 'files/01-photo.png', 'SHA256SUMS.txt'],
    ])
    expect(entries.get('files/01-photo.png')).toEqual(files[0]!.bytes)
    expect(textOf(entries, 'files.csv')).toContain(`refused: ${damaged.detail}`)
    expect(textOf(entries, 'findings.csv')).toMatch(/,reject,P301,image-damaged,refusal,photo,,/)
    expect(textOf(entries, 'README.txt')).toContain(
      'No document.pdf: The letter was rejected before its document was made.',
    )
  })

  test('a file that is infected or is still being checked is listed and not included', async () => {
    const detail = 'File photo is infected'
    const infected: Finding = { ...damaged, rule: 'file-infected', detail }
    const refused = await exported((await letters.aRejected([infected], ['photo'])).key)
    const checked = await exported((await letters.aSubmitted(['photo'])).key)

    const listed = [...always, 'files.csv', 'SHA256SUMS.txt']
    expect([[...refused.keys()], [...checked.keys()]]).toEqual([listed, listed])
    const why = 'Not file 1 of files.csv: The virus scanner found something in it.'
    expect(textOf(refused, 'README.txt')).toContain(why)
    expect(textOf(checked, 'README.txt')).toContain('The letter is still being checked')
    expect(textOf(checked, 'files.csv')).toContain(',none yet,')
  })

  test('exports the remaining data of a purged letter, and says that it was purged', async () => {
    const { key } = await letters.aRejected([damaged], ['photo'])
    await beginPurge(key)
    const during = await exported(key)
    await purge(key)
    const after = await exported(key)

    for (const entries of [during, after]) {
      expect([...entries.keys()]).toEqual([...always, 'files.csv', 'SHA256SUMS.txt'])
      expect(Buffer.concat([...entries.values()]).toString()).not.toMatch(isPersonal)
    }
    expect(textOf(after, 'README.txt')).toContain(
      `Personal data was deleted at ${now.toISOString()}`,
    )
  })

  test('exports during a purge only what the purge keeps of the production', async () => {
    const { keys, batchNumber, documentIds } = await runs.anAcknowledgedRun()
    const [key] = keys as [string]
    const properties = JSON.stringify([
      { key: 'totalSheets', value: '1' },
      { key: 'note', value: 'for Ada' },
    ])
    await administration.pool.query(
      `update print_run_document set despatch_properties = $3 where batch_number = $1 and document_id = $2`,
      [batchNumber, documentIds[0], properties],
    )
    await reportAndAskForReprint(batchNumber, documentIds[0]!, 'e2', 'for Ada', properties)
    await beginPurge(key)

    const during = jsonOf(await exported(key), 'printing.json')
    await purge(key)

    expect(JSON.stringify(during)).not.toContain('Ada')
    expect(during).toEqual(jsonOf(await exported(key), 'printing.json'))
    expect(during.itemEvents).toMatchObject([
      { eventId: 'e2', despatchProperties: [{ key: 'totalSheets', value: '1' }] },
    ])
  })

  test('no file id escapes the folder in which the ZIP is unpacked, or is a formula', async () => {
    const { key } = await letters.aLetter(['../../etc/passwd', '=HYPERLINK("x")'])

    const entries = await exported(key)

    expect([...entries.keys()].filter((name) => name.startsWith('files/'))).toEqual([
      ...['files/01-etc_passwd.png', 'files/02-HYPERLINK_x_.png'],
    ])
    expect(textOf(entries, 'files.csv')).toContain(`"'=HYPERLINK(""x"")"`)
  })

  test('omits and names objects that are missing or different in the object store', async () => {
    const { key, document, files } = await letters.aLetter(['photo', 'plan'])
    await administration.objects.remove(documentKey(document.sha256))
    await replaceObject(administration.objects, fileKey(files[1]!.sha256), Buffer.from('other'))

    const readme = textOf(await exported(key), 'README.txt')

    expect(readme).toContain('No document.pdf: It is missing from the object store.')
    expect(readme).toContain('Not file 2 of files.csv: The object store has different bytes')
  })

  test('the audit log names the operator who exported the evidence', async () => {
    const { key, id } = await letters.aLetter()

    await ask(key, 'admin')

    const { consumerId } = letters.consumer
    const detail = { printJobKey: key, printJobId: id }
    const actor = administration.actorOf('admin')
    expect(await exportsOf(key)).toEqual([
      { actor, action: 'print-job.evidence-exported', consumerId, detail },
    ])
  })
})

/** The provider has reported a document as printed and asked for its reprint, with this reason. */
async function reportAndAskForReprint(
  batchNumber: string,
  documentId: string,
  eventId: string,
  reason: string | null = null,
  properties = '[]',
): Promise<void> {
  const { pool, ids } = administration
  await pool.query(
    `insert into print_run_event (provider_id, event_id, event_hash, batch_number, document_id, attempt, type, result,
       occurred_at, reason_code, reason, despatch_properties)
     values ('north', $3, '', $1, $2, 1, 'PRINTED', 'APPLIED', now(), 'OK', $4, $5)`,
    [batchNumber, documentId, eventId, reason, properties],
  )
  await pool.query(
    `insert into reprint (batch_number, document_id, attempt, state, reason_code, reason, requested_by)
     values ($1, $2, 2, 'WAITING', 'DAMAGED', $4, $3)`,
    [batchNumber, documentId, ids.provider, reason],
  )
}

test('a file with changed content breaks off the download, so that the ZIP is invalid', async () => {
  const { key, files } = await letters.aLetter(['replaced'])
  const [{ bytes, sha256 }] = files as [(typeof files)[number]]
  await replaceObject(administration.objects, fileKey(sha256), Buffer.alloc(bytes.length))

  await expect(ask(key)).rejects.toThrow('response destroyed before completion')
  expect(administration.lines.join('')).toContain('differs from its SHA-256')
})

test('503: an operator has three exports at a time, and another operator can still export', async () => {
  const { key } = await letters.aLetter()
  const client = await administration.pool.connect()
  onTestFinished(() => client.release())
  await client.query('begin')
  // An export keeps its slot while it waits to be recorded.
  await client.query('lock table audit_event in share row exclusive mode')
  const asked = [1, 2, 3, 4].map(() => ask(key))
  const refused = await Promise.race(asked)
  const ofAnother = ask(key, 'admin')
  await eventually(
    async () => {
      const { rows } = await client.query(
        `select count(*)::integer as waiting from pg_locks join pg_database on pg_database.oid = database
         where datname = current_database() and relation = 'audit_event'::regclass and not granted`,
      )
      return rows[0].waiting === 4
    },
    { message: 'four exports wait to be recorded' },
  )
  await client.query('commit')

  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5'])
  const answers = await Promise.all([...asked, ofAnother])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 503])
  expect((await ask(key)).statusCode).toBe(200)
})

test('503: the object store does not respond, nothing is audited, and the service stays ready to hold and cancel', async () => {
  const cutOff = await anAdministration({ settings: { S3_ENDPOINT: 'http://127.0.0.1:9' } })
  onTestFinished(() => cutOff.close())
  const { key } = await (await someLetters(cutOff)).aLetter(['photo'])

  const answer = await ask(key, 'operator', cutOff)
  const ready = await cutOff.service.api.inject({ url: '/health/ready' })

  const detail = 'The service is temporarily unavailable. Retry the request.'
  expect(answer.statusCode).toBe(503)
  expect(answer.headers['retry-after']).toMatch(/^[2-5]$/)
  expect(answer.json()).toEqual(oneError('503 SERVICE_UNAVAILABLE', 'ServiceUnavailable', detail))
  expect(await cutOff.audited('action=print-job.evidence-exported')).toEqual([])
  expect([ready.statusCode, ready.json()]).toEqual([
    200,
    { status: 'ready', checks: [{ name: 'database', ok: true }] },
  ])
})

test('no exported data is logged', async () => {
  const { key } = await letters.aLetter(['photo'])
  await exported(key)

  const logged = administration.lines.join('')

  expect(logged).toContain('evidence.zip')
  expect(logged).not.toMatch(/High Street|A Person|AB1 2CD|photo|passwd|asked for/)
})
