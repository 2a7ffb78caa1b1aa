import { randomUUID } from 'node:crypto'
import { hashPassword } from '@despatch/access/passwords'
import { openSigningKey } from '@despatch/access/signing-key'
import { fieldFaults } from '@despatch/contracts/field-faults'
import {
  thirdpartyAccessBytesMax,
  thirdpartyAccessPrefix,
} from '@despatch/contracts/thirdparty-access/operations'
import {
  renderAccessFault,
  renderAccessProblem,
} from '@despatch/contracts/thirdparty-access/problems'
import { createApi } from '@despatch/http/api'
import { checkHealth, type HealthCheck, registerHealth } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import type { ThirdpartyAccessConfig } from './config.ts'
import { authenticate } from './operations/authenticate.ts'
import { listSigningKeys } from './operations/list-signing-keys.ts'

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
  const metrics = createMetrics(name)
  const signingKey = await openSigningKey({ db, secretKeyHex: config.DESPATCH_SECRET_KEY, now })
  const nobodysPasswordHash = await hashPassword(randomUUID())

  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const api = await createApi({
    name,
    prefix: thirdpartyAccessPrefix,
    log,
    metrics,
    bodyBytesMax: thirdpartyAccessBytesMax,
    faultsOf: fieldFaults,
    renderProblem: renderAccessProblem,
    renderFault: renderAccessFault,
    openapi: {
      title: 'Despatch authentication service',
      description: 'Exchange a user name and password for the JWT that other services want.',
      version: '1.1.1',
    },
  })
  registerHealth(api, { ready, metrics })
  authenticate(api, { db, signingKey, nobodysPasswordHash, now })
  listSigningKeys(api, { db })

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
