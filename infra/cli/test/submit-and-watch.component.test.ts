import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintGateway } from './a-print-gateway.ts'
import { aRunningDespatch } from './a-running-despatch.ts'

const letter = '%PDF-1.4\nthe letter of a test\n%%EOF\n'
const to = 'A Person, 1 High Street, Leeds, LS1 1AA'

const running = await shared(aRunningDespatch())
const gateway = await shared(aPrintGateway(running.databaseUrl))
const file = join(running.directory, 'letter.pdf')
await writeFile(file, letter)
await writeFile(join(running.directory, 'README.md'), '# Read me\n')
await writeFile(join(running.directory, 'letter.docx'), 'PK\x03\x04[Content_Types].xml')
await writeFile(join(running.directory, 'letter.gif'), 'GIF89a')
await running.documentOf('contracts add somebody LETTER LETTER')
await running.documentOf('contracts add somebody SUPPLIED SUPPLIED --as-supplied pdfContent')

const asConsumer = (...commandLine: string[]) =>
  running.despatch([...commandLine, `--base-url ${gateway.url}`])

const ofLetter = `--to "${to}" --type LETTER --template LETTER`
const submit = (...options: string[]) => asConsumer(`jobs submit ${file} ${ofLetter}`, ...options)

/** Changes the status of a print job as a worker or a provider would, and adds the event to its timeline. */
async function move(id: string, transition: string, status: string): Promise<void> {
  await running.pool.query(
    `with job as (
       update print_job set status = $3, event_sequence = event_sequence + 1,
         despatched_at = case when $3 = 'DESPATCHED' then now() end, document_sha256 = '\\x00'
       where id = $1
       returning key, event_sequence)
     insert into print_job_event (print_job_key, sequence, transition, status, actor)
     select key, event_sequence, $2, $3, 'test' from job`,
    [id, transition, status],
  )
}

test('a PDF is uploaded and submitted, and the id is printed', async () => {
  const { code, stdout, stderr } = await submit('--method', 'FIRST')

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { rows } = await running.pool.query(
    `select job.standard_params, file.file_id, file.source, file.upload_id
     from print_job job join print_job_file file on file.print_job_key = job.key where job.id = $1`,
    [stdout.trim()],
  )
  expect(rows).toEqual([
    {
      standard_params: {
        jobType: 'LETTER',
        templateReference: 'LETTER',
        despatchMethod: 'FIRST',
        recipientName: 'A Person',
        address: {
          unstructuredAddress: { line1: '1 High Street', line2: 'Leeds', postcode: 'LS1 1AA' },
        },
      },
      file_id: 'letter',
      source: 'upload',
      upload_id: expect.any(String),
    },
  ])
})

test('one is submitted under an id, held and for a later day', async () => {
  const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)

  const { stdout } = await submit('--id held-1 --hold --json --not-before', day)

  const { rows } = await running.pool.query(
    `select held_by, to_char(not_before at time zone 'Europe/London', 'YYYY-MM-DD') as day
     from print_job where id = 'held-1'`,
  )
  expect(JSON.parse(stdout)).toEqual({ id: 'held-1' })
  expect(rows).toEqual([{ held_by: 'consumer', day }])
})

test('a PDF that is printed as supplied travels in the request', async () => {
  const { code, stderr, stdout } = await asConsumer(
    `jobs submit ${file} --to "${to}" --type SUPPLIED --template SUPPLIED`,
    '--as-supplied pdfContent',
  )

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { rows } = await running.pool.query(
    `select file.file_id, file.source, file.bytes
     from print_job job join print_job_file file on file.print_job_key = job.key where job.id = $1`,
    [stdout.trim()],
  )
  expect(rows).toEqual([{ file_id: 'pdfContent', source: 'custom-param', bytes: letter.length }])
})

