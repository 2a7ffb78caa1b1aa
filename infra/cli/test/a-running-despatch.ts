import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedConsumer } from '@despatch/access/seed'
import { administrationConfig } from '@despatch/administration/config'
import { createAdministration } from '@despatch/administration/service'
import { readConfig } from '@despatch/config/read-config'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { insertProvider } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { createEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit'
import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { someKeys } from '@despatch/testing/some-keys'
import { thirdpartyAccessConfig } from '@despatch/thirdparty-access/config'
import { createThirdpartyAccess } from '@despatch/thirdparty-access/service'
import {
  type Attached,
  type Ended,
  type Started,
  startHere,
  startProcess,
  wordsOf,
} from './a-command-line.ts'

const password = 'A password of the tests, 1'

/** Returns the variables with which a command is given as this user. */
export const asUser = ({ userName, password, apiKey }: RunningDespatch['operator']) => ({
  DESPATCH_USER_NAME: userName,
  DESPATCH_PASSWORD: password,
  DESPATCH_API_KEY: apiKey,
})

export type RunningDespatch = Awaited<ReturnType<typeof aRunningDespatch>>

/** The services that the command calls, and a data directory with the credentials of an operator who is an admin. */
export async function aRunningDespatch() {
  const test = await cloneDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'despatch-cli-'))
  await prepareQueues(test.url)
  const environment = {
    // threads that draw yield to all else, so a busy machine takes long
    DESPATCH_CHECK_TIMEOUT_MS: '50000',
    DATABASE_URL: test.url,
    ...objectStoreSettings(),
    ...someKeys,
    PORT: '0',
  }
  const log = createLogger({ service: 'test', level: 'silent' })
  const access = await createThirdpartyAccess(readConfig(thirdpartyAccessConfig, environment), {
    log,
  })
  const administration = await createAdministration(readConfig(administrationConfig, environment), {
    log,
  })
  const addressOf = async ({ api }: typeof access) => {
    await api.listen({ host: '127.0.0.1', port: 0 })
    return `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`
  }
  const [baseUrl, opsUrl] = [await addressOf(access), await addressOf(administration)]

  const database = openDatabase(test.url, { name: 'test', connectionsMax: 4 })
  await insertProvider(database.db, { id: 'north', name: 'North', printLocations: ['N'] })
  const user = async (userName: string, roles: ('consumer' | 'operator' | 'admin')[]) => {
    const credential = { userName, password, apiKey: `key of ${userName}` }
    const consumerId = await seedConsumer(database.db, {
      ...credential,
      name: userName,
      roles,
      contracts: [],
    })
    return { ...credential, consumerId }
  }
  const operator = await user('chief', ['operator', 'admin'])
  const colleague = await user('colleague', ['operator'])
  const consumer = await user('somebody', ['consumer'])
  await writeFile(
    join(directory, 'credentials.json'),
    JSON.stringify({ baseUrl, opsUrl, operator, consumer }),
  )

  const environmentOf = (variables: Record<string, string>) => ({
    DESPATCH_DATA_DIR: directory,
    ...variables,
  })

  /** Runs a command in this process. Its line may be given in parts. */
  function despatch(
    line: string | readonly string[],
    variables: Record<string, string> = {},
    attached: Attached = {},
  ): Promise<Ended> {
    return startHere(wordsOf(...[line].flat()), environmentOf(variables), attached).ended
  }

  /** Starts the command as a separate process. */
  function start(
    line: string | readonly string[],
    variables: Record<string, string> = {},
    input?: string,
  ): Started {
    return startProcess(wordsOf(...[line].flat()), environmentOf(variables), input)
  }

  /** Returns what a command prints. Throws unless it ends with 0 and prints nothing else. */
  async function say(...line: string[]): Promise<string> {
    const { code, stdout, stderr } = await despatch(line)
    if (code !== 0 || stderr !== '') throw new Error(`it ended with ${code}: ${stderr}`)
    return stdout
  }

  /** Returns the document that the command prints with --json, in the same way. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own, and tests compare it
  async function documentOf(...line: string[]): Promise<any> {
    return JSON.parse(await say(...line, '--json'))
  }

  return {
    baseUrl,
    opsUrl,
    operator,
    colleague,
    consumer,
    databaseUrl: test.url,
    pool: database.pool,
    directory,
    /** Saves an enquiry as the enquiry services do. */
    audit: createEnquiryAudit(database.pool),
    despatch,
    start,
    say,
    documentOf,
    close: async () => {
      await administration.close()
      await access.close()
      await database.close()
      await test.drop()
      await rm(directory, { recursive: true })
    },
  }
}
