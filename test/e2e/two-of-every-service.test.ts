import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@despatch/store/database'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { expect, test } from 'vitest'
import { aCaller } from '../stack/a-caller.ts'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { startRecordingReceiver } from '../stack/callbacks/recording-receiver.ts'
import { signInToConsole } from '../stack/console-session.ts'
import { expectStatus } from '../stack/expect-status.ts'
import { startCuttingGateway } from '../stack/provider-loop/cutting-gateway.ts'
import { startSimulator } from '../stack/provider-loop/start-simulator.ts'
import { type Credentials, makeDirectory, startDespatch } from '../stack/start-despatch.ts'

const queueBackends = await takeQueueBackends()
const lettersCount = 24
const enquiriesPerDay = 20

test.each(queueBackends)(
  'each service runs twice, with queues on $name: letters, limits and sessions are shared',
  async ({ url: queueUrl }) => {
    await using two = await startTwice(queueUrl)
    await using receiver = await startRecordingReceiver()
    await using _factory = startSimulator({
      baseUrl: two.url,
      credential: two.credentials.provider,
      directory: two.directory,
    })
    const consumer = await aConsumer(two.url, two.credentials.consumer)

    const submissions = Array.from({ length: lettersCount }, (_, number) =>
      consumer.submit({
        ...aSmallLetter,
        id: `letter-${number}`,
        callbackParams: { target: receiver.origin },
        // every third has a file
        ...(number % 3 === 0 && { customParams: [{ key: 'page', value: pngOf(number) }] }),
      }),
    )
    const [answers, cookie] = await Promise.all([
      enquireAtBoth(two),
      checkSessions(two),
      Promise.all(submissions),
    ])
    await two.untilOver()
    const enquiries = await two.countEnquiries()
    const policies = await changePlans(two)

    // each process may exceed the limit by one block, which is one request here
    const allowed = answers.filter((status) => status !== 429).length
    expect(allowed).toBeGreaterThanOrEqual(enquiriesPerDay)
    expect(allowed).toBeLessThanOrEqual(enquiriesPerDay + 2)
    expect(enquiries).toBe(allowed)
    expect(cookie).toEqual({ whileSignedIn: [200, 200], afterwards: [401, 401] })
    expect(policies).toEqual({ set: [7_000, 7_000], changed: [8_000, 8_000] })
    expect(receiver.calls.map(({ id }) => id).toSorted()).toEqual(await two.callbackIds())
    expect(await printedIn(two.directory)).toEqual(await two.documentIds())
  },
)

type Two = Awaited<ReturnType<typeof startTwice>>

