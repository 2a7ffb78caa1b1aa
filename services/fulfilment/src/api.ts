import { randomUUID } from 'node:crypto'
import type { Composers } from '@despatch/composer/composers'
import { createSemaphore, type SemaphoreOptions } from '@despatch/composer/semaphore'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { fulfilmentOpenApi } from '@despatch/contracts/print-fulfilment/openapi'
import {
  printFulfilmentBytesMax,
  printFulfilmentValuesMax,
} from '@despatch/contracts/print-fulfilment/operations'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import { printRequestSecuritySchemes } from '@despatch/contracts/print-request/answers'
import { renderPrintFault } from '@despatch/contracts/print-request/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import type { ListenOptions } from '@despatch/http/listen-options'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { noTracing } from '@despatch/telemetry/tracing'
import { acceptRecall } from './operations/accept-recall.ts'
import { acknowledgePrintRun } from './operations/acknowledge-print-run.ts'
import { addPostingEvidence } from './operations/add-posting-evidence.ts'
import { claimPrintRun } from './operations/claim-print-run.ts'
import { closePrintRun } from './operations/close-print-run.ts'
import { confirmPosting } from './operations/confirm-posting.ts'
import { createPosting } from './operations/create-posting.ts'
import { getDocumentContent } from './operations/get-document-content.ts'
import { getDocumentsZip } from './operations/get-documents-zip.ts'
import { getManifest } from './operations/get-manifest.ts'
import { getPosting } from './operations/get-posting.ts'
import { getPrintStream } from './operations/get-print-stream.ts'
import { getReconciliation } from './operations/get-reconciliation.ts'
import { getSerialStock } from './operations/get-serial-stock.ts'
import { getTemplateData } from './operations/get-template-data.ts'
import { getWorkSummary } from './operations/get-work-summary.ts'
import { listCapabilities } from './operations/list-capabilities.ts'
import { listPrintRuns } from './operations/list-print-runs.ts'
import { listRecallRequests } from './operations/list-recall-requests.ts'
import { listReprints } from './operations/list-reprints.ts'
import { putCapabilities } from './operations/put-capabilities.ts'
import { recordReturns } from './operations/record-returns.ts'
import { rejectRecall } from './operations/reject-recall.ts'
import { renewLease } from './operations/renew-lease.ts'
import { reportItemEvents } from './operations/report-item-events.ts'
import { reportStockSpoilage } from './operations/report-stock-spoilage.ts'
import { requestReprints } from './operations/request-reprints.ts'
import { sendHeartbeat } from './operations/send-heartbeat.ts'
import { whoami } from './operations/whoami.ts'

export type FulfilmentContext = Pick<ApiOptions, 'log' | 'metrics' | 'limit' | 'tracing'> & {
  listen?: ListenOptions
  db: Db
  objects: Pick<ObjectStore, 'downloadAddress' | 'uploadAddress' | 'getStream'>
  composers: Pick<Composers, 'printStreamPart'>
  /** Called after each wait for a slot to send a file. */
  onWaited?: SemaphoreOptions['onWaited']
  ready(): Promise<HealthCheck[]>
  /** Returns the caller, who must be a provider, or throws a Problem. */
  authenticate: NonNullable<ApiOptions['authenticate']>
}

/** Files of fulfilment jobs that one process sends at the same time. The last is not for a provider that gets others. */
const filesMax = 4

/** Creates the API of print providers: they pull print runs, print, post and report. */
export async function createFulfilmentApi(context: FulfilmentContext): Promise<Api> {
  const {
    db,
    objects,
    composers,
    onWaited,
    log,
    metrics,
    ready,
    authenticate,
    limit,
    listen,
    tracing = noTracing,
  } = context
  const api = await createApi({
    ...listen,
    name: 'fulfilment',
    prefix: printFulfilmentPrefix,
    log,
    metrics,
    tracing,
    bodyBytesMax: printFulfilmentBytesMax,
    bodyValuesMax: printFulfilmentValuesMax,
    faultsOf: fieldFaults,
    renderProblem: renderFulfilmentProblem,
    renderFault: renderPrintFault,
    authenticate,
    ...(limit && { limit }),
    openapi: {
      ...fulfilmentOpenApi,
      title: 'Despatch print fulfilment',
      description:
        'Claim print runs, get and print their documents, and report which letters were posted.',
      version: interfaceVersions.fulfilment,
      securitySchemes: printRequestSecuritySchemes,
    },
  })
  const semaphore = createSemaphore({
    permits: filesMax,
    waitingMax: 0,
    // A file that is being sent cannot begin again.
    sliceMs: Number.POSITIVE_INFINITY,
    reservesLast: true,
    ...(onWaited && { onWaited }),
  })
  registerHealth(api, { ready, metrics })
  listPrintRuns(api, { db })
  claimPrintRun(api, { db, tracing })
  renewLease(api, { db })
  getManifest(api, { db })
  getDocumentContent(api, { db, objects })
  getDocumentsZip(api, { db, objects, semaphore })
  getPrintStream(api, { db, objects, semaphore, composers })
  acknowledgePrintRun(api, { db, tracing })
  createPosting(api, { db, tracing })
  confirmPosting(api, { db, tracing })
  getPosting(api, { db })
  addPostingEvidence(api, { db, objects, newId: randomUUID })
  getReconciliation(api, { db })
  closePrintRun(api, { db })
  recordReturns(api, { db })
  listRecallRequests(api, { db })
  acceptRecall(api, { db })
  rejectRecall(api, { db })
  getTemplateData(api, { db })
  whoami(api, { db })
  sendHeartbeat(api, { db })
  getWorkSummary(api, { db })
  listCapabilities(api, { db })
  putCapabilities(api, { db })
  reportItemEvents(api, { db })
  requestReprints(api, { db })
  listReprints(api, { db })
  getSerialStock(api, { db })
  reportStockSpoilage(api, { db })
  return api
}
