import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createConsoleSessions } from '@despatch/access/console-session'
import { seedConsumer } from '@despatch/access/seed'
import type { Role } from '@despatch/domain/access/caller'
import type { Service } from '@despatch/http/service'
import { findAccount } from '@despatch/store/access/consumers'
import { createLogger } from '@despatch/telemetry/logger'
import { aDatabase } from '@despatch/testing/a-database'
import { someKeys } from '@despatch/testing/some-keys'
import { expect, onTestFinished } from 'vitest'
import type { OpsConsoleConfig } from '../src/config.ts'
import { createOpsConsole } from '../src/service.ts'

const log = createLogger({ service: 'ops-console', level: 'silent' })
const secretKeyHex = someKeys.DESPATCH_KEY_CONSOLE

/** A database with what consoles and signed-in users require. */
export async function aConsoleStage() {
  const { db, close, url, serviceUrl } = await aDatabase()
  const config: OpsConsoleConfig = {
    DATABASE_URL: serviceUrl('ops-console'),
    DESPATCH_ENVIRONMENT: 'production',
    DESPATCH_KEY_CONSOLE: secretKeyHex,
    DESPATCH_KEY_CONSOLE_PREVIOUS: [],
    DESPATCH_OIDC_LOCAL_ACCOUNTS: true,
    HOST: '127.0.0.1',
    PORT: 0,
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: 50,
    DESPATCH_CONNECTIONS_MAX: 1_000,
    DESPATCH_KEEP_ALIVE_MS: 72_000,
    DESPATCH_STOP_DELAY_MS: 0,
    LOG_LEVEL: 'silent',
  }

  /** A console with these settings; the others are the usual ones. */
  const aConsole = (given: Partial<OpsConsoleConfig> = {}, extra = {}): Promise<Service> =>
    createOpsConsole({ ...config, ...given }, { log, ...extra })

  /** Returns the cookie of a signed-in user with this role. */
  async function signedIn(role: Role, now = () => new Date()): Promise<string> {
    const id = await seedConsumer(db, {
      userName: `the ${role}`,
      name: 'Somebody',
      password: 'as long as it has to be aA1',
      apiKey: `key of ${role}`,
      roles: [role],
      contracts: [],
    })
    const sessions = createConsoleSessions({ db, secretKeyHex, allowsLocalAccounts: true, now })
    const { cookie } = sessions.begin((await findAccount(db, id))!, { isSecure: false })
    return cookie.split(';', 1)[0]!
  }

  return {
    db,
    databaseUrl: url,
    signedIn,
    aConsole,
    /** Opens a console that listens until the end of the test, and returns its address. */
    listening: async (given: Partial<OpsConsoleConfig> = {}, extra = {}): Promise<string> => {
      const service = await aConsole(given, extra)
      onTestFinished(() => service.close())
      return service.api.listen({ host: '127.0.0.1', port: 0 })
    },
    close,
  }
}

/** Returns the first facts of the event stream. */
export async function firstFacts(url: string, cookie: string) {
  const leave = new AbortController()
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(100_000)])
  const answer = await fetch(`${url}/events`, { headers: { cookie }, signal })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    const [, data] = /^event: facts\ndata: (.*)\n\n/m.exec(text) ?? []
    if (data === undefined) continue
    leave.abort()
    return JSON.parse(data)
  }
}

/** Starts an administration that answers requests like this until the end of the test. Returns the setting of its address. */
export async function anAdministration(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { DESPATCH_ADMINISTRATION_URL: `http://127.0.0.1:${port}` }
}
