import { randomUUID } from 'node:crypto'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const { say } = running

/** Inserts two dead callbacks, one that is due and one that is delivered, of the consumer `somebody`. */
async function aPlace() {
  const { pool, consumer } = running
  const origin = `https://${randomUUID()}.example`
  const [contractId, key] = [randomUUID(), randomUUID()]
  const jobId = `job-${key}`
  await pool.query(
    `insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses)
     values ($1, $2, $3, 'LETTER', 'letter', '{REJECTED}')`,
    [contractId, consumer.consumerId, contractId],
  )
  await pool.query(
    `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params,
       callback_statuses, correlation_id, request_fingerprint)
     values ($1, $2, $3, 'REJECTED', $4, '{}', '{}', '{REJECTED}', 'correlation-1', '\\x00')`,
    [key, consumer.consumerId, jobId, contractId],
  )
  const ids = Array.from({ length: 4 }, () => randomUUID()) as [string, string, string, string]
  await pool.query(
    `insert into callback (id, consumer_id, print_job_key, sequence, status, body, origin, state, end_reason, attempts,
       created_at, owed_since, due_at, ended_at)
     select id, $2, $3, sequence, 'REJECTED', '{"a":"SECRET"}', $4, state, reason, attempts,
       '2026-01-01T00:00:00Z'::timestamptz + sequence * interval '1 day',
       '2026-01-01T00:00:00Z'::timestamptz + sequence * interval '1 day',
       case when state = 'DUE' then '2026-01-05T00:00:00Z'::timestamptz end,
       case when state <> 'DUE' then '2026-01-06T00:00:00Z'::timestamptz end
     from unnest($1::uuid[], array[1, 2, 3, 4], array['DEAD', 'DEAD', 'DUE', 'DELIVERED'],
       array['refused', 'gone', null, null], array[1, 0, 0, 0]) as row (id, sequence, state, reason, attempts)`,
    [ids, consumer.consumerId, key, origin],
  )
  await pool.query(
    `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status, address,
       answer)
     values ($1, 1, now(), '2026-01-06T00:00:00Z', 12, 'refused', 422, '192.0.2.1', $2)`,
    [ids[0], Buffer.from(`no\nsuch letter ${'x'.repeat(80)}`)],
  )
  const states = async () => {
    const { rows } = await pool.query(
      'select state from callback where origin = $1 order by sequence',
      [origin],
    )
    return rows.map(({ state }) => state)
  }
  return { origin, jobId, ids, states }
}

test('callbacks are listed by what they are chosen by', async () => {
  const { origin, jobId, ids } = await aPlace()
  const listed = async (filter: string) => {
    const page = await running.documentOf(`callbacks list --origin ${origin}`, filter)
    return page.callbacks.map(({ callbackId }: { callbackId: string }) => callbackId)
  }

  const text = await say(`callbacks list --origin ${origin}`)
  const page = await running.documentOf(`callbacks list --job ${jobId} --limit 2`)
  const next = await say(`callbacks list --job ${jobId} --cursor ${page.nextCursor}`)

  const rest = `${jobId} +somebody +${origin} +1 +2026-`
  expect(text).toMatch(new RegExp(`^${ids[0]} +DEAD \\(refused\\) +REJECTED +${rest}`, 'm'))
  expect(await listed('--status DEAD')).toEqual([ids[1], ids[0]])
  expect(await listed('--reason gone')).toEqual([ids[1]])
  expect(await listed('--consumer somebody --status DUE')).toEqual([ids[2]])
  expect(await listed('--from 2026-01-03T00:00:00Z --to 2026-01-05T00:00:00Z')).toEqual([
    ids[2],
    ids[1],
  ])
  expect(page.callbacks).toHaveLength(2)
  expect(next).toContain(ids[0])
  expect(next).not.toContain(ids[3])
})

test('a callback is shown with its attempts, without its message', async () => {
  const { ids } = await aPlace()

  const shown = await say(`callbacks show ${ids[0]}`)
  const document = await running.documentOf(`callbacks show ${ids[0]}`)
  const unknown = await running.despatch(`callbacks show ${randomUUID()}`)

  expect(shown).toMatch(/^ {2}status +DEAD \(refused\)$/m)
  expect(shown).toMatch(/^ {2}consumer +somebody \([0-9a-f-]+\)$/m)
  expect(shown).toMatch(
    /^1 +2026-01-06T00:00:00.000Z +12 ms +refused +422 +192\.0\.2\.1 +- +no such letter x{45}…$/m,
  )
  expect(document.log).toMatchObject([{ httpStatus: 422, answer: expect.stringMatching(/x{80}$/) }])
  expect(shown + JSON.stringify(document)).not.toContain('SECRET')
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('There is no callback with the id')
})

test('one is sent again', async () => {
  const { ids, states } = await aPlace()

  expect(await say(`callbacks replay ${ids[0]}`)).toBe(`Callback ${ids[0]} is DUE.\n`)

  expect(await states()).toEqual(['DUE', 'DEAD', 'DUE', 'DELIVERED'])
})

test('many are sent again with --yes, by default dead ones', async () => {
  const { origin, states } = await aPlace()
  const many = `callbacks replay-many --origin ${origin}`

  const counted = await say(many, '--dry-run')
  const before = await states()
  const replayed = await running.documentOf(many, '--yes')
  const dead = await states()
  const none = await say(many)
  const delivered = await say(many, '--status DELIVERED --yes')

  expect(counted).toBe(
    '2 callbacks, created from 2026-01-02T00:00:00.000Z to 2026-01-03T00:00:00.000Z.\n',
  )
  expect(before).toEqual(['DEAD', 'DEAD', 'DUE', 'DELIVERED'])
  expect(replayed).toMatchObject({ dryRun: false, count: 2 })
  expect(dead).toEqual(['DUE', 'DUE', 'DUE', 'DELIVERED'])
  expect(none).toBe('0 callbacks.\n')
  expect(delivered).toBe('1 callback will be sent again.\n')
  expect(await states()).toEqual(['DUE', 'DUE', 'DUE', 'DUE'])
})

test('nothing is sent without a terminal and without --yes', async () => {
  const { origin, states } = await aPlace()

  const ended = await running.despatch(`callbacks replay-many --origin ${origin} --json`)

  expect(ended.code).toBe(2)
  expect(JSON.parse(ended.stderr)).toEqual({
    detail: 'nothing was sent: there is no terminal to confirm it, so give --yes',
    exitCode: 2,
  })
  expect(JSON.parse(ended.stdout)).toMatchObject({ dryRun: true, count: 2 })
  expect(await states()).toEqual(['DEAD', 'DEAD', 'DUE', 'DELIVERED'])
})

test('origins are listed with their problems', async () => {
  const { origin } = await aPlace()
  await running.pool.query(
    `insert into callback_origin (origin, breaker, breaker_until, failures_in_row, last_outcome)
     values ($1, 'open', '2026-01-07T00:00:00Z', 10, 'timeout')`,
    [origin],
  )

  const listed = await say('callbacks origins --limit 100')

  const dueAt = '2026-01-05T00:00:00.000Z'
  expect(listed).toMatch(
    new RegExp(`^${origin} +open +2026-01-07T00:00:00.000Z +10 +timeout +1 +${dueAt} +2$`, 'm'),
  )
})
