import { hash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { type Consumer, findConsumerInSession } from '@despatch/store/access/consumers'
import { endSession } from '@despatch/store/access/ended-sessions'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { toCaller } from './authenticate-caller.ts'
import { isExpired } from './expiry.ts'
import { isOverHttps } from './is-over-https.ts'
import { sealedBox } from './sealed-box.ts'

const cookieName = 'despatch-session'
/** Over https: a browser takes it from this very origin alone, so no neighbour of its domain can plant one. */
const cookieNameOverHttps = `__Host-${cookieName}`
/** Wanted beside the cookie where something can be done: a form or picture of another site cannot send it. */
export const consoleHeader = 'x-despatch-console'
export const sessionHours = 8
const sessionSeconds = sessionHours * 60 * 60
const cookieCharactersMax = 1_024

/** Somebody who has signed in to the console, and until when. */
export type ConsoleSession = { consumer: Consumer; caller: Caller; endsAt: Date }

/**
 * Sessions of the console. They are kept nowhere: the cookie says, sealed, who signed in and when. Whether its consumer
 * may still do so is read each time, so that one who is disabled is out at once, and so is whose password was changed or
 * who has signed out, with each copy of the cookie.
 */
export type ConsoleSessions = {
  /** Begins a session, with its Set-Cookie header. `isSecure`: the browser sends it over https only. */
  begin(consumer: Consumer, options: { isSecure: boolean }): ConsoleSession & { cookie: string }
  /** Ends the session of the cookie, if there is one, and records it. Gives the Set-Cookie header that takes the cookie back. */
  end(headers: IncomingHttpHeaders): Promise<string>
  /** Throws a Problem 'not-authenticated' without a session, whatever is wrong with it. */
  find(headers: IncomingHttpHeaders): Promise<ConsoleSession>
}

export type ConsoleSessionsOptions = {
  db: Db
  secretKeyHex: string
  previousKeysHex?: readonly string[]
  now: () => Date
}

type Content = { id: string; consumerId: string; issuedAt: number; password: string }

export function createConsoleSessions({
  db,
  secretKeyHex,
  previousKeysHex = [],
  now,
}: ConsoleSessionsOptions): ConsoleSessions {
  const box = sealedBox(secretKeyHex, { previousKeysHex, purpose: 'console session' })

  function open(headers: IncomingHttpHeaders): Content | undefined {
    const value = cookieOf(headers)
    if (value === undefined) return undefined
    try {
      const content: Content = JSON.parse(box.unseal(Buffer.from(value, 'base64url')))
      // one that names no session could not be ended
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

  return {
    begin: (consumer, options) => {
      const issuedAt = now().getTime()
      const password = tellPassword(consumer)
      const content: Content = { id: randomUUID(), consumerId: consumer.id, issuedAt, password }
      const value = box.seal(JSON.stringify(content)).toString('base64url')
      return {
        consumer,
        caller: toCaller(consumer),
        endsAt: endOf(content),
        cookie: renderCookie(value, { ...options, seconds: sessionSeconds }),
      }
    },

    end: async (headers) => {
      const content = open(headers)
      if (content) await endNow(content)
      return renderCookie('', { isSecure: isOverHttps(headers), seconds: 0 })
    },

    find: async (headers) => {
      const content = open(headers)
      if (!content) throw noSession()
      const consumer = await findConsumerInSession(db, content.consumerId, hashOf(content))
      if (!mayGoOn(consumer, content, now())) throw noSession()
      return { consumer, caller: toCaller(consumer), endsAt: endOf(content) }
    },
  }
}

function mayGoOn(
  consumer: Consumer | undefined,
  { password }: Content,
  now: Date,
): consumer is Consumer {
  return (
    consumer !== undefined &&
    consumer.disabledAt === null &&
    !isExpired(consumer.passwordExpiresOn, now) &&
    tellPassword(consumer) === password
  )
}

function endOf({ issuedAt }: Content): Date {
  return new Date(issuedAt + sessionSeconds * 1000)
}

/** What the database knows a session by: of no use as one. */
function hashOf({ id }: Content): Buffer {
  return hash('sha256', id, 'buffer')
}

/** Tells one password from another. It is made of the hash, and helps nobody to find either. */
function tellPassword({ passwordHash }: Consumer): string {
  return hash('sha256', passwordHash, 'base64url')
}

function cookieOf(headers: IncomingHttpHeaders): string | undefined {
  const name = nameOf({ isSecure: isOverHttps(headers) })
  const found = new RegExp(`(?:^|;\\s*)${name}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
  return found !== undefined && found.length <= cookieCharactersMax ? found : undefined
}

function renderCookie(
  value: string,
  { seconds, isSecure }: { seconds: number; isSecure: boolean },
): string {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${nameOf({ isSecure })}=${value}; ${flags}`
}

function nameOf({ isSecure }: { isSecure: boolean }): string {
  return isSecure ? cookieNameOverHttps : cookieName
}

function noSession(): Problem {
  return new Problem('not-authenticated', 'Sign in')
}
