import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { startTcpProxy, type TcpProxy } from '@despatch/testing/tcp-proxy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ZodType } from 'zod'
import { authenticate } from '../stack/a-caller.ts'
import { type ApiOperation, allOperations, type Route } from '../stack/all-operations.ts'
import { signInToConsole } from '../stack/console-session.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'
import {
  type Credential,
  type Credentials,
  makeDirectory,
  startDespatch,
} from '../stack/start-despatch.ts'

const parts = new AsyncDisposableStack()
let credentials: Credentials
let proxy: TcpProxy
let logPath: string
let cookie: string
const tokens = new Map<Credential, string>()

beforeAll(async () => {
  const database = await cloneDatabase()
  parts.defer(() => database.drop())
  const queues = await cloneDatabase()
  parts.defer(() => queues.drop())
  await liftUsagePlans(database.url)
  proxy = parts.use(await startTcpProxy({ port: Number(new URL(database.url).port) }))
  const directory = parts.use(await makeDirectory())
  logPath = join(directory.path, 'despatch.log')
  const despatch = await startDespatch(directory.path, {
    DATABASE_URL: proxy.through(database.url),
    QUEUE_URL: queues.url,
    ...objectStoreSettings(),
    DESPATCH_ENVIRONMENT: 'uat',
    DESPATCH_SIMULATOR: 'off',
  })
  parts.use(despatch)
  credentials = despatch.credentials
  const { baseUrl, opsUrl, consumer, provider, operator } = credentials
  for (const each of [consumer, provider, operator]) {
    tokens.set(each, await authenticate(baseUrl, each))
  }
  cookie = await signInToConsole(opsUrl, operator)
})
afterAll(() => parts.disposeAsync())

const id = '0199f3b0-7c1e-7000-8000-000000000001'

/** The bodies of operations that need no authentication. The others are refused before their body is read. */
const openBodies: Readonly<Record<string, () => object>> = {
  'thirdparty-access authenticate': () => withoutKey(credentials.consumer),
  'administration createSession': () => withoutKey(credentials.operator),
  'thirdparty-access changePassword': () => ({
    ...withoutKey(credentials.consumer),
    newPassword: 'Pa$$word12345',
  }),
  'thirdparty-access requestRecoveryCode': () => ({
    userName: credentials.consumer.userName,
    email: 'demo-consumer@despatch.example',
  }),
}

const withoutKey = ({ userName, password }: Credential) => ({ userName, password })

/** These operations need no database. */
const independent = [
  ...['uat listScenarios', 'uat receiveCallback', 'administration deleteSession'],
  'administration listSignInMethods',
  // the system of the test has no OpenID provider, so they answer 404
  ...['administration beginOidcSignIn', 'administration finishOidcSignIn'],
]
/** The sources listen at an address that only the enquiry service knows. */
const isInternal = ({ api }: ApiOperation) => api === 'driver-sources'

const asked = allOperations
  .filter((operation) => !isInternal(operation))
  .map(({ api, id: operationId, route }) => ({ name: `${api} ${operationId}`, route }))
  .filter(({ name }) => !independent.includes(name))

function callerOf({ url }: Route): Credential {
  if (url.startsWith('/administration/')) return credentials.operator
  return url.startsWith('/print-fulfilment/') ? credentials.provider : credentials.consumer
}