/** Two processes with every service on one database, queue and object store, and a gateway that takes them in turn. */
async function startTwice(queueUrl: string) {
  await using parts = new AsyncDisposableStack()
  const clone = await cloneDatabase()
  parts.defer(clone.drop)
  const database = openDatabase(clone.url, { name: 'test', connectionsMax: 2 })
  parts.defer(() => database.close())
  const { pool } = database
  await pool.query('update usage_plan set requests_per_second = 10000, burst = 10000')
  await pool.query(
    `update usage_plan set requests_per_day = $1 where service = 'vehicle-enquiry'`,
    [enquiriesPerDay],
  )
  const settings = {
    DATABASE_URL: clone.url,
    QUEUE_URL: queueUrl,
    ...objectStoreSettings(),
    DESPATCH_SECRET_KEY: '7'.repeat(64),
    DESPATCH_SIMULATOR: 'off',
    DESPATCH_PRINT_RUN_AGE_MS: '300',
    DESPATCH_PRINT_RUN_DOCUMENTS_MAX: '5',
  }
  const directories = [parts.use(await makeDirectory()), parts.use(await makeDirectory())] as const
  const one = parts.use(await startDespatch(directories[0].path, settings))
  const credentialsOf = (directory: { path: string }) => join(directory.path, 'credentials.json')
  await copyFile(credentialsOf(directories[0]), credentialsOf(directories[1]))
  const other = parts.use(await startDespatch(directories[1].path, settings))
  const gateway = parts.use(await startCuttingGateway({ keepAlive: false }))
  const all: readonly Credentials[] = [one.credentials, other.credentials]
  gateway.route(
    '/administration',
    all.map(({ opsUrl }) => opsUrl),
  )
  gateway.route(
    '/',
    all.map(({ baseUrl }) => baseUrl),
  )
  const column = async (query: string) => {
    const { rows } = await pool.query<{ value: string }>(query)
    return rows.map(({ value }) => value)
  }
  const started = parts.move()
  return {
    url: gateway.url,
    /** The addresses of both processes. */
    each: all.map(({ baseUrl }) => baseUrl),
    credentials: one.credentials,
    directory: directories[0].path,
    /** Waits until all letters are despatched and all their callbacks have been delivered. */
    untilOver: () =>
      eventually(
        async () => {
          const [left] = await column(
            `select count(*) filter (where status <> 'DESPATCHED')
               + (select count(*) from callback where state <> 'DELIVERED') as value from print_job`,
          )
          return Number(left) === 0
        },
        { deadlineMs: 60_000, pollMs: 200, message: 'all letters are despatched' },
      ),
    callbackIds: () => column('select id::text as value from callback order by 1'),
    documentIds: () => column('select document_id as value from print_job order by 1'),
    countEnquiries: async () => {
      const [count] = await column('select count(*) as value from enquiry_audit')
      return Number(count)
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** An enquiry has the key of the consumer alone. */
const callerOf = (baseUrl: string, { consumer }: Credentials) =>
  aCaller(`${baseUrl}/vehicle-enquiry/v1`, { 'x-api-key': consumer.apiKey })

/** Makes more enquiries than a day allows, which reach the processes in turn. Returns the statuses. */
async function enquireAtBoth({ url, credentials }: Two): Promise<number[]> {
  const call = callerOf(url, credentials)
  const statuses: number[] = []
  for (let number = 0; number < enquiriesPerDay * 2; number++) {
    const { status } = await call('POST', '/vehicles', { registrationNumber: 'AA19AAA' })
    statuses.push(status)
  }
  return statuses
}

/** Signs in at one process, and out at the other. Returns how both answer before and after. */
async function checkSessions({ url, credentials }: Two) {
  const cookie = await signInToConsole(url, credentials.operator)
  const headers = { cookie, 'x-despatch-console': '1', origin: url }
  // nothing else asks this service, so its two processes answer in turn
  const ask = (method: string) =>
    fetch(`${url}/administration/v1/sessions`, { method, headers }).then(({ status }) => status)
  const whileSignedIn = [await ask('GET'), await ask('GET')]
  await ask('DELETE')
  return { whileSignedIn, afterwards: [await ask('GET'), await ask('GET')] }
}

/** Gives the consumer a new plan, and changes it. Returns what the next request to each process is limited by. */
async function changePlans({ url, each, credentials }: Two) {
  const cookie = await signInToConsole(url, credentials.operator)
  const headers = { cookie, 'x-despatch-console': '1', origin: url }
  const administer = expectStatus(aCaller(`${url}/administration/v1`, headers))
  const savePlan = (requestsPerDay: number) =>
    administer(200, 'PUT', '/usage-plans/own', {
      limits: [{ service: 'vehicle-enquiry', requestsPerSecond: 100, burst: 0, requestsPerDay }],
    })
  // a request that is refused for its body is counted too
  const readLimits = () =>
    Promise.all(
      each.map(async (baseUrl) => {
        const { headers: answered } = await callerOf(baseUrl, credentials)('POST', '/vehicles', {})
        const day = /"day";q=(\d+)/.exec(answered.get('ratelimit-policy') ?? '')
        return Number(day?.[1])
      }),
    )

  const { consumers } = JSON.parse(await administer(200, 'GET', '/consumers')) as {
    consumers: { consumerId: string; userName: string }[]
  }
  const { consumerId } = consumers.find(
    ({ userName }) => userName === credentials.consumer.userName,
  )!
  await savePlan(7_000)
  await readLimits()
  await administer(200, 'PUT', `/consumers/${consumerId}/usage-plan`, { usagePlan: 'own' })
  const set = await readLimits()
  await savePlan(8_000)
  return { set, changed: await readLimits() }
}

async function printedIn(directory: string): Promise<string[]> {
  const log = await readFile(join(directory, 'print-log.ndjson'), 'utf8')
  return log
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { documentId: string }).documentId)
    .toSorted()
}

/** A picture of one pixel, different for each number by bytes after its end. */
function pngOf(number: number): string {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
  return Buffer.concat([Buffer.from(png, 'base64'), Buffer.from(`-${number}`)]).toString('base64')
}
