import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { fileCall } from '../operation-names.ts'
import { refusedForNow } from '../scripted-answers.ts'

/** Allows for calls that were under way when the first was refused. */
const graceMs = 200
const callsWhileWaitingMax = 3
/** A client whose timer ends slightly early has waited. */
const waitedPart = 0.9

export const serviceUnavailable: ConformanceCase = {
  id: 'C03',
  title: 'The service is unavailable for a while (503, then 429)',
  expectation:
    'Wait as long as Retry-After states, with at most three calls in that time, and then continue the run.',
  documentCount: 4,
  script: unavailable,
  judge: (evidence) => combine(judgeRun(evidence), { violations: impatience(evidence) }),
}

/** Starts with the first request for the manifest: 503 for a while, then 429 from the next call on. */
function unavailable({ pace }: Stage): Script {
  const { retryAfterSeconds } = pace
  let until = 0
  const statusesLeft: (429 | 503)[] = [503, 429]
  let status: 429 | 503 | undefined
  return {
    before: (call) => {
      if (call.kind === fileCall) return
      if (call.atMs >= until) status = undefined
      const mayBegin = statusesLeft.length === 1 || call.kind === 'getManifest'
      if (status === undefined && statusesLeft.length > 0 && mayBegin) {
        status = statusesLeft.shift()!
        until = call.atMs + retryAfterSeconds * 1_000 * waitedPart
      }
      return status && refusedForNow(call, { status, retryAfterSeconds })
    },
  }
}

function impatience({ calls }: Pick<Evidence, 'calls'>): string[] {
  const refused = calls.filter(({ fault }) => fault === 'unavailable')
  return ([503, 429] as const).flatMap((status) => {
    const [first, ...others] = refused.filter((call) => call.status === status)
    const early = others.filter(({ atMs }) => first && atMs - first.atMs > graceMs)
    if (early.length <= callsWhileWaitingMax) return []
    return [`${early.length} further calls before the end of Retry-After (${status})`]
  })
}

const expiriesAt = ['getManifest', 'acknowledgePrintRun']

export const tokenExpires: ConformanceCase = {
  id: 'C04',
  title: 'The token expires during the run (401)',
  expectation: 'Authenticate again, once for each expiry, and repeat the call that was refused.',
  documentCount: 4,
  script: expiring,
  judge: (evidence) => combine(judgeRun(evidence), { violations: needlessSignIns(evidence) }),
}

/** All tokens expire when the manifest is requested, and again at the acknowledgement. */
function expiring({ expireTokens }: Stage): Script {
  const left = new Set(expiriesAt)
  return {
    before: ({ kind }) => {
      if (left.delete(kind)) expireTokens()
    },
    after: ({ status, kind }) =>
      status === 401 && kind !== 'authenticate' ? 'token-expired' : undefined,
  }
}

function needlessSignIns({ calls }: Pick<Evidence, 'calls'>): string[] {
  const first = calls.findIndex(({ fault }) => fault === 'token-expired')
  if (first < 0) return []
  const signIns = calls.slice(first).filter(({ kind }) => kind === 'authenticate').length
  if (signIns <= expiriesAt.length) return []
  return [`authenticated ${signIns} times although the token expired ${expiriesAt.length} times`]
}