function send({ method, url }: Pick<Route, 'method' | 'url'>, body?: object): Promise<Response> {
  const { baseUrl, opsUrl } = credentials
  const caller = callerOf({ method, url } as Route)
  return fetch(`${url.startsWith('/administration/') ? opsUrl : baseUrl}${url}`, {
    method,
    headers: {
      authorization: tokens.get(caller)!,
      'x-api-key': caller.apiKey,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

const withParameters = (url: string) => url.replaceAll(/:\w+/g, id)

/** Requests to each API by a known caller: a read and a write, where the API has them. */
const usual: [method: string, url: string, body?: object][] = [
  ['GET', `/print-request/v1/print/jobs/${id}`],
  ['GET', '/print-request/v1/print/files/upload-url'],
  [
    'POST',
    '/print-request/v1/print/jobs',
    {
      standardParams: {
        jobType: 'LETTER',
        templateReference: 'LETTER',
        recipientName: 'Ms A Person',
        address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
      },
    },
  ],
  ['GET', '/print-fulfilment/v1/print-runs'],
  ['POST', '/print-fulfilment/v1/heartbeat', {}],
  ['GET', '/thirdparty-access/v1/jwks.json'],
  ['POST', '/vehicle-enquiry/v1/vehicles', { registrationNumber: 'AA19AAA' }],
  [
    'POST',
    '/full-driver-enquiry/v1/driving-licences/retrieve',
    { drivingLicenceNumber: 'MORGA657054SM9IJ', includeCPC: true },
  ],
  ['GET', '/administration/v1/consumers'],
  ['GET', `/uat/print-outcomes/${id}`],
]

describe('while PostgreSQL refuses connections', () => {
  beforeAll(async () => {
    // let each service cache its callers, so that the next request reaches its operation
    await Promise.all(usual.map(([method, url, body]) => send({ method, url }, body)))
    proxy.refuse()
    return () => proxy.resume()
  })

  describe('a cached caller', () => {
    test.concurrent.each(usual)('%s %s answers 503', async (method, url, body) => {
      const answer = await send({ method, url }, body)

      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toMatch(/^[2-5]$/)
    })
  })

  describe('an uncached caller', () => {
    beforeAll(async () => {
      // while the service still knows the caller, it refuses a body that no operation accepts
      for (const url of ['/print-request/v1/print/jobs', '/print-fulfilment/v1/heartbeat']) {
        await eventually(async () => (await send({ method: 'POST', url }, [])).status === 503, {
          message: `callers of ${url} are forgotten`,
        })
      }
    })

    test.concurrent.each(asked)(
      '$name answers 503 in the error format of its API',
      async ({ name, route }) => {
        const answer = await send(
          { ...route, url: withParameters(route.url) },
          openBodies[name]?.(),
        )

        const text = await answer.text()
        expect({ status: answer.status, text }).toMatchObject({ status: 503 })
        expect(answer.headers.get('retry-after')).toMatch(/^[2-5]$/)
        expect([null, 'no-store']).toContain(answer.headers.get('cache-control'))
        expect(text).toContain('The service is temporarily unavailable. Retry the request.')
        const schema = route.schema.response[503]
        expect(schema, 'the contract lists 503').toBeInstanceOf(ZodType)
        ;(schema as ZodType).parse(JSON.parse(text))
      },
    )
  })

  test('the console answers 503, and shows the frame of its pages', async () => {
    const { opsUrl } = credentials
    const ask = async (path: string) =>
      (await fetch(`${opsUrl}${path}`, { headers: { cookie } })).status

    expect([await ask('/'), await ask('/events')]).toEqual([200, 503])
  })

  test('the log has one warning for each request, and no stack', async () => {
    const lines = await eventually(
      async () => {
        const all = (await readFile(logPath, 'utf8')).trim().split('\n')
        const served = all.filter((line) => line.includes('"request.served"'))
        return served.some((line) => line.includes('"status":503')) && all
      },
      { message: 'requests are in the log' },
    )

    const failed = lines.filter((line) => /"request\.failed"|"enquiry-audit\.failed"/.test(line))
    expect(failed).toEqual([])
    const refused = lines.filter((line) => line.includes('"status":503')).map((l) => JSON.parse(l))
    expect(new Set(refused.map(({ level, dependency }) => `${level} ${dependency}`))).toEqual(
      new Set(['warn database']),
    )
  })
})

test.each(usual)('%s %s succeeds again without a restart', async (method, url, body) => {
  await eventually(
    async () => {
      const { status } = await send({ method, url }, body)
      return status < 500 || Promise.reject(new Error(`it answers ${status}`))
    },
    { message: 'the API serves requests' },
  )
})
