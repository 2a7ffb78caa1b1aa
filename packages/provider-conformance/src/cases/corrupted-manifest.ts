import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'

export const corruptedManifest: ConformanceCase = {
  id: 'C05',
  title: 'The manifest arrives corrupted',
  expectation:
    'Compute the digest of the manifest, detect that it does not match, do not acknowledge, and request the manifest again.',
  documentCount: 4,
  script,
  judge: (evidence) =>
    combine(judgeRun(evidence), { violations: acknowledgedUnread(evidence), outstanding: [] }),
}

function script({ run }: Stage): Script {
  run.quirks.corruptedManifests = 1
  let isMarked = false
  return {
    after: ({ kind, method, status }) => {
      if (isMarked || kind !== 'getManifest' || method !== 'GET' || status !== 200) return
      isMarked = true
      return 'manifest-corrupted'
    },
  }
}

function acknowledgedUnread(evidence: Evidence): string[] {
  const first = callsOf(evidence, 'acknowledgePrintRun')[0]
  if (!first) return []
  const hadRead = callsOf(evidence, 'getManifest').some(
    ({ atMs, status, fault }) => status === 200 && !fault && atMs < first.atMs,
  )
  return hadRead ? [] : ['acknowledged although the manifest did not match its digest']
}
