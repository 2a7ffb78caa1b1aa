import { DespatchError } from '@despatch/client/despatch-error'
import type { Session } from '@despatch/client/session'
import type { ItemEvent } from './event-journal.ts'
import type { Manifest } from './manifest.ts'

export type Refusal = { documentId: string; reasonCode: string; reason: string }

export type ReleasedRun = {
  batchNumber: string
  expectedDespatchDate?: string
  releasedAt: string
  documentCount: number
  sheetCount: number
}
export type Claim = {
  documentCount: number
  manifestDigest: string
  claimedAt: string
  leaseUntil: string
}
export type EventResult = {
  eventId: string
  result: 'APPLIED' | 'RECORDED' | 'DUPLICATE' | 'REFUSED'
  refusal?: string
}
export type Reprint = {
  documentId: string
  attempt: number
  state: 'WAITING' | 'AUTHORISED' | 'REFUSED'
  sha256: string
  content: string
}
export type RecallRequest = {
  recallId: string
  batchNumber: string
  documents: { documentId: string; state: 'ASKED' | 'RECALLED' | 'TOO_LATE' }[]
}
export type Posting = {
  batchNumber: string
  postingKey: string
  /** By the factory's clock. */
  handoverAt: string
  carrier: string
  manifestNumber: string
  /** If absent, all documents of the run that are not accounted for. */
  documentIds?: readonly string[]
  /** The carrier's count. */
  count?: { despatchMethod: string; format: string; documentCount: number }
}
export type ReturnedLetter = {
  returnId: string
  documentId: string
  reasonCode: string
  disposition: 'DESTROYED' | 'FORWARDED'
  scannedAt: string
}
export type ReturnResult = { returnId: string; result: string; refusal?: string }
export type Reconciliation = {
  expected: number
  missing: number
  isBalanced: boolean
  /** The first 1,000 of them. */
  missingDocuments: { documentId: string; isPosted: boolean }[]
}
export type WorkSummary = {
  streams: { released: { printRunCount: number; documentCount: number } }[]
}

export type FulfilmentClient = ReturnType<typeof createFulfilmentClient>

const prefix = '/print-fulfilment/v1'
/** After this many links, a file counts as unavailable. */
const linksMax = 4

