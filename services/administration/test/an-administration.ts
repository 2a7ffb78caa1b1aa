import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { readConfig } from '@despatch/config/read-config'
import type { Role } from '@despatch/domain/access/caller'
import { openObjectStore } from '@despatch/object-store/object-store'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { ageAuditEvents } from '@despatch/testing/age-audit-events'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { someKeys } from '@despatch/testing/some-keys'
import { inject } from 'vitest'
import { administrationConfig } from '../src/config.ts'
import { createAdministration } from '../src/service.ts'

/** The password of every user. */
export const passwordOfAll = 'as long as it has to be aA1'
const users = ['admin', 'operator', 'consumer', 'provider'] as const

export type User = (typeof users)[number]
export type Answer = {
  status: number
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: each operation has a body of its own, and tests compare it whole
  body: any
}
type Audited = {
  actor: string
  action: string
  consumerId: string | undefined
  detail: object
}
export type Administration = Awaited<ReturnType<typeof anAdministration>>

/** The service with its own database and a real object store. A user of each role is signed in. */
export async function anAdministration({
  settings = {},
  now = () => new Date(),
  isNew = false,
}: {
  settings?: Record<string, string>
  now?: () => Date
  /** Whether its users have only just been created. Otherwise they are 30 days old. */
  isNew?: boolean
} = {}) {
  const database = await aDatabase()
  const { db, pool } = database
  const objects = openObjectStore(inject('infra').objectStore)
  const { log, lines } = aKeptLog('administration')
  const service = await createAdministration(
    readConfig(administrationConfig, {
      DATABASE_URL: database.serviceUrl('administration'),
      ...objectStoreSettings(),
      ...someKeys,
      PORT: '0',
      // a check may take long beside other tests
      DESPATCH_CHECK_TIMEOUT_MS: '50000',
      ...settings,
    }),
    {
      now,
      log,
    },
  )
  await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  const signingKey = await openSigningKey({ db, secretKeyHex: someKeys.DESPATCH_KEY_SIGNING })
  const ids = {} as Record<User, string>
  for (const role of users) ids[role] = await addUser(role)
  if (!isNew) await ageAuditEvents(pool, { days: 30 })

  async function addUser(userName: string, roles: readonly Role[] = [userName as Role]) {
    return seedConsumer(db, {
      userName,
      name: `The ${userName}`,
      password: passwordOfAll,
      apiKey: `key of ${userName}`,
      roles,
      ...(roles.includes('provider') && { providerId: 'north' }),
      contracts: [],
    })
  }

  async function headersOf(user: User): Promise<Record<string, string>> {
    const holder = { consumerId: ids[user], roles: [user] }
    const token = await issueToken(await signingKey(), holder, new Date())
    return { authorization: token, 'x-api-key': `key of ${user}` }
  }

  async function as(
    user: User | 'nobody',
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer> {
    const answer = await service.api.inject({
      method,
      url: `/administration/v1${path}`,
      headers: user === 'nobody' ? {} : await headersOf(user),
      ...(body !== undefined && { body: body as object }),
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }

  const asAdmin = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    as('admin', method, path, body)
  const asOperator = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    as('operator', method, path, body)

  /** Creates a consumer with this user name through the API. */
  async function aConsumer(userName: string): Promise<string> {
    const { body } = await asAdmin('POST', '/consumers', { userName, name: 'A consumer' })
    return body.consumerId
  }

  /** Returns the audit events that match the filters, newest first. */
  async function audited(filters: string): Promise<Audited[]> {
    const { body } = await asAdmin('GET', `/audit-events?limit=100&${filters}`)
    return body.auditEvents.map(({ actor, action, consumerId, detail }: Audited) => ({
      actor,
      action,
      consumerId,
      detail,
    }))
  }

  const close = async () => {
    await service.close()
    objects.close()
    await database.close()
  }
  return {
    url: database.url,
    service,
    db,
    pool,
    objects,
    lines,
    ids,
    addUser,
    headersOf,
    as,
    asAdmin,
    asOperator,
    aConsumer,
    audited,
    actorOf: (user: User) => `consumer:${ids[user]}`,
    close,
  }
}

/** Returns the body of an error response with one error. */
export function oneError(status: string, code: string, detail: string, title?: string) {
  return { errors: [{ status, code, ...(title !== undefined && { title }), detail }] }
}

/** Returns the error response with one error, whose status is like `404 NOT_FOUND`. */
export function refusal(status: string, code: string, detail: string, title?: string) {
  return { status: Number.parseInt(status, 10), body: oneError(status, code, detail, title) }
}

/** Returns the response that refuses something in the present state of a print run. */
export const printRunConflict = (detail: string) =>
  refusal('409 CONFLICT', 'PrintRunConflict', detail, 'Not possible now')
