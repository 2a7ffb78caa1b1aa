import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import type { Answer, ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { callsOf, documentAt } from '../evidence.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import type { Call } from '../transcript.ts'

export const corruptedManifest: ConformanceCase = {
  id: 'C05',
  title: 'The manifest arrives corrupted',
  expectation:
    'Compute the digest of the manifest, detect that it does not match, do not acknowledge, and request the manifest again.',
  documentCount: 4,
  script: corrupted,
  judge: (evidence) => combine(judgeRun(evidence), { violations: acknowledgedUnread(evidence) }),
}

/** The colour of the first manifest is wrong, which only the digest reveals. */
function corrupted({ run }: Stage): Script {
  let first: Call | undefined
  return {
    alter: (call, answer) => {
      const isRead = call.kind === 'getManifest' && call.method === 'GET' && answer.status === 200
      if (first || !isRead || !call.batchNumbers.includes(run.batchNumber)) return answer
      first = call
      return withOtherColour(answer)
    },
    after: (call) => (call === first ? 'manifest-corrupted' : undefined),
  }
}

function withOtherColour({ headers: { etag: _, ...headers }, ...answer }: Answer): Answer {
  const text = Buffer.from(answer.body).toString('utf8')
  const altered = text.replace(
    /("colour":|(?:sim|du)plex,)(true|false)/g,
    (_, before, colour) => before + (colour === 'true' ? 'false' : 'true'),
  )
  return { ...answer, headers, body: Buffer.from(altered) }
}

function acknowledgedUnread(evidence: Evidence): string[] {
  const first = callsOf(evidence, 'acknowledgePrintRun')[0]
  if (!first) return []
  const hadRead = callsOf(evidence, 'getManifest').some(
    ({ atMs, status, fault }) => status === 200 && !fault && atMs < first.atMs,
  )
  return hadRead ? [] : ['acknowledged although the manifest did not match its digest']
}

const withdrawnPlace = 2

export const withdrawnDocuments: ConformanceCase = {
  id: 'C10',
  title: 'A document is withdrawn between the list and the claim',
  expectation:
    'Use the manifest, which has version 2 and a gap in its sequence. Acknowledge its counts, not those of the list.',
  documentCount: 5,
  script: withdrawing,
  judge: (evidence) => combine(judgeRun(evidence), { violations: touchedWithdrawn(evidence) }),
}

function withdrawing({ run, platform }: Stage): Script {
  const document = run.documents[withdrawnPlace]!
  return {
    before: async ({ kind, batchNumbers }) => {
      const isClaim = kind === 'claimPrintRun' && batchNumbers.includes(run.batchNumber)
      if (!isClaim || document.isWithdrawn) return
      document.isWithdrawn = true
      await savePrintJobDeletion(
        platform.database.db,
        platform.sender.consumerId,
        document.printJobId,
      )
    },
  }
}

function touchedWithdrawn(evidence: Evidence): string[] {
  const { documentId } = documentAt(evidence, withdrawnPlace)
  const isTouched = callsOf(evidence, 'getDocumentContent').some(
    ({ params }) => params.documentId === documentId,
  )
  return isTouched ? [`the file of ${documentId}, which is not in the manifest, was requested`] : []
}
