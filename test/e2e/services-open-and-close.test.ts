import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@despatch/config/read-config'
import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { paths, readText, root } from '../guards/tree.ts'
import { recordParts } from '../stack/recorded-parts.ts'

type Opened = { close(): Promise<void> }
type Environment = Record<string, string>

const services = paths
  .map((path) => /^services\/([^/]+)\/src\/main\.ts$/.exec(path)?.[1])
  .filter((name) => name !== undefined)
const programs: [
  workspace: string,
  load: (given: Environment) => Promise<() => Promise<Opened>>,
][] = [
  ...services.map((name): (typeof programs)[number] => [
    `services/${name}`,
    (given) => loadService(name, given),
  ]),
  ['infra/standalone', loadStack],
]

let environment: Environment
let directory: string
let dropDatabase: () => Promise<void>

beforeAll(async () => {
  const database = await cloneDatabase()
  dropDatabase = database.drop
  directory = await mkdtemp(join(tmpdir(), 'despatch-parts-'))
  environment = environmentOf(database.url, directory)
})
afterAll(async () => {
  await rm(directory, { recursive: true })
  await dropDatabase()
})

describe.each(programs)('%s', (workspace, load) => {
  test('closes whatever it opened in reverse order, when it closes and when any part fails to open', async () => {
    const isService = workspace.startsWith('services/')
    const parts = recordParts(workspace, ...(isService ? ['packages/enquiry'] : []))
    // The services of one process open and close at the same time, so their parts have no order.
    const ordered = (names: readonly string[]) => (isService ? names : names.toSorted())
    const reversed = (names: readonly string[]) => ordered(names.toReversed())
    const open = await load(environment)

    const service = await open()
    // Used only while it opens, such as a connection to prepare the database.
    const closedEarly = [...parts.closed]
    const kept = (names: readonly string[]) => names.filter((name) => !closedEarly.includes(name))
    await service.close()

    const { opened, closed } = parts
    expect(kept(opened)).not.toEqual([])
    expect(ordered(kept(closed))).toEqual(reversed(kept(opened)))
    for (const failing of opened) {
      parts.begin(failing)
      await expect(open(), failing).rejects.toThrow(`cannot open: ${failing}`)
      expect({ failing, closed: ordered(kept(parts.closed)) }).toEqual({
        failing,
        closed: reversed(kept(parts.opened)),
      })
      expect([...parts.closed].sort()).toEqual([...parts.opened].sort())
    }
  })
})

/** Loads what the service's `main.ts` imports: the schema of its settings and the function that creates it. */
async function loadService(name: string, given: Environment): Promise<() => Promise<Opened>> {
  const folder = `services/${name}/src`
  const main = readText(`${folder}/main.ts`)
  const load = async (pattern: string) => {
    const [, exported, module] = new RegExp(`^import \\{ (${pattern}) \\} from '(.+)'$`, 'm').exec(
      main,
    )!
    const loaded = await import(module!.startsWith('.') ? join(root, folder, module!) : module!)
    return loaded[exported!]
  }
  const schema = await load('(?!readConfig)\\w+Config')
  const create = await load('create(?!Logger)\\w+')
  const log = createLogger({ service: name, level: 'silent' })
  return async () => create(readConfig(schema, given), { log })
}

async function loadStack(given: Environment): Promise<() => Promise<Opened>> {
  const { startStack } = await import(join(root, 'infra/standalone/src/stack.ts'))
  const { makeUsers, writeCredentials } = await import(
    join(root, 'infra/standalone/src/credentials.ts')
  )
  // a later start: a first one opens another connection, to find the users
  await writeCredentials(given.DESPATCH_DATA_DIR, makeUsers())
  return () => startStack({ environment: given, log: { write: () => {} } })
}

/** Settings of every service, so that each opens all the parts that it can have. */
function environmentOf(databaseUrl: string, dataDirectory: string): Environment {
  const { objectStore } = inject('infra')
  return {
    DATABASE_URL: databaseUrl,
    QUEUE_URL: databaseUrl,
    PORT: '0',
    S3_ENDPOINT: objectStore.endpoint,
    S3_REGION: objectStore.region,
    S3_BUCKET: objectStore.bucket,
    S3_ACCESS_KEY_ID: objectStore.accessKeyId,
    S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
    DESPATCH_SECRET_KEY: '7'.repeat(64),
    DESPATCH_ENVIRONMENT: 'uat',
    DESPATCH_FILE_DROP_INTERVAL_MS: '60000',
    DESPATCH_ROUTES: '/print-request=http://127.0.0.1:9',
    DESPATCH_DRIVER_SOURCE: 'cpc',
    DESPATCH_SOURCE_TOKEN: 'a-token-of-the-sources',
    DESPATCH_MAIL_DIR: join(dataDirectory, 'mail'),
    DESPATCH_DATA_DIR: dataDirectory,
    DESPATCH_PORT: '0',
    DESPATCH_OPS_PORT: '0',
    DESPATCH_SIMULATOR: 'on',
    DESPATCH_ADMINISTRATION_URL: 'http://127.0.0.1:9',
    DESPATCH_CPC_URL: 'http://127.0.0.1:9',
    DESPATCH_TACHOGRAPH_URL: 'http://127.0.0.1:9',
    DESPATCH_BASE_URL: 'http://127.0.0.1:9',
    DESPATCH_PROVIDER_USER_NAME: 'provider',
    DESPATCH_PROVIDER_PASSWORD: 'password',
    DESPATCH_PROVIDER_API_KEY: 'key',
    DESPATCH_PROVIDER_DIRECTORY: join(dataDirectory, 'provider'),
  }
}
