import { join } from 'node:path'
import { administrationConfig } from '@despatch/administration/config'
import { createAdministration } from '@despatch/administration/service'
import { callbacksConfig } from '@despatch/callbacks/config'
import { createCallbacks } from '@despatch/callbacks/service'
import { type Environment, readConfig } from '@despatch/config/read-config'
import { driverFindConfig } from '@despatch/driver-find/config'
import { createDriverFind } from '@despatch/driver-find/service'
import { fulfilmentConfig } from '@despatch/fulfilment/config'
import { createFulfilment } from '@despatch/fulfilment/service'
import { fullDriverEnquiryConfig } from '@despatch/full-driver-enquiry/config'
import { createFullDriverEnquiry } from '@despatch/full-driver-enquiry/service'
import { type HealthCheck, readChecks } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { opsConsoleConfig } from '@despatch/ops-console/config'
import { createOpsConsole } from '@despatch/ops-console/service'
import { pipelineConfig } from '@despatch/pipeline/config'
import { createPipeline } from '@despatch/pipeline/service'
import { printRequestConfig } from '@despatch/print-request/config'
import { createPrintRequest } from '@despatch/print-request/service'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'
import { thirdpartyAccessConfig } from '@despatch/thirdparty-access/config'
import { createThirdpartyAccess } from '@despatch/thirdparty-access/service'
import { uatConfig } from '@despatch/uat/config'
import { createUat } from '@despatch/uat/service'
import { vehicleEnquiryConfig } from '@despatch/vehicle-enquiry/config'
import { createVehicleEnquiry } from '@despatch/vehicle-enquiry/service'
import { type Credentials, makeUsers, readUsers, writeCredentials } from './credentials.ts'
import { startDriverSources } from './driver-sources.ts'
import { type Gateway, type Route, startGateway } from './gateway.ts'
import { startInfrastructure } from './infrastructure.ts'
import { seedUsers } from './seed-users.ts'
import { standaloneConfig } from './settings.ts'
import { startSimulator } from './simulator.ts'

export type Stack = {
  credentials: Credentials
  credentialsPath: string
  /** True if this start created the users. */
  isFirstStart: boolean
  /** The embedded servers that this start started. */
  embedded: readonly string[]
  /** Resolves when an embedded server has ended unexpectedly and could not be restarted. Nothing works without it. */
  failed: Promise<Error>
  close(): Promise<void>
}

