import { randomUUID } from 'node:crypto'
import { openDatabase } from '@despatch/store/database'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { Registry } from '@despatch/telemetry/metrics'
import { eventually } from '@despatch/testing/eventually'
import { correctCounts } from '@despatch/testing/kept-counts'
import { aKeyAt, aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLetterPartitions } from '../src/upkeep/letter-partitions.ts'
import { createRetirement, type RetirementOptions } from '../src/upkeep/retirement.ts'
import { daysAgo, type Ended, endedPrintJobs } from './ended-print-jobs.ts'
import { inMonths, nameOfMonth } from './months-ahead.ts'

const ended = await shared(endedPrintJobs())
const { db, pool, consumer } = ended
// Nothing of one test may be due in the next.
beforeEach(() => pool.query('update print_job set purged_at = null'))

/** A letter with all the rows that a letter may have, purged that many days ago. */
async function aPurged(purgedDaysAgo: number, given: Ended = {}): Promise<string> {
  const { key } = await ended.anEnded({ callback: 'DELIVERED', runState: 'CLOSED', ...given })
  await pool.query('update print_job set purge_began_at = now(), purged_at = $2 where key = $1', [
    key,
    daysAgo(purgedDaysAgo),
  ])
  await pool.query(
    `with document as (select batch_number, document_id from print_run_document where print_job_key = $1
     ), event as (
       insert into print_run_event (provider_id, event_id, event_hash, batch_number, document_id, attempt, type, result, occurred_at)
       select 'north', $1::text, '', batch_number, document_id, 1, 'PRINTED', 'APPLIED', now() from document
     ), reprint as (
       insert into reprint (batch_number, document_id, attempt, state, reason_code, requested_by)
       select batch_number, document_id, 2, 'WAITING', 'S01', $2 from document
     ), returned as (
       insert into returned_letter (provider_id, return_id, return_hash, print_job_key, batch_number, document_id,
         reason_code, disposition, scanned_at)
       select 'north', $1::text, '', $1, batch_number, document_id, 'R01', 'DESTROYED', now() from document
     ), attempt as (
       insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome)
       select id, 1, now(), now(), 1, 'delivered' from callback where print_job_key = $1
     )
     insert into search_term (term, print_job_key) values ($3, $1)`,
    [key, consumer.consumerId, termOf(key)],
  )
  return key
}

function termOf(key: string): string {
  const ms = BigInt(`0x${key.replaceAll('-', '').slice(0, 12)}`)
  return String((((ms >> 27n) - (1n << 20n)) << 43n) | 7n)
}

/** The tables that have rows of the letter. */
async function tablesWith(key: string): Promise<string[]> {
  const ofDocument =
    'document_id in (select document_id from print_run_document where print_job_key = $1)'
  const conditions = Object.entries({
    callback: 'print_job_key = $1',
    callback_attempt: 'callback_id in (select id from callback where print_job_key = $1)',
    print_job: 'key = $1',
    print_job_event: 'print_job_key = $1',
    print_job_file: 'print_job_key = $1',
    print_run_document: 'print_job_key = $1',
    print_run_event: `event_id = $1::text or ${ofDocument}`,
    reprint: ofDocument,
    returned_letter: 'print_job_key = $1',
    search_term: 'print_job_key = $1',
  }).map(
    ([table, condition]) =>
      `select '${table}' as name where exists (select from ${table} where ${condition})`,
  )
  const { rows } = await pool.query<{ name: string }>(
    `${conditions.join(' union all ')} order by name`,
    [key],
  )
  return rows.map(({ name }) => name)
}

const everyTable = await tablesWith(await aPurged(0))

function aRetirement(given: Partial<RetirementOptions> = {}) {
  const registry = new Registry()
  const options = { db, historyDays: 400, retentionDays: 90, registry, now: () => new Date() }
  const pass = createRetirement({ ...options, ...given })
  return {
    run: async () => {
      while ((await pass()) === 'again');
    },
    retired: async () => {
      const { values } = await registry.getSingleMetric('print_jobs_retired_total')!.get()
      return values[0]?.value
    },
  }
}

