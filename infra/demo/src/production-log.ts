import type { ProductionEvent } from '@despatch/provider-simulator/production'
import { count, sum } from './screen/count.ts'

/** Describes a factory's work in a few lines: events of many documents become one line. */
export type ProductionLog = (event: ProductionEvent) => string[]

type NameOf = (documentId: string) => string
type EventOf<Kind extends ProductionEvent['kind']> = Extract<ProductionEvent, { kind: Kind }>

/** Events of single documents of a run that have not been printed yet. */
type PendingEvents = {
  fetched: EventOf<'fetched'>[]
  printed: EventOf<'printed'>[]
  spoiled: EventOf<'spoiled'>[]
}

const digestCharacters = 8
/** Omitted if a run is described in brief. */
const ordinarySteps = new Set<ProductionEvent['kind']>(['claimed', 'acknowledged', 'posted'])

/**
 * Creates a tale that returns the lines due after each event. A run of one document is described in brief, except for
 * problems.
 */
export function createProductionLog(nameOf: NameOf): ProductionLog {
  const pending = new Map<string, PendingEvents>()
  const brief = new Set<string>()

  return (event) => {
    const { batchNumber } = event
    const gathered = pending.get(batchNumber) ?? { fetched: [], printed: [], spoiled: [] }
    pending.set(batchNumber, gathered)
    if (event.kind === 'offered' && event.documentCount === 1) brief.add(batchNumber)
    if (isGathered(gathered, event)) return []
    const isBrief = brief.has(batchNumber)
    return [
      ...describeGathered(gathered, event, { isBrief, nameOf }),
      ...(isBrief && ordinarySteps.has(event.kind) ? [] : describeEvents(event, nameOf)),
    ]
  }
}

function isGathered({ fetched, printed, spoiled }: PendingEvents, event: ProductionEvent): boolean {
  if (event.kind === 'fetched') fetched.push(event)
  else if (event.kind === 'printed') printed.push(event)
  else if (event.kind === 'spoiled') spoiled.push(event)
  else return false
  return true
}

function describeGathered(
  pending: PendingEvents,
  { kind }: ProductionEvent,
  { isBrief, nameOf }: { isBrief: boolean; nameOf: NameOf },
): string[] {
  const { fetched, printed, spoiled } = pending
  const lines: string[] = []
  if (kind === 'acknowledged' && fetched.length > 0 && !isBrief) {
    const kilobytes = (sum(fetched.map(({ bytes }) => bytes)) / 1000).toFixed(1)
    const files = count(fetched.length, 'file')
    lines.push(`fetched ${files}, ${kilobytes} kB, and checked their digests`)
  }
  if (printed.length > 0 && !isBrief) {
    const sheets = count(sum(printed.map((document) => document.sheets)), 'sheet')
    lines.push(`printed ${count(printed.length, 'document')} on ${sheets}`)
  }
  for (const { documentId, reasonCode, reason } of spoiled) {
    lines.push(`spoiled ${nameOf(documentId)}: ${reasonCode}, ${reason}`)
  }
  pending.fetched = []
  pending.printed = []
  pending.spoiled = []
  return lines
}

function describeEvents(event: ProductionEvent, nameOf: NameOf): string[] {
  const { batchNumber } = event
  switch (event.kind) {
    case 'offered': {
      const { documentCount, sheetCount, expectedDespatchDate: deadline } = event
      const size = `${count(documentCount, 'document')}, ${count(sheetCount, 'sheet')}`
      const due = deadline ? `, due ${deadline}` : ''
      return [`found ${batchNumber} released: ${size}${due}`]
    }
    case 'claimed': {
      const digest = event.manifestDigest.slice(0, digestCharacters)
      const until = event.leaseUntil.slice(11, 16)
      return [`claimed ${batchNumber}: digest ${digest}… frozen, lease to ${until} UTC`]
    }
    case 'acknowledged': {
      const { refusedCount } = event
      const but = refusedCount > 0 ? `, but for ${count(refusedCount, 'document')}` : ''
      return [`acknowledged ${batchNumber}${but}`]
    }
    case 'refused':
      return [`refused ${nameOf(event.documentId)}: ${event.reasonCode}, ${event.reason}`]
    case 'reprint-authorised': {
      const { documentId, attempt } = event
      return [`asked to print ${nameOf(documentId)} again: authorised as attempt ${attempt}`]
    }
    case 'reprinted':
      return [`printed ${nameOf(event.documentId)} again, as attempt ${event.attempt}`]
    case 'failed':
      return [`cannot print ${nameOf(event.documentId)}: ${event.reasonCode}`]
    case 'recalled':
      return [`took ${nameOf(event.documentId)} out, as asked`]
    case 'posted': {
      const { carrier, manifestNumber, documentCount } = event
      const letters = count(documentCount, 'letter')
      return [`posted and confirmed ${letters}: ${carrier}, ${manifestNumber}`]
    }
    case 'returned':
      return [`got ${nameOf(event.documentId)} back: ${event.reasonCode}`]
    case 'closed':
      return [`closed ${batchNumber}: ${count(event.documentCount, 'document')} accounted for`]
    default:
      return []
  }
}
