import { invalidFields, Problem, type RequestProblemKind } from '@despatch/domain/problem'
import { printRunUnaccountedWire } from '../print-fulfilment/print-run-unaccounted.ts'
import { type PrintWireProblem, renderPrintErrors, requestWire } from '../print-request/problems.ts'
import { problemRenderer } from '../wire-error.ts'

type AdministrationProblemKind =
  | RequestProblemKind
  | 'wrong-credentials'
  | 'print-job-not-found'
  | 'proof-not-ready'
  | 'document-not-found'
  | 'consumer-not-found'
  | 'user-name-taken'
  | 'contract-not-found'
  | 'contract-in-use'
  | 'template-not-found'
  | 'template-page-not-found'
  | 'own-access'
  | 'api-key-changing'
  | 'record-set-not-found'
  | 'provider-not-found'
  | 'provider-taken'
  | 'print-site-not-found'
  | 'print-site-switched'
  | 'print-run-not-found'
  | 'print-run-conflict'
  | 'print-run-unaccounted'
  | 'recall-not-found'
  | 'recall-answered'
  | 'reprint-not-found'
  | 'callback-not-found'
  | 'print-job-action-refused'
  | 'bulk-action-not-found'
  | 'bulk-action-conflict'
  | 'replay-conflict'
  | 'record-set-conflict'

const wire = {
  ...requestWire,
  'wrong-credentials': { status: 401, code: 'Unauthorized' },
  'print-job-not-found': { status: 404, code: '5' },
  'proof-not-ready': { status: 409, code: 'NotReady', title: 'No proof yet' },
  'document-not-found': { status: 404, code: 'NotFound' },
  'consumer-not-found': { status: 404, code: 'ConsumerNotFound', title: 'No such consumer' },
  'user-name-taken': { status: 409, code: 'UserNameTaken', title: 'User name is taken' },
  'contract-not-found': { status: 404, code: 'ContractNotFound', title: 'No such contract' },
  'contract-in-use': { status: 409, code: 'ContractInUse', title: 'Contract is in use' },
  'template-not-found': { status: 404, code: 'TemplateNotFound', title: 'No such template' },
  'template-page-not-found': { status: 404, code: 'NotFound', title: 'No such page' },
  'own-access': { status: 409, code: 'OwnAccess', title: 'Nobody can remove their own access' },
  'api-key-changing': { status: 409, code: 'ApiKeyChanging', title: 'API key is being changed' },
  'record-set-not-found': { status: 404, code: 'RecordSetNotFound', title: 'No such record set' },
  'provider-not-found': { status: 404, code: 'ProviderNotFound', title: 'No such print provider' },
  'provider-taken': { status: 409, code: 'ProviderTaken', title: 'Provider id is taken' },
  'print-site-not-found': { status: 404, code: 'PrintSiteNotFound', title: 'No such site' },
  'print-site-switched': { status: 409, code: 'PrintSiteSwitched', title: 'Not possible now' },
  'print-run-not-found': { status: 404, code: 'PrintRunNotFound', title: 'No such print run' },
  'print-run-conflict': { status: 409, code: 'PrintRunConflict', title: 'Not possible now' },
  'print-run-unaccounted': printRunUnaccountedWire,
  'recall-not-found': { status: 404, code: 'RecallNotFound', title: 'No such recall' },
  'recall-answered': { status: 409, code: 'RecallAnswered', title: 'Recall has been answered' },
  'reprint-not-found': { status: 404, code: 'ReprintNotFound', title: 'No such reprint' },
  'callback-not-found': { status: 404, code: 'CallbackNotFound', title: 'No such callback' },
  'print-job-action-refused': { status: 409, code: 'NotPossible', title: 'Not possible now' },
  'bulk-action-not-found': {
    status: 404,
    code: 'BulkActionNotFound',
    title: 'No such bulk action',
  },
  'bulk-action-conflict': { status: 409, code: 'BulkActionConflict', title: 'Not possible now' },
  'replay-conflict': { status: 409, code: 'ReplayConflict', title: 'Not these callbacks' },
  'record-set-conflict': { status: 409, code: 'RecordSetConflict', title: 'Not possible now' },
} as const satisfies Record<AdministrationProblemKind, PrintWireProblem>

/** Renders a problem in the shape of the print interfaces. */
export const renderAdministrationProblem = problemRenderer<
  AdministrationProblemKind,
  PrintWireProblem
>(wire, renderPrintErrors)

export function consumerNotFound(consumerId: string): Problem {
  return new Problem('consumer-not-found', `There is no consumer with the id ${consumerId}`)
}

export function unknownBulkAction(bulkActionId: string): Problem {
  return new Problem('bulk-action-not-found', `There is no bulk action ${bulkActionId}`)
}

export function unknownPrintJob(printJobKey: string): Problem {
  return new Problem('print-job-not-found', `There is no print job with the key ${printJobKey}`)
}

/** Returns a Problem for a field whose value names nothing that exists. `known` lists the allowed values. */
export function unknownValue(field: string, known: readonly string[]): Problem {
  const choice = known.length > 0 ? `one of ${known.join(', ')}` : 'left out: there is none yet'
  return invalidFields([{ field, code: 'InvalidFormat', detail: `${field} must be ${choice}` }])
}
