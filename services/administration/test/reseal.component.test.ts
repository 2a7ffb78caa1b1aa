import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { searchHasherSource, searchKeyBox } from '@despatch/access/search-terms'
import { openSigningKey } from '@despatch/access/signing-key'
import { keysOfRoot } from '@despatch/config/keys-of-root'
import { readConfig } from '@despatch/config/read-config'
import { deriveKeys } from '@despatch/config/service-keys'
import {
  callbackDestinationPurpose,
  callbackSecretPurpose,
} from '@despatch/domain/callback/destination'
import { repeat } from '@despatch/queue/repeat'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { seeder } from '@despatch/testing/seed-print-job'
import { expect, onTestFinished, test } from 'vitest'
import { administrationConfig } from '../src/config.ts'
import { type Pace, resealTask } from '../src/sealed-value/reseal-sweep.ts'
import { createResealer } from '../src/sealed-value/reseal-value.ts'
import { sealedColumns } from '../src/sealed-value/sealed-values.ts'
import { createAdministration } from '../src/service.ts'

const [oldRoot, newRoot, lostRoot] = ['a1'.repeat(32), 'b2'.repeat(32), 'c3'.repeat(32)]
const pace = { walkMs: 1_000, pauseMs: 5, restMs: 20 }
const target = 'https://example.com/status?token=SECRET'

/** The keys of a root that seal. */
type Keys = Record<'signing' | 'callbacks' | 'search', string>
const keysOf = (root: string): Keys => {
  const keys = deriveKeys(root)
  return {
    signing: keys.DESPATCH_KEY_SIGNING,
    callbacks: keys.DESPATCH_KEY_CALLBACKS,
    search: keys.DESPATCH_KEY_SEARCH,
  }
}
const [oldKeys, newKeys, lostKeys] = [keysOf(oldRoot), keysOf(newRoot), keysOf(lostRoot)]

const destination = ({ callbacks }: Keys) =>
  sealedBox(callbacks, { purpose: callbackDestinationPurpose })
const signingSecret = ({ callbacks }: Keys) =>
  sealedBox(callbacks, { purpose: callbackSecretPurpose })

