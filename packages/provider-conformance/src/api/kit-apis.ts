import { timingSafeEqual } from 'node:crypto'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { printFulfilmentBytesMax } from '@despatch/contracts/print-fulfilment/operations'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import { printRequestSecuritySchemes } from '@despatch/contracts/print-request/answers'
import { renderPrintFault } from '@despatch/contracts/print-request/problems'
import {
  authenticate,
  thirdpartyAccessBytesMax,
  thirdpartyAccessPrefix,
  thirdpartyAccessSecuritySchemes,
} from '@despatch/contracts/thirdparty-access/operations'
import {
  renderAccessFault,
  renderAccessProblem,
} from '@despatch/contracts/thirdparty-access/problems'
import { Problem } from '@despatch/domain/problem'
import { type Api, createApi } from '@despatch/http/api'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { sha256 } from '../fingerprint.ts'
import { authenticateCaller, issueToken, type Platform } from '../platform/platform.ts'
import { addFileOperations, type ServeFile } from './file-operations.ts'
import { addProductionOperations } from './production-operations.ts'
import { addRunOperations } from './run-operations.ts'
import { addSiteOperations } from './site-operations.ts'

export type KitApis = { access: Api; fulfilment: Api }

const credentialDays = 90
const dayMs = 86_400_000

/** Creates the two APIs of a provider over the kit's state. Requests are validated by the contracts themselves. */
export async function createKitApis(platform: Platform, serveFile: ServeFile): Promise<KitApis> {
  // The transcript is the kit's log.
  const log = createLogger({ service: 'provider-conformance', level: 'silent' })
  const effects = { log, metrics: createMetrics('provider-conformance'), faultsOf: fieldFaults }
  const access = await createApi({
    ...effects,
    name: 'thirdparty-access',
    prefix: thirdpartyAccessPrefix,
    bodyBytesMax: thirdpartyAccessBytesMax,
    renderProblem: renderAccessProblem,
    renderFault: renderAccessFault,
    openapi: {
      title: 'Conformance: authentication',
      description: 'Exchange a user name and password for a JWT.',
      version: '1.1.1',
      securitySchemes: thirdpartyAccessSecuritySchemes,
    },
  })
  addAuthentication(access, platform)
  const fulfilment = await createApi({
    ...effects,
    metrics: createMetrics('print-fulfilment'),
    name: 'fulfilment',
    prefix: printFulfilmentPrefix,
    bodyBytesMax: printFulfilmentBytesMax,
    renderProblem: renderFulfilmentProblem,
    renderFault: renderPrintFault,
    authenticate: (headers) => authenticateCaller(platform, headers),
    openapi: {
      title: 'Conformance: print fulfilment',
      description: 'The interface of print providers, as the acceptance cases play it.',
      version: '1.0.0',
      securitySchemes: printRequestSecuritySchemes,
    },
  })
  addRunOperations(fulfilment, platform)
  addFileOperations(fulfilment, platform, serveFile)
  addProductionOperations(fulfilment, platform)
  addSiteOperations(fulfilment, platform)
  await Promise.all([access.ready(), fulfilment.ready()])
  return { access, fulfilment }
}

function addAuthentication(api: Api, platform: Platform): void {
  api.route({
    ...authenticate,
    config: { open: true },
    handler: async ({ body }) => {
      const { userName, password } = platform.credentials
      if (body.userName !== userName || !isSame(body.password, password)) {
        throw new Problem('wrong-credentials', 'User name or password incorrect')
      }
      const expiry = new Date(platform.now().getTime() + credentialDays * dayMs)
      const day = expiry.toISOString().slice(0, 10)
      return { 'id-token': issueToken(platform), apiKeyExpiry: day, passwordExpiry: day }
    },
  })
}

function isSame(given: string, known: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(known)))
}
