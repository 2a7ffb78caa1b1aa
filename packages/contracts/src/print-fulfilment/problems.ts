import { Problem, type RequestProblemKind } from '@despatch/domain/problem'
import { type PrintWireProblem, renderPrintErrors, requestWire } from '../print-request/problems.ts'
import { problemRenderer } from '../wire-error.ts'
import { printRunUnaccountedWire } from './print-run-unaccounted.ts'

type FulfilmentProblemKind =
  | RequestProblemKind
  | 'print-run-not-found'
  | 'print-run-not-claimable'
  | 'claim-key-reused'
  | 'digest-mismatch'
  | 'document-not-found'
  | 'posting-not-found'
  | 'print-run-not-in-production'
  | 'print-run-unaccounted'
  | 'reprint-not-possible'
  | 'recall-not-found'
  | 'recall-answered'
  | 'print-site-not-found'
  | 'fulfilment-job-not-found'
  | 'posting-conflict'

const wire = {
  ...requestWire,
  'print-run-not-found': { status: 404, code: 'PrintRunNotFound', title: 'No such print run' },
  'print-run-not-claimable': {
    status: 409,
    code: 'PrintRunNotClaimable',
    title: 'Print run cannot be claimed',
  },
  'claim-key-reused': {
    status: 409,
    code: 'ClaimKeyReused',
    title: 'Idempotency-Key stands for another claim',
  },
  'digest-mismatch': {
    status: 409,
    code: 'ManifestMismatch',
    title: 'Acknowledgement does not fit the manifest',
  },
  'document-not-found': { status: 404, code: 'DocumentNotFound', title: 'No such document' },
  'posting-not-found': { status: 404, code: 'PostingNotFound', title: 'No such posting' },
  'print-run-not-in-production': {
    status: 409,
    code: 'PrintRunNotInProduction',
    title: 'Print run is not in production',
  },
  'print-run-unaccounted': printRunUnaccountedWire,
  'reprint-not-possible': {
    status: 409,
    code: 'ReprintNotPossible',
    title: 'Document cannot be reprinted',
  },
  'recall-not-found': { status: 404, code: 'RecallNotFound', title: 'No such recall request' },
  'recall-answered': { status: 409, code: 'RecallAnswered', title: 'Recall has been answered' },
  'print-site-not-found': { status: 404, code: 'PrintSiteNotFound', title: 'No such site' },
  'fulfilment-job-not-found': {
    status: 404,
    code: 'FulfilmentJobNotFound',
    title: 'No such fulfilment job',
  },
  'posting-conflict': { status: 409, code: 'PostingConflict', title: 'Posting cannot be saved' },
} as const satisfies Record<FulfilmentProblemKind, PrintWireProblem>

/** A list may have a violation in each of its many items. A response contains at most this many. */
const faultsMax = 100

/** Renders a problem in the shape of the print interfaces. */
export const renderFulfilmentProblem = problemRenderer<FulfilmentProblemKind, PrintWireProblem>(
  wire,
  (entry, { kind, message, faults }) =>
    renderPrintErrors(entry, new Problem(kind, message, faults.slice(0, faultsMax))),
)

export function printRunNotFound(batchNumber: string): Problem {
  return new Problem('print-run-not-found', `There is no print run ${batchNumber}`)
}

export function manifestNotFound(batchNumber: string): Problem {
  return new Problem(
    'print-run-not-found',
    `There is no claimed print run ${batchNumber}: a manifest is made by the claim`,
  )
}

export function documentNotFound(documentId: string, batchNumber: string): Problem {
  return new Problem(
    'document-not-found',
    `There is no document ${documentId} in a claimed print run ${batchNumber}`,
  )
}

export function postingNotFound(postingId: string): Problem {
  return new Problem('posting-not-found', `There is no posting ${postingId}`)
}

export function fulfilmentJobNotFound(fulfilmentJobId: string, batchNumber: string): Problem {
  return new Problem(
    'fulfilment-job-not-found',
    `There is no fulfilment job ${fulfilmentJobId} in a claimed print run ${batchNumber}`,
  )
}

export function printSiteNotFound(printLocation: string): Problem {
  return new Problem('print-site-not-found', `The provider has no site ${printLocation}`)
}

export function printRunNotInProduction(batchNumber: string): Problem {
  return new Problem(
    'print-run-not-in-production',
    `Print run ${batchNumber} is not in production: it was not acknowledged, was refused, or is closed`,
  )
}
