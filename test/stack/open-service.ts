import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readConfig } from '@despatch/config/read-config'
import { deriveKeys, isKeySetting, keySettingNames } from '@despatch/config/service-keys'
import type { Api } from '@despatch/http/api'
import { createLogger } from '@despatch/telemetry/logger'
import { inject } from 'vitest'

export type Environment = Readonly<Record<string, string>>
export type OpenedService = { api: Api; close(): Promise<void> }

const root = resolve(import.meta.dirname, '../..')
const rootOfKeys = '7'.repeat(64)

/**
 * Loads what the service's `main.ts` imports: the schema of its settings and the function that creates it. Of the keys
 * that are given, the service gets only its own, and not their root.
 */
export async function loadService(
  name: string,
  given: Environment,
): Promise<() => Promise<OpenedService>> {
  const folder = join(root, 'services', name, 'src')
  const main = await readFile(join(folder, 'main.ts'), 'utf8')
  const load = async (pattern: string) => {
    const [, exported, module] = new RegExp(`^import \\{ (${pattern}) \\} from '(.+)'$`, 'm').exec(
      main,
    )!
    const loaded = await import(module!.startsWith('.') ? join(folder, module!) : module!)
    return loaded[exported!]
  }
  const schema = await load('(?!readConfig)\\w+Config')
  const create = await load('create(?!Logger)\\w+')
  const log = createLogger({ service: name, level: 'silent' })
  const own = keySettingNames(name)
  const environment = Object.fromEntries(
    Object.entries(given).filter(
      ([setting]) =>
        own.includes(setting) || !(isKeySetting(setting) || setting === 'DESPATCH_SECRET_KEY'),
    ),
  )
  return async () => create(readConfig(schema, environment), { log })
}

/** Settings of every service, so that each opens all the parts that it can have. */
export function environmentOfServices(databaseUrl: string, dataDirectory: string): Environment {
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
    DESPATCH_SECRET_KEY: rootOfKeys,
    ...deriveKeys(rootOfKeys),
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
