import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createFulfilmentApi, type FulfilmentContext } from '../api.ts'
import type { ApiRequest } from './dropped-request.ts'

/** The provider whose files are exchanged, and the consumer it acts as. */
export type FileDropCaller = { providerId: string; consumerId: string }
type ApiAnswer = { status: number; bytes: Buffer }

/** The provider interface, called on behalf of providers that exchange files. */
export type FileDropClient = {
  call(caller: FileDropCaller, request: ApiRequest): Promise<ApiAnswer>
  close(): Promise<void>
}

/**
 * Creates a separate instance of the API inside this process, with the same checks, problems and responses as over
 * HTTP. It does not listen on a port, so it trusts the caller it is given.
 */
export async function createFileDropClient(
  context: Omit<FulfilmentContext, 'authenticate' | 'limit' | 'metrics' | 'ready'>,
): Promise<FileDropClient> {
  const api = await createFulfilmentApi({
    ...context,
    metrics: createMetrics('fulfilment'),
    ready: async () => [],
    authenticate: (headers) => ({
      providerId: String(headers['x-provider-id']),
      consumerId: String(headers['x-consumer-id']),
      apiKeyHash: Buffer.alloc(32),
      roles: ['provider'],
    }),
  })
  return {
    call: async ({ providerId, consumerId }, { method, path, idempotencyKey, body }) => {
      const answer = await api.inject({
        method,
        url: `${printFulfilmentPrefix}/v1${path}`,
        headers: {
          'x-provider-id': providerId,
          'x-consumer-id': consumerId,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { payload: body as object }),
      })
      return { status: answer.statusCode, bytes: answer.rawPayload }
    },
    close: () => api.close(),
  }
}

/** Returns the body of the response, whose members must exist. Throws if the status is not 200. */
async function getObject<T>(
  client: FileDropClient,
  caller: FileDropCaller,
  path: string,
): Promise<T> {
  const { status, bytes } = await client.call(caller, { method: 'GET', path })
  if (status !== 200) throw new Error(`The provider API returned ${status} to a read`)
  return JSON.parse(bytes.toString()) as T
}

/** Yields all pages of a list, one after the other. */
export async function* getPages<T extends { nextCursor?: string | undefined }>(
  client: FileDropClient,
  caller: FileDropCaller,
  path: string,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const page: T = await getObject(
      client,
      caller,
      cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    )
    yield page
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