describe('a purged letter', () => {
  test.for<[name: string, days: number, ended: Ended, isRetired: boolean]>([
    ['401 days ago', 401, {}, true],
    ['399 days ago', 399, {}, false],
    ['401 days ago and owes a callback for its return', 401, { callback: 'DUE' }, false],
    ['401 days ago and whose print run is in production', 401, { runState: 'POSTED' }, false],
    ['401 days ago and was deleted', 401, { status: 'PENDING', isDeleted: true }, true],
    ['401 days ago and was rejected', 401, { status: 'REJECTED' }, true],
  ])('%s', async ([, days, given, isRetired]) => {
    const key = await aPurged(days, given)
    const retirement = aRetirement()

    await retirement.run()

    expect(everyTable).toHaveLength(10)
    expect(await tablesWith(key)).toEqual(isRetired ? [] : everyTable)
    expect(await retirement.retired()).toBe(isRetired ? 1 : 0)
  })

  test('leaves the counts correct when it is retired', async () => {
    await correctCounts(db)
    await Promise.all([aPurged(401), aPurged(401, { status: 'REJECTED' }), aPurged(0)])
    await correctCounts(db)

    await aRetirement().run()

    expect((await pool.query('select * from count_difference')).rows).toEqual([])
  })

  test('every print job is retired exactly once by several processes', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => aPurged(401)))
    const others = [1, 2].map(() => openDatabase(ended.url, { name: 'other', connectionsMax: 2 }))
    const retirements = others.map((other) => aRetirement({ db: other.db, jobsMax: 3 }))

    await Promise.all(retirements.map(({ run }) => run()))
    await aRetirement().run()

    expect(await Promise.all(keys.map(tablesWith))).toEqual(keys.map(() => []))
    const { rows } = await pool.query(
      'select count(*)::integer as count from retired_print_job where first_hash in (select retired_id_hash($1, id, 1) from unnest($2::text[]) id)',
      [consumer.consumerId, keys],
    )
    expect(rows).toEqual([{ count: 20 }])
    await Promise.all(others.map(({ close }) => close()))
  })
})

describe('data without a print job is retired', () => {
  /** Inserts a bulk action with one print job, and returns its id. */
  async function aBulkAction(state: 'ENDED' | 'PLANNED' | 'RUNNING', days: number) {
    const id = randomUUID()
    await pool.query(
      `with planned as (
         insert into bulk_action (id, action, reason, digest, print_job_count, needs_second_person, planned_by,
           planned_at, state, confirmed_at, confirmed_by, ended_at)
         select $1::uuid, 'hold', 'walk', repeat('0', 64), 1, false, $2::uuid, $3::timestamptz, $4::text, case when $4 <> 'PLANNED' then $3::timestamptz end,
           case when $4 <> 'PLANNED' then $2::uuid end, case when $4 = 'ENDED' then $3::timestamptz end
       )
       insert into bulk_action_item (bulk_action_id, position, print_job_key) values ($1::uuid, 1, $1::uuid)`,
      [id, consumer.consumerId, daysAgo(days), state],
    )
    return id
  }
  const left = async (statement: string, values: unknown[]) =>
    (await pool.query(statement, values)).rows.length

  test.for([
    ['ENDED', 401, 0],
    ['ENDED', 399, 1],
    ['PLANNED', 401, 0],
    ['PLANNED', 399, 1],
    ['RUNNING', 401, 1],
  ] as const)(
    'including a bulk action that is %s: after %s days %s remain',
    async ([state, days, count]) => {
      const id = await aBulkAction(state, days)

      await aRetirement().run()

      const items = 'select from bulk_action_item where bulk_action_id = $1'
      expect(await left('select from bulk_action where id = $1', [id])).toBe(count)
      expect(await left(items, [id])).toBe(count)
    },
  )

  test('including a test message, which goes with its attempts once it has been purged', async () => {
    const [unpurged, old, kept] = await ended.someTestCallbacks([402, 401, 399])
    await pool.query('update callback set destination_sealed = null where id = any ($1)', [
      [old, kept],
    ])

    await aRetirement().run()

    const ids = [old, kept, unpurged]
    const { rows } = await pool.query('select id from callback where id = any ($1)', [ids])
    const attempts = await pool.query(
      'select callback_id as id from callback_attempt where callback_id = any ($1)',
      [ids],
    )
    expect(rows.map(({ id }) => id).toSorted()).toEqual([unpurged, kept].toSorted())
    expect(attempts.rows).toHaveLength(2)
  })

  test.for([
    ['of which nothing was heard for 401 days', 401, undefined, 0],
    ['of which nothing was heard for 399 days', 399, undefined, 1],
    ['to which a callback is due', 401, 'DUE', 1],
    ['to which a callback waits for its turn', 401, 'WAITING', 1],
    ['to which a callback is dead', 401, 'DEAD', 0],
  ] as const)('or kept: an origin %s', async ([, days, callback, count]) => {
    const origin = `https://${randomUUID()}.example`
    await pool.query('insert into callback_origin (origin, last_failure_at) values ($1, $2)', [
      origin,
      daysAgo(days),
    ])
    if (callback) {
      const { key } = await ended.anEnded({ callback })
      await pool.query('update callback set origin = $2 where print_job_key = $1', [key, origin])
    }

    await aRetirement().run()

    expect(await left('select from callback_origin where origin = $1', [origin])).toBe(count)
  })
})

