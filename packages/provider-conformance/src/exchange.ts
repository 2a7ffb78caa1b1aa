import { AsyncLocalStorage } from 'node:async_hooks'
import { thirdpartyAccessPrefix } from '@despatch/contracts/thirdparty-access/operations'
import { createKitApis } from './api/kit-apis.ts'
import type { Answer, Script } from './conformance-case.ts'
import { alteredFile } from './files/altered-file.ts'
import { fileCall, nameCall } from './operation-names.ts'
import { batchNumbersOf } from './platform/batch-numbers.ts'
import { linkPrefix, type Platform } from './platform/platform.ts'
import type { PlatformRun } from './platform/platform-run.ts'
import { secretInUrl } from './secret-in-url.ts'
import type { Call } from './transcript.ts'

export type KitRequest = {
  method: string
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Uint8Array
}

export type Exchange = {
  /** Answers a request according to the case's script. 'lost': the work is done, but the client gets no response. */
  handle(request: KitRequest): Promise<Answer | 'lost'>
  /** Begins a transcript. `onCall` is called after each answered call. */
  begin(script: Script, onCall: () => void): { calls: readonly Call[]; end(): void }
  close(): Promise<void>
}

type Playing = { script: Script; calls: Call[]; startedMs: number; onCall(): void }

/** Creates the platform's side of the wire without a server: requests and responses are values. */
export async function createExchange(platform: Platform): Promise<Exchange> {
  let playing: Playing | undefined
  /** The call that serves a file, even if several are under way. */
  const serving = new AsyncLocalStorage<Call>()
  const serveFile = (run: PlatformRun, documentId: string): Uint8Array => {
    const { file } = run.documents.find((document) => document.documentId === documentId)!
    const isAltered = playing?.script.alters?.(documentId) ?? false
    const call = serving.getStore()
    if (call) call.served = [...call.served, { documentId, isAltered }]
    return isAltered ? alteredFile(file) : file
  }
  const apis = await createKitApis(platform, serveFile)

  async function handle(request: KitRequest): Promise<Answer | 'lost'> {
    const here = playing
    const call = describeCall(request, platform, here?.startedMs ?? performance.now())
    here?.calls.push(call)
    const scripted = here?.script.before?.(call)
    const answer =
      scripted?.answer ?? (await serving.run(call, () => platformAnswer(request, call)))
    noteAnswer(call, answer)
    const fault = scripted?.fault ?? here?.script.after?.(call)
    if (fault) call.fault = fault
    here?.onCall()
    return fault === 'reply-lost' ? 'lost' : answer
  }

  async function platformAnswer(request: KitRequest, call: Call): Promise<Answer> {
    if (call.kind === fileCall) return answerFile(request)
    const isAccess = request.url.startsWith(thirdpartyAccessPrefix)
    const api = isAccess ? apis.access : apis.fulfilment
    const reply = await api.inject({
      method: request.method as 'GET',
      url: request.url,
      headers: sentHeaders(request.headers),
      payload: Buffer.from(request.body),
    })
    return {
      status: reply.statusCode,
      headers: Object.fromEntries(
        Object.entries(reply.headers)
          .filter(([name]) => !hopByHop.has(name))
          .map(([name, value]) => [name, String(value)]),
      ),
      body: reply.rawPayload,
    }
  }

  function answerFile({ method, url }: KitRequest): Answer {
    const [secret = ''] = pathOf(url).slice(linkPrefix.length).split('/')
    if (method === 'PUT' && secret === 'evidence') return plainAnswer(200, '')
    const link = platform.links.get(secret)
    const run = link && platform.runs.get(link.batchNumber)
    if (!run || (method !== 'GET' && method !== 'HEAD')) return plainAnswer(404, 'NoSuchKey')
    if (link.until < platform.now()) return plainAnswer(403, 'AccessDenied')
    const headers = { 'content-type': 'application/pdf' }
    return { status: 200, headers, body: serveFile(run, link.documentId) }
  }

  return {
    handle,
    begin(script, onCall) {
      const calls: Call[] = []
      const mine: Playing = { script, calls, startedMs: performance.now(), onCall }
      playing = mine
      return {
        calls,
        end: () => {
          if (playing === mine) playing = undefined
        },
      }
    },
    async close() {
      await Promise.all([apis.access.close(), apis.fulfilment.close()])
    },
  }
}

function sentHeaders(headers: KitRequest['headers']) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && name !== 'expect'),
  ) as Record<string, string | string[]>
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

/** Returns a response in the form of the object store. */
export function plainAnswer(status: number, code: string): Answer {
  const text = code && `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) }
}

function describeCall(request: KitRequest, platform: Platform, startedMs: number): Call {
  const { method, url, headers, body: bodyBytes } = request
  const { kind, params } = nameCall(method, pathOf(url))
  const body = parseJson(bodyBytes)
  const secret = secretInUrl(url, platform)
  const key = headers['idempotency-key']
  return {
    atMs: performance.now() - startedMs,
    method,
    url,
    kind,
    params,
    batchNumbers: batchNumbersOf(platform, { kind, params, body, url }),
    ...(typeof key === 'string' && { idempotencyKey: key }),
    hasAuthorization: Boolean(headers.authorization),
    hasApiKey: Boolean(headers['x-api-key']),
    ...(secret && { secretInUrl: secret }),
    ...(body !== undefined && { body }),
    bodyBytes,
    served: [],
  }
}

function noteAnswer(call: Call, { status, headers, body }: Answer): void {
  call.status = status
  call.answerBytes = body
  if (headers['content-type']?.startsWith('application/json')) call.answer = parseJson(body)
  const { 'retry-after': retryAfter } = headers
  if (retryAfter !== undefined) call.retryAfterSeconds = Number(retryAfter)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '/'
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}
