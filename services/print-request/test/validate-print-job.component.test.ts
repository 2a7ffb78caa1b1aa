import { hash, randomUUID } from 'node:crypto'
import { fileKey, uploadKey } from '@despatch/object-store/keys'
import { insertUpload } from '@despatch/store/print-job/uploads'
import { aProblem } from '@despatch/testing/a-problem'
import { aSlowPdf } from '@despatch/testing/a-slow-pdf'
import { shared } from '@despatch/testing/shared'
import { useUpChecks } from '@despatch/testing/use-up-checks'
import { describe, expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest } from './a-print-request.ts'
import { aScanner } from './a-scanner.ts'

const printRequest = await shared(aPrintRequest())
const caller = await printRequest.aCaller()
const other = await printRequest.aCaller()

const dryRun = (body: unknown, by = caller) =>
  by.call({ method: 'POST', path: 'jobs/validate', body })

const withFile = (key: string, value: string) => aRequest({ customParams: [{ key, value }] })
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')

async function anUpload(bytes?: Uint8Array, by = caller): Promise<string> {
  const id = randomUUID()
  await insertUpload(printRequest.database.db, {
    id,
    consumerId: by.consumerId,
    expiresInSeconds: 600,
    openMax: 100,
  })
  if (bytes) await printRequest.objects.put(uploadKey(id), bytes, 'application/octet-stream')
  return id
}

const printableAddress = {
  line1: '1 High Street',
  postcode: 'AB1 2CD',
  recipientLine1: 'Ms A Person',
  recipientLine2: '',
  dps: null,
}

describe('200: a dry run', () => {
  test('returns the outcome of a letter, with the pages of its files', async () => {
    const uploadId = await anUpload(Buffer.from(aPng, 'base64'))
    const body = {
      ...withFile('photo', aPng),
      fileParams: [{ fileId: 'scan', uploadId }],
    }

    expect(await dryRun(body)).toMatchObject({
      status: 200,
      body: {
        verdict: 'accepted',
        recipientLines: ['Ms A Person'],
        printableAddress,
        pages: 3,
        sheets: 2,
        weightGrams: expect.any(Number),
        scanned: false,
      },
    })
  })

  test('returns each finding of a refused letter with its rule, and the comment', async () => {
    const body = {
      ...withFile('scan', base64('%PDF-1.7 and nothing more')),
      fileParams: [{ fileId: 'photo', uploadId: await anUpload(Buffer.from('just text')) }],
    }

    expect(await dryRun(body)).toMatchObject({
      status: 200,
      body: {
        verdict: 'rejected',
        comment: 'File photo is not a PDF, GIF, PNG, JPEG, TIFF or BMP file',
        printableAddress,
        findings: [
          { rule: 'file-kind', number: 'P103', severity: 'refusal', fileId: 'photo' },
          { rule: 'file-truncated', number: 'P104', severity: 'refusal', fileId: 'scan' },
        ],
      },
    })
  })

  test('returns the international despatch method of a letter abroad, and refuses what its contract refuses', async () => {
    const { standardParams } = aRequest()
    const address = { internationalAddress: { line1: '1 Rue Haute', country: 'Frnace' } }
    const body = { standardParams: { ...standardParams, address, despatchMethod: 'FIRST' } }
    await printRequest.database.pool.query(
      `update contract set refused_rules = '{P515}' where consumer_id = $1`,
      [other.consumerId],
    )

    expect((await dryRun(body)).body).toMatchObject({
      verdict: 'accepted',
      producedAs: 'INTERNATIONAL_ROW',
      printableAddress: { line5: 'FRNACE' },
      findings: [{ number: 'P004' }, { number: 'P514' }, { number: 'P515' }],
    })
    expect((await dryRun(body, other)).body).toMatchObject({
      verdict: 'rejected',
      comment:
        'despatchMethod FIRST is a class inside the United Kingdom: the letter is produced as INTERNATIONAL_ROW.',
    })
  })

  test('saves nothing and does not use uploads', async () => {
    const uploadId = await anUpload(Buffer.from(aPng, 'base64'))
    // the keys of files are named after their bytes, and other tests use the bucket too
    const photo = Buffer.concat([Buffer.from(aPng, 'base64'), Buffer.from(randomUUID())])
    const sha256 = hash('sha256', photo)
    const body = {
      ...withFile('photo', photo.toString('base64')),
      id: 'once',
      fileParams: [{ fileId: 'scan', uploadId }],
    }

    expect((await dryRun(body)).status).toBe(200)
    expect((await dryRun(body)).status).toBe(200)

    expect((await caller.call({ path: 'jobs/once' })).status).toBe(404)
    const { rows } = await printRequest.database.pool.query(
      'select (select count(*) from print_job) as jobs, (select count(*) from letter_waiting) as tasks, print_job_key from upload where id = $1',
      [uploadId],
    )
    expect(rows).toEqual([{ jobs: 0, tasks: 0, print_job_key: null }])
    expect(await printRequest.objects.head(fileKey(sha256))).toBeUndefined()
    expect((await caller.call({ method: 'POST', path: 'jobs', body })).status).toBe(202)
    expect(await printRequest.objects.head(fileKey(sha256))).toBeDefined()
  })

  test('accepts an id that is already taken', async () => {
    const body = aRequest({ id: 'taken' })
    await other.call({ method: 'POST', path: 'jobs', body })

    expect((await dryRun(body, other)).status).toBe(200)
  })
})

