import { administrationConfig } from '@despatch/administration/config'
import { createAdministration } from '@despatch/administration/service'
import { readConfig } from '@despatch/config/read-config'
import { deriveKeys } from '@despatch/config/service-keys'
import { createDriverFind } from '@despatch/driver-find/service'
import { enquiryConfig } from '@despatch/enquiry/config'
import { fulfilmentConfig } from '@despatch/fulfilment/config'
import { createFulfilment } from '@despatch/fulfilment/service'
import { fullDriverEnquiryConfig } from '@despatch/full-driver-enquiry/config'
import { createFullDriverEnquiry } from '@despatch/full-driver-enquiry/service'
import { printRequestConfig } from '@despatch/print-request/config'
import { createPrintRequest } from '@despatch/print-request/service'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import {
  createThirdpartyAccessApi,
  type ThirdpartyAccessContext,
} from '@despatch/thirdparty-access/api'
import { uatConfig } from '@despatch/uat/config'
import { createUat } from '@despatch/uat/service'
import { createVehicleEnquiry } from '@despatch/vehicle-enquiry/service'

/** Valid, but never connected to: describing an API makes no request. */
const environment = {
  DATABASE_URL: 'postgres://nowhere.invalid/despatch',
  S3_ENDPOINT: 'http://nowhere.invalid',
  S3_BUCKET: 'despatch',
  S3_ACCESS_KEY_ID: 'none',
  S3_SECRET_ACCESS_KEY: 'none',
  ...deriveKeys('0'.repeat(64)),
  DESPATCH_CPC_URL: 'http://nowhere.invalid',
  DESPATCH_TACHOGRAPH_URL: 'http://nowhere.invalid',
  DESPATCH_SOURCE_TOKEN: '0'.repeat(32),
  DESPATCH_FILE_DROP_INTERVAL_MS: '0',
  PORT: '0',
}

type Describable = {
  api: { ready(): PromiseLike<unknown>; swagger(): unknown }
  close(): Promise<void>
}

const log = createLogger({ service: 'docs', level: 'silent' })

const apis: Record<string, () => Promise<Describable>> = {
  'print-request': () => createPrintRequest(readConfig(printRequestConfig, environment), { log }),
  'thirdparty-access': createAccess,
  administration: () =>
    createAdministration(readConfig(administrationConfig, environment), { log }),
  'vehicle-enquiry': () => createVehicleEnquiry(readConfig(enquiryConfig, environment), { log }),
  'full-driver-enquiry': () =>
    createFullDriverEnquiry(readConfig(fullDriverEnquiryConfig, environment), { log }),
  'driver-find': () => createDriverFind(readConfig(enquiryConfig, environment), { log }),
  uat: () =>
    createUat(readConfig(uatConfig, { ...environment, DESPATCH_ENVIRONMENT: 'uat' }), { log }),
  fulfilment: () => createFulfilment(readConfig(fulfilmentConfig, environment), { log }),
}

/** Returns the OpenAPI document of each public API as the running service serves it, by its path below `directory`. */
export async function describeApis(directory: string): Promise<Record<string, string>> {
  const documents: Record<string, string> = {}
  for (const [name, create] of Object.entries(apis)) {
    const service = await create()
    await service.api.ready()
    documents[`${directory}/${name}.json`] = `${JSON.stringify(service.api.swagger(), null, 2)}\n`
    await service.close()
  }
  return documents
}

/** Creates only the API, because the service itself reads its signing key when it starts. No operation is called. */
async function createAccess(): Promise<Describable> {
  const context = { log, metrics: createMetrics('docs'), ready: async () => [] }
  const api = await createThirdpartyAccessApi(context as unknown as ThirdpartyAccessContext)
  return { api, close: () => api.close() }
}
