import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { manifestDigestOf } from '@despatch/client/manifest-digest'
import type { Manifest } from '@despatch/client/print-run'
import type { Fetch } from '@despatch/provider-simulator/floor/losing-replies'

/** A faulty client: our simulator, with a fault between it and the network. */
export type BrokenClient = {
  /** The fault. */
  fault: string
  /** The only case that it fails. */
  fails: string
  /** Part of the reason that the report gives. */
  because: string
  wrap(fetch: Fetch): Fetch
}

type Call = {
  method: string
  path: string
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, which the faults change
  body: any
}
type Send = (call: Call) => Promise<Response>
type Fault = (send: Send) => (call: Call) => Promise<Response>

export const brokenClients: readonly BrokenClient[] = [
  {
    fault: 'claims under a new key and prints everything twice when the answer to a claim is lost',
    fails: 'C02',
    because: 'printed 2 times',
    wrap: faulty((send) => {
      const lost = new Set<string>()
      return async (call) => {
        if (isTo(call, 'claim')) {
          const again = lost.has(call.path)
          const headers = { ...call.headers, ...(again && { 'idempotency-key': randomUUID() }) }
          return send({ ...call, headers }).catch((error: unknown) => {
            lost.add(call.path)
            throw error
          })
        }
        const hasLost = lost.has(call.path.replace(/events$/, 'claim'))
        return send(hasLost ? withPrintsTwice(call) : call)
      }
    }),
  },
  {
    fault: 'does not wait as long as Retry-After says',
    fails: 'C03',
    because: 'before the end of Retry-After',
    wrap: faulty((send) => async (call) => {
      let response = await send(call)
      for (let tries = 0; tries < 12 && isBusy(response); tries++) {
        await pause(60)
        response = await send(call)
      }
      return response
    }),
  },
  {
    fault: 'never authenticates again',
    fails: 'C04',
    because: 'not done in time',
    wrap: faulty((send) => {
      let token: string | undefined
      return async (call) => {
        if (!isTo(call, 'authenticate')) return send(call)
        token ??= await (await send(call)).text()
        return answer(JSON.parse(token))
      }
    }),
  },
  {
    fault: 'acknowledges a manifest that does not fit its digest',
    fails: 'C05',
    because: 'acknowledged although the manifest did not match its digest',
    wrap: faulty((send) => async (call) => {
      const response = await send(call)
      if (!isTo(call, 'manifest') || response.status !== 200) return response
      const manifest = (await response.clone().json()) as Manifest
      if ((await manifestDigestOf(manifest)) !== manifest.manifestDigest) {
        const { totals, manifestDigest } = manifest
        const { documentCount, sheetCount } = totals
        const path = call.path.replace(/manifest$/, 'acknowledgement')
        const body = { documentCount, sheetCount, manifestDigest }
        await send({ ...call, method: 'POST', path, body })
      }
      return response
    }),
  },
  {
    fault: 'does not check the SHA-256 of files',
    fails: 'C06',
    because: 'was printed although its bytes never matched',
    wrap: faulty((send) => async (call) => {
      const response = await send(call)
      if (!call.path.startsWith('/presigned/')) return response
      // repairs the altered byte, so that the file looks correct
      const bytes = Buffer.from(await response.arrayBuffer())
      if (bytes.at(-1) === 0x0a) bytes[bytes.length - 1] = 'F'.charCodeAt(0)
      return new Response(bytes, { status: response.status, headers: response.headers })
    }),
  },
  {
    fault: 'uses the first address of a file for ever',
    fails: 'C07',
    because: 'the expired address was tried',
    wrap: faulty((send) => {
      const locations = new Map<string, string>()
      return async (call) => {
        const known = locations.get(call.path)
        if (known) return new Response(null, { status: 303, headers: { location: known } })
        const response = await send(call)
        const location = response.headers.get('location')
        if (isTo(call, 'content') && location) locations.set(call.path, location)
        return response
      }
    }),
  },
  {
    fault: 'changes the acknowledgement when it repeats it',
    fails: 'C08',
    because: 'the acknowledgement was repeated with other content',
    wrap: faulty((send) => {
      const lost = new Set<string>()
      return async (call) => {
        if (!isTo(call, 'acknowledgement')) return send(call)
        const [, batchNumber = ''] = /print-runs\/([^/]+)/.exec(call.path) ?? []
        const refusals = [
          { documentId: `${batchNumber}-0001`, reasonCode: 'LATE', reason: 'Found out later' },
        ]
        const body = lost.has(call.path) ? { ...call.body, refusals } : call.body
        return send({ ...call, body }).catch((error: unknown) => {
          lost.add(call.path)
          throw error
        })
      }
    }),
  },
  {
    fault: 'prints again what is offered again',
    fails: 'C09',
    because: 'printed 2 times',
    wrap: faulty((send) => {
      const offeredAgain = new Set<string>()
      return async (call) => {
        const [, batchNumber = ''] = /print-runs\/([^/]+)\/events/.exec(call.path) ?? []
        const response = await send(offeredAgain.has(batchNumber) ? withPrintsTwice(call) : call)
        for (const run of await listedRuns(call, response)) {
          if (run.claimedAt) offeredAgain.add(run.batchNumber)
        }
        return response
      }
    }),
  },
  {
    fault: 'acknowledges the counts of the list',
    fails: 'C10',
    because: 'an acknowledgement did not match: documentCount differs',
    wrap: faulty((send) => {
      const counts = new Map<string, { documentCount: number; sheetCount: number }>()
      return async (call) => {
        const [, batchNumber = ''] = /print-runs\/([^/]+)/.exec(call.path) ?? []
        const isAcknowledgement = isTo(call, 'acknowledgement')
        const body = isAcknowledgement ? { ...call.body, ...counts.get(batchNumber) } : call.body
        const response = await send({ ...call, body })
        for (const { batchNumber: listed, documentCount, sheetCount } of await listedRuns(
          call,
          response,
        )) {
          // under load it lists again after the claim, when the counts are right
          if (!counts.has(listed)) counts.set(listed, { documentCount, sheetCount })
        }
        return response
      }
    }),
  },
  {
    fault: 'gives events other ids when it repeats them',
    fails: 'C11',
    because: 'reported under 2 eventIds',
    wrap: faulty((send) => {
      const losses = new Map<string, number>()
      return async (call) => {
        if (!isTo(call, 'events')) return send(call)
        const events = call.body.events as { eventId: string }[]
        const renamed = events.map((event) => {
          const times = losses.get(event.eventId)
          return times ? { ...event, eventId: `again-${times}-${event.eventId}` } : event
        })
        return send({ ...call, body: { events: renamed } }).catch((error: unknown) => {
          for (const { eventId } of events) losses.set(eventId, (losses.get(eventId) ?? 0) + 1)
          throw error
        })
      }
    }),
  },
  {
    fault: 'repeats events that are refused',
    fails: 'C11',
    because: 'a refused event was sent',
    wrap: faulty((send) => async (call) => {
      let response = await send(call)
      for (let tries = 0; tries < 5 && (await hasRefused(call, response)); tries++) {
        response = await send(call)
      }
      return response
    }),
  },
  {
    fault: 'prints a reprint that is not authorised yet',
    fails: 'C12',
    because: 'reported without authorisation',
    wrap: faulty((send) => async (call) => {
      const response = await send(call)
      if (call.method !== 'POST' || !isTo(call, 'reprints')) return response
      const { reprints = [] } = (await response.clone().json()) as {
        reprints?: { documentId: string; attempt: number; state: string }[]
      }
      const events = reprints
        .filter(({ state }) => state === 'WAITING')
        .map(({ documentId, attempt }) => ({
          eventId: randomUUID(),
          documentId,
          attempt,
          type: 'PRINTED',
          occurredAt: new Date().toISOString(),
        }))
      const path = call.path.replace(/reprints$/, 'events')
      if (events.length > 0) await send({ ...call, path, body: { events } })
      return response
    }),
  },
  {
    fault: 'does not look at recall requests',
    fails: 'C13',
    because: 'the run was closed without an answer to the recall',
    wrap: faulty((send) => async (call) => {
      const response = await send(call)
      return isTo(call, 'recall-requests') && response.ok
        ? answer({ recallRequests: [] })
        : response
    }),
  },
  {
    fault: 'posts under a new key when the answer to a posting is lost',
    fails: 'C14',
    because: 'the same documents were posted again with another key',
    wrap: faulty((send) => {
      const lost = new Set<string | undefined>()
      return async (call) => {
        if (!isTo(call, 'postings')) return send(call)
        const key = call.headers['idempotency-key']
        const headers = {
          ...call.headers,
          ...(lost.has(key) && { 'idempotency-key': randomUUID() }),
        }
        return send({ ...call, headers }).catch((error: unknown) => {
          lost.add(key)
          throw error
        })
      }
    }),
  },
  {
    fault: 'takes a run for closed although closing is refused',
    fails: 'C15',
    because: 'not done in time',
    wrap: faulty((send) => async (call) => {
      const response = await send(call)
      if (isTo(call, 'close') && response.status === 409) return answer({})
      if (!isTo(call, 'reconciliation') || !response.ok) return response
      const account = (await response.clone().json()) as { waitingReprints: number }
      if (account.waitingReprints > 0) return response
      return answer({ ...account, missing: 0, missingDocuments: [], isBalanced: true })
    }),
  },
]

