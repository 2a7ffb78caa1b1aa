import { randomBytes } from 'node:crypto'
import { thirdpartyAccessPrefix } from '@despatch/contracts/thirdparty-access/operations'
import { alteredFile, withAlteredFile } from './altered-file.ts'
import type { Answer, Script } from './conformance-case.ts'
import { fileCall, linkPrefix, nameCall } from './operation-names.ts'
import type { Platform } from './platform.ts'
import { tokenExpired } from './scripted-answers.ts'
import { secretInUrl } from './secret-in-url.ts'
import type { SeededRun } from './seed-run.ts'
import type { Call } from './transcript.ts'

export type KitRequest = {
  method: string
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Uint8Array
}

type Playing = { run: SeededRun; script: Script; calls: Call[]; startedMs: number; onCall(): void }

export type Exchange = ReturnType<typeof createExchange>

const jobFiles = new Set(['getDocumentsZip', 'getPrintStream'])

/**
 * Creates the layer between the client and the platform: it forwards requests, keeps the transcript and plays the faults
 * of the case. `baseUrl` is the base of the links to files.
 */
export function createExchange(platform: Platform, baseUrl: string) {
  let playing: Playing | undefined
  const tokens = new Set<string>()
  const expiredTokens = new Set<string>()
  /** Links into the object store, by the secret part of the kit's link. */
  const links = new Map<string, { address: string; call: Call }>()
  /** The print runs of postings and recalls, by their ids. */
  const batchNumbersOfIds = new Map<string, string[]>()

  /** Answers a request according to the case's script. 'lost': the work is done, but the client gets no response. */
  async function handle(request: KitRequest): Promise<Answer | 'lost'> {
    const here = playing
    const call = describeCall(request, here?.startedMs ?? performance.now())
    here?.calls.push(call)
    const scripted = await here?.script.before?.(call)
    const answer = scripted?.answer ?? (await platformAnswer(request, call, here))
    noteAnswer(call, answer)
    const fault = scripted?.fault ?? (await here?.script.after?.(call))
    if (fault) call.fault = fault
    here?.onCall()
    return fault === 'reply-lost' ? 'lost' : answer
  }

  async function platformAnswer(request: KitRequest, call: Call, here?: Playing): Promise<Answer> {
    if (call.kind === fileCall) return answerFile(request, call, here)
    if (call.token && expiredTokens.has(call.token) && call.kind !== 'authenticate') {
      return tokenExpired()
    }
    const isAccess = request.url.startsWith(thirdpartyAccessPrefix)
    const reply = await platform[isAccess ? 'access' : 'fulfilment'].inject({
      method: request.method as 'GET',
      url: request.url,
      headers: sentHeaders(request.headers),
      payload: Buffer.from(request.body),
    })
    const headers = Object.fromEntries(
      Object.entries(reply.headers)
        .filter(([name]) => !hopByHop.has(name))
        .map(([name, value]) => [name, String(value)]),
    )
    const answer = throughKit(call, { status: reply.statusCode, headers, body: reply.rawPayload })
    return played(call, onlyOf(here?.run, call, answer), here)
  }

  /** Replaces the addresses of the object store by links of the kit. Notes tokens and whose ids they are. */
  function throughKit(call: Call, answer: Answer): Answer {
    const linkTo = (address: string, name: string) => {
      const secret = randomBytes(18).toString('base64url')
      links.set(secret, { address, call })
      return `${baseUrl}${linkPrefix}${secret}/${name}`
    }
    const { location } = answer.headers
    if (location) {
      const name = `${call.params.documentId}.pdf`
      return { ...answer, headers: { ...answer.headers, location: linkTo(location, name) } }
    }
    const given = jsonOf(answer)
    const token = given?.['id-token']
    if (typeof token === 'string') {
      tokens.add(token)
      // Tokens that are issued within one second may be equal.
      expiredTokens.delete(token)
    }
    if (typeof given?.postingId === 'string' && call.kind === 'createPosting') {
      batchNumbersOfIds.set(given.postingId, [...call.batchNumbers])
    }
    for (const { recallId, batchNumber } of given?.recallRequests ?? []) {
      batchNumbersOfIds.set(recallId, [batchNumber])
    }
    if (typeof given?.uploadUrl !== 'string') return answer
    return withJson(answer, { ...given, uploadUrl: linkTo(given.uploadUrl, 'evidence') })
  }

  /** Plays what the case does to this answer. */
  async function played(call: Call, answer: Answer, here?: Playing): Promise<Answer> {
    if (!here) return answer
    const { run, script } = here
    const altered = (await script.alter?.(call, answer)) ?? answer
    const isJob = jobFiles.has(call.kind) && call.batchNumbers.includes(run.batchNumber)
    if (!isJob || altered.status !== 200) return altered
    let { body } = altered
    for (const { documentId, file, isWithdrawn } of run.documents) {
      if (isWithdrawn) continue
      const isAltered = script.alters?.(documentId) ?? false
      call.served = [...call.served, { documentId, isAltered }]
      if (isAltered) body = withAlteredFile(body, file)
    }
    return { ...altered, body }
  }

  async function answerFile(
    { method, headers, body }: KitRequest,
    call: Call,
    here?: Playing,
  ): Promise<Answer> {
    const link = links.get(secretOf(call.url))
    if (!link) return plainAnswer(404, 'NoSuchKey')
    const type = headers['content-type']
    const response = await fetch(link.address, {
      // The address is signed for GET.
      method: method === 'HEAD' ? 'GET' : method,
      ...(method === 'PUT' && { body: Buffer.from(body) }),
      ...(type && { headers: { 'content-type': String(type) } }),
    })
    const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
    const bytes = await response.bytes()
    const answer = {
      status: response.status,
      headers: { 'content-type': contentType },
      body: bytes,
    }
    const { documentId } = link.call.params
    if (!response.ok || documentId === undefined) return answer
    const isAltered = here?.script.alters?.(documentId) ?? false
    call.served = [{ documentId, isAltered }]
    return isAltered ? { ...answer, body: alteredFile(bytes) } : answer
  }

  function describeCall(request: KitRequest, startedMs: number): Call {
    const { method, url, headers, body: bodyBytes } = request
    const { kind, params } = nameCall(method, url.split('?', 1)[0] ?? '/')
    const body = parseJson(bodyBytes)
    const secret = secretInUrl(url, { credentials: platform.credentials, tokens })
    const key = headers['idempotency-key']
    return {
      atMs: performance.now() - startedMs,
      method,
      url,
      kind,
      params,
      batchNumbers: batchNumbersOf(kind, { params, body, url }),
      ...(typeof key === 'string' && { idempotencyKey: key }),
      hasAuthorization: Boolean(headers.authorization),
      token: String(headers.authorization ?? '').replace(/^Bearer\s+/i, ''),
      hasApiKey: Boolean(headers['x-api-key']),
      ...(secret && { secretInUrl: secret }),
      ...(body !== undefined && { body }),
      bodyBytes,
      served: [],
    }
  }

  function batchNumbersOf(
    kind: string,
    { params, body, url }: Pick<Call, 'params' | 'body' | 'url'>,
  ): readonly string[] {
    if (params.batchNumber !== undefined) return [decodeURIComponent(params.batchNumber)]
    if (kind === 'createPosting') return batchNumbersOfPosting(body)
    const id = params.postingId ?? params.recallId
    if (id !== undefined) return batchNumbersOfIds.get(id) ?? []
    return links.get(secretOf(url))?.call.batchNumbers ?? []
  }

  return {
    handle,
    expireTokens: () => {
      for (const token of tokens) expiredTokens.add(token)
    },
    /** Begins a transcript. `onCall` is called after each answered call. `end` makes expired tokens valid again. */
    begin(run: SeededRun, script: Script, onCall: () => void) {
      const mine: Playing = { run, script, calls: [], startedMs: performance.now(), onCall }
      playing = mine
      const end = () => {
        if (playing === mine) playing = undefined
        expiredTokens.clear()
      }
      return { calls: mine.calls as readonly Call[], end }
    },
  }
}

