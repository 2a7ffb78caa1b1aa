import type {
  ItemEventResult,
  ItemEventsRequest,
} from '@despatch/contracts/print-fulfilment/item-event'
import type { ConformanceCase, Evidence, Script, Stage } from '../conformance-case.ts'
import { documentAt, reportedEvents } from '../evidence.ts'
import { jsonOf, withJson } from '../exchange.ts'
import { judgeRun } from '../judge-run.ts'
import { combine } from '../judgement.ts'
import { loseFirstReply } from './lost-replies.ts'

const refusedPlace = 1
const refusal = 'already-reported'
/** Once with the lost response, once as a retry, and once by mistake. */
const refusedSendsMax = 3

export const refusedEvents: ConformanceCase = {
  id: 'C11',
  title: 'Item events: a response is lost, and one event is refused',
  expectation:
    'Repeat the events whose response was lost with the same eventIds. Do not repeat the refused event. Report the others as usual.',
  documentCount: 4,
  script,
  judge: (evidence) =>
    combine(
      { violations: [...renamedEvents(evidence), ...repeatedRefusals(evidence)] },
      judgeRun(evidence),
      { outstanding: unrepeated(evidence) },
      isUnseen(evidence) ? { notShown: 'no item events were reported' } : {},
    ),
}

/** The client receives a refusal of the first event of one document, each time that it sends the event. */
function script({ run }: Stage): Script {
  const { documentId } = run.documents[refusedPlace]!
  let refusedEventId: string | undefined
  return {
    ...loseFirstReply({ run }, 'reportItemEvents'),
    alter: (call, answer) => {
      const given = jsonOf(answer)
      if (call.kind !== 'reportItemEvents' || !given?.results) return answer
      const { events } = call.body as ItemEventsRequest
      refusedEventId ??= events.find((event) => event.documentId === documentId)?.eventId
      const results = given.results.map((result: ItemEventResult) =>
        result.eventId === refusedEventId
          ? { eventId: refusedEventId, result: 'REFUSED', refusal }
          : result,
      )
      return withJson(answer, { ...given, results })
    },
  }
}

/** One event has one id. The same event with another id counts as another event. DIVERTED may occur twice. */
function renamedEvents(evidence: Evidence): string[] {
  const eventIds = new Map<string, Set<string>>()
  for (const { event } of reportedEvents(evidence)) {
    if (event.type === 'DIVERTED') continue
    const name = `${event.type} of ${event.documentId}, attempt ${event.attempt}`
    eventIds.set(name, (eventIds.get(name) ?? new Set()).add(event.eventId))
  }
  return [...eventIds]
    .filter(([, ids]) => ids.size > 1)
    .map(([name, ids]) => `reported under ${ids.size} eventIds: ${name}`)
}

function repeatedRefusals(evidence: Evidence): string[] {
  const { documentId } = documentAt(evidence, refusedPlace)
  const reported = reportedEvents(evidence)
  const refused = reported.find(
    ({ event, result }) => event.documentId === documentId && result?.refusal === refusal,
  )
  const sends = reported.filter(({ event }) => event.eventId === refused?.event.eventId)
  if (sends.length <= refusedSendsMax) return []
  return [`a refused event was sent ${sends.length} times`]
}

function unrepeated(evidence: Evidence): string[] {
  const reported = reportedEvents(evidence)
  const lost = reported.filter(({ call }) => call.fault === 'reply-lost')
  const heard = new Set(
    reported.filter(({ call }) => call.fault !== 'reply-lost').map(({ event }) => event.eventId),
  )
  const missing = lost.filter(({ event }) => !heard.has(event.eventId)).length
  return missing > 0 ? [`events whose response was lost are reported again: ${missing}`] : []
}

function isUnseen(evidence: Evidence): boolean {
  return evidence.facts.isClosed && reportedEvents(evidence).length === 0
}
