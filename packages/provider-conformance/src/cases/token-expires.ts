import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { expireTokens } from '../platform/platform.ts'

const expiriesAt = ['getManifest', 'acknowledgePrintRun']

export const tokenExpires: ConformanceCase = {
  id: 'C04',
  title: 'The token expires during the run (401)',
  expectation: 'Authenticate again, once for each expiry, and repeat the call that was refused.',
  documentCount: 4,
  script,
  judge: (evidence) =>
    combine(judgeRun(evidence), { violations: needlessSignIns(evidence), outstanding: [] }),
}

/** All tokens expire when the manifest is requested, and again at the acknowledgement. */
function script({ platform }: Stage): Script {
  const left = new Set(expiriesAt)
  return {
    before: ({ kind }) => {
      if (left.delete(kind)) expireTokens(platform)
      return undefined
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
