import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createFulfilmentApi, type FulfilmentContext } from '../api.ts'
import type { ApiRequest } from './dropped-request.ts'

/** For whom files are taken and laid down. */
export type FileDropCaller = { providerId: string; consumerId: string }
export type ApiAnswer = { status: number; bytes: Buffer }

/** The provider interface as it is called for providers that take files. */
export type FileDropClient = {
  call(caller: FileDropCaller, request: ApiRequest): Promise<ApiAnswer>
  close(): Promise<void>
}

/**
 * An interface of its own inside this process: the same checks, problems and answers as over HTTP. It listens nowhere, so
 * it believes whoever calls it.
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

/** The members of an answer that must be there. Throws when it is not 200. */
async function getObject<T>(
  client: FileDropClient,
  caller: FileDropCaller,
  path: string,
): Promise<T> {
  const { status, bytes } = await client.call(caller, { method: 'GET', path })
  if (status !== 200) throw new Error(`The provider interface answers ${status} to a read`)
  return JSON.parse(bytes.toString()) as T
}

/** All pages of a list, one after the other. */
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
