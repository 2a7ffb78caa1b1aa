import { wrongUsage } from '../failure.ts'
import { alteredFile, expiredLink } from './cases/files.ts'
import { leaseRanOut } from './cases/lease-ran-out.ts'
import {
  acknowledgementReplyLost,
  claimReplyLost,
  postingRepliesLost,
} from './cases/lost-replies.ts'
import { corruptedManifest, withdrawnDocuments } from './cases/manifests.ts'
import { ordinaryRun } from './cases/ordinary-run.ts'
import { serviceUnavailable, tokenExpires } from './cases/outages.ts'
import { recallRequest } from './cases/recall-request.ts'
import { refusedClose } from './cases/refused-close.ts'
import { refusedEvents } from './cases/refused-events.ts'
import { spoilAndReprint } from './cases/spoil-and-reprint.ts'
import type { ConformanceCase } from './conformance-case.ts'

/** The acceptance cases in the order in which they are played. */
export const allCases: readonly ConformanceCase[] = [
  ordinaryRun,
  claimReplyLost,
  serviceUnavailable,
  tokenExpires,
  corruptedManifest,
  alteredFile,
  expiredLink,
  acknowledgementReplyLost,
  leaseRanOut,
  withdrawnDocuments,
  refusedEvents,
  spoilAndReprint,
  recallRequest,
  postingRepliesLost,
  refusedClose,
]

/**
 * Returns the cases with these numbers in their own order, or all if none is named. Throws a Failure for an unknown
 * number.
 */
export function chooseCases(ids: readonly string[] | undefined): readonly ConformanceCase[] {
  const wanted = ids?.map((id) => id.toUpperCase())
  const unknown = wanted?.find((id) => !allCases.some((each) => each.id === id))
  if (unknown) {
    const known = `${allCases[0]?.id} to ${allCases.at(-1)?.id}`
    throw wrongUsage(`there is no case ${unknown}; the cases are ${known}`)
  }
  return allCases.filter(({ id }) => wanted === undefined || wanted.includes(id))
}
