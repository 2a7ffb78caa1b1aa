import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { jsonOf, withJson } from '../exchange.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import type { Platform } from '../platform.ts'
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
  let isSeen = false
  let first: string | undefined
  const isHeld = ({ kind, params }: Call) => {
    if (kind !== 'getDocumentContent') return heldBack.has(kind)
    first ??= params.documentId
    return params.documentId !== first
  }
  const heldMs = pace.leaseSeconds * leasesHeldMax * 1_000
  let claimedAtMs: number | undefined
  return {
    before: (call) => {
      const heldFor = claimedAtMs === undefined ? 0 : performance.now() - claimedAtMs
      if (isSeen || heldFor > heldMs || !call.batchNumbers.includes(run.batchNumber)) return
      if (!isHeld(call)) return
      return refusedForNow(call, { status: 503, retryAfterSeconds: pace.retryAfterSeconds })
    },
    alter: async (call, answer) => {
      const isLease = call.kind === 'claimPrintRun' || call.kind === 'renewLease'
      if (!isLease || answer.status !== 200) return answer
      claimedAtMs ??= performance.now()
      const leaseUntil = await shorten(platform, run.batchNumber, pace.leaseSeconds)
      return withJson(answer, { ...jsonOf(answer), leaseUntil })
    },
    after: (call) => {
      isSeen ||= isOfferedAgain(call, run)
    },
  }
}

/** Makes the lease as short as the case requires, whatever the client asked for. */
async function shorten({ database }: Platform, batchNumber: string, leaseSeconds: number) {
  const { rows } = await database.pool.query<{ leaseUntil: Date }>(
    `update print_run set lease_until = now() + $2 * interval '1 second' where batch_number = $1
     returning lease_until as "leaseUntil"`,
    [batchNumber, leaseSeconds],
  )
  return rows[0]!.leaseUntil.toISOString()
}

function isOfferedAgain({ kind, answer }: Call, run: { batchNumber: string }): boolean {
  if (kind !== 'listPrintRuns') return false
  const { printRuns = [] } = (answer ?? {}) as {
    printRuns?: { batchNumber: string; state: string; claimedAt?: string }[]
  }
  return printRuns.some(
    ({ batchNumber, state, claimedAt }) =>
      batchNumber === run.batchNumber && state === 'RELEASED' && claimedAt !== undefined,
  )
}

function isUnseen({ run, facts, calls }: Evidence): boolean {
  return facts.isClosed && !calls.some((call) => isOfferedAgain(call, run))
}