/** Returns a wrapper of fetch that applies a fault. The fault sees calls as values, with their bodies read. */
function faulty(fault: Fault): (fetch: Fetch) => Fetch {
  return (fetch) => {
    const origins = new Map<string, string>()
    const apply = fault(({ method, path, headers, body }) => {
      const origin = [...origins.values()].at(-1) ?? ''
      const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) }
      return fetch(new URL(path, origin), { ...init, redirect: 'manual' })
    })
    return async (input, init = {}) => {
      const { origin, pathname, search } = new URL(String(input))
      origins.set('kit', origin)
      const headers = Object.fromEntries(new Headers(init.headers ?? {}))
      const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
      return apply({ method: init.method ?? 'GET', path: pathname + search, headers, body })
    }
  }
}

/** Returns whether this is the last part of the path. */
function isTo({ path }: Call, part: string): boolean {
  return path.split('?')[0]?.endsWith(`/${part}`) ?? false
}

function isBusy({ status }: Response): boolean {
  return status === 503 || status === 429
}

function answer(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}

/** Reports each print twice, as two events. */
function withPrintsTwice(call: Call): Call {
  if (!isTo(call, 'events')) return call
  const events = call.body.events as { type: string; eventId: string }[]
  const again = events
    .filter(({ type }) => type === 'PRINTED')
    .map((event) => ({ ...event, eventId: `twice-${event.eventId}` }))
  return { ...call, body: { events: [...events, ...again] } }
}

async function hasRefused(call: Call, response: Response): Promise<boolean> {
  if (!isTo(call, 'events') || !response.ok) return false
  const { results } = (await response.clone().json()) as { results: { result: string }[] }
  return results.some(({ result }) => result === 'REFUSED')
}

type ListedRun = {
  batchNumber: string
  documentCount: number
  sheetCount: number
  claimedAt?: string
}

async function listedRuns(call: Call, response: Response): Promise<ListedRun[]> {
  if (!isTo(call, 'print-runs') || !response.ok) return []
  return ((await response.clone().json()) as { printRuns: ListedRun[] }).printRuns
}
