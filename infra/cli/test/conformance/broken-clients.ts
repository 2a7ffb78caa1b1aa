import { setTimeout as pause } from 'node:timers/promises'
import type { Fetch } from '@despatch/provider-simulator/floor/losing-replies'

/**
 * A faulty client: our simulator, with a fault between it and the network. What each case finds is tested with the cases;
 * these show that a case fails the client that has its fault, and no client with others.
 */
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

async function hasRefused(call: Call, response: Response): Promise<boolean> {
  if (!isTo(call, 'events') || !response.ok) return false
  const { results } = (await response.clone().json()) as { results: { result: string }[] }
  return results.some(({ result }) => result === 'REFUSED')
}