/** Returns the operations of the print fulfilment interface that a factory uses. Every one is safe to repeat. */
export function createFulfilmentClient(session: Session) {
  const runPath = (batchNumber: string) => `${prefix}/print-runs/${encodeURIComponent(batchNumber)}`
  const get = <Body>(path: string) => session.call<Body>('GET', path)
  const post = <Body>(path: string, body?: unknown, idempotencyKey?: string) =>
    session.call<Body>('POST', path, { body, idempotencyKey, isRepeatable: true })

  /** Reads every page. The path must have a query. */
  async function list<Name extends string, Item>(path: string, name: Name): Promise<Item[]> {
    const items: Item[] = []
    let cursor = ''
    do {
      const page = await get<{ nextCursor?: string } & Record<Name, Item[]>>(path + cursor)
      items.push(...page[name])
      cursor = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : ''
    } while (cursor)
    return items
  }

  return {
    sendHeartbeat: (sentAt: string) => post<unknown>(`${prefix}/heartbeat`, { sentAt }),

    getWorkSummary: () => get<WorkSummary>(`${prefix}/work-summary`),

    /** Lists the released runs of one print location, or of all. */
    listReleased: (printLocation?: string) => {
      const where = printLocation ? `&printLocation=${encodeURIComponent(printLocation)}` : ''
      return list<'printRuns', ReleasedRun>(
        `${prefix}/print-runs?state=RELEASED${where}`,
        'printRuns',
      )
    },

    claim: (batchNumber: string, claimKey: string, leaseSeconds?: number) =>
      post<Claim>(
        `${runPath(batchNumber)}/claim`,
        leaseSeconds === undefined ? undefined : { leaseSeconds },
        claimKey,
      ),

    renewLease: (batchNumber: string, leaseSeconds?: number) =>
      post<{ leaseUntil: string }>(
        `${runPath(batchNumber)}/lease`,
        leaseSeconds === undefined ? undefined : { leaseSeconds },
      ),

    getManifest: (batchNumber: string) => get<Manifest>(`${runPath(batchNumber)}/manifest`),

    /**
     * Follows the 303 to the file, without credentials, because the address carries its own. Requests a new address
     * when it has expired.
     */
    async fetchContent({ content, documentId }: { content: string; documentId: string }) {
      for (let links = 1; ; links++) {
        const { status, headers } = await session.open(content)
        const location = headers.get('location')
        if (status !== 303 || !location) {
          throw new Error(`Document ${documentId}: expected a 303, got ${status}`)
        }
        try {
          return await download(session, location)
        } catch (error) {
          const isStale = error instanceof DespatchError && (error.status ?? 500) < 500
          if (!isStale || links >= linksMax) throw error
        }
      }
    },

    acknowledge: ({ batchNumber, manifestDigest, totals }: Manifest, refusals: Refusal[]) => {
      const { documentCount, sheetCount } = totals
      const counts = { documentCount, sheetCount, manifestDigest }
      const body = refusals.length > 0 ? { ...counts, refusals } : counts
      return post<unknown>(`${runPath(batchNumber)}/acknowledgement`, body)
    },

    reportEvents: async (batchNumber: string, events: readonly ItemEvent[]) => {
      const path = `${runPath(batchNumber)}/events`
      return (await post<{ results: EventResult[] }>(path, { events })).results
    },

    requestReprints: async (
      batchNumber: string,
      documents: readonly { documentId: string; reasonCode: string }[],
    ) => {
      const path = `${runPath(batchNumber)}/reprints`
      return (await post<{ reprints: Reprint[] }>(path, { documents })).reprints
    },

    listReprints: (batchNumber: string, state?: Reprint['state']) =>
      list<'reprints', Reprint>(
        `${runPath(batchNumber)}/reprints?limit=1000${state ? `&state=${state}` : ''}`,
        'reprints',
      ),

    listOpenRecalls: () =>
      list<'recallRequests', RecallRequest>(
        `${prefix}/recall-requests?state=OPEN`,
        'recallRequests',
      ),

    acceptRecall: (recallId: string, tooLate: readonly string[]) =>
      post<unknown>(
        `${prefix}/recall-requests/${encodeURIComponent(recallId)}/accept`,
        tooLate.length > 0 ? { tooLate } : undefined,
      ),

    rejectRecall: (recallId: string, reason: string) =>
      post<unknown>(`${prefix}/recall-requests/${encodeURIComponent(recallId)}/reject`, { reason }),

    /** Returns the id of the posting. */
    async post({ postingKey, documentIds, count, ...handover }: Posting) {
      const posting = {
        ...handover,
        ...(documentIds && { documentIds }),
        ...(count && { counts: [count] }),
      }
      const path = `${prefix}/postings`
      return (await post<{ postingId: string }>(path, posting, postingKey)).postingId
    },

    confirm: (postingId: string) =>
      post<unknown>(`${prefix}/postings/${encodeURIComponent(postingId)}/confirm`),

    recordReturns: async (returns: readonly ReturnedLetter[]) =>
      (await post<{ results: ReturnResult[] }>(`${prefix}/returns`, { returns })).results,

    getReconciliation: (batchNumber: string) =>
      get<Reconciliation>(`${runPath(batchNumber)}/reconciliation?limit=1000`),

    close: (batchNumber: string) => post<unknown>(`${runPath(batchNumber)}/close`),
  }
}

/** Downloads from an address outside the API. */
export function download(session: Pick<Session, 'outside'>, address: string): Promise<Uint8Array> {
  return session.outside(address, {
    init: () => ({}),
    read: async (response) => new Uint8Array(await response.arrayBuffer()),
  })
}
