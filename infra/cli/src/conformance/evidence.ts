import type {
  ItemEventRequest,
  ItemEventResult,
} from '@despatch/contracts/print-fulfilment/item-event'
import type { PostingRequest } from '@despatch/contracts/print-fulfilment/posting'
import type { Evidence } from './conformance-case.ts'
import type { CallKind } from './operation-names.ts'
import type { Call } from './transcript.ts'

/** Returns the calls of an operation that concern the run of the case. */
export function callsOf({ calls, run }: Evidence, kind: CallKind): Call[] {
  return calls.filter((call) => call.kind === kind && call.batchNumbers.includes(run.batchNumber))
}

type ReportedEvent = { call: Call; event: ItemEventRequest; result?: ItemEventResult }

/** Returns every event of every call, including repeats. Events of refused calls have no result. */
export function reportedEvents(evidence: Evidence): ReportedEvent[] {
  return callsOf(evidence, 'reportItemEvents').flatMap((call) => {
    // Any other status means that the body was not processed.
    if (call.status !== 200 && call.status !== 409) return []
    const { events = [] } = (call.body ?? {}) as { events?: ItemEventRequest[] }
    const { results = [] } = (call.answer ?? {}) as { results?: ItemEventResult[] }
    return events.map((event, index) => {
      const result = results[index]
      return { call, event, ...(result && { result }) }
    })
  })
}

/** Returns the documents of the run that a posting names. Returns undefined if it names none, which means all. */
export function namedInPosting({ run }: Evidence, call: Call): string[] | undefined {
  // Any other status means that the body was not processed.
  if (call.status !== 201 && call.status !== 409) return []
  const posted = postedRuns(call.body as PostingRequest).filter(
    ({ batchNumber }) => batchNumber === run.batchNumber,
  )
  if (posted.some(({ documentIds }) => documentIds === undefined)) return undefined
  return posted.flatMap(({ documentIds = [] }) => documentIds)
}

/** Returns the documents that a request names. A run without named documents means all that can be posted. */
function postedRuns(request: PostingRequest) {
  if (request.printRuns) return request.printRuns
  const { batchNumber = '', documentIds } = request
  return [{ batchNumber, ...(documentIds && { documentIds }) }]
}

/** Returns the documents whose correct bytes the client has received, before a call if one is given. */
export function rightlyServed(evidence: Evidence, before?: Call): Set<string> {
  const until = before ? evidence.calls.indexOf(before) : evidence.calls.length
  const served = evidence.calls.slice(0, until).flatMap((call) => call.served)
  return new Set(served.filter(({ isAltered }) => !isAltered).map(({ documentId }) => documentId))
}

/** Returns the document at an index of the run, withdrawn or not. */
export function documentAt({ run }: Evidence, place: number) {
  return run.documents[place]!
}