const isNo = 'is not a PDF, GIF, PNG, JPEG, TIFF or BMP file'
test.each<[what: string, file: string, options: string, message: string]>([
  ['a file that is not there', 'no.pdf', ofLetter, 'no.pdf does not exist'],
  ['a file that cannot be printed', 'README.md', ofLetter, `README.md ${isNo}`],
  ['a Word file', 'letter.docx', ofLetter, `letter.docx ${isNo}: it is a ZIP archive`],
  [
    'a picture that is to be printed as supplied',
    'letter.gif',
    `${ofLetter} --as-supplied pdfContent`,
    'letter.gif is not a PDF file',
  ],
  ['half an address', 'letter.pdf', `${ofLetter} --to "A Person"`, '--to must be a name'],
  ['a wrong day', 'letter.pdf', `${ofLetter} --not-before 2026-02-30`, 'It must be a date'],
  ['a parameter without a value', 'letter.pdf', `${ofLetter} --param a=`, 'It must be name=value'],
])('%s is wrong usage, and nothing is sent', async (_, name, options, message) => {
  const uploads = async () => (await running.pool.query('select count(*) from upload')).rows
  const before = await uploads()

  const ended = await asConsumer(`jobs submit ${join(running.directory, name)}`, options)

  expect([ended.code, ended.stdout]).toEqual([2, ''])
  expect(ended.stderr).toContain(message)
  expect(await uploads()).toEqual(before)
})

test('a letter without a file is made from custom parameters, and one without either is wrong usage', async () => {
  const line = `jobs submit ${ofLetter}`

  const made = await asConsumer(line, '--param amount=12.50 --param note=a=b')
  const nothing = await asConsumer(line)

  const { rows } = await running.pool.query('select custom_params from print_job where id = $1', [
    made.stdout.trim(),
  ])
  expect(rows).toEqual([
    {
      custom_params: [
        { key: 'amount', value: '12.50' },
        { key: 'note', value: 'a=b' },
      ],
    },
  ])
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('give a file')])
})

test('a dry run says how a letter would be judged, and submits nothing', async () => {
  const { rows: before } = await running.pool.query('select count(*) from print_job')
  const letter = resolve(import.meta.dirname, '../../../docs/examples/letter.pdf')
  const dryRun = (path: string, ...options: string[]) =>
    asConsumer(`jobs submit ${path} ${ofLetter} --dry-run`, ...options)

  // threads that draw yield to all else, so the first one may take longer than the command waits
  const good = await eventually(
    async () => {
      const ended = await dryRun(letter)
      return ended.stderr === '' && ended
    },
    { message: 'a letter is drawn', deadlineMs: 100_000 },
  )
  const bad = await dryRun(file)
  const document = await dryRun(file, '--json')
  const refused = await dryRun(letter, '--type POSTCARD')

  const { rows: after } = await running.pool.query('select count(*) from print_job')
  expect(after).toEqual(before)
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(/^ {2}verdict +it would be accepted$/m)
  expect(good.stdout).toMatch(/^ {2}printed to +A Person, 1 High Street, Leeds, LS1 1AA$/m)
  expect(good.stdout).toMatch(/^ {2}letter +\d+ pages? on \d+ sheets?, about [\d.]+ g$/m)
  expect(bad).toMatchObject({ code: 1, stderr: '' })
  expect(bad.stdout).toMatch(/^ {2}verdict +it would be rejected$/m)
  expect(bad.stdout).toMatch(/^P\d+ +refusal +letter +\S+ +\S.+$/m)
  expect([document.code, JSON.parse(document.stdout)]).toMatchObject([1, { verdict: 'rejected' }])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain('jobType')
})

test('a print job is watched until it is despatched', async () => {
  const id = (await submit()).stdout.trim()

  const watching = asConsumer(`jobs watch ${id} --timeout 60`)
  await move(id, 'release', 'VALIDATING')
  await move(id, 'despatch', 'DESPATCHED')
  const { code, stdout, stderr } = await watching

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^\S+Z {2}QUARANTINE {2}submit by \S+$/),
    expect.stringMatching(/^\S+Z {2}VALIDATING {2}release by test$/),
    expect.stringMatching(/^\S+Z {2}DESPATCHED {2}despatch by test$/),
  ])
})

test('watching ends with 3 for one that is rejected, with 4 when the time is over, and with 1 for none', async () => {
  const id = (await submit()).stdout.trim()

  const late = await asConsumer(`jobs watch ${id} --timeout 1`)
  await move(id, 'reject', 'REJECTED')
  const rejected = await asConsumer(`jobs watch ${id} --json`)
  const none = await asConsumer('jobs watch nobody-knows-it')

  expect([late.code, late.stderr]).toEqual([4, 'despatch: not ended after 1 s\n'])
  expect(late.stdout).toContain('QUARANTINE  submit')
  expect([rejected.code, JSON.parse(rejected.stdout)]).toMatchObject([
    3,
    { id, status: 'REJECTED', events: [{ transition: 'submit' }, { transition: 'reject' }] },
  ])
  expect([none.code, none.stdout]).toEqual([1, ''])
})