test('400: a submission would have the same violations', async () => {
  const { standardParams } = aRequest()

  expect(await dryRun({ standardParams: { ...standardParams, jobType: 'OTHER' } })).toMatchObject(
    aProblem(400, { code: 'NotAgreed', title: 'standardParams.jobType' }),
  )
})

test.each<[what: string, upload: () => Promise<string>, detail: string]>([
  ['is not filled', () => anUpload(), 'Nothing has been uploaded'],
  [
    "is another consumer's",
    () => anUpload(Buffer.from(aPng, 'base64'), other),
    'There is no upload',
  ],
])('404: a dry run names an upload that %s', async (_what, upload, detail) => {
  const uploadId = await upload()

  expect(await dryRun(aRequest({ fileParams: [{ fileId: 'scan', uploadId }] }))).toMatchObject(
    aProblem(404, { code: '12', detail: expect.stringContaining(detail) }),
  )
})

test('no content of a dry run is logged', async () => {
  await dryRun(withFile('photo', aPng))

  expect(printRequest.logged.join('')).toContain('jobs/validate')
  expect(printRequest.logged.join('')).not.toMatch(/High Street|A Person|AB1 2CD|iVBOR/)
})

test('503: too many dry runs wait, with Retry-After', async () => {
  const scanner = await shared(aScanner({ isHeld: true }))
  const scanning = await shared(aPrintRequest({ CLAMAV_URL: scanner.url }))
  const by = await scanning.aCaller()
  const answered: { status: number }[] = []

  // one that runs, eight that wait, and three more
  const asked = Array.from({ length: 12 }, async () => {
    answered.push(await dryRun(withFile('photo', aPng), by))
  })
  await expect.poll(() => answered.length).toBe(3)
  const refused = [...answered]
  scanner.release()
  await Promise.all(asked)

  for (const answer of refused) {
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      body: { errors: [{ code: 'ServiceUnavailable' }] },
    })
  }
  expect(answered.slice(3).map(({ status }) => status)).toEqual(Array(9).fill(200))
})

test('an infected file is refused, with a comment that does not name the virus', async () => {
  const scanner = await shared(aScanner())
  const scanning = await shared(aPrintRequest({ CLAMAV_URL: scanner.url }))
  const by = await scanning.aCaller()

  const clean = await dryRun(withFile('photo', aPng), by)
  const infected = await dryRun(withFile('photo', base64('GIF89a and a virus')), by)

  expect(clean.body).toMatchObject({ verdict: 'accepted', scanned: true })
  expect(infected.body).toMatchObject({
    verdict: 'rejected',
    comment: 'File photo did not pass the security check',
    scanned: true,
    findings: [{ rule: 'file-infected', number: 'P106' }],
  })
})

