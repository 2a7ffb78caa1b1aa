import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import type { PlatformRun } from '../platform/platform-run.ts'
import { refusedForNow } from '../scripted-answers.ts'
import type { Call } from '../transcript.ts'

const leasesHeldMax = 3
const heldBack = new Set(['renewLease', 'acknowledgePrintRun', 'getDocumentsZip', 'getPrintStream'])

export const leaseRanOut: ConformanceCase = {
  id: 'C09',
  title: 'The run is offered again because the lease expired',
  expectation: 'Recognise the run: continue it, or claim it again, and print nothing twice.',
  documentCount: 4,
  script,
  judge: (evidence) =>
    combine(judgeRun(evidence), {
      ...(isUnseen(evidence) && {
        notShown: 'the list was not requested while the run was offered again',
      }),
    }),
}

/** The files after the first, and the acknowledgement, wait until the client has seen the run in the list again. */
function script({ run, platform, pace }: Stage): Script {
  run.quirks.leaseSeconds = pace.leaseSeconds
  let isSeen = false
  let first: string | undefined
  const isHeld = ({ kind, params }: Call) => {
    if (kind !== 'getDocumentContent') return heldBack.has(kind)
    first ??= params.documentId
    return params.documentId !== first
  }
  const heldMs = pace.leaseSeconds * leasesHeldMax * 1_000
  return {
    before: (call) => {
      const heldFor = run.claimedAt ? platform.now().getTime() - run.claimedAt.getTime() : 0
      if (isSeen || heldFor > heldMs || !call.batchNumbers.includes(run.batchNumber)) return
      if (!isHeld(call)) return
      return refusedForNow(call, { status: 503, retryAfterSeconds: pace.retryAfterSeconds })
    },
    after: (call) => {
      isSeen ||= isOfferedAgain(call, run)
      return undefined
    },
  }
}

function isOfferedAgain({ kind, answer }: Call, run: Pick<PlatformRun, 'batchNumber'>): boolean {
  if (kind !== 'listPrintRuns') return false
  const { printRuns = [] } = (answer ?? {}) as {
    printRuns?: { batchNumber: string; state: string; claimedAt?: string }[]
  }
  return printRuns.some(
    ({ batchNumber, state, claimedAt }) =>
      batchNumber === run.batchNumber && state === 'RELEASED' && claimedAt !== undefined,
  )
}

function isUnseen({ run, calls }: Evidence): boolean {
  return run.closedAt !== undefined && !calls.some((call) => isOfferedAgain(call, run))
}
