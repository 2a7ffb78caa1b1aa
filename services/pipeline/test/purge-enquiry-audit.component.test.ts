import { openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { aDatabase } from '@despatch/testing/a-database'
import { takeDenied } from '@despatch/testing/denied-statements'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { purgeEnquiryAudit } from '../src/upkeep/purge-enquiry-audit.ts'

const consumerId = '00000000-0000-4000-8000-000000000001'

const database = await shared(aDatabase())
const { url } = database
// no statement may do this while the triggers are enabled
beforeEach(() =>
  database.pool.query(
    `alter table enquiry_audit disable trigger user; truncate enquiry_audit;
     alter table enquiry_audit enable trigger user`,
  ),
)

/** Inserts enquiries of the given age. The correlation id contains the age. */
async function someAged(age: string, count = 1): Promise<void> {
  await database.pool.query(
    `insert into enquiry_audit (at, consumer_id, service, outcome, status, correlation_id)
     select now() - $1::text::interval, $2, 'driver-find', 'found', 200, $1::text from generate_series(1, $3)`,
    [age, consumerId, count],
  )
}

async function agesLeft(): Promise<string[]> {
  const { rows } = await database.pool.query<{ age: string }>(
    'select correlation_id as age from enquiry_audit order by at, id',
  )
  return rows.map(({ age }) => age)
}

/** Sets the retention as `npm run migrate` does. */
async function keep(enquiryAuditDays: number): Promise<void> {
  await migrate(url, { enquiryAuditDays })
}

test('removes entries older than the retention', async () => {
  for (const age of ['731 days', '730 days 1 second', '729 days 23 hours', '1 day', '0 days']) {
    await someAged(age)
  }

  await keep(730)
  expect(await purgeEnquiryAudit(database.db)).toBe('idle')

  expect(await agesLeft()).toEqual(['729 days 23 hours', '1 day', '0 days'])
})

test('removes a limited number at a time, oldest first', async () => {
  await someAged('5 days', 3)
  await someAged('9 days', 5_000)
  await keep(2)

  expect(await purgeEnquiryAudit(database.db)).toBe('again')
  expect(await agesLeft()).toEqual(['5 days', '5 days', '5 days'])
  expect(await purgeEnquiryAudit(database.db)).toBe('idle')
  expect(await agesLeft()).toEqual([])
})

test('several processes share the work, and concurrent entries are kept', async () => {
  await someAged('5 days', 22_000)
  await keep(2)
  const others = [1, 2, 3].map(() => openDatabase(url, { name: 'other', connectionsMax: 1 }))

  await Promise.all([
    ...others.map(async ({ db }) => {
      while ((await purgeEnquiryAudit(db)) === 'again');
    }),
    someAged('1 day', 100),
  ])
  while ((await purgeEnquiryAudit(database.db)) === 'again');

  expect(await agesLeft()).toEqual(Array.from({ length: 100 }, () => '1 day'))
  await Promise.all(others.map(({ close }) => close()))
})

test('a service cannot change the retention, or the age that the purge deletes', async () => {
  await keep(730)
  await someAged('729 days')

  for (const service of ['vehicle-enquiry', 'driver-find', 'pipeline'] as const) {
    const { pool, close } = openDatabase(database.serviceUrl(service), {
      name: 'own',
      connectionsMax: 1,
    })
    onTestFinished(close)
    await expect(pool.query('update retention set days = 1')).rejects.toThrow('permission denied')
    await expect(pool.query(`select purge_enquiry_audit(now(), 1)`)).rejects.toThrow(
      'does not exist',
    )
    const purging = pool.query('select purge_enquiry_audit(1)')
    if (service === 'pipeline') await purging
    else await expect(purging).rejects.toThrow('permission denied')
  }

  expect(takeDenied()).toHaveLength(5)
  expect(await agesLeft()).toEqual(['729 days'])
})

test('a migration without a number of days does not change the retention', async () => {
  await keep(30)
  await someAged('31 days')

  await migrate(url)
  await purgeEnquiryAudit(database.db)

  expect(await agesLeft()).toEqual([])
})

test('a transaction that purges cannot delete any other entry', async () => {
  await someAged('5 days')
  await someAged('3 days')
  await keep(4)

  const attempt = database.db.transaction().execute(async (tx) => {
    await purgeEnquiryAudit(tx)
    await tx.deleteFrom('enquiry_audit').execute()
  })

  await expect(attempt).rejects.toThrow('rows leave it by purge_enquiry_audit')
  expect(await agesLeft()).toEqual(['5 days', '3 days'])
})

test('a forged purge mark deletes no entry younger than a day', async () => {
  await someAged('23 hours')

  const attempt = database.db.transaction().execute(async (tx) => {
    await sql`select set_config('despatch.enquiry_audit_purged_before', 'infinity', true)`.execute(
      tx,
    )
    await tx.deleteFrom('enquiry_audit').execute()
  })

  await expect(attempt).rejects.toThrow('enquiry_audit keeps each row for a day at least')
  expect(await agesLeft()).toEqual(['23 hours'])
})