test('files are reported as unscanned while the scanner is unavailable', async () => {
  const scanning = await shared(aPrintRequest({ CLAMAV_URL: 'tcp://127.0.0.1:1' }))

  const answer = await dryRun(withFile('photo', aPng), await scanning.aCaller())

  expect(answer.body).toMatchObject({ verdict: 'accepted', scanned: false })
})

test('429: a consumer has used up its processor time until the next hour; other consumers are not affected', async () => {
  const [hostile, quick] = [await printRequest.aCaller(), await printRequest.aCaller()]
  const budgetSeconds = 1_800
  await useUpChecks({ pool: printRequest.database.pool }, hostile.consumerId, budgetSeconds)

  const refused = await dryRun(aRequest(), hostile)

  expect(refused).toMatchObject({
    status: 429,
    body: {
      errors: [
        {
          code: 'TooManyRequests',
          detail:
            'Too many requests: the checks of your files have taken all their processor time of this hour (UTC)',
        },
      ],
    },
  })
  const retryAfter = Number(refused.headers['retry-after'])
  expect(retryAfter).toBeGreaterThan(0)
  expect(retryAfter).toBeLessThanOrEqual(3_600)
  expect((await dryRun(aRequest(), quick)).status).toBe(200)
})

test('counts the processor time of a check for its consumer', async () => {
  const counted = await shared(
    aPrintRequest({ DESPATCH_CHECK_SECONDS_PER_HOUR: '1', DESPATCH_CHECK_TIMEOUT_MS: '50000' }),
  )
  const by = await counted.aCaller()
  const run = (layers: number) =>
    dryRun(withFile('scan', Buffer.from(aSlowPdf({ layers })).toString('base64')), by)

  // The first quarter of a second of each is free. They grow slowly, so that a busy machine ends each before its deadline.
  const statuses = new Set<number>()
  for (let layers = 8; layers < 40 && !statuses.has(429); layers++) {
    statuses.add((await run(layers)).status)
  }

  expect([...statuses]).toEqual([200, 429])
})

describe('POST /print/jobs/validate/proof.pdf and /print/jobs/validate/proof/{page}.png', () => {
  const draw = async (path: string, body: unknown) => {
    const { statusCode, headers, rawPayload } = await printRequest.post(path, body, caller.headers)
    return { status: statusCode, type: headers['content-type'], bytes: rawPayload }
  }
  const countJobs = async () =>
    (await printRequest.database.pool.query('select from print_job')).rowCount

  test('200: shows the letter as it would be printed, and saves nothing', async () => {
    const before = await countJobs()
    const body = withFile('photo', aPng)

    const pdf = await draw('jobs/validate/proof.pdf', body)
    const pages = await Promise.all(
      ['1', '2', '3'].map((page) => draw(`jobs/validate/proof/${page}.png`, body)),
    )

    expect(pdf).toMatchObject({ status: 200, type: 'application/pdf' })
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 404])
    expect(pages[0]!.bytes.equals(pages[1]!.bytes)).toBe(false)
    expect(await countJobs()).toBe(before)
  })

  test('200: shows a notice instead of a file that is refused', async () => {
    const damaged = withFile('photo', base64('%PDF-1.7\n%%EOF\n'))

    expect(await dryRun(damaged)).toMatchObject({ body: { verdict: 'rejected' } })
    expect(await draw('jobs/validate/proof/2.png', damaged)).toMatchObject({
      status: 200,
      type: 'image/png',
    })
  })

  test.each(['jobs/validate/proof.pdf', 'jobs/validate/proof/1.png'])(
    '400: the same faults as a submission: %s',
    async (path) => {
      const { status } = await draw(path, aRequest({ customParams: [{ key: '', value: 'x' }] }))

      expect(status).toBe(400)
    },
  )

  test.each(['0', '01', 'one', '100000'])('404: there is no page %s', async (page) => {
    expect((await draw(`jobs/validate/proof/${page}.png`, aRequest())).status).toBe(404)
  })
})
