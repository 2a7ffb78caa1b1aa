import type { ConsoleSessions } from '@despatch/access/console-session'
import type { SealedBox } from '@despatch/access/sealed-box'
import type { SearchHasherSource } from '@despatch/access/search-terms'
import type { SignIn } from '@despatch/access/sign-in'
import type { UsageStore } from '@despatch/access/usage-store'
import type { Composers } from '@despatch/composer/composers'
import type { Semaphore } from '@despatch/composer/semaphore'
import { administrationSecuritySchemes } from '@despatch/contracts/administration/answers'
import { administrationOpenApi } from '@despatch/contracts/administration/openapi'
import {
  administrationBytesMax,
  administrationValuesMax,
} from '@despatch/contracts/administration/operations'
import { administrationPrefix } from '@despatch/contracts/administration/paths'
import { renderAdministrationProblem } from '@despatch/contracts/administration/problems'
import type { Environment } from '@despatch/contracts/administration/session'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { renderPrintFault } from '@despatch/contracts/print-request/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import type { ListenOptions } from '@despatch/http/listen-options'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import type { WorkLimits } from '@despatch/letters/within-limit'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { ManagedQueues } from '@despatch/queue/manage-queues'
import type { Database, Db } from '@despatch/store/database'
import type { LetterMakers } from '@despatch/templates/try-letter'
import type { Oidc } from './oidc/oidc.ts'
import { getBulkAction, listBulkActions } from './operations/bulk-actions.ts'
import {
  getCallback,
  listCallbackOrigins,
  listCallbacks,
  replayCallback,
} from './operations/callbacks.ts'
import { changeShares } from './operations/change-shares.ts'
import { closePrintRunOnBehalf } from './operations/close-print-run-on-behalf.ts'
import { confirmBulkAction } from './operations/confirm-bulk-action.ts'
import {
  disableConsumer,
  enableConsumer,
  endTokens,
  getConsumer,
  listConsumers,
  setNetworks,
  setRoles,
  setServices,
} from './operations/consumers.ts'
import { listContractChanges, listContracts } from './operations/contracts.ts'
import { countParked } from './operations/count-parked.ts'
import { countPrintJobs } from './operations/count-print-jobs.ts'
import { countSettlement } from './operations/count-settlement.ts'
import { createConsumer } from './operations/create-consumer.ts'
import { createProvider } from './operations/create-provider.ts'
import { createSession } from './operations/create-session.ts'
import { deleteSession } from './operations/delete-session.ts'
import { exportEvidence } from './operations/export-evidence.ts'
import { finishOidcSignIn } from './operations/finish-oidc-sign-in.ts'
import { getConsumerUsage } from './operations/get-consumer-usage.ts'
import { issueSerialNumbers } from './operations/issue-serial-numbers.ts'
import { listAuditEvents } from './operations/list-audit-events.ts'
import { listCallbackPerformance } from './operations/list-callback-performance.ts'
import { type ListEnquiriesContext, listEnquiries } from './operations/list-enquiries.ts'
import { listPostings } from './operations/list-postings.ts'
import { listPrintJobs } from './operations/list-print-jobs.ts'
import { loadRows } from './operations/load-rows.ts'
import { overrideAddress } from './operations/override-address.ts'
import { type PlanBulkActionContext, planBulkAction } from './operations/plan-bulk-action.ts'
import { postOnBehalf } from './operations/post-on-behalf.ts'
import { previewContract } from './operations/preview-contract.ts'
import { previewShares } from './operations/preview-shares.ts'
import { previewTemplate } from './operations/preview-template.ts'
import {
  cancelPrintJob,
  getPrintJobByKey,
  getProofByKey,
  getProofPageByKey,
  holdPrintJobByKey,
  redrivePrintJob,
  releasePrintJobByKey,
} from './operations/print-jobs.ts'
import {
  countPosting,
  countReassignment,
  countRecall,
  getPrintRun,
  listPrintRuns,
  listRecalls,
} from './operations/print-runs.ts'
import { listProviders, listSerialStock, putPrintSite } from './operations/providers.ts'
import { publishTemplate } from './operations/publish-template.ts'
import { putContract } from './operations/put-contract.ts'
import { putProvider } from './operations/put-provider.ts'
import {
  drainQueue,
  listQueues,
  pauseQueue,
  redriveQueue,
  resumeQueue,
} from './operations/queues.ts'
import { reassignPrintRun } from './operations/reassign-print-run.ts'
import { recallPrintRun } from './operations/recall-print-run.ts'
import {
  abandonRecordSet,
  beginRecordSet,
  getRecordSet,
  listRecordSets,
  listRejects,
  makeRecordSetCurrent,
  publishRecordSet,
} from './operations/record-sets.ts'
import { redriveParked } from './operations/redrive-parked.ts'
import { releasePrintRun } from './operations/release-print-run.ts'
import { replayCallbacks } from './operations/replay-callbacks.ts'
import { reportVolumes } from './operations/report-volumes.ts'
import { authoriseReprint, listReprints, refuseReprint } from './operations/reprints.ts'
import { resetPassword } from './operations/reset-password.ts'
import { retireContract } from './operations/retire-contract.ts'
import { rotateApiKey } from './operations/rotate-api-key.ts'
import { rotateSigningKey } from './operations/rotate-signing-key.ts'
import { sendTestCallback } from './operations/send-test-callback.ts'
import { beginOidcSignIn, getSession, listSignInMethods } from './operations/sessions.ts'
import { setUsagePlan } from './operations/set-usage-plan.ts'
import { settleRecall } from './operations/settle-recall.ts'
import { stopBulkAction } from './operations/stop-bulk-action.ts'
import { getTemplateVersion, listTemplates, listTemplateVersions } from './operations/templates.ts'
import { listUsagePlans, putUsagePlan } from './operations/usage-plans.ts'
import { refuseOtherOrigins, requireOperator, requireRolesOfRoutes } from './operator/access.ts'

