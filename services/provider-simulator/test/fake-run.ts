import { hash, randomUUID } from 'node:crypto'
import type { Manifest } from '@despatch/client/print-run'
import {
  manifestDocumentLine,
  manifestRunLine,
  manifestTotalsLine,
} from '@despatch/domain/print-run/manifest-digest'

export type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

type Standing = { attempt: number; progress?: string; outcome?: string; postingId?: string }
type ReceivedEvent = {
  eventId: string
  documentId: string
  attempt: number
  type: string
  occurredAt: string
  serialNumber?: string
  reasonCode?: string
}
type ReceivedReprint = { documentId: string; attempt: number; state: string; reasonCode: string }
type Acknowledgement = { refusals?: { documentId: string; reasonCode: string }[] }
type ReceivedPosting = { batchNumber: string; documentIds?: string[]; handoverAt: string }

export type FakeRun = ReturnType<typeof makeRun>

const ranks = ['FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED']

/** A print run as the platform stores it, by the rules of the interface. */
export function makeRun(
  manifest: Manifest,
  { leaseMs, reprintsFreeMax }: { leaseMs: number; reprintsFreeMax: number },
) {
  const standings = new Map<string, Standing>(
    manifest.documents.map(({ documentId, attempt }) => [documentId, { attempt }]),
  )
  const claims = new Map<string, { request: unknown; answer: Answer }>()
  const events = new Map<string, string>()
  const postings = new Map<string, { content: string; postingId: string }>()

  const run = {
    manifest,
    state: 'RELEASED',
    standings,
    claimKeys: [] as string[],
    renewals: 0,
    acknowledgement: undefined as Acknowledgement | undefined,
    /** Every event as reported, including repeats. */
    told: [] as ReceivedEvent[],
    eventCalls: [] as number[],
    eventResults: [] as string[],
    reprints: [] as ReceivedReprint[],
    postingKeys: [] as string[],
    /** The documents of each posting. */
    posted: [] as string[][],
    postingBodies: [] as ReceivedPosting[],
    closeCalls: 0,

    claim(key: string, request: unknown): Answer {
      run.claimKeys.push(key)
      const known = claims.get(key)
      if (known && isSame(known.request, request)) return known.answer
      if (known) return { status: 409, body: { errors: [{ code: 'ClaimKeyReused' }] } }
      if (run.state !== 'RELEASED' && run.state !== 'CLAIMED') return { status: 409 }
      run.state = 'CLAIMED'
      const { batchNumber, manifestDigest, totals } = run.manifest
      const now = Date.now()
      const body = {
        batchNumber,
        manifestDigest,
        ...totals,
        claimedAt: new Date(now).toISOString(),
        leaseUntil: new Date(now + leaseMs).toISOString(),
      }
      const answer = { status: 200, body }
      claims.set(key, { request, answer })
      return answer
    },

    acknowledge(body: Acknowledgement): Answer {
      if (run.acknowledgement) {
        return { status: isSame(body, run.acknowledgement) ? 200 : 409, body: {} }
      }
      run.acknowledgement = body
      const refusals = body.refusals ?? []
      for (const { documentId } of refusals) standings.get(documentId)!.outcome = 'REFUSED'
      run.state = refusals.length === 0 ? 'ACCEPTED' : 'ACCEPTED_WITH_EXCEPTIONS'
      return { status: 200, body: {} }
    },

    tell(told: ReceivedEvent[]): Answer {
      if (!isInProduction()) return notInProduction()
      run.told.push(...told)
      run.eventCalls.push(told.length)
      const results = told.map((event) => ({ eventId: event.eventId, ...judge(event) }))
      run.eventResults.push(...results.map(({ result }) => result))
      run.state = 'IN_PRODUCTION'
      return { status: 200, body: { results } }
    },

    askForReprints(documents: { documentId: string; reasonCode: string }[]): Answer {
      if (!isInProduction()) return notInProduction()
      const asked: ReceivedReprint[] = []
      for (const { documentId, reasonCode } of documents) {
        const standing = standings.get(documentId)!
        const known = run.reprints.findLast((reprint) => reprint.documentId === documentId)
        if (standing.progress !== 'SPOILED' && !known) return { status: 409 }
        if (known && known.attempt > standing.attempt - 1 && standing.progress !== 'SPOILED') {
          asked.push(known)
          continue
        }
        if (known?.state === 'WAITING') {
          asked.push(known)
          continue
        }
        const isFree = run.reprints.length < reprintsFreeMax
        const attempt = standing.attempt + 1
        const state = isFree ? 'AUTHORISED' : 'WAITING'
        const reprint = { documentId, attempt, state, reasonCode }
        run.reprints.push(reprint)
        if (isFree) authorise(reprint)
        asked.push(reprint)
      }
      return { status: 200, body: { reprints: asked.map(wireReprint) } }
    },

    listReprints(state: string | null): Answer {
      const reprints = run.reprints.filter((reprint) => !state || reprint.state === state)
      return { status: 200, body: { reprints: reprints.map(wireReprint) } }
    },

    /** An operator's decision on a waiting reprint. */
    decide(documentId: string, state: 'AUTHORISED' | 'REFUSED') {
      const reprint = run.reprints.find(
        (each) => each.documentId === documentId && each.state === 'WAITING',
      )!
      reprint.state = state
      if (state === 'AUTHORISED') authorise(reprint)
      else standings.get(documentId)!.outcome = 'FAILED'
    },

    post(key: string, body: ReceivedPosting): Answer {
      run.postingKeys.push(key)
      const content = JSON.stringify(body)
      const known = postings.get(key)
      if (known && known.content !== content) return { status: 409 }
      if (known) return { status: 201, body: { postingId: known.postingId } }
      const open = [...standings].filter(([, each]) => !each.outcome && !each.postingId)
      const documentIds = body.documentIds ?? open.map(([documentId]) => documentId)
      const isWrong = documentIds.some((documentId) => {
        const { outcome, postingId, progress } = standings.get(documentId)!
        return outcome !== undefined || postingId !== undefined || progress === 'SPOILED'
      })
      if (isWrong) return { status: 409 }
      const postingId = randomUUID()
      postings.set(key, { content, postingId })
      for (const documentId of documentIds) standings.get(documentId)!.postingId = postingId
      run.posted.push(documentIds)
      run.postingBodies.push(body)
      return { status: 201, body: { postingId } }
    },

    confirm(postingId: string): boolean {
      const covered = [...standings.values()].filter((each) => each.postingId === postingId)
      for (const standing of covered) standing.outcome = 'DESPATCHED'
      if (covered.length > 0) run.state = missing().length === 0 ? 'RECONCILED' : 'POSTED'
      return covered.length > 0
    },

    reconcile(): Answer {
      const body = {
        expected: standings.size,
        missing: missing().length,
        isBalanced: missing().length === 0,
        missingDocuments: [...standings].flatMap(([documentId, { outcome, postingId }]) =>
          outcome ? [] : [{ documentId, isPosted: postingId !== undefined }],
        ),
      }
      return { status: 200, body }
    },

    close(): Answer {
      run.closeCalls += 1
      if (missing().length > 0) return { status: 409 }
      run.state = 'CLOSED'
      return { status: 200, body: {} }
    },
  }

  function isInProduction(): boolean {
    return run.acknowledgement !== undefined && run.state !== 'CLOSED' && run.state !== 'VOIDED'
  }

  function judge(event: ReceivedEvent): { result: string; refusal?: string } {
    const content = JSON.stringify(event)
    const known = events.get(event.eventId)
    if (known !== undefined) {
      return known === content
        ? { result: 'DUPLICATE' }
        : { result: 'REFUSED', refusal: 'event-id-reused' }
    }
    const standing = standings.get(event.documentId)
    if (!standing) return { result: 'REFUSED', refusal: 'unknown-document' }
    if (event.attempt > standing.attempt) {
      return { result: 'REFUSED', refusal: 'attempt-not-authorised' }
    }
    events.set(event.eventId, content)
    if (event.type === 'FAILED' && !standing.outcome) {
      standing.outcome = 'FAILED'
      return { result: 'APPLIED' }
    }
    const isHigher = ranks.indexOf(event.type) > ranks.indexOf(standing.progress ?? '')
    if (event.attempt < standing.attempt || standing.outcome || !isHigher) {
      return { result: 'RECORDED' }
    }
    standing.progress = event.type
    return { result: 'APPLIED' }
  }

  function authorise({ documentId, attempt }: ReceivedReprint): void {
    const standing = standings.get(documentId)!
    standing.attempt = attempt
    delete standing.progress
  }

  function wireReprint(reprint: ReceivedReprint) {
    const { sha256, content } = manifest.documents.find(
      ({ documentId }) => documentId === reprint.documentId,
    )!
    return { ...reprint, sha256, content }
  }

  function missing(): Standing[] {
    return [...standings.values()].filter(({ outcome }) => !outcome)
  }

  return run
}

