import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'

export const spoilAndReprint: ConformanceCase = {
  id: 'C12',
  title: 'A spoiled document is printed again',
  expectation:
    'Spoil a document of this run on purpose. Report it as SPOILED, request a reprint, wait until it is AUTHORISED, print the new attempt and post it.',
  documentCount: 10,
  script,
  judge: (evidence) => {
    const notShown = reasonNotShown(evidence)
    return combine(judgeRun(evidence), notShown === undefined ? {} : { notShown })
  },
}

function script({ run, pace }: Stage): Script {
  run.quirks.authorisationSeconds = pace.authorisationSeconds
  return {}
}

function reasonNotShown({ run }: Evidence): string | undefined {
  if (!run.closedAt) return undefined
  const isSpoiled = [...run.events.values()].some(({ type }) => type === 'SPOILED')
  if (!isSpoiled) return 'no document was reported as SPOILED'
  const isReprinted = run.documents.some(
    ({ standing }) => standing.attempt > 1 && standing.outcome === 'DESPATCHED',
  )
  return isReprinted ? undefined : 'the spoiled document was abandoned and not printed again'
}
