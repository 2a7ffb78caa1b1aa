import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { openCheckBudget } from '@despatch/access/check-budget'
import { sealOnce } from '@despatch/access/seal-once'
import { sealedBoxesOf } from '@despatch/access/sealed-box'
import { searchHasherSource, searchKeyBox } from '@despatch/access/search-terms'
import { openUsageLimits } from '@despatch/access/usage-limits'
import { startComposers } from '@despatch/composer/composers'
import { createSemaphore } from '@despatch/composer/semaphore'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { printRequestSecuritySchemes } from '@despatch/contracts/print-request/answers'
import { printRequestOpenApi } from '@despatch/contracts/print-request/openapi'
import { printRequestPrefix } from '@despatch/contracts/print-request/paths'
import { renderPrintFault, renderPrintProblem } from '@despatch/contracts/print-request/problems'
import { memberReader } from '@despatch/contracts/request-members'
import {
  callbackDestinationPurpose,
  callbackSecretPurpose,
} from '@despatch/domain/callback/destination'
import { createApi } from '@despatch/http/api'
import { checkHealth, type HealthCheck, registerHealth } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { openLetterTemplates } from '@despatch/letters/letter-templates'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openDatabase } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import {
  findConflict,
  type Submission,
  saveSubmissions,
} from '@despatch/store/print-job/submissions'
import { listUsableUploads } from '@despatch/store/print-job/uploads'
import { readTemplateFiles } from '@despatch/store/template/versions'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import { recordWaits } from '@despatch/telemetry/wait-metrics'
import { startTypesetters } from '@despatch/templates/typesetters'
import { predefinedRefusal } from '@despatch/uat-scenarios/print-scenarios'
import { openVirusScanner } from '@despatch/virus-scanner/virus-scanner'
import { nudge } from '@despatch/work/nudges'
import { serveCallbacks } from './callback/serve-callbacks.ts'
import type { PrintRequestConfig } from './config.ts'
import { createUpload } from './operations/create-upload.ts'
import { deletePrintJob } from './operations/delete-print-job.ts'
import { drawDryRun, drawDryRunPage } from './operations/draw-dry-run.ts'
import { getLetter } from './operations/get-letter.ts'
import { getPrintJob } from './operations/get-print-job.ts'
import { getProof } from './operations/get-proof.ts'
import { getProofPage } from './operations/get-proof-page.ts'
import { holdPrintJob } from './operations/hold-print-job.ts'
import { listPrintJobEvents } from './operations/list-print-job-events.ts'
import { listPrintJobs } from './operations/list-print-jobs.ts'
import { releasePrintJob } from './operations/release-print-job.ts'
import { submitPrintJob } from './operations/submit-print-job.ts'
import { validatePrintJob } from './operations/validate-print-job.ts'
import { createContractCache } from './print-job/contract-cache.ts'
import type { DryRunContext } from './print-job/dry-run.ts'
import { scanFilesWith } from './print-job/scan-files.ts'

const name = 'print-request'
const connectionsMax = 8
/** The maximum number of concurrent commits. While two run, further submissions gather for the next one. */
const commitsMax = 2
const submissionsPerCommitMax = 64
/** Bytes of request bodies in this process at once: a body is in memory several times while it is read. */
const bodyBytesInFlightMax = 64 * 1024 * 1024
/** The number of requests of one consumer that may wait. It is asked to retry further ones. */
const checksWaitingMax = 8
/** Lists of consumers with many print jobs that are read at the same time, and how long a caller waits for one. */
const listsMax = 2
const listTimeoutMs = 10_000
/** Short, because a caller waits for the response of a dry run. */
const scanTimeoutMs = 20_000

