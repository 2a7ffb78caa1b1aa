import { join } from 'node:path'
import { administrationConfig } from '@despatch/administration/config'
import { createAdministration } from '@despatch/administration/service'
import { callbacksConfig } from '@despatch/callbacks/config'
import { createCallbacks } from '@despatch/callbacks/service'
import { type Environment, readConfig, withSecretsOfFiles } from '@despatch/config/read-config'
import { createDriverFind } from '@despatch/driver-find/service'
import { enquiryConfig } from '@despatch/enquiry/config'
import { fulfilmentConfig } from '@despatch/fulfilment/config'
import { createFulfilment } from '@despatch/fulfilment/service'
import { fullDriverEnquiryConfig } from '@despatch/full-driver-enquiry/config'
import { createFullDriverEnquiry } from '@despatch/full-driver-enquiry/service'
import { type HealthCheck, readChecks } from '@despatch/http/health'
import { createRefusalRecorder } from '@despatch/http/request-log'
import { close, closeTogether, type Service } from '@despatch/http/service'
import { opsConsoleConfig } from '@despatch/ops-console/config'
import { createOpsConsole } from '@despatch/ops-console/service'
import { pipelineConfig } from '@despatch/pipeline/config'
import { createPipeline } from '@despatch/pipeline/service'
import type { DatabaseService } from '@despatch/postgres/service-roles'
import { printRequestConfig } from '@despatch/print-request/config'
import { createPrintRequest } from '@despatch/print-request/service'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'
import { createMetrics, type Registry } from '@despatch/telemetry/metrics'
import { thirdpartyAccessConfig } from '@despatch/thirdparty-access/config'
import { createThirdpartyAccess } from '@despatch/thirdparty-access/service'
import { uatConfig } from '@despatch/uat/config'
import { createUat } from '@despatch/uat/service'
import { createVehicleEnquiry } from '@despatch/vehicle-enquiry/service'
import { type Credentials, credentialsPathOf, writeCredentials } from './credentials.ts'
import { startDriverSources } from './driver-sources.ts'
import { createEntrance } from './entrance.ts'
import { type CredentialsOrigin, findUsers } from './find-users.ts'
import { type Gateway, type Route, startGateway } from './gateway.ts'
import { settleAll, startInfrastructure } from './infrastructure.ts'
import { seedUsers } from './seed-users.ts'
import { standaloneConfig } from './settings.ts'
import {
  refuseInProduction,
  rememberSimulator,
  runsSimulator,
  startSimulator,
} from './simulator.ts'

export type Stack = {
  baseUrl: string
  opsUrl: string
  /** Absent if `credentialsOrigin` is `elsewhere`. */
  credentials?: Credentials | undefined
  /** Where the credentials file is, or would be. */
  credentialsPath: string
  credentialsOrigin: CredentialsOrigin
  /** The embedded servers that this start started. */
  embedded: readonly string[]
  /** True if the simulated print factory runs. */
  isSimulated: boolean
  /** Resolves when an embedded server has ended unexpectedly and could not be restarted. Nothing works without it. */
  failed: Promise<Error>
  close(): Promise<void>
}

type StackOptions = {
  environment: Environment
  log: LogDestination
  /** Called with a short description when each step begins. */
  onProgress?: (step: string) => void
  /** Called with a line when an embedded server ends unexpectedly, and when it runs again. */
  onReadFailure?: (line: string) => void
}

/** Defaults of the services here: runs are printed soon, and callbacks may go to this machine. */
export const standaloneDefaults = {
  DESPATCH_PRINT_RUN_AGE_MS: '3000',
  DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8,::1/128',
}

