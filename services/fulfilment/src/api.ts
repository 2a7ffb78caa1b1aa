import { fieldFaults } from '@despatch/contracts/field-faults'
import { printFulfilmentBytesMax } from '@despatch/contracts/print-fulfilment/operations'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import { printRequestSecuritySchemes } from '@despatch/contracts/print-request/operations'
import { renderPrintFault } from '@despatch/contracts/print-request/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { acknowledgePrintRun } from './operations/acknowledge-print-run.ts'
import { claimPrintRun } from './operations/claim-print-run.ts'
import { confirmPosting } from './operations/confirm-posting.ts'
import { createPosting } from './operations/create-posting.ts'
import { getDocumentContent } from './operations/get-document-content.ts'
import { getManifest } from './operations/get-manifest.ts'
import { listPrintRuns } from './operations/list-print-runs.ts'

export type FulfilmentContext = Pick<ApiOptions, 'log' | 'metrics' | 'limit'> & {
  db: Db
  objects: Pick<ObjectStore, 'downloadAddress'>
  ready(): Promise<HealthCheck[]>
  /** Finds the caller, who must be a provider, or throws a Problem. */
  authenticate: NonNullable<ApiOptions['authenticate']>
  leaseSeconds: number
  linkSeconds: number
}

/** The interface of print providers: they pull print runs, print, post and report. */
export async function createFulfilmentApi(context: FulfilmentContext): Promise<Api> {
  const { db, objects, log, metrics, ready, authenticate, limit, leaseSeconds, linkSeconds } =
    context
  const api = await createApi({
    name: 'fulfilment',
    prefix: printFulfilmentPrefix,
    log,
    metrics,
    bodyBytesMax: printFulfilmentBytesMax,
    faultsOf: fieldFaults,
    renderProblem: renderFulfilmentProblem,
    renderFault: renderPrintFault,
    authenticate,
    ...(limit && { limit }),
    openapi: {
      title: 'Despatch print fulfilment',
      description: 'Claim print runs, fetch and print their documents, report what was posted.',
      version: '1.0.0',
      securitySchemes: printRequestSecuritySchemes,
    },
  })
  registerHealth(api, { ready, metrics })
  listPrintRuns(api, { db })
  claimPrintRun(api, { db, leaseSeconds })
  getManifest(api, { db })
  getDocumentContent(api, { db, objects, linkSeconds })
  acknowledgePrintRun(api, { db })
  createPosting(api, { db })
  confirmPosting(api, { db })
  return api
}
