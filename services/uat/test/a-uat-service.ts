import { readConfig } from '@despatch/config/read-config'
import { aDatabase } from '@despatch/testing/a-database'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { uatConfig } from '../src/config.ts'
import { createUat } from '../src/service.ts'

/** The service with its own database, and the lines that it logs. */
export async function startUat(options: { slowMs?: number } = {}) {
  const { db, pool, close, serviceUrl } = await aDatabase({ connectionsMax: 2 })
  const { log, lines } = aKeptLog('uat')
  const config = readConfig(uatConfig, {
    DATABASE_URL: serviceUrl('uat'),
    PORT: '0',
    DESPATCH_ENVIRONMENT: 'uat',
  })
  const service = await createUat(config, {
    log,
    ...options,
  })
  await service.api.ready()
  let closed: Promise<void> | undefined
  const closeService = () => {
    closed ??= service.close()
    return closed
  }
  return {
    api: service.api,
    ready: service.ready,
    db,
    pool,
    lines,
    closeService,
    stop: async () => {
      await closeService()
      await close()
    },
  }
}
