import { randomUUID } from 'node:crypto'
import { hashPassword } from '@despatch/access/passwords'
import { openSigningKey } from '@despatch/access/signing-key'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createThirdpartyAccessApi } from './api.ts'
import type { ThirdpartyAccessConfig } from './config.ts'

const name = 'thirdparty-access'
const connectionsMax = 4

export async function createThirdpartyAccess(
  config: ThirdpartyAccessConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  try {
    return await createOn(database, config, { log, now })
  } catch (error) {
    await database.close()
    throw error
  }
}

async function createOn(
  database: ReturnType<typeof openDatabase>,
  config: ThirdpartyAccessConfig,
  { log, now }: { log: Logger; now: () => Date },
): Promise<Service> {
  const { db, pool } = database
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const api = await createThirdpartyAccessApi({
    db,
    signingKey: await openSigningKey({ db, secretKeyHex: config.DESPATCH_SECRET_KEY, now }),
    nobodysPasswordHash: await hashPassword(randomUUID()),
    now,
    log,
    metrics: createMetrics(name),
    ready,
  })
  return {
    name,
    api,
    ready,
    close: async () => {
      await api.close()
      await database.close()
    },
  }
}
