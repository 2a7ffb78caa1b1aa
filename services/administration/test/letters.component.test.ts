import { documentKey } from '@despatch/object-store/keys'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, type User } from './an-administration.ts'
import { someLetters } from './some-letters.ts'

const administration = await shared(anAdministration())
const letters = await someLetters(administration)

async function look(path: string, user: User = 'operator') {
  const { statusCode, headers, rawPayload } = await administration.service.api.inject({
    method: 'GET',
    url: `/administration/v1/print-jobs/${path}`,
    headers: await administration.headersOf(user),
  })
  const isJson = String(headers['content-type']).startsWith('application/json')
  return {
    status: statusCode,
    headers,
    bytes: rawPayload,
    errors: isJson ? JSON.parse(rawPayload.toString()).errors : undefined,
  }
}

/** Returns the audited views of a letter, newest first. */
const looksAt = (key: string) =>
  administration.audited(`action=print-job.letter-shown&about=${key}`)

const operator = administration.actorOf('operator')
const pngSignature = '89504e470d0a1a0a'
const privately = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }
describe('GET /print-jobs/{printJobKey}/proof/{page}.png', () => {
  test('200: shows each page of an accepted letter, as many as the print job states', async () => {
    const { key, pages } = await letters.aLetter()

    const beyond = await look(`${key}/proof/${pages + 1}.png`)
    const looked = await looksAt(key)
    const first = await look(`${key}/proof/1.png`)
    const told = await administration.asOperator('GET', `/print-jobs/${key}`)

    expect(first).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', ...privately },
    })
    expect(first.bytes.subarray(0, 8).toString('hex')).toBe(pngSignature)
    expect(first.bytes.readUInt32BE(16)).toBeGreaterThan(900)
    expect(told.body.pages).toBe(pages)
    expect(beyond).toMatchObject({ status: 404, errors: [{ code: 'NotFound' }] })
    expect(looked).toEqual([])
  })
})

describe('GET /print-jobs/{printJobKey}/proof.pdf', () => {
  test('200: returns a PDF, also of a letter that its consumer has deleted', async () => {
    const { key } = await letters.aLetter()
    await administration.pool.query('update print_job set deleted_at = now() where key = $1', [key])

    const pdf = await look(`${key}/proof.pdf`)

    expect(pdf).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/pdf', ...privately },
    })
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('500: the document is missing, and no view is audited', async () => {
    const { key } = await letters.aLetter()
    await administration.pool.query(
      `update print_job set document_sha256 = decode($2, 'hex') where key = $1`,
      [key, 'ab'.repeat(32)],
    )
    await administration.objects.remove(documentKey('ab'.repeat(32)))

    expect(await look(`${key}/proof.pdf`)).toMatchObject({ status: 500, errors: [{ code: '2' }] })
    expect(await looksAt(key)).toEqual([])
  })
})

test.each(['proof.pdf', 'proof/1.png'])(
  'GET /print-jobs/{printJobKey}/%s: 409 while the letter is checked, and once its personal data is being removed',
  async (what) => {
    const { key: checked } = await letters.aSubmitted()
    const { key: purged } = await letters.aLetter()
    await administration.pool.query('update print_job set purge_began_at = now() where key = $1', [
      purged,
    ])

    for (const [key, why] of [
      [checked, 'is still being checked'],
      [purged, 'has been removed'],
    ]) {
      const detail = expect.stringContaining(why!)
      expect(await look(`${key}/${what}`)).toMatchObject({
        status: 409,
        errors: [{ code: 'NotReady', detail }],
      })
    }
    expect(await looksAt(purged)).toEqual([])
  },
)

describe('views of a letter are audited', () => {
  test('once for all pages, even when several pages are requested together', async () => {
    const { key, id } = await letters.aLetter()

    await Promise.all([
      look(`${key}/proof/1.png`),
      look(`${key}/proof/1.png`),
      look(`${key}/proof.pdf`),
    ])

    const { consumerId } = letters.consumer
    const detail = { printJobKey: key, printJobId: id }
    expect(await looksAt(key)).toEqual([
      { actor: operator, action: 'print-job.letter-shown', consumerId, detail },
    ])
  })

  test('for each operator, and again an hour later', async () => {
    const { key, id } = await letters.aLetter()
    const detail = { printJobKey: key, printJobId: id }
    await administration.pool.query(
      `insert into audit_event (at, actor, action, consumer_id, detail)
       values (now() - interval '61 minutes', $1, 'print-job.letter-shown', $2, $3)`,
      [operator, letters.consumer.consumerId, detail],
    )

    await look(`${key}/proof/1.png`)
    await look(`${key}/proof/1.png`)
    await look(`${key}/proof/1.png`, 'admin')

    const actors = (await looksAt(key)).map(({ actor }) => actor)
    expect(actors).toEqual([administration.actorOf('admin'), operator, operator])
  })
})

test('no content of a letter is logged', async () => {
  const { key } = await letters.aLetter()
  await look(`${key}/proof/1.png`)

  const logged = administration.lines.join('')

  expect(logged).toContain('/proof/')
  expect(logged).not.toMatch(/High Street|A Person|AB1 2CD/)
})