export async function createPrintRequest(
  config: PrintRequestConfig,
  { log, onSaved: onSavedHere }: { log: Logger; onSaved?: () => void },
): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const tracing = parts.adopt(await openTracing(name, { settings: config, log }), close)
  const database = parts.adopt(
    openDatabase(config.DATABASE_URL, { name, connectionsMax, prefersIndexes: true }),
    close,
  )
  const { db, pool } = database
  const onSaved = onSavedHere ?? (() => nudge(db, letterKind.name))
  const metrics = createMetrics(name)
  registerPoolMetrics(metrics, pool)
  registerClockSkew(metrics, { pool })
  const objects = parts.adopt(openObjectStore(objectStoreFrom(config)), close)
  const usage = parts.adopt(
    openUsageLimits({
      service: name,
      database,
      settings: config,
      countsDays: true,
      log,
      metrics,
    }),
    close,
  )
  const boxFor = sealedBoxesOf({
    secretKeyHex: config.DESPATCH_KEY_CALLBACKS,
    previousKeysHex: config.DESPATCH_KEY_CALLBACKS_PREVIOUS,
  })
  const destinations = boxFor(callbackDestinationPurpose)
  const saveInGroup = createGroupCommit({
    commit: (submissions: readonly Submission[]) => saveSubmissions(pool, submissions),
    itemsMax: submissionsPerCommitMax,
    commitsMax,
  })
  const threadsMax = config.DESPATCH_CHECK_THREADS
  const budget = parts.adopt(
    openCheckBudget({
      store: usage.store,
      secondsPerHour: config.DESPATCH_CHECK_SECONDS_PER_HOUR,
    }),
    close,
  )
  const composers = parts.adopt(startComposers({ threadsMax, onUsed: budget.spend }), close)
  const onWaited = recordWaits(metrics)
  const typesetters = parts.adopt(
    startTypesetters({ processesMax: threadsMax, onWaited, onUsed: budget.spend }),
    close,
  )
  const templates = openLetterTemplates({
    readFiles: (name) => readTemplateFiles(db, name),
    typesetters,
  })
  const limits = {
    semaphore: createSemaphore({
      permits: threadsMax,
      waitingMax: checksWaitingMax,
      reservesLast: true,
      onWaited,
    }),
    timeoutMs: config.DESPATCH_CHECK_TIMEOUT_MS,
    budget,
  }
  const listLimits = {
    semaphore: createSemaphore({
      permits: listsMax,
      waitingMax: checksWaitingMax,
      sliceMs: Number.POSITIVE_INFINITY,
      onWaited,
    }),
    timeoutMs: listTimeoutMs,
  }
  const scanner =
    config.CLAMAV_URL === undefined
      ? undefined
      : openVirusScanner(config.CLAMAV_URL, { timeoutMs: scanTimeoutMs })
  const hasUploads = ({ files }: Submission) => files.some(({ source }) => source === 'upload')

  const ready = async (): Promise<HealthCheck[]> => [
    // The object store is not checked, because letters without files are accepted without it.
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const api = parts.adopt(
    await createApi({
      ...listenOptions(config),
      name,
      prefix: printRequestPrefix,
      log,
      metrics,
      tracing,
      bodyBytesMax: config.DESPATCH_REQUEST_BYTES_MAX,
      admission: {
        requestsMax: config.DESPATCH_REQUESTS_IN_FLIGHT_MAX,
        bodyBytesMax: bodyBytesInFlightMax,
      },
      faultsOf: fieldFaults,
      memberReader,
      renderProblem: renderPrintProblem,
      renderFault: renderPrintFault,
      authenticate: createAuthenticator({ db, role: 'consumer', service: name }),
      limit: usage.limit,
      openapi: {
        ...printRequestOpenApi,
        title: 'Despatch print job service',
        description:
          'Submit print jobs, list them, get their status and delete them while they are pending. List callbacks and send them again.',
        version: interfaceVersions['print-request'],
        securitySchemes: printRequestSecuritySchemes,
      },
    }),
    close,
  )
  registerHealth(api, { ready, metrics })
  const newId = randomUUID
  const now = () => new Date()
  const contractsOf = createContractCache(db)
  const callbackAllow = config.DESPATCH_CALLBACK_ALLOW
  const searchKeys = {
    secretKeyHex: config.DESPATCH_KEY_SEARCH,
    previousKeysHex: config.DESPATCH_KEY_SEARCH_PREVIOUS,
  }
  const searchHasher = searchHasherSource({
    db,
    box: searchKeyBox(searchKeys.secretKeyHex, searchKeys.previousKeysHex),
  })
  submitPrintJob(api, {
    db,
    objects,
    contractsOf,
    fieldsOf: async (template) => (await templates.find(template)).fields,
    save: async (submission) =>
      hasUploads(submission)
        ? (await saveSubmissions(pool, [submission]))[0]!
        : saveInGroup(submission),
    findConflict: (submission) => findConflict(pool, submission),
    searchHasher,
    callbackAllow,
    // Most consumers name the same destination in each letter.
    seal: sealOnce(destinations.seal),
    uploadBytesMax: config.DESPATCH_UPLOAD_BYTES_MAX,
    newId,
    now,
    onSaved,
  })
  const dryRuns: DryRunContext = {
    db,
    objects,
    contractsOf,
    templates,
    listUsableUploads: (consumerId, ids) => listUsableUploads(db, consumerId, ids),
    limits,
    composers,
    ...(config.DESPATCH_ENVIRONMENT === 'uat' && { predefinedRefusal }),
    scanFiles: scanFilesWith(scanner, log),
    callbackAllow,
    uploadBytesMax: config.DESPATCH_UPLOAD_BYTES_MAX,
    newId,
    now,
  }
  validatePrintJob(api, dryRuns)
  drawDryRun(api, dryRuns)
  drawDryRunPage(api, dryRuns)
  createUpload(api, {
    db,
    objects,
    newId,
    keptSeconds: config.DESPATCH_UPLOAD_KEPT_SECONDS,
    openMax: config.DESPATCH_OPEN_UPLOADS_MAX,
  })
  const reads = { db, unsealDestination: destinations.unseal }
  listPrintJobs(api, { db, searchHasher, limits: listLimits, boxFor: sealedBoxesOf(searchKeys) })
  getPrintJob(api, reads)
  holdPrintJob(api, reads)
  releasePrintJob(api, reads)
  listPrintJobEvents(api, { db })
  deletePrintJob(api, { db })
  const drawContext = { db, objects, templates, limits, composers }
  getProof(api, drawContext)
  getProofPage(api, drawContext)
  getLetter(api, { db, templates, limits })
  const secrets = boxFor(callbackSecretPurpose)
  serveCallbacks(api, { db, callbackAllow, destinations, secrets, now })
  const opened = parts.move()
  return { name, api, ready, metrics, close: () => opened.disposeAsync() }
}
