import { randomBytes } from 'node:crypto'
import { type Environment, readConfig } from '@despatch/config/read-config'
import { driverSourcesConfig } from '@despatch/driver-sources/config'
import { createDriverSources } from '@despatch/driver-sources/service'
import { close } from '@despatch/http/service'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'

const urlSettings = { cpc: 'DESPATCH_CPC_URL', tachograph: 'DESPATCH_TACHOGRAPH_URL' } as const

/**
 * Starts each source whose address is not given, on a free port of this machine. It is called over HTTP, like a remote
 * one. Returns the settings for the enquiry that calls the sources.
 */
export async function startDriverSources(
  parts: AsyncDisposableStack,
  given: Environment,
  destination: LogDestination,
): Promise<Record<string, string>> {
  const environment: Record<string, string> = {
    DESPATCH_SOURCE_TOKEN: given.DESPATCH_SOURCE_TOKEN ?? randomBytes(32).toString('hex'),
  }
  for (const source of ['cpc', 'tachograph'] as const) {
    const setting = urlSettings[source]
    if (given[setting]) continue
    const settings = { ...given, ...environment, DESPATCH_DRIVER_SOURCE: source, PORT: '0' }
    const log = createLogger({
      service: `${source}-source`,
      level: given.LOG_LEVEL ?? 'info',
      destination,
    })
    const service = parts.adopt(
      await createDriverSources(readConfig(driverSourcesConfig, settings), { log }),
      close,
    )
    environment[setting] = await service.api.listen({ host: '127.0.0.1', port: 0 })
  }
  return environment
}
