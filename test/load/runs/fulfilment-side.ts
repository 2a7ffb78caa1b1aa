import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { Agent, type Dispatcher } from 'undici'
import type { Ground } from '../ground.ts'
import type { Program } from '../program.ts'

export type Answer = Dispatcher.ResponseData

/**
 * A separate process of the fulfilment service, and the provider that calls it. Paths are below /print-fulfilment/v1.
 */
export type FulfilmentSide = {
  program: Program
  get(path: string): Promise<Answer>
  /** Throws with the answer's body if the service refuses. */
  post<Body>(path: string, request?: { body?: unknown; key?: string }): Promise<Body>
  close(): Promise<void>
}

/** Claims of many documents take long. */
const answerTimeoutMs = 120_000

export async function startFulfilment(
  ground: Ground,
  {
    headers,
    databaseUrl,
    nodeFlags,
  }: { headers: Record<string, string>; databaseUrl: string; nodeFlags: readonly string[] },
): Promise<FulfilmentSide> {
  const { program, origin } = await ground.serve('services/fulfilment/src/main.ts', {
    environment: { DATABASE_URL: databaseUrl },
    nodeFlags,
  })
  const agent = new Agent({ headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs })
  const { signal } = ground
  const ask = (options: Omit<Dispatcher.RequestOptions, 'origin'>) =>
    agent.request({ ...options, origin, signal })
  const side: FulfilmentSide = {
    program,
    get: (path) => ask({ method: 'GET', path: fullPath(path), headers }),
    post: async <Body>(path: string, { body, key }: { body?: unknown; key?: string } = {}) => {
      const answer = await ask({
        method: 'POST',
        path: fullPath(path),
        headers: {
          ...headers,
          ...(key && { 'idempotency-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (answer.statusCode < 300) return (await answer.body.json()) as Body
      throw new Error(`POST ${path}: ${answer.statusCode} ${await answer.body.text()}`)
    },
    close: async () => {
      await program.stop()
      await agent.destroy()
    },
  }
  // the first call is authenticated, counted and compiled before anything is measured
  await (await side.get('/whoami')).body.dump()
  return side
}

function fullPath(path: string): string {
  return `${printFulfilmentPrefix}/v1${path}`
}
