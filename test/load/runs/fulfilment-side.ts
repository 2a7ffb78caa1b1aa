import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { Agent, type Dispatcher } from 'undici'
import type { Ground } from '../ground.ts'
import type { Program } from '../program.ts'

export type Answer = Dispatcher.ResponseData

/** Calls the fulfilment service on behalf of a provider. Paths are below /print-fulfilment/v1. */
export type FulfilmentClient = {
  get(path: string): Promise<Answer>
  /** Throws with the answer's body if the service refuses. */
  post<Body>(path: string, request?: { body?: unknown; key?: string }): Promise<Body>
  close(): Promise<void>
}

/** A separate process of the fulfilment service, and the provider that calls it. */
export type FulfilmentSide = FulfilmentClient & { program: Program }

/** Claims of many documents take long. */
const answerTimeoutMs = 120_000

export async function startFulfilment(
  ground: Ground,
  { headers, nodeFlags }: { headers: Record<string, string>; nodeFlags: readonly string[] },
): Promise<FulfilmentSide> {
  const { program, origin } = await ground.serve('services/fulfilment/src/main.ts', {
    nodeFlags,
  })
  const { signal } = ground
  const client = openFulfilmentClient({ origin, headers: async () => headers, signal })
  // the first call is authenticated, counted and compiled before anything is measured
  await (await client.get('/whoami')).body.dump()
  return {
    ...client,
    program,
    close: async () => {
      await program.stop()
      await client.close()
    },
  }
}

/** `headers` returns those that authenticate the provider at the time. */
export function openFulfilmentClient({
  origin,
  headers,
  signal,
}: {
  origin: string
  headers: () => Promise<Record<string, string>>
  signal?: AbortSignal
}): FulfilmentClient {
  const agent = new Agent({ headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs })
  const ask = (options: Omit<Dispatcher.RequestOptions, 'origin'>) =>
    agent.request({ ...options, origin, ...(signal && { signal }) })
  return {
    get: async (path) => ask({ method: 'GET', path: fullPath(path), headers: await headers() }),
    post: async <Body>(path: string, { body, key }: { body?: unknown; key?: string } = {}) => {
      const answer = await ask({
        method: 'POST',
        path: fullPath(path),
        headers: {
          ...(await headers()),
          ...(key && { 'idempotency-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (answer.statusCode < 300) return (await answer.body.json()) as Body
      throw new Error(`POST ${path}: ${answer.statusCode} ${await answer.body.text()}`)
    },
    close: () => agent.destroy(),
  }
}

function fullPath(path: string): string {
  return `${printFulfilmentPrefix}/v1${path}`
}