export type StackOptions = {
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
  environment,
  log,
  onProgress = () => {},
  onReadFailure = () => {},
}: StackOptions): Promise<Stack> {
  const config = readConfig(standaloneConfig, environment)
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const api = await startGateway({ host: config.DESPATCH_HOST, port: config.DESPATCH_PORT })
    closers.push(() => api.close())
    const ops = await startGateway({ host: config.DESPATCH_HOST, port: config.DESPATCH_OPS_PORT })
    closers.push(() => ops.close())

    onProgress('starting the database and the object store')
    const logger = createLogger({ service: 'standalone', destination: log })
    const infrastructure = await startInfrastructure(config, (line) => {
      logger.warn({ detail: line }, 'embedded.troubled')
      onReadFailure(line)
    })
    closers.push(() => infrastructure.stop())

    const known = await readUsers(config.DESPATCH_DATA_DIR)
    const users = known ?? makeUsers()
    await seedUsers(infrastructure.environment.DATABASE_URL!, users)

    onProgress('starting the services')
    const settings = {
      ...standaloneDefaults,
      DESPATCH_MAIL_DIR: join(config.DESPATCH_DATA_DIR, 'mail'),
      ...environment,
      ...infrastructure.environment,
    }
    const sources = await startDriverSources(settings, log)
    closers.push(() => sources.close())
    const services = await startServices({ ...settings, ...sources.environment }, log)
    closers.push(() => closeServices(services))
    openGateways({ api, ops }, services)

    if (config.DESPATCH_SIMULATOR === 'on') {
      const { DESPATCH_DATA_DIR: dataDirectory } = config
      const { provider } = users
      const isUat = environment.DESPATCH_ENVIRONMENT === 'uat'
      const simulator = await startSimulator({
        baseUrl: api.url,
        provider,
        dataDirectory,
        environment,
        log,
        ...(isUat && { outcomesUrl: `${api.url}/uat/print-outcomes` }),
      })
      closers.push(() => simulator.close())
    }

    const credentials = { baseUrl: api.url, opsUrl: ops.url, ...users }
    const credentialsPath = await writeCredentials(config.DESPATCH_DATA_DIR, credentials)
    const { embedded, failed } = infrastructure
    return { credentials, credentialsPath, isFirstStart: !known, embedded, failed, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Services = Awaited<ReturnType<typeof startServices>>

async function startServices(given: Environment, destination: LogDestination) {
  // The services are mounted behind the gateway, so none listens. The setting only exists because each could run alone.
  const environment: Environment = { ...given, PORT: '0' }
  const logOf = (service: string) =>
    createLogger({ service, level: environment.LOG_LEVEL ?? 'info', destination })
  const pipeline = await createPipeline(readConfig(pipelineConfig, environment), {
    log: logOf('pipeline'),
  })
  const [
    printRequest,
    fulfilment,
    callbacks,
    access,
    vehicleEnquiry,
    fullDriverEnquiry,
    driverFind,
    administration,
    uat,
  ] = await Promise.all([
    createPrintRequest(readConfig(printRequestConfig, environment), {
      log: logOf('print-request'),
      onSaved: pipeline.nudge,
    }),
    createFulfilment(readConfig(fulfilmentConfig, environment), { log: logOf('fulfilment') }),
    createCallbacks(readConfig(callbacksConfig, environment), { log: logOf('callbacks') }),
    createThirdpartyAccess(readConfig(thirdpartyAccessConfig, environment), {
      log: logOf('thirdparty-access'),
    }),
    createVehicleEnquiry(readConfig(vehicleEnquiryConfig, environment), {
      log: logOf('vehicle-enquiry'),
    }),
    createFullDriverEnquiry(readConfig(fullDriverEnquiryConfig, environment), {
      log: logOf('full-driver-enquiry'),
    }),
    createDriverFind(readConfig(driverFindConfig, environment), { log: logOf('driver-find') }),
    createAdministration(readConfig(administrationConfig, environment), {
      log: logOf('administration'),
    }),
    environment.DESPATCH_ENVIRONMENT === 'uat'
      ? createUat(readConfig(uatConfig, environment), { log: logOf('uat') })
      : undefined,
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
  const opsConsole = await createOpsConsole(readConfig(opsConsoleConfig, environment), {
    log: logOf('ops-console'),
    // These services do not listen, so their metrics cannot be requested from them.
    extraMetrics: counting.flatMap(({ metrics }) => metrics ?? []),
  })
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

function listServices(services: Services): Service[] {
  return Object.values(services)
}

function openGateways({ api, ops }: { api: Gateway; ops: Gateway }, services: Services): void {
  const all = listServices(services)
  const checks = {
    ready: () => allChecks(all),
    alive: async () => (await Promise.all(all.map(({ alive }) => alive?.() ?? []))).flat(),
  }
  api.open(
    [
      { prefix: '/print-request', service: services.printRequest },
      { prefix: '/print-fulfilment', service: services.fulfilment },
      { prefix: '/thirdparty-access', service: services.access },
      { prefix: '/vehicle-enquiry', service: services.vehicleEnquiry },
      { prefix: '/full-driver-enquiry', service: services.fullDriverEnquiry },
      { prefix: '/driver-find', service: services.driverFind },
      ...(services.uat ? [{ prefix: '/uat', service: services.uat } satisfies Route] : []),
    ],
    checks,
  )
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

/** Closes the APIs first, so that nothing new comes in, and the background services last. */
async function closeServices(services: Services): Promise<void> {
  const { pipeline, callbacks, ...httpServices } = services
  await Promise.all(Object.values(httpServices).map((service) => service.close()))
  await Promise.all([pipeline.close(), callbacks.close()])
}
