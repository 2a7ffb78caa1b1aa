import type { Role } from './caller.ts'

/** The roles of those who look, and who hold, release, repeat and reassign work day by day. */
const operators = ['operator', 'admin'] as const
/** Settings that stay, credentials, and what stops work for everyone, require an admin. */
const admins = ['admin'] as const

/**
 * The operations of the administration API, and the roles of which a caller must have one. It is the only place that
 * says so: the routes, their OpenAPI description, docs/roles.md, the console and the command line read it.
 */
export const operationRoles = {
  getSession: operators,

  createConsumer: admins,
  listConsumers: operators,
  getConsumer: operators,
  getConsumerUsage: operators,
  disableConsumer: operators,
  enableConsumer: admins,
  rotateApiKey: admins,
  resetPassword: admins,
  endTokens: operators,
  setRoles: admins,
  setServices: admins,
  setUsagePlan: admins,
  setNetworks: admins,
  rotateSigningKey: admins,

  listContracts: operators,
  previewContract: operators,
  listContractChanges: operators,
  putContract: admins,
  retireContract: admins,
  listTemplates: operators,
  publishTemplate: admins,
  listTemplateVersions: operators,
  getTemplateVersion: operators,
  previewTemplate: operators,
  listUsagePlans: operators,
  putUsagePlan: admins,

  listAuditEvents: operators,
  listEnquiries: operators,
  reportVolumes: operators,

  beginRecordSet: admins,
  listRecordSets: operators,
  getRecordSet: operators,
  loadRows: admins,
  listRejects: operators,
  publishRecordSet: admins,
  abandonRecordSet: admins,
  makeRecordSetCurrent: admins,

  listProviders: operators,
  createProvider: admins,
  putProvider: admins,
  previewShares: operators,
  putPrintSite: admins,
  changeShares: admins,
  listSerialStock: operators,
  issueSerialNumbers: admins,

  listPrintRuns: operators,
  getPrintRun: operators,
  releasePrintRun: operators,
  countReassignment: operators,
  reassignPrintRun: operators,
  countRecall: operators,
  recallPrintRun: operators,
  countPosting: operators,
  listPostings: operators,
  postOnBehalf: operators,
  closePrintRunOnBehalf: operators,
  listRecalls: operators,
  countSettlement: operators,
  settleRecall: operators,
  listReprints: operators,
  authoriseReprint: operators,
  refuseReprint: operators,

  listPrintJobs: operators,
  countPrintJobs: operators,
  getPrintJobByKey: operators,
  getProofByKey: operators,
  getProofPageByKey: operators,
  exportEvidence: operators,
  holdPrintJobByKey: operators,
  releasePrintJobByKey: operators,
  cancelPrintJob: operators,
  redrivePrintJob: operators,
  overrideAddress: ['address-editor', 'admin'],
  countParked: operators,
  redriveParked: operators,

  planBulkAction: operators,
  listBulkActions: operators,
  getBulkAction: operators,
  confirmBulkAction: operators,
  stopBulkAction: operators,

  listCallbacks: operators,
  getCallback: operators,
  replayCallback: operators,
  replayCallbacks: operators,
  sendTestCallback: operators,
  listCallbackOrigins: operators,
  listCallbackPerformance: operators,

  listQueues: operators,
  pauseQueue: admins,
  resumeQueue: admins,
  drainQueue: admins,
  redriveQueue: operators,
} as const satisfies Readonly<Record<string, readonly Role[]>>

export type OperationWithRoles = keyof typeof operationRoles

/** Returns why a caller may not use an operation that requires one of these roles; null if it may. */
export function whyNotPermitted(
  required: readonly Role[],
  { roles }: { roles: readonly Role[] },
): string | null {
  if (required.some((role) => roles.includes(role))) return null
  return `Requires the ${required.join(' or ')} role.`
}
