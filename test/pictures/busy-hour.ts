import { eventually } from '@despatch/testing/eventually'
import pg from 'pg'
import type { Consumer } from '../stack/a-consumer.ts'
import { aLetter } from '../stack/console/a-letter.ts'

const groups = 12
const lettersOfGroup = 11
const settleMsMax = 180_000

/** Letters with special outcomes, determined by their recipient or callback target. */
const exceptions = [
  ...Array(7).fill({ recipientName: 'UAT HOLD PRODUCTION' }),
  ...Array(2).fill({ recipientName: 'UAT REJECT ADDRESS' }),
  ...Array(3).fill({ callbackStatus: 500 }),
  { callbackStatus: 500, retries: true },
  ...Array(20).fill({ callbackStatus: 204 }),
] as const

type Options = { databaseUrl: string; consumer: Consumer; uatUrl: string }

/**
 * Submits letters and waits until each has reached its last status. Then moves their history into the past hour, as if
 * they had been submitted one after the other.
 */
export async function makeBusyHour({ databaseUrl, consumer, uatUrl }: Options): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('update print_site set reprints_free_max = 0, reprints_free_percent = 0')
    for (let group = 0; group < groups; group += 1) {
      const before = await countPostings(client)
      for (let letter = 0; letter < lettersOfGroup; letter += 1) await consumer.submit(aLetter())
      await eventually(async () => (await countPostings(client)) > before, {
        deadlineMs: settleMsMax,
        pollMs: 250,
        message: 'a group of letters is posted',
      })
    }
    for (const { recipientName, callbackStatus, retries = false } of exceptions) {
      const target = callbackStatus && `${uatUrl}/receiver/${callbackStatus}`
      const callbackParams = target && { target, retryParams: { enabled: retries } }
      await consumer.submit(aLetter(recipientName, callbackParams && { callbackParams }))
    }
    await eventually(() => hasSettled(client), {
      deadlineMs: settleMsMax,
      pollMs: 500,
      message: 'every letter is where it stays',
    })
    await consumer.submit(aLetter('UAT SPOIL'))
    await eventually(async () => (await client.query('select from reprint')).rows.length > 0, {
      deadlineMs: settleMsMax,
      pollMs: 500,
      message: 'a reprint waits',
    })
    await spreadOverTheHour(client)
  } finally {
    await client.end()
  }
}

async function countPostings(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query('select from posting where confirmed_at is not null')
  return rowCount ?? 0
}

async function hasSettled(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from print_job left join print_run using (batch_number)
     where status in ('QUARANTINE', 'VALIDATING', 'PENDING')
       or status = 'PRODUCTION' and standard_params ->> 'recipientName' <> 'UAT HOLD PRODUCTION'`,
  )
  return rowCount === 0
}

/** The key of a print job begins with its submission time, so it is changed wherever it occurs. */
async function spreadOverTheHour(client: pg.Client): Promise<void> {
  const { rows: references } = await client.query<{ name: string; column: string }>(
    `select conrelid::regclass::text as name, attname as column
     from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype = 'f' and confrelid = 'print_job'::regclass`,
  )
  await client.query('begin')
  // no foreign key checks: a key changes before the rows that refer to it
  await client.query('set local session_replication_role = replica')
  await client.query(moved)
  for (const { name, column } of references) {
    await client.query(
      `update ${name} set ${column} = moved.new from moved where ${column} = moved.old`,
    )
  }
  await client.query(
    'update print_job set key = new, created_at = at, updated_at = at from moved where key = old',
  )
  await client.query(
    `update posting set confirmed_at = confirmed_at - ago from (
       select id, row_number() over (order by confirmed_at desc) * interval '270 seconds' as ago from posting) place
     where place.id = posting.id`,
  )
  await client.query('commit')
}

// More letters in the middle of the hour, fewer at its ends.
const moved = `
  create temporary table moved on commit drop as
  select key as old, at,
    (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || substr(replace(key::text, '-', ''), 13))::uuid as new
  from (
    select key, now() - interval '1 minute' * (30 + 28 * sign(share) * abs(share) ^ 1.4
      + ('x' || substr(md5(key::text), 1, 4))::bit(16)::integer % 5 - 2) as at
    from (select key, 2.0 * row_number() over (order by key desc) / count(*) over () - 1 as share from print_job) placed
  ) spread`
