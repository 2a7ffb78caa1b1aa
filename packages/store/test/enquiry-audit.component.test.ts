import { randomBytes, randomUUID } from 'node:crypto'
import { openDatabase } from '@despatch/store/database'
import { createEnquiryAudit, type Enquiry } from '@despatch/store/enquiry/enquiry-audit'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, onTestFinished, test } from 'vitest'

const database = await shared(aDatabase({ connectionsMax: 8 }))

function anEnquiry(rest: Partial<Enquiry> = {}): Enquiry {
  return {
    consumerId: randomUUID(),
    service: 'full-driver-enquiry',
    numberHash: randomBytes(32),
    outcome: 'found',
    status: 200,
    correlationId: 'request-1',
    purpose: 'case 2026/17: renewal',
    asked: ['includeCPC', 'acceptPartialResponse=true'],
    results: null,
    ...rest,
  }
}

const audit = (enquiry: Enquiry) => createEnquiryAudit(database.pool)(enquiry)

async function rowsOf({ consumerId }: Pick<Enquiry, 'consumerId'>) {
  return database.db
    .selectFrom('enquiry_audit')
    .select([
      'consumer_id as consumerId',
      'service',
      'number_hash as numberHash',
      'outcome',
      'status',
      'correlation_id as correlationId',
      'purpose',
      'asked',
      'results',
    ])
    .where('consumer_id', '=', consumerId)
    .orderBy('correlation_id')
    .execute()
}

test.for<[what: string, enquiry: Partial<Enquiry>]>([
  ['a record that was found', {}],
  ['a part of one', { outcome: 'partial' }],
  ['no record', { outcome: 'not-found', status: 404 }],
  [
    'a body that could not be read',
    { outcome: 'refused', status: 400, numberHash: null, purpose: null, asked: [] },
  ],
  ['a source that failed', { outcome: 'failed', status: 502 }],
  [
    'a search',
    { service: 'driver-find', numberHash: null, asked: ['lastName', 'gender'], results: 7 },
  ],
  [
    'a search that gave none',
    { service: 'driver-find', numberHash: null, outcome: 'not-found', results: 0 },
  ],
  ['the longest correlation id', { correlationId: `${'"{\\,'.repeat(63)}abc` }],
])('stores %s unchanged', async ([, rest]) => {
  const enquiry = anEnquiry(rest)

  await audit(enquiry)

  expect(await rowsOf(enquiry)).toEqual([enquiry])
})

test('stores all of many concurrent enquiries, and commits each before it confirms', async () => {
  const together = createEnquiryAudit(database.pool)
  const consumerId = randomUUID()
  const enquiries = Array.from({ length: 1_000 }, (_, index) =>
    anEnquiry({ consumerId, correlationId: `request-${String(index).padStart(4, '0')}` }),
  )

  const seen = await Promise.all(
    enquiries.map(async (enquiry) => {
      await together(enquiry)
      const { correlationId } = enquiry
      const query = database.db.selectFrom('enquiry_audit').select('id')
      return query.where('correlation_id', '=', correlationId).execute()
    }),
  )

  expect(seen.map((rows) => rows.length)).toEqual(enquiries.map(() => 1))
  expect(await rowsOf({ consumerId })).toEqual(enquiries)
})

test('an enquiry that cannot be saved fails alone', async () => {
  const together = createEnquiryAudit(database.pool)
  const good = [anEnquiry(), anEnquiry()]
  const bad = anEnquiry({ purpose: 'somebody@example.org' })

  const settled = await Promise.allSettled([good[0]!, bad, good[1]!].map(together))

  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect([...(await rowsOf(good[0]!)), ...(await rowsOf(good[1]!))]).toEqual(good)
  expect(await rowsOf(bad)).toEqual([])
})

test('enquiries whose connection breaks during the write are saved once', async () => {
  const together = createEnquiryAudit(database.pool)
  const enquiries = [anEnquiry(), anEnquiry()]
  const locker = await database.pool.connect()
  await locker.query('begin; lock table enquiry_audit in share row exclusive mode')

  const saved = Promise.all(enquiries.map(together))
  await expect.poll(killWaiting).toBe(1)
  await locker.query('rollback')
  locker.release()
  await saved

  for (const enquiry of enquiries) expect(await rowsOf(enquiry)).toEqual([enquiry])
})

test('enquiries whose reply is lost after the commit are saved once', async () => {
  await using proxy = await startTcpProxy({ port: Number(new URL(database.url).port) })
  const through = openDatabase(proxy.through(database.url), { name: 'through', connectionsMax: 2 })
  onTestFinished(through.close)
  const together = createEnquiryAudit(through.pool)
  const enquiries = [anEnquiry(), anEnquiry()]
  const lost = proxy.loseReply({ request: (bytes) => bytes.includes('into enquiry_audit') })

  await Promise.all(enquiries.map(together))
  await lost

  for (const enquiry of enquiries) expect(await rowsOf(enquiry)).toEqual([enquiry])
})

test('an enquiry whose id is already taken, as after a failover, gets another id', async () => {
  const own = await aDatabase()
  onTestFinished(() => own.close())
  const before = createEnquiryAudit(own.pool)
  const after = createEnquiryAudit(own.pool)
  await before(anEnquiry())
  await own.pool.query(`select setval('enquiry_audit_id_seq', 1, false)`)

  await after(anEnquiry())
  await before(anEnquiry())

  const { rows } = await own.pool.query<{ count: number }>('select count(*) from enquiry_audit')
  expect(rows[0]!.count).toBe(3)
})

/** Ends the sessions that wait for a lock to insert. Returns how many there were. */
async function killWaiting(): Promise<number> {
  const { rowCount } = await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%into enquiry_audit%'`,
  )
  return rowCount ?? 0
}

describe('the database refuses an enquiry with, or a statement of', () => {
  test.for<[what: string, enquiry: Partial<Enquiry> | Record<string, unknown>]>([
    ['an unknown service', { service: 'print-request' }],
    ['an unknown outcome', { outcome: 'lost' }],
    ['a hash of another length', { numberHash: Buffer.from('AA19AAA') }],
    ['a failure that was answered with 200', { outcome: 'failed' }],
    ['a record that was found and answered with 404', { status: 404 }],
    ['a status of 500 with another outcome than failed', { outcome: 'refused', status: 500 }],
    ['an impossible status', { status: 99 }],
    ['a purpose that may not be kept', { purpose: 'a;b' }],
    ['a purpose that is too long', { purpose: 'x'.repeat(65) }],
    ['no correlation id', { correlationId: '' }],
    ['less than no results', { results: -1 }],
    ['names without end', { asked: Array.from({ length: 65 }, () => 'x') }],
  ])('%s', async ([, rest]) => {
    await expect(audit({ ...anEnquiry(), ...rest } as Enquiry)).rejects.toThrow('check constraint')
  })

  test.for([
    ['update', `update enquiry_audit set purpose = null`],
    ['update of no row', `update enquiry_audit set purpose = null where false`],
    ['delete', `delete from enquiry_audit`],
    ['delete of no row', `delete from enquiry_audit where false`],
    ['truncate', `truncate enquiry_audit`],
  ] as const)('%s', async ([, statement]) => {
    const enquiry = anEnquiry()
    await audit(enquiry)

    await expect(database.pool.query(statement)).rejects.toThrow('enquiry_audit is append-only')
    expect(await rowsOf(enquiry)).toEqual([enquiry])
  })
})
