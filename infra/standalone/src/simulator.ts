import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Environment, readConfig } from '@despatch/config/read-config'
import { providerSimulatorConfig } from '@despatch/provider-simulator/config'
import {
  createProviderSimulator,
  type ProviderSimulator,
  type ProviderSimulatorOptions,
} from '@despatch/provider-simulator/service'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'
import type { Credential } from './credentials.ts'
import { type CredentialsOrigin, credentialsElsewhere } from './find-users.ts'
import type { StandaloneConfig } from './settings.ts'

type SimulatorOptions = Pick<ProviderSimulatorOptions, 'onCrash' | 'onEvent'> & {
  baseUrl: string
  /** In the test environment: the base address for the outcomes of documents. */
  outcomesUrl?: string | undefined
  provider: Credential
  dataDirectory: string
  /** Further settings of the simulator. */
  environment?: Environment
  log: LogDestination
}

/** A file with this name marks a data directory whose letters only the simulated factory has printed. */
const markerName = 'simulated-factory'

/** Throws if the simulated print factory is wanted where DESPATCH_ENVIRONMENT says production. */
export function refuseInProduction(
  { DESPATCH_SIMULATOR }: Pick<StandaloneConfig, 'DESPATCH_SIMULATOR'>,
  given: Environment,
): void {
  if (DESPATCH_SIMULATOR !== 'on' || !isProduction(given)) return
  throw new Error('DESPATCH_SIMULATOR must be off, because DESPATCH_ENVIRONMENT is production')
}

/**
 * Returns whether the simulated print factory runs: by default only where nothing is a real installation, in a data
 * directory that is new or began with it. A directory that has lost its credentials file is not new. Throws if it is
 * wanted and the credentials of its provider are elsewhere.
 */
export function runsSimulator(
  config: Pick<
    StandaloneConfig,
    'DESPATCH_SIMULATOR' | 'DATABASE_URL' | 'S3_ENDPOINT' | 'DESPATCH_DATA_DIR'
  >,
  given: Environment,
  origin: CredentialsOrigin,
): boolean {
  const isEmbedded = config.DATABASE_URL === undefined && config.S3_ENDPOINT === undefined
  const isTrial = origin === 'made' || existsSync(join(config.DESPATCH_DATA_DIR, markerName))
  const isDefault = isEmbedded && !isProduction(given) && isTrial
  const { DESPATCH_SIMULATOR: wanted = isDefault ? 'on' : 'off' } = config
  if (wanted === 'on' && origin === 'elsewhere') {
    throw new Error(
      `DESPATCH_SIMULATOR must be off, because the provider's credentials are ${credentialsElsewhere}`,
    )
  }
  return wanted === 'on'
}

/** The default of the setting is production, so only a given one says what the installation is. */
function isProduction({ DESPATCH_ENVIRONMENT }: Environment): boolean {
  return DESPATCH_ENVIRONMENT === 'production'
}

/**
 * Keeps for later starts that the data directory began with the simulated factory. A start that turns it off ends that
 * for good: letters may be real from then on.
 */
export async function rememberSimulator(
  {
    DESPATCH_DATA_DIR,
    DESPATCH_SIMULATOR,
  }: Pick<StandaloneConfig, 'DESPATCH_DATA_DIR' | 'DESPATCH_SIMULATOR'>,
  { isFirstStart, isSimulated }: { isFirstStart: boolean; isSimulated: boolean },
): Promise<void> {
  const marker = join(DESPATCH_DATA_DIR, markerName)
  if (isFirstStart && isSimulated) await writeFile(marker, '')
  if (DESPATCH_SIMULATOR === 'off') await rm(marker, { force: true })
}

/** Starts the simulated print factory. It knows nothing of this process except its base address. */
export async function startSimulator({
  baseUrl,
  outcomesUrl,
  provider,
  dataDirectory,
  environment = {},
  log,
  ...hooks
}: SimulatorOptions): Promise<ProviderSimulator> {
  const service = 'provider-simulator'
  const config = readConfig(providerSimulatorConfig, {
    ...environment,
    DESPATCH_BASE_URL: baseUrl,
    DESPATCH_PROVIDER_USER_NAME: provider.userName,
    DESPATCH_PROVIDER_PASSWORD: provider.password,
    DESPATCH_PROVIDER_API_KEY: provider.apiKey,
    DESPATCH_PROVIDER_DIRECTORY: join(dataDirectory, service),
    DESPATCH_SIMULATOR_OUTCOMES_URL: outcomesUrl,
  })
  const simulator = await createProviderSimulator(config, {
    log: createLogger({ service, level: config.LOG_LEVEL, destination: log }),
    ...hooks,
  })
  simulator.start()
  return simulator
}
