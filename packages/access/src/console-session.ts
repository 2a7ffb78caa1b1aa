import { hash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@despatch/domain/access/caller'
import { isSubjectAccount } from '@despatch/domain/access/subject-account'
import { Problem } from '@despatch/domain/problem'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  type Account,
  type Consumer,
  type ConsumerInSession,
  findConsumersInSessions,
} from '@despatch/store/access/consumers'
import { endSession } from '@despatch/store/access/ended-sessions'
import type { Db } from '@despatch/store/database'
import { toCaller } from './authenticate-caller.ts'
import { readCookie, renderCookie } from './console-cookie.ts'
import { isExpired } from './expiry.ts'
import { isOverHttps } from './is-over-https.ts'
import { sealedBox } from './sealed-box.ts'

const cookieName = 'despatch-session'
/** Required beside the cookie for every operation. A form or image of another site cannot send it. */
export const consoleHeader = 'x-despatch-console'
const sessionHours = 8
const sessionSeconds = sessionHours * 60 * 60
const cookieCharactersMax = 1_024

/** A signed-in user of the console, and when the session ends. */
export type ConsoleSession = {
  consumer: Consumer
  caller: Caller
  endsAt: Date
  /** When the user signed in again at the OpenID provider. Absent after any other sign-in. */
  authenticatedAt?: Date
}

/**
 * Sessions of the console. They are stateless: a sealed cookie says who signed in and when. The consumer is read with
 * each request. So disabling it, changing its password, ending its tokens or signing out invalidates every copy of the
 * cookie at once.
 */
export type ConsoleSessions = {
  /**
   * Begins a session and returns it with its Set-Cookie header. With `isSecure` the browser sends the cookie over https
   * only. `authenticatedAt`: the user had to sign in again at the OpenID provider, and did so at this time.
   */
  begin(
    consumer: Account,
    options: { isSecure: boolean; authenticatedAt?: Date | undefined },
  ): ConsoleSession & { cookie: string }
  /**
   * Ends the session of the cookie, if there is one, and audits that. Returns the Set-Cookie header that deletes the
   * cookie, and the consumer that it belonged to.
   */
  end(headers: IncomingHttpHeaders): Promise<{ cookie: string; consumerId: string | undefined }>
  /** Returns the session. Throws a Problem 'not-authenticated' if there is no valid one. */
  find(headers: IncomingHttpHeaders): Promise<ConsoleSession>
  /** Returns the session of each request, with one query for all; undefined for one without a valid session. */
  findAll(headers: readonly IncomingHttpHeaders[]): Promise<(ConsoleSession | undefined)[]>
}

type ConsoleSessionsOptions = {
  db: Db
  secretKeyHex: string
  previousKeysHex?: readonly string[]
  /** Whether accounts with a password may have sessions. */
  allowsLocalAccounts: boolean
  now: () => Date
}

type Content = {
  id: string
  consumerId: string
  issuedAt: number
  password: string
  /** The consumer's token generation. */
  generation: number
  authenticatedAt?: number
}

export function createConsoleSessions({
  db,
  secretKeyHex,
  previousKeysHex = [],
  allowsLocalAccounts,
  now,
}: ConsoleSessionsOptions): ConsoleSessions {
  const box = sealedBox(secretKeyHex, { previousKeysHex, purpose: 'console session' })

  function open(headers: IncomingHttpHeaders): Content | undefined {
    const value = readCookie(headers, { name: cookieName, charactersMax: cookieCharactersMax })
    if (value === undefined) return undefined
    try {
      const content: Content = JSON.parse(box.unseal(Buffer.from(value, 'base64url')))
      // A session without an id could not be ended.
      return content.id && now() < endOf(content) ? content : undefined
    } catch {
      return undefined
    }
  }

  async function endNow(content: Content): Promise<void> {
    const { consumerId } = content
    await transact(db, async (tx) => {
      const session = { sessionHash: hashOf(content), endsAt: endOf(content) }
      if (!(await endSession(tx, session, now()))) return
      await insertAuditEvent(tx, {
        actor: `consumer:${consumerId}`,
        action: 'console.signed-out',
        consumerId,
      })
    })
  }

  async function findAll(
    headers: readonly IncomingHttpHeaders[],
  ): Promise<(ConsoleSession | undefined)[]> {
    const contents = headers.map(open)
    const known = contents.filter((content) => content !== undefined)
    if (known.length === 0) return contents.map(() => undefined)
    const consumers = await findConsumersInSessions(
      db,
      known.map((content) => ({ consumerId: content.consumerId, sessionHash: hashOf(content) })),
    )
    return contents.map(
      (content) => content && sessionOf(content, consumers[known.indexOf(content)]),
    )
  }

  function sessionOf(
    content: Content,
    found: ConsumerInSession | undefined,
  ): ConsoleSession | undefined {
    if (!found || !mayGoOn(found, content, now())) return undefined
    if (!allowsLocalAccounts && !isSubjectAccount(content.consumerId)) return undefined
    const { consumer } = found
    return { consumer, caller: toCaller(consumer), ...timesOf(content) }
  }

  return {
    begin: (consumer, { isSecure, authenticatedAt }) => {
      const issuedAt = now().getTime()
      const password = hash('sha256', consumer.passwordHash, 'base64url')
      const { id: consumerId, tokenGeneration: generation } = consumer
      const content: Content = {
        id: randomUUID(),
        consumerId,
        issuedAt,
        password,
        generation,
        ...(authenticatedAt && { authenticatedAt: authenticatedAt.getTime() }),
      }
      const value = box.seal(JSON.stringify(content)).toString('base64url')
      return {
        consumer,
        caller: toCaller(consumer),
        ...timesOf(content),
        cookie: renderCookie(cookieName, value, { isSecure, seconds: sessionSeconds }),
      }
    },

    end: async (headers) => {
      const content = open(headers)
      if (content) await endNow(content)
      const cookie = renderCookie(cookieName, '', { isSecure: isOverHttps(headers), seconds: 0 })
      return { cookie, consumerId: content?.consumerId }
    },

    find: async (headers) => {
      const [session] = await findAll([headers])
      if (!session) throw noSession()
      return session
    },

    findAll,
  }
}

/** The fingerprint detects a change of the password and reveals neither it nor its hash. */
function mayGoOn(
  { consumer, passwordFingerprint }: ConsumerInSession,
  { password, generation }: Content,
  now: Date,
): boolean {
  return (
    consumer.disabledAt === null &&
    !isExpired(consumer.passwordExpiresOn, now) &&
    consumer.tokenGeneration === generation &&
    passwordFingerprint.toString('base64url') === password
  )
}

function timesOf(content: Content): Pick<ConsoleSession, 'endsAt' | 'authenticatedAt'> {
  const { authenticatedAt } = content
  return {
    endsAt: endOf(content),
    ...(authenticatedAt !== undefined && { authenticatedAt: new Date(authenticatedAt) }),
  }
}

function endOf({ issuedAt }: Content): Date {
  return new Date(issuedAt + sessionSeconds * 1000)
}

/** The hash by which the database knows a session. It cannot be used as a session. */
function hashOf({ id }: Content): Buffer {
  return hash('sha256', id, 'buffer')
}

function noSession(): Problem {
  return new Problem('not-authenticated', 'Sign in')
}
