import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, serviceNames } from '@despatch/domain/access/caller'
import type { Api } from '@despatch/http/api'
import type { DatabaseService } from '@despatch/postgres/service-roles'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { signsInConsumers } from '@despatch/testing/sign-in-consumers'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'
import {
  type Environment,
  environmentOfServices,
  loadService,
  type OpenedService,
} from '../stack/open-service.ts'

export type Credentials = { authorization?: string; 'x-api-key'?: string; cookie?: string }

const passwordOfAll = 'as long as it has to be aA1'

/** Opens these services on one database, each with its own login, without a listening port. */
export async function openServices(names: readonly string[]) {
  const database = await aDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'despatch-contract-'))
  const environment: Environment = {
    ...environmentOfServices(database.url, directory),
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: '100000',
  }
  await liftUsagePlans(database.url)
  await insertProvider(database.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  const signIn = await signsInConsumers({
    db: database.db,
    secretKeyHex: environment.DESPATCH_KEY_SIGNING!,
  })
  const opened = new Map<string, OpenedService>()
  for (const name of names) {
    const DESPATCH_ENVIRONMENT = name === 'uat' ? 'uat' : 'production'
    const url = database.serviceUrl(name as DatabaseService)
    const own = { DATABASE_URL: url, QUEUE_URL: url, DESPATCH_ENVIRONMENT }
    const open = await loadService(name, { ...environment, ...own })
    opened.set(name, await open())
  }

  /** Creates a consumer with these roles, and returns its credentials. */
  async function aCaller(roles: readonly Role[], services: readonly string[] = serviceNames) {
    const providerId = roles.includes('provider') ? { providerId: 'north' } : {}
    const detail = { roles, services, password: passwordOfAll, ...providerId }
    const { headers } = await signIn(detail)
    return headers satisfies Credentials
  }

  return {
    api: (name: string): Api => opened.get(name)!.api,
    aCaller,
    /** Signs an admin in to the console. */
    aConsoleCookie: async (): Promise<string> => {
      // its user name is its key
      const { 'x-api-key': userName } = await aCaller(['admin'])
      const { headers } = await opened.get('administration')!.api.inject({
        method: 'POST',
        url: '/administration/v1/sessions',
        body: { userName, password: passwordOfAll },
      })
      return String(headers['set-cookie']).split(';', 1)[0]!
    },
    countAuditEvents: async (): Promise<number> => {
      const { rows } = await database.pool.query(
        'select count(*)::integer as count from audit_event',
      )
      return rows[0].count
    },
    close: async () => {
      for (const { close } of opened.values()) await close()
      await database.close()
      await rm(directory, { recursive: true })
    },
  }
}
