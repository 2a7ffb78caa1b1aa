import { randomBytes } from 'node:crypto'
import { type Environment, readConfig } from '@despatch/config/read-config'
import { driverSourcesConfig } from '@despatch/driver-sources/config'
import { createDriverSources } from '@despatch/driver-sources/service'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'

/** The embedded sources of CPC and tachograph data, as settings for the enquiry that calls them. */
export type DriverSources = { environment: Record<string, string>; close(): Promise<void> }

const urlSettings = { cpc: 'DESPATCH_CPC_URL', tachograph: 'DESPATCH_TACHOGRAPH_URL' } as const

/**
 * Starts each source whose address is not given, on a free port of this machine. It is called over HTTP, like a remote
 * one.
 */
export async function startDriverSources(
  given: Environment,
  destination: LogDestination,
): Promise<DriverSources> {
  const environment: Record<string, string> = {
    DESPATCH_SOURCE_TOKEN: given.DESPATCH_SOURCE_TOKEN ?? randomBytes(32).toString('hex'),
  }
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    await Promise.all(closers.splice(0).map((closeOne) => closeOne()))
  }
  try {
    for (const source of ['cpc', 'tachograph'] as const) {
      const setting = urlSettings[source]
      if (given[setting]) continue
      const settings = { ...given, ...environment, DESPATCH_DRIVER_SOURCE: source, PORT: '0' }
      const log = createLogger({
        service: `${source}-source`,
        level: given.LOG_LEVEL ?? 'info',
        destination,
      })
      const service = await createDriverSources(readConfig(driverSourcesConfig, settings), { log })
      closers.push(() => service.close())
      environment[setting] = await service.api.listen({ host: '127.0.0.1', port: 0 })
    }
    return { environment, close }
  } catch (error) {
    await close()
    throw error
  }
}
