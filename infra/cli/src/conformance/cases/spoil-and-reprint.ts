import { authoriseReprints } from '@despatch/store/reprint/authorise'
import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'

export const spoilAndReprint: ConformanceCase = {
  id: 'C12',
  title: 'A spoiled document is printed again',
  expectation:
    'Spoil a document of this run on purpose. Report it as SPOILED, request a reprint, wait until it is AUTHORISED, print the new attempt and post it.',
  documentCount: 10,
  reprintsFreeMax: 0,
  script,
  judge: (evidence) => {
    const notShown = reasonNotShown(evidence)
    return combine(judgeRun(evidence), notShown === undefined ? {} : { notShown })
  },
}

/** Authorises reprints that have waited long enough, when the client looks at them. */
function script({ run, platform, pace }: Stage): Script {
  const { db, pool } = platform.database
  return {
    before: async ({ kind }) => {
      if (kind !== 'listReprints') return
      const { rows } = await pool.query<{ id: number }>(
        `select id from reprint where batch_number = $1 and state = 'WAITING'
           and requested_at <= now() - $2 * interval '1 second'`,
        [run.batchNumber, pace.authorisationSeconds],
      )
      const ids = rows.map(({ id }) => id)
      await db.transaction().execute((tx) => authoriseReprints(tx, ids, { actor: 'conformance' }))
    },
  }
}

function reasonNotShown({ facts }: Evidence): string | undefined {
  if (!facts.isClosed) return undefined
  if (facts.spoiled.length === 0) return 'no document was reported as SPOILED'
  const isReprinted = facts.documents.some(
    ({ attempt, outcome }) => attempt > 1 && outcome === 'DESPATCHED',
  )
  return isReprinted ? undefined : 'the spoiled document was abandoned and not printed again'
}