describe('a late retry', () => {
  const retryOf = (id: string) => aSubmission(consumer, { id })
  const taken = { kind: 'id-taken', sameContent: null }

  test('is refused because the id is taken, even if it waits while the letter is retired', async () => {
    const id = await aPurged(401)
    const retiring = await db.startTransaction().execute()
    await aRetirement({ db: retiring }).run()

    const saving = saveSubmissions(pool, [retryOf(id)])
    await eventually(
      async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`,
        )
        return rows.length > 0
      },
      { message: 'the submission waits for the retirement' },
    )
    await retiring.commit().execute()

    expect(await saving).toEqual([taken])
    const { rows } = await pool.query('select from print_job where id = $1', [id])
    expect(rows).toEqual([])
  })

  test('is refused in any statement, even without a lookup', async () => {
    const id = await aPurged(401)
    await aRetirement().run()

    await expect(
      pool.query(
        `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses, correlation_id, request_fingerprint)
         values ($1, $2, $3, 'QUARANTINE', $4, '{}', '{}', 'correlation', '')`,
        [randomUUID(), consumer.consumerId, id, consumer.contractId],
      ),
    ).rejects.toMatchObject({ code: 'DS003' })
  })

  test('costs one probe before and one after each insert, with any number of consumers', async () => {
    await Promise.all(Array.from({ length: 10 }, () => insertConsumer(db)))
    await pool.query(
      'insert into retired_print_job select hashint8extended(n, 3), hashint8extended(n, 4) from generate_series(1, 2000) n',
    )
    await pool.query('analyze retired_print_job, consumer')
    const submissions = Array.from({ length: 8 }, () => aSubmission(consumer))
    const client = await pool.connect()
    const probes = async () => {
      const { rows } = await client.query(
        `select idx_scan + seq_scan as count from pg_stat_xact_user_tables where relname = 'retired_print_job'`,
      )
      return rows[0].count as number
    }
    await client.query('begin')
    const before = await probes()

    await saveSubmissions(client as unknown as typeof pool, submissions)

    expect((await probes()) - before).toBe(16)
    await client.query('rollback')
    client.release()
  })

  test('requires at most 100 bytes in the database for each retired letter', async () => {
    await pool.query(
      'insert into retired_print_job select hashint8extended(n, 1), hashint8extended(n, 2) from generate_series(1, 20000) n',
    )
    const { rows } = await pool.query(
      `select pg_total_relation_size('retired_print_job')::float8 / count(*) as bytes from retired_print_job`,
    )
    expect(rows[0].bytes).toBeLessThan(100)
  })
})

describe('the partitions of a past month', () => {
  const partitions = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select name from letter_partition where parent = 'print_job_event' and ends_on <= $1 order by ends_on`,
      [inMonths(7, 1)],
    )
    return rows.map(({ name }) => name.slice('print_job_event_'.length))
  }
  const historyDays = 36_500

  test('are dropped when no letter is left, and the few remaining old letters move', async () => {
    await createLetterPartitions(db, { now: inMonths(7, 1) })
    const retired = await aPurged(401, { key: aKeyAt(inMonths(3)) })
    const left = await aPurged(0, { key: aKeyAt(inMonths(3, 11)) })
    const younger = await aPurged(0, { key: aKeyAt(inMonths(6)) })
    await pool.query('update print_job set purged_at = null where key = any ($1)', [
      [left, younger],
    ])
    await correctCounts(db)

    await aRetirement().run()
    expect(await tablesWith(retired)).toEqual(['print_job_event', 'search_term'])

    // nothing moves while somebody works on a letter that is left
    const worker = await pool.connect()
    await worker.query('begin')
    await worker.query('select from print_job where key = $1 for update', [left])
    await aRetirement({ now: () => inMonths(23, 1) }).run()
    expect(await partitions()).toContain(nameOfMonth(inMonths(3)))
    expect(await tablesWith(left)).toEqual(everyTable)
    await worker.query('commit')
    worker.release()

    // 550 days after the end of the first of these months, but not after that of the other
    await aRetirement({ now: () => inMonths(23, 1) }).run()

    expect(await partitions()).toEqual([nameOfMonth(inMonths(6))])
    expect(await tablesWith(retired)).toEqual([])
    // its search terms are written again
    expect(await tablesWith(left)).toEqual(everyTable.filter((table) => table !== 'search_term'))
    expect(await ended.read(left)).toMatchObject({ search_terms: null })
    expect(await tablesWith(younger)).toEqual(everyTable)
    expect((await pool.query('select * from count_difference')).rows).toEqual([])
  })

  test('stay while another session reads the table, and are dropped afterwards', async () => {
    await createLetterPartitions(db, { now: inMonths(25, 20) })
    const name = `print_job_event_${nameOfMonth(inMonths(24))}`
    const reader = await pool.connect()
    await reader.query('begin')
    await reader.query('select count(*) from print_job_event')

    await aRetirement({ now: () => inMonths(25, 20), historyDays }).run()
    const { rows: before } = await pool.query('select to_regclass($1) is not null as exists', [
      name,
    ])
    await reader.query('commit')
    reader.release()
    await aRetirement({ now: () => inMonths(25, 20), historyDays }).run()
    const { rows: after } = await pool.query('select to_regclass($1) is not null as exists', [name])

    expect([before, after]).toEqual([[{ exists: true }], [{ exists: false }]])
  })
})
