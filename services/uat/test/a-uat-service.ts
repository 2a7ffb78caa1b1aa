import { readConfig } from '@despatch/config/read-config'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { uatConfig } from '../src/config.ts'
import { createUat } from '../src/service.ts'

export type UatService = Awaited<ReturnType<typeof startUat>>

/** The service with its own database, and the lines that it logs. */
export async function startUat(options: { slowMs?: number } = {}) {
  const test = await cloneDatabase()
  const { db, pool, close } = openDatabase(test.url, { name: 'test', connectionsMax: 2 })
  const lines: string[] = []
  const config = readConfig(uatConfig, {
    DATABASE_URL: test.url,
    PORT: '0',
    DESPATCH_ENVIRONMENT: 'uat',
  })
  const service = await createUat(config, {
    log: createLogger({
      service: 'uat',
      destination: { write: (line: string) => void lines.push(line) },
    }),
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
      await test.drop()
    },
  }
}
