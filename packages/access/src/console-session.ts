import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { type Consumer, findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { toCaller } from './authenticate-caller.ts'
import { isExpired } from './expiry.ts'
import { sealedBox } from './sealed-box.ts'

export const sessionCookieName = 'despatch-session'
/** Wanted beside the cookie where something can be done: a form or picture of another site cannot send it. */
export const consoleHeader = 'x-despatch-console'
export const sessionHours = 8
const sessionSeconds = sessionHours * 60 * 60
const cookieCharactersMax = 1_024

/** Somebody who has signed in to the console, and until when. */
export type ConsoleSession = { consumer: Consumer; caller: Caller; endsAt: Date }

/**
 * Sessions of the console. They are kept nowhere: the cookie says, sealed, who signed in and when. Whether its consumer
 * may still do so is read each time, so that one who is disabled is out at once, and so is whose password was changed.
 */
export type ConsoleSessions = {
  /** Begins a session, with its Set-Cookie header. `isSecure`: the browser sends it over https only. */
  begin(consumer: Consumer, options: { isSecure: boolean }): ConsoleSession & { cookie: string }
  /** The Set-Cookie header that ends it. */
  end(options: { isSecure: boolean }): string
  /** Throws a Problem 'not-authenticated' without a session, whatever is wrong with it. */
  find(headers: IncomingHttpHeaders): Promise<ConsoleSession>
}

export type ConsoleSessionsOptions = {
  db: Db
  secretKeyHex: string
  previousKeysHex?: readonly string[]
  now: () => Date
}

type Content = { consumerId: string; issuedAt: number; password: string }

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
      return JSON.parse(box.unseal(Buffer.from(value, 'base64url')))
    } catch {
      return undefined
    }
  }

  return {
    begin: (consumer, options) => {
      const issuedAt = now().getTime()
      const password = tellPassword(consumer)
      const content: Content = { consumerId: consumer.id, issuedAt, password }
      const value = box.seal(JSON.stringify(content)).toString('base64url')
      return {
        consumer,
        caller: toCaller(consumer),
        endsAt: endOf(content),
        cookie: renderCookie(value, { ...options, seconds: sessionSeconds }),
      }
    },

    end: (options) => renderCookie('', { ...options, seconds: 0 }),

    find: async (headers) => {
      const content = open(headers)
      if (!content || now() >= endOf(content)) throw noSession()
      const consumer = await findConsumer(db, content.consumerId)
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

/** Tells one password from another. It is made of the hash, and helps nobody to find either. */
function tellPassword({ passwordHash }: Consumer): string {
  return hash('sha256', passwordHash, 'base64url')
}

function cookieOf({ cookie: header = '' }: IncomingHttpHeaders): string | undefined {
  const found = new RegExp(`(?:^|;\\s*)${sessionCookieName}=([\\w-]+)`).exec(header)?.[1]
  return found !== undefined && found.length <= cookieCharactersMax ? found : undefined
}

function renderCookie(
  value: string,
  { seconds, isSecure }: { seconds: number; isSecure: boolean },
): string {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${sessionCookieName}=${value}; ${flags}`
}

function noSession(): Problem {
  return new Problem('not-authenticated', 'Sign in')
}