function notInProduction(): Answer {
  return { status: 409, body: { errors: [{ code: 'PrintRunNotInProduction' }] } }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function makeManifest(batchNumber: string, letters: Record<string, string>): Manifest {
  const run = {
    batchNumber,
    printLocation: 'NORTH',
    despatchMethod: 'SECOND',
    format: 'LETTER',
    stationery: 'A4-PLAIN',
    plex: 'duplex',
    colour: true,
  } as const
  const documents = Object.entries(letters).map(([documentId, content], index) => ({
    sequence: index + 1,
    documentId,
    fulfilmentJobId: `${batchNumber}-001`,
    attempt: 1,
    sheets: 2,
    pages: 3,
    bytes: content.length,
    weightGrams: 16,
    plex: run.plex,
    stationery: run.stationery,
    despatchMethod: run.despatchMethod,
    postageClass: '2ND',
    mailingProduct: 'UNCODED',
    sha256: hash('sha256', content),
    content: `/print-fulfilment/v1/print-runs/${batchNumber}/documents/${documentId}/content`,
  }))
  const totals = {
    documentCount: documents.length,
    sheetCount: documents.length * 2,
    pageCount: documents.length * 3,
    byteCount: documents.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  const lines = [
    manifestRunLine(run),
    ...documents.map(manifestDocumentLine),
    manifestTotalsLine({ manifestVersion: 1, ...totals }),
  ]
  return {
    ...run,
    manifestVersion: 1,
    manifestDigest: hash('sha256', lines.join('')),
    digestRule: '',
    printEpoch: 1,
    totals,
    fulfilmentJobs: [],
    documents,
  }
}
