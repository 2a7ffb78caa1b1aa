import type { Evidence } from './conformance-case.ts'
import { callsOf, reportedEvents } from './evidence.ts'
import type { Judgement } from './judgement.ts'
import { missingDocuments } from './run-facts.ts'
import { errorCodeOf } from './transcript.ts'

/**
 * Judges what applies to every run: it must be completed, and nothing may be printed twice. `mayGiveUp` lists documents
 * that the client has a reason not to print.
 */
export function judgeRun(evidence: Evidence, mayGiveUp: readonly string[] = []): Judgement {
  return {
    violations: [
      ...wrongAcknowledgements(evidence),
      ...needlessRefusals(evidence, mayGiveUp),
      ...printedTwice(evidence),
      ...printedWithoutLeave(evidence),
    ],
    outstanding: leftToDo(evidence),
  }
}

function leftToDo(evidence: Evidence): string[] {
  const { facts } = evidence
  if (!facts.claimedAt) return ['the print run is claimed']
  const hasRead = callsOf(evidence, 'getManifest').some(({ status }) => status === 200)
  if (!hasRead) return ['the manifest is read']
  if (!facts.isAcknowledged) return ['the print run is acknowledged']
  const missing = missingDocuments(facts).map(({ documentId }) => documentId)
  if (missing.length > 0) return [`posted and confirmed, or failed: ${missing.join(', ')}`]
  return facts.isClosed ? [] : ['the print run is closed']
}

function wrongAcknowledgements(evidence: Evidence): string[] {
  const wrong = callsOf(evidence, 'acknowledgePrintRun').find(
    (call) => errorCodeOf(call) === 'ManifestMismatch',
  )
  if (!wrong) return []
  const { errors } = wrong.answer as { errors: { detail: string }[] }
  return [`an acknowledgement did not match: ${errors[0]?.detail}`]
}

function needlessRefusals({ facts }: Evidence, mayGiveUp: readonly string[]): string[] {
  if (facts.isRefused) return ['the whole print run was refused']
  const excused = new Set([...mayGiveUp, ...facts.spoiled])
  return facts.documents
    .filter(({ outcome }) => outcome === 'REFUSED' || outcome === 'FAILED')
    .filter(({ documentId }) => !excused.has(documentId))
    .map(({ documentId, outcome }) =>
      outcome === 'REFUSED'
        ? `${documentId} was refused although nothing is wrong with it`
        : `${documentId} was reported as FAILED although nothing is wrong with it`,
    )
}

/** An attempt may be printed once. Two events that report it are two prints, whatever the platform answered. */
function printedTwice(evidence: Evidence): string[] {
  const prints = new Map<string, Set<string>>()
  for (const { event } of reportedEvents(evidence)) {
    if (event.type !== 'PRINTED') continue
    const attempt = `${event.documentId}, attempt ${event.attempt}`
    prints.set(attempt, (prints.get(attempt) ?? new Set()).add(event.eventId))
  }
  return [...prints]
    .filter(([, eventIds]) => eventIds.size > 1)
    .map(([attempt, eventIds]) => `printed ${eventIds.size} times: ${attempt}`)
}

function printedWithoutLeave(evidence: Evidence): string[] {
  const attempts = reportedEvents(evidence)
    .filter(({ result }) => result?.refusal === 'attempt-not-authorised')
    .map(({ event }) => `${event.documentId}, attempt ${event.attempt}`)
  return [...new Set(attempts)].map((attempt) => `reported without authorisation: ${attempt}`)
}
