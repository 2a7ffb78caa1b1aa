import { randomUUID } from 'node:crypto'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintRequest, aRequest } from './a-print-request.ts'

const canary = `canary${randomUUID().slice(0, 8)}`
const target = `https://consumer.example/${canary}-path?token=${canary}-query`
const authenticationHeader = `Bearer ${canary}-header`

const service = await shared(aPrintRequest({ LOG_LEVEL: 'trace' }))
const consumer = await service.aCaller()

const post = (path: string, body?: unknown) =>
  consumer.call({ method: 'POST', path: `/print-request/v1${path}`, body })

test('no target, credential or secret is in a log line, or unsealed in a column', async () => {
  const id = `job-${randomUUID()}`
  const callbackParams = { target, authenticationHeader }
  const statuses = [
    await post('/print/jobs', aRequest({ id, callbackParams })),
    await post('/print/jobs/validate', aRequest({ callbackParams })),
    await post('/callbacks/test', { callbackParams }),
    await post('/callbacks/replay', { expectedCount: 1, status: 'DUE' }),
    await consumer.call({ path: `jobs/${id}` }),
    // each of these is refused, and its response says what is wrong
    ...(await Promise.all(
      [
        `https://${canary}:${canary}@consumer.example/`,
        `http://10.0.0.1/${canary}`,
        `ftp://${canary}/`,
      ].flatMap((refused) => [
        post('/print/jobs', aRequest({ callbackParams: { target: refused } })),
        post('/callbacks/test', { callbackParams: { target: refused } }),
      ]),
    )),
    await post('/callbacks/test', {
      callbackParams: { target, authenticationHeader: `${canary}\n` },
    }),
    await consumer.call({ path: `/print-request/v1/callbacks?jobId=${canary}` }),
    await consumer.call({ path: `/print-request/v1/callbacks/${canary}` }),
  ].map(({ status }) => status)
  const secrets = [await post('/callback-signing-secrets'), await post('/callback-signing-secrets')]
  const made = secrets.map(({ body }) => (body as { secret: string }).secret)

  expect(statuses).toEqual([202, 200, 202, 202, 200, ...Array(7).fill(400), 200, 400])
  expect(made).toHaveLength(2)

  const wanted = [canary, ...made, ...made.map((secret) => secret.slice('whsec_'.length))]
  expect(service.logged.length).toBeGreaterThan(statuses.length)
  expect(service.logged.filter((line) => hasAny(line, wanted))).toEqual([])
  expect(await findColumns(wanted)).toEqual([])
  // the search finds a text that is stored
  expect(await findColumns([id])).toEqual(['print_job.id'])
  expect(await findColumns(['Test message'])).toEqual(['callback.body'])
})

/** Returns the columns that hold any of the texts, as text or as the hexadecimal form of bytes. */
async function findColumns(texts: readonly string[]): Promise<string[]> {
  const { pool } = service.database
  const { rows } = await pool.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`,
  )
  const found: string[] = []
  for (const { table, column } of rows) {
    const { rows: values } = await pool.query<{ text: string | null }>(
      `select string_agg("${column}"::text, ' ') as text from "${table}"`,
    )
    if (hasAny(values[0]?.text ?? '', texts)) found.push(`${table}.${column}`)
  }
  return found
}

function hasAny(text: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => text.includes(one) || text.includes(Buffer.from(one).toString('hex')))
}