/** A separate database with a consumer, and processes that reseal its values. */
async function aSealedDatabase() {
  const { db, pool, close, serviceUrl } = await aDatabase({ connectionsMax: 6 })
  onTestFinished(close)
  const seed = await seeder(db)
  /** A print job with this sealed destination of its callbacks, and these parameters of them. */
  const aPrintJob = (sealed: Buffer, params: object = {}) =>
    seed.printJob({
      status: 'QUARANTINE',
      callback_params: JSON.stringify(params),
      callback_destination_sealed: sealed,
    })
  const kept = async (key: string) =>
    db
      .selectFrom('print_job')
      .select(['callback_params as params', 'callback_destination_sealed as sealed'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow()

  /** A process with these keys, with its metrics and its log. It ends with the test at the latest. */
  const aProcess = (keys: Keys, previous: readonly Keys[] = [], given: Partial<Pace> = {}) => {
    const sealing = (purpose: keyof Keys) => ({
      secretKeyHex: keys[purpose],
      previousKeysHex: previous.map((each) => each[purpose]),
    })
    const lines: string[] = []
    const metrics = createMetrics('administration')
    const log = createLogger({
      service: 'administration',
      destination: { write: (line: string) => void lines.push(line) },
    })
    const task = resealTask({
      db,
      log,
      metrics,
      resealer: createResealer({
        signing: sealing('signing'),
        callbacks: sealing('callbacks'),
        search: sealing('search'),
      }),
      hasPreviousKeys: previous.length > 0,
      pace: { ...pace, ...given },
    })
    const sweep = repeat({ ...task, onError: (err) => log.error({ err }, 'pass-failed') })
    onTestFinished(() => sweep.close())
    const hasMetric = async (name: string, place: string, value: number) => {
      const text = `${name}{place="${place}",service="administration"} ${value}\n`
      return (await metrics.metrics()).includes(text)
    }
    return { ...sweep, lines, hasMetric }
  }
  return { db, pool, serviceUrl, consumerId: seed.consumerId, aPrintJob, kept, aProcess }
}

test('everything that a previous key sealed is resealed, and opens only with the new key', async () => {
  const { db, consumerId, aPrintJob, kept, aProcess } = await aSealedDatabase()
  await openSigningKey({ db, secretKeyHex: oldKeys.signing })
  const searchTermsWith = async ({ search }: Keys) => {
    const hasher = await searchHasherSource({ db, box: searchKeyBox(search) })()
    return hasher?.meaningsOf('case-1')
  }
  const searchTerms = await searchTermsWith(oldKeys)
  const secretId = await addSecret(db, oldKeys)
  await db
    .insertInto('callback')
    .values({
      id: randomUUID(),
      consumer_id: consumerId,
      sequence: 1,
      kind: 'test',
      body: Buffer.from('{}'),
      origin: 'https://example.com:443',
      destination_sealed: destination(oldKeys).seal('["https://example.com/test"]'),
      due_at: new Date(),
    })
    .execute()
  const retryParams = { enabled: true, maxRetryWindow: 60 }
  const job = await aPrintJob(destination(oldKeys).seal(`["${target}"]`), { retryParams })
  const untouched = destination(newKeys).seal(`["${target}"]`)
  const newJob = await aPrintJob(untouched)

  const first = aProcess(newKeys, [oldKeys])
  for (const place of sealedColumns) {
    await eventually(() => first.hasMetric('sealed_values_with_previous_key', place, 0), {
      message: `nothing of a previous key is left: ${place}`,
    })
    expect(await first.hasMetric('sealed_values_unreadable', place, 0)).toBe(true)
  }
  await first.close()

  const { kid } = await (await openSigningKey({ db, secretKeyHex: newKeys.signing }))()
  expect(kid).not.toBe('')
  expect(searchTerms).toBeDefined()
  expect(await searchTermsWith(newKeys)).toEqual(searchTerms)
  expect(signingSecret(newKeys).unseal(await secretOf(db, secretId))).toBe('whsec_A')
  const { destination_sealed } = await db
    .selectFrom('callback')
    .select('destination_sealed')
    .executeTakeFirstOrThrow()
  expect(destination(newKeys).unseal(destination_sealed!)).toBe('["https://example.com/test"]')
  const { params, sealed } = await kept(job)
  expect([params, destination(newKeys).unseal(sealed!)]).toEqual([{ retryParams }, `["${target}"]`])
  expect((await kept(newJob)).sealed).toEqual(untouched)
})

test('a value that no key opens stays unchanged, is counted and is logged once', async () => {
  const { db, aPrintJob, kept, aProcess } = await aSealedDatabase()
  const lost = destination(lostKeys).seal(`["${target}"]`)
  const key = await aPrintJob(lost)
  await openSigningKey({ db, secretKeyHex: lostKeys.signing })

  const process = aProcess(newKeys, [oldKeys])
  await eventually(() => process.hasMetric('sealed_values_unreadable', 'print-job-callback', 1), {
    message: 'the unreadable callback is counted',
  })
  await eventually(() => process.hasMetric('sealed_values_unreadable', 'signing-key', 1), {
    message: 'the signing key is counted',
  })
  // rounds over the signing keys continue meanwhile
  const late = await addSecret(db, oldKeys)
  await eventually(async () => (await secretOf(db, late))[0] !== destination(oldKeys).keyId, {
    message: 'another round has found what came later',
  })
  await process.close()

  expect((await kept(key)).sealed).toEqual(lost)
  const told = process.lines.filter((line) => line.includes('sealed-values.unreadable'))
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { place: 'signing-key', count: 1 },
    { place: 'print-job-callback', count: 1, ids: [key] },
  ])
  expect(process.lines.join()).not.toMatch(/SECRET|example\.com/)
})