const listMembers: Record<string, string> = {
  listPrintRuns: 'printRuns',
  listRecallRequests: 'recallRequests',
}

/** Leaves out the runs of other cases, which the client may not have finished. */
function onlyOf(run: SeededRun | undefined, { kind }: Call, answer: Answer): Answer {
  const member = listMembers[kind] ?? ''
  const given = jsonOf(answer)
  if (!given?.[member]) return answer
  const isOfRun = (each: { batchNumber: string }) => each.batchNumber === run?.batchNumber
  return withJson(answer, { ...given, [member]: given[member].filter(isOfRun) })
}

function sentHeaders(headers: KitRequest['headers']) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && name !== 'expect'),
  ) as Record<string, string | string[]>
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'content-length',
])

/** Returns a response in the form of the object store. */
export function plainAnswer(status: number, code: string): Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) }
}

/** Returns the JSON document of a response, or undefined if it is of another type. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which the kit looks into
export function jsonOf({ headers, body }: Answer): any {
  return headers['content-type']?.startsWith('application/json') ? parseJson(body) : undefined
}

export function withJson(answer: Answer, document: unknown): Answer {
  return { ...answer, body: Buffer.from(JSON.stringify(document)) }
}

function noteAnswer(call: Call, answer: Answer): void {
  call.status = answer.status
  call.answerBytes = answer.body
  const document = jsonOf(answer)
  if (document !== undefined) call.answer = document
  const { 'retry-after': retryAfter } = answer.headers
  if (retryAfter !== undefined) call.retryAfterSeconds = Number(retryAfter)
}

/** The body is not validated, so it may have any shape. */
function batchNumbersOfPosting(body: unknown): string[] {
  const { batchNumber, printRuns } = (body ?? {}) as { batchNumber?: unknown; printRuns?: unknown }
  const several = Array.isArray(printRuns) ? printRuns : []
  return [
    batchNumber,
    ...several.map((run: { batchNumber?: unknown } | null) => run?.batchNumber),
  ].filter((each): each is string => typeof each === 'string')
}

function secretOf(url: string): string {
  return url.startsWith(linkPrefix) ? (url.slice(linkPrefix.length).split('/', 1)[0] ?? '') : ''
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}