/** Starts the whole system in this process: the servers that are not given, then every service. */
export async function startStack({
  environment: given,
  log,
  onProgress = () => {},
  onReadFailure = () => {},
}: StackOptions): Promise<Stack> {
  const environment = withSecretsOfFiles(given)
  const config = readConfig(standaloneConfig, environment)
  refuseInProduction(config, environment)
  await using parts = new AsyncDisposableStack()
  const host = config.DESPATCH_HOST
  const logger = createLogger({ service: 'standalone', destination: log })
  const metrics = createMetrics('standalone')
  const recordRefusal = createRefusalRecorder(logger, metrics)
  const listen = { host, connections: config, recordRefusal }
  const api = parts.adopt(
    await startGateway({ ...listen, port: config.DESPATCH_PORT, showsChecks: false }),
    close,
  )
  const ops = parts.adopt(
    await startGateway({ ...listen, port: config.DESPATCH_OPS_PORT, showsChecks: true }),
    close,
  )

  onProgress('starting the database and the object store')
  const infrastructure = await startInfrastructure(parts, config, (line) => {
    logger.warn({ detail: line }, 'embedded.troubled')
    onReadFailure(line)
  })

  const { DESPATCH_DATA_DIR: dataDirectory } = config
  const { ownerUrl } = infrastructure
  const isEmbedded = config.DATABASE_URL === undefined
  const { users, origin } = await findUsers(ownerUrl, dataDirectory, { isEmbedded })
  const isSimulated = runsSimulator(config, environment, origin)
  await rememberSimulator(config, { isFirstStart: origin === 'made', isSimulated })
  const addresses = { baseUrl: api.url, opsUrl: ops.url }
  const credentials = users && { ...addresses, ...users }
  if (credentials) {
    await writeCredentials(dataDirectory, credentials)
    await seedUsers(ownerUrl, credentials)
  }

  onProgress('starting the services')
  const settings = {
    ...standaloneDefaults,
    DESPATCH_MAIL_DIR: join(dataDirectory, 'mail'),
    ...environment,
    ...infrastructure.environment,
  }
  const withDatabaseOf = (service: DatabaseService, others: Environment): Environment => ({
    ...others,
    DATABASE_URL: infrastructure.databaseUrlOf(service),
  })
  const sources = await startDriverSources(parts, withDatabaseOf('driver-sources', settings), log)
  // The services are mounted behind the gateway, so none listens. The setting only exists because each could run alone.
  const common = { ...settings, ...sources, PORT: '0' }
  const entranceMetrics = createMetrics('gateway')
  const services = await startServices(parts, (service) => withDatabaseOf(service, common), {
    log,
    metrics: [metrics, entranceMetrics],
    // a test environment says of itself that nothing is posted
    isSimulated: isSimulated && environment.DESPATCH_ENVIRONMENT !== 'uat',
  })
  const routes = listRoutes(services)
  const entrance = parts.adopt(
    await createEntrance({
      log: createLogger({ service: 'gateway', destination: log }),
      metrics: entranceMetrics,
      prefixes: routes.map(({ prefix }) => prefix),
      guidesUrl: config.DESPATCH_GUIDES_URL,
      ...(credentials && isLoopback(host) && { credentialsPath: credentialsPathOf(dataDirectory) }),
      sourceRequestsPerSecond: config.DESPATCH_SOURCE_REQUESTS_PER_SECOND,
    }),
    close,
  )
  await entrance.api.ready()
  routes.push({ prefix: '/', service: entrance })
  openGateways({ api, ops }, services, routes)

  if (isSimulated && users) {
    const { provider } = users
    const isUat = environment.DESPATCH_ENVIRONMENT === 'uat'
    parts.adopt(
      await startSimulator({
        baseUrl: api.url,
        provider,
        dataDirectory,
        environment,
        log,
        ...(isUat && { outcomesUrl: `${api.url}/uat/print-outcomes` }),
      }),
      close,
    )
  }

  const { embedded, failed } = infrastructure
  const opened = parts.move()
  return {
    ...addresses,
    credentials,
    credentialsPath: credentialsPathOf(dataDirectory),
    credentialsOrigin: origin,
    embedded,
    isSimulated,
    failed,
    close: () => opened.disposeAsync(),
  }
}

type Services = Awaited<ReturnType<typeof startServices>>