test('several processes share the work, and one that ends halfway leaves every value complete', async () => {
  const { pool, aPrintJob, kept, aProcess } = await aSealedDatabase()
  const model = await aPrintJob(destination(oldKeys).seal(`["${target}"]`))
  await pool.query(
    `insert into print_job (key, id, consumer_id, status, contract_id, standard_params, callback_params,
      callback_destination_sealed, callback_statuses, correlation_id, request_fingerprint)
    select row.key, row.key::text, consumer_id, status, contract_id, standard_params, callback_params,
      callback_destination_sealed, callback_statuses, correlation_id, request_fingerprint
    from print_job, lateral (select gen_random_uuid() as key from generate_series(1, 2500) as nth) row
    where print_job.key = $1`,
    [model],
  )
  const sealedNow = async (keys: Keys) => {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*) from print_job where get_byte(callback_destination_sealed, 0) = $1',
      [destination(keys).keyId],
    )
    return rows[0]!.count
  }

  // with a walk of 0 ms, only the first rows are walked
  const interrupted = aProcess(newKeys, [oldKeys], { walkMs: 0, pauseMs: 300 })
  await eventually(async () => (await sealedNow(newKeys)) > 0, {
    message: 'the first values are sealed with the new key',
  })
  await interrupted.close()
  const inTheMiddle = [await sealedNow(oldKeys), await sealedNow(newKeys)]
  const [first, second] = [aProcess(newKeys, [oldKeys]), aProcess(newKeys, [oldKeys])]
  await eventually(async () => (await sealedNow(newKeys)) === 2501, {
    message: 'all values are sealed with the new key',
  })
  for (const process of [first, second]) {
    await eventually(
      () => process.hasMetric('sealed_values_with_previous_key', 'print-job-callback', 0),
      { message: 'both processes have seen that no value is left' },
    )
    await process.close()
  }

  expect(inTheMiddle[0]).toBeGreaterThan(0)
  expect(inTheMiddle[0]! + inTheMiddle[1]!).toBe(2501)
  const { sealed } = await kept(model)
  expect(destination(newKeys).unseal(sealed!)).toBe(`["${target}"]`)
  // then with the new key alone: nothing is left to reseal
  const alone = aProcess(newKeys)
  await eventually(() => alone.hasMetric('sealed_values_unreadable', 'print-job-callback', 0), {
    message: 'every value opens',
  })
  expect((await kept(model)).sealed).toEqual(sealed)
})

test('the service reseals according to its settings, and a metric shows when the previous key can be removed', async () => {
  const { db, serviceUrl } = await aSealedDatabase()
  await openSigningKey({ db, secretKeyHex: oldKeys.signing })
  const service = await createAdministration(
    readConfig(administrationConfig, {
      DATABASE_URL: serviceUrl('administration'),
      ...objectStoreSettings(),
      ...keysOfRoot(newRoot, { previousRootsHex: [oldRoot] }),
      PORT: '0',
    }),
    { log: createLogger({ service: 'administration', level: 'silent' }) },
  )
  onTestFinished(() => service.close())
  const metrics = async () => (await service.api.inject({ url: '/metrics' })).body

  const before = await metrics()
  await eventually(
    async () =>
      (await metrics()).includes(
        'sealed_values_with_previous_key{place="signing-key",service="administration"} 0\n',
      ),
    { message: 'the signing key is sealed with the new key' },
  )

  expect(before).not.toContain('sealed_values_with_previous_key{')
  await expect(openSigningKey({ db, secretKeyHex: newKeys.signing })).resolves.toBeDefined()
})

type Database = Awaited<ReturnType<typeof aDatabase>>['db']

async function addSecret(db: Database, keys: Keys): Promise<string> {
  const { consumer_id } = await db
    .selectFrom('contract')
    .select('consumer_id')
    .executeTakeFirstOrThrow()
  const id = randomUUID()
  const secret_sealed = signingSecret(keys).seal('whsec_A')
  await db.insertInto('callback_secret').values({ id, consumer_id, secret_sealed }).execute()
  return id
}

async function secretOf(db: Database, id: string): Promise<Buffer> {
  const { secret_sealed } = await db
    .selectFrom('callback_secret')
    .select('secret_sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return secret_sealed
}
