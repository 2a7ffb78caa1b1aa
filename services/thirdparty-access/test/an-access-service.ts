import { seedConsumer } from '@despatch/access/seed'
import { readConfig } from '@despatch/config/read-config'
import { aDatabase } from '@despatch/testing/a-database'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { someKeys } from '@despatch/testing/some-keys'
import { expect } from 'vitest'
import { thirdpartyAccessConfig } from '../src/config.ts'
import { createThirdpartyAccess } from '../src/service.ts'

export const secretKeyHex = someKeys.DESPATCH_KEY_SIGNING
export const signInKeyHex = someKeys.DESPATCH_KEY_SIGN_IN
export const password = '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~ aA1é'
export const apiKey = 'key-of-notify'
export const email = 'print-team@example.test'
export const dayMs = 24 * 60 * 60 * 1000

type Answer = {
  status: number
  body: ReturnType<typeof JSON.parse>
  retryAfter?: string | undefined
}
export type Headers = Record<string, string>

/**
 * The service with its own database and the consumer `notify`. `another()` starts another process of it on the same
 * database. The test's clock determines the day; locks and codes follow the database's clock.
 */
export async function startAccess(settings: Record<string, string> = {}) {
  const database = await aDatabase({ connectionsMax: 6 })
  const { db, pool } = database
  const clock = { now: new Date() }
  const { log, lines } = aKeptLog('thirdparty-access')
  const consumerId = await seedConsumer(db, aSeed('notify', { apiKey, email }))
  const config = readConfig(thirdpartyAccessConfig, {
    DATABASE_URL: database.serviceUrl('thirdparty-access'),
    ...someKeys,
    PORT: '0',
    ...settings,
  })
  const start = (changed: Partial<typeof config> = {}) =>
    createThirdpartyAccess({ ...config, ...changed }, { log, now: () => clock.now })
  const service = await start()
  const stops = [() => service.close()]

  const seed = (userName: string, changes: object = {}) =>
    seedConsumer(db, aSeed(userName, { apiKey: `key-of-${userName}`, email, ...changes }))
  const change = (values: object, id = consumerId) =>
    db.updateTable('consumer').set(values).where('id', '=', id).execute()
  const another = async (changed: Partial<typeof config> = {}) => {
    const other = await start(changed)
    stops.push(() => other.close())
    return { service: other, post: poster(other) }
  }
  const auditEvents = (id = consumerId) =>
    db
      .selectFrom('audit_event')
      .select(['actor', 'action', 'detail'])
      .where('consumer_id', '=', id)
      .orderBy('id')
      .execute()
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne()
    await database.close()
  }
  const post = poster(service)
  const signIn = (userName = 'notify', given = password) =>
    post('authenticate', { userName, password: given })
  return {
    service,
    db,
    pool,
    clock,
    lines,
    consumerId,
    seed,
    change,
    another,
    auditEvents,
    post,
    signIn,
    stop,
    databaseUrl: database.url,
  }
}

function aSeed(userName: string, changes: { apiKey: string; email: string }) {
  return {
    userName,
    name: userName,
    password,
    roles: ['consumer'] as const,
    contracts: [],
    ...changes,
  }
}

function poster({ api }: Awaited<ReturnType<typeof createThirdpartyAccess>>) {
  return async (
    operation: string,
    body?: unknown,
    headers: Headers = {},
    remoteAddress = '192.0.2.1',
  ): Promise<Answer> => {
    const answer = await api.inject({
      method: 'POST',
      url: `/thirdparty-access/v1/${operation}`,
      remoteAddress,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const retryAfter = answer.headers['retry-after'] as string | undefined
    return { status: answer.statusCode, body: answer.json(), retryAfter }
  }
}

export function malformed(...details: string[]): Answer {
  return {
    status: 400,
    body: details.map((detail) => ({ status: 400, code: 400, title: 'Malformed request', detail })),
  }
}

/** The only response for any error in a user name, password or code. While a lock applies it has Retry-After. */
export const authenticationFailure: Answer = {
  status: 401,
  body: [
    {
      status: 401,
      code: 401,
      title: 'Authentication Failure',
      detail: 'User name or password incorrect, or too many incorrect attempts',
    },
  ],
}

export const unauthorized: Answer = {
  status: 401,
  body: [
    {
      status: 401,
      code: 401,
      title: 'Unauthorized',
      detail: 'API Key or JWT is either not provided, expired or invalid',
    },
  ],
}

export const fault: Answer = {
  status: 500,
  body: [
    {
      status: 500,
      code: 500,
      title: 'Internal Server Error',
      detail: expect.stringMatching(/^Unexpected error\. Error id: [\da-f-]{36}$/),
    },
  ],
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}