/** Starts the services. The APIs close first, so that nothing new comes in, and the background services last. */
async function startServices(
  parts: AsyncDisposableStack,
  environmentOf: (service: DatabaseService) => Environment,
  {
    log: destination,
    metrics,
    isSimulated,
  }: { log: LogDestination; metrics: readonly Registry[]; isSimulated: boolean },
) {
  const logOf = (service: DatabaseService) =>
    createLogger({ service, level: environmentOf(service).LOG_LEVEL ?? 'info', destination })
  const background = openTogether(parts)
  const [pipeline, callbacks] = await settleAll([
    background(() =>
      createPipeline(readConfig(pipelineConfig, environmentOf('pipeline')), {
        log: logOf('pipeline'),
      }),
    ),
    background(() =>
      createCallbacks(readConfig(callbacksConfig, environmentOf('callbacks')), {
        log: logOf('callbacks'),
      }),
    ),
  ])
  const answering = openTogether(parts)
  const [
    printRequest,
    fulfilment,
    access,
    vehicleEnquiry,
    fullDriverEnquiry,
    driverFind,
    administration,
    uat,
  ] = await settleAll([
    answering(() =>
      createPrintRequest(readConfig(printRequestConfig, environmentOf('print-request')), {
        log: logOf('print-request'),
        onSaved: pipeline.nudge,
      }),
    ),
    answering(() =>
      createFulfilment(readConfig(fulfilmentConfig, environmentOf('fulfilment')), {
        log: logOf('fulfilment'),
      }),
    ),
    answering(() =>
      createThirdpartyAccess(
        readConfig(thirdpartyAccessConfig, environmentOf('thirdparty-access')),
        {
          log: logOf('thirdparty-access'),
        },
      ),
    ),
    answering(() =>
      createVehicleEnquiry(readConfig(enquiryConfig, environmentOf('vehicle-enquiry')), {
        log: logOf('vehicle-enquiry'),
      }),
    ),
    answering(() =>
      createFullDriverEnquiry(
        readConfig(fullDriverEnquiryConfig, environmentOf('full-driver-enquiry')),
        {
          log: logOf('full-driver-enquiry'),
        },
      ),
    ),
    answering(() =>
      createDriverFind(readConfig(enquiryConfig, environmentOf('driver-find')), {
        log: logOf('driver-find'),
      }),
    ),
    answering(() =>
      createAdministration(readConfig(administrationConfig, environmentOf('administration')), {
        log: logOf('administration'),
      }),
    ),
    answering(async () =>
      environmentOf('uat').DESPATCH_ENVIRONMENT === 'uat'
        ? createUat(readConfig(uatConfig, environmentOf('uat')), { log: logOf('uat') })
        : undefined,
    ),
  ])
  const counting: Service[] = [
    pipeline,
    printRequest,
    fulfilment,
    callbacks,
    access,
    fullDriverEnquiry,
    administration,
  ]
  const opsConsole = await answering(() =>
    createOpsConsole(readConfig(opsConsoleConfig, environmentOf('ops-console')), {
      log: logOf('ops-console'),
      isSimulated,
      // These services do not listen, so their metrics cannot be requested from them.
      extraMetrics: [...metrics, ...counting.flatMap((service) => service.metrics ?? [])],
    }),
  )
  const services = {
    printRequest,
    fulfilment,
    callbacks,
    access,
    vehicleEnquiry,
    fullDriverEnquiry,
    driverFind,
    administration,
    opsConsole,
    ...(uat && { uat }),
    pipeline,
  }
  await Promise.all(listServices(services).map(({ api }) => api.ready()))
  return services
}

/** Returns a function that opens services. They are closed at the same time. */
function openTogether(parts: AsyncDisposableStack) {
  const services = parts.adopt<Service[]>([], closeTogether)
  return async <Opened extends Service | undefined>(create: () => Promise<Opened>) => {
    const service = await create()
    if (service) services.push(service)
    return service
  }
}

function listServices(services: Services): Service[] {
  return Object.values(services)
}

function isLoopback(host: string): boolean {
  return /^(127\.[\d.]+|::1|localhost)$/.test(host)
}

/** Returns the APIs of the base address. */
function listRoutes(services: Services): Route[] {
  return [
    { prefix: '/thirdparty-access', service: services.access },
    { prefix: '/print-request', service: services.printRequest },
    { prefix: '/print-fulfilment', service: services.fulfilment },
    { prefix: '/vehicle-enquiry', service: services.vehicleEnquiry },
    { prefix: '/full-driver-enquiry', service: services.fullDriverEnquiry },
    { prefix: '/driver-find', service: services.driverFind },
    ...(services.uat ? [{ prefix: '/uat', service: services.uat } satisfies Route] : []),
  ]
}

function openGateways(
  { api, ops }: { api: Gateway; ops: Gateway },
  services: Services,
  routes: readonly Route[],
): void {
  const all = listServices(services)
  const checks = {
    ready: () => allChecks(all),
    alive: async () => (await Promise.all(all.map(({ alive }) => alive?.() ?? []))).flat(),
  }
  api.open(routes, checks)
  ops.open(
    [
      { prefix: '/administration', service: services.administration },
      { prefix: '/', service: services.opsConsole },
    ],
    checks,
  )
}

async function allChecks(services: readonly Service[]): Promise<HealthCheck[]> {
  const checks = await Promise.all(
    services.map(async ({ name, ready }) =>
      (await readChecks(ready)).map((check) => ({ ...check, name: `${name}: ${check.name}` })),
    ),
  )
  return checks.flat()
}
