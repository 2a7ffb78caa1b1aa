import { renderDriverFault, renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import {
  driverSourcesBytesMax,
  driverSourcesPrefix,
  driverSourcesSecuritySchemes,
} from '@despatch/contracts/driver-sources/operations'
import { retrieveFaults } from '@despatch/contracts/full-driver-enquiry/retrieve-request'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { createApi } from '@despatch/http/api'
import { checkHealth, type HealthCheck, registerHealth } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { requireToken } from '@despatch/http/require-token'
import { close, type Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import type { DriverSourcesConfig } from './config.ts'
import { retrieveCpc } from './operations/retrieve-cpc.ts'
import { retrieveTachograph } from './operations/retrieve-tachograph.ts'

const connectionsMax = 4
// The caller's own deadline is much shorter.
const statementTimeoutMs = 5_000

/** Creates the source of CPC data or of tachograph data. It is an internal service, with one process for each. */
export async function createDriverSources(
  config: DriverSourcesConfig,
  { log }: { log: Logger },
): Promise<Service> {
  const source = config.DESPATCH_DRIVER_SOURCE
  const name = `${source}-source`
  await using parts = new AsyncDisposableStack()
  const { pool } = parts.adopt(
    openDatabase(config.DATABASE_URL, { name, connectionsMax, statementTimeoutMs }),
    close,
  )
  const metrics = createMetrics(name)
  registerClockSkew(metrics, { pool })
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const api = parts.adopt(
    await createApi({
      ...listenOptions(config),
      name,
      prefix: driverSourcesPrefix,
      log,
      metrics,
      bodyBytesMax: driverSourcesBytesMax,
      faultsOf: retrieveFaults,
      renderProblem: renderDriverProblem,
      renderFault: renderDriverFault,
      openapi: {
        title: `Despatch source of ${source === 'cpc' ? 'CPC' : 'tachograph'} data`,
        description: 'Internal. Only the full driver enquiry service calls this API.',
        version: interfaceVersions['driver-sources'],
        securitySchemes: driverSourcesSecuritySchemes,
      },
    }),
    close,
  )
  registerHealth(api, { ready, metrics })
  const context = { pool, onRequest: requireToken(config.DESPATCH_SOURCE_TOKEN) }
  if (source === 'cpc') retrieveCpc(api, context)
  else retrieveTachograph(api, context)
  const opened = parts.move()
  return { name, api, ready, close: () => opened.disposeAsync() }
}
