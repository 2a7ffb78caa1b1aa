import { acknowledgementReplyLost } from './cases/acknowledgement-reply-lost.ts'
import { alteredFile } from './cases/altered-file.ts'
import { claimReplyLost } from './cases/claim-reply-lost.ts'
import { corruptedManifest } from './cases/corrupted-manifest.ts'
import { expiredLink } from './cases/expired-link.ts'
import { leaseRanOut } from './cases/lease-ran-out.ts'
import { ordinaryRun } from './cases/ordinary-run.ts'
import { postingRepliesLost } from './cases/posting-replies-lost.ts'
import { recallRequest } from './cases/recall-request.ts'
import { refusedClose } from './cases/refused-close.ts'
import { refusedEvents } from './cases/refused-events.ts'
import { serviceUnavailable } from './cases/service-unavailable.ts'
import { spoilAndReprint } from './cases/spoil-and-reprint.ts'
import { tokenExpires } from './cases/token-expires.ts'
import { withdrawnDocuments } from './cases/withdrawn-documents.ts'
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