import type { RecordSetPublisher } from './record-set/publisher.ts'

type AdministrationContext = Pick<ApiOptions, 'log' | 'metrics' | 'limit'> & {
  listen?: ListenOptions
  db: Db
  /** One of its connections copies the rows of a record set. */
  pool: Database['pool']
  publisher: RecordSetPublisher
  /** Starts the next pass of the bulk actions now. */
  nudgeBulkActions: () => void
  /** A bulk action on more print jobs than this requires another operator's confirmation. */
  secondPersonAbove: number
  queues: ManagedQueues
  /** Reads how much of its plan a consumer has used. */
  usage: Pick<UsageStore, 'read'>
  objects: ObjectStore
  /** Make and draw letters. */
  composers: Composers
  templates: LetterTemplates
  letterMakers: Omit<LetterMakers, 'use'>
  limits: WorkLimits
  /** Limits how many templates are checked at the same time. */
  publishingLimits: WorkLimits
  /** Limits how many exports of evidence are sent at the same time. */
  exportSemaphore: Semaphore
  /** Returns the caller, whatever its roles, or throws a Problem. */
  authenticate: NonNullable<ApiOptions['authenticate']>
  /** Signs operators in to the console. */
  signIn: SignIn
  sessions: ConsoleSessions
  /** Signs operators in by an OpenID provider, if one is set up. */
  oidc: Oidc | undefined
  environment: Environment
  /** Seals the private keys that sign JWTs. */
  signingKeys: SealedBox
  hashNumber: ListEnquiriesContext['hashNumber']
  hashFilters: PlanBulkActionContext['hashFilters']
  searchHasher: SearchHasherSource
  now: () => Date
  ready(): Promise<HealthCheck[]>
}

/**
 * Creates the API of operators: consumers and their rights, contracts, usage plans, print production, and the audit
 * log.
 */
export async function createAdministrationApi(context: AdministrationContext): Promise<Api> {
  const { log, metrics, ready, authenticate, limit, listen, ...effects } = context
  const api = await createApi({
    ...listen,
    ...(limit && { limit }),
    name: 'administration',
    prefix: administrationPrefix,
    log,
    metrics,
    bodyBytesMax: administrationBytesMax,
    bodyValuesMax: administrationValuesMax,
    faultsOf: fieldFaults,
    renderProblem: renderAdministrationProblem,
    renderFault: renderPrintFault,
    authenticate: async (headers, source) => {
      const caller = await authenticate(headers, source)
      requireOperator(caller)
      return caller
    },
    openapi: {
      ...administrationOpenApi,
      title: 'Despatch administration',
      description:
        'Manage consumers with their credentials, contracts and usage plans, templates of letters, and print providers with their print runs, ' +
        'reprints and numbered stock. Find print jobs and act on one or many of them. See callbacks and their origins, ' +
        'audit events and enquiries. Requires the operator or admin role. Some operations require the admin or ' +
        'address-editor role.',
      version: interfaceVersions.administration,
      securitySchemes: administrationSecuritySchemes,
    },
  })
  registerHealth(api, { ready, metrics })
  refuseOtherOrigins(api)
  requireRolesOfRoutes(api)
  for (const operation of operations) operation(api, effects)
  return api
}

const operations = [
  listSignInMethods,
  createSession,
  getSession,
  deleteSession,
  beginOidcSignIn,
  finishOidcSignIn,
  createConsumer,
  listConsumers,
  getConsumer,
  getConsumerUsage,
  disableConsumer,
  enableConsumer,
  rotateApiKey,
  resetPassword,
  endTokens,
  setRoles,
  setServices,
  setUsagePlan,
  setNetworks,
  listContracts,
  previewContract,
  listContractChanges,
  putContract,
  retireContract,
  listTemplates,
  publishTemplate,
  listTemplateVersions,
  getTemplateVersion,
  previewTemplate,
  listUsagePlans,
  putUsagePlan,
  listAuditEvents,
  listEnquiries,
  reportVolumes,
  rotateSigningKey,
  beginRecordSet,
  listRecordSets,
  getRecordSet,
  loadRows,
  listRejects,
  publishRecordSet,
  abandonRecordSet,
  makeRecordSetCurrent,
  listProviders,
  createProvider,
  putProvider,
  previewShares,
  putPrintSite,
  changeShares,
  listSerialStock,
  issueSerialNumbers,
  listPrintRuns,
  getPrintRun,
  releasePrintRun,
  countReassignment,
  reassignPrintRun,
  countRecall,
  recallPrintRun,
  countPosting,
  listPostings,
  postOnBehalf,
  closePrintRunOnBehalf,
  listRecalls,
  countSettlement,
  settleRecall,
  listReprints,
  authoriseReprint,
  refuseReprint,
  listPrintJobs,
  countPrintJobs,
  getPrintJobByKey,
  getProofByKey,
  getProofPageByKey,
  exportEvidence,
  holdPrintJobByKey,
  releasePrintJobByKey,
  cancelPrintJob,
  redrivePrintJob,
  countParked,
  redriveParked,
  overrideAddress,
  planBulkAction,
  listBulkActions,
  getBulkAction,
  confirmBulkAction,
  stopBulkAction,
  listCallbacks,
  getCallback,
  replayCallback,
  replayCallbacks,
  sendTestCallback,
  listCallbackOrigins,
  listCallbackPerformance,
  listQueues,
  pauseQueue,
  resumeQueue,
  drainQueue,
  redriveQueue,
]
