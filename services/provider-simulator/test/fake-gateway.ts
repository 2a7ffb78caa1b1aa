import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type Answer, type FakeRun, makeManifest, makeRun } from './fake-run.ts'

type FakeRecall = {
  recallId: string
  batchNumber: string
  state: string
  documents: { documentId: string; state: string }[]
}

type Call = { method: string; path: string[]; query: URLSearchParams; key: string; body: unknown }

/** The part of Despatch that a factory sees, with text in place of PDF files, and faults on request. */
export async function startFakeGateway() {
  const runs = new Map<string, FakeRun>()
  const recalls: FakeRecall[] = []
  const returns = new Map<string, { documentId: string; reasonCode: string; scannedAt: string }>()
  const heartbeats: unknown[] = []
  const files = new Map<string, { content: string; credentials: unknown[] }>()
  const logins: unknown[] = []
  /** The test environment's orders for documents. The others are printed. */
  const outcomes = new Map<string, object>()
  const paths: string[] = []
  let tokens = 0
  /** Responses that replace the right one, by the end of the path. The server still does the work. */
  const faults: { path: string; status: number; left: number }[] = []

  const server = createServer((request, response) => {
    answer(request)
      .then((given) => send(response, withFault(request, given)))
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function withFault({ url: path = '' }: IncomingMessage, given: Answer): Answer {
    const fault = faults.find((candidate) => candidate.left > 0 && path.endsWith(candidate.path))
    if (!fault) return given
    fault.left -= 1
    return { status: fault.status, body: { errors: [{ detail: 'as ordered' }] } }
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', url)
    const body = request.method === 'POST' ? await json(request).catch(() => undefined) : undefined
    paths.push(`${request.method} ${request.url}`)
    if (pathname === '/thirdparty-access/v1/authenticate') {
      logins.push(body)
      tokens += 1
      return { status: 200, body: { 'id-token': `token ${tokens}` } }
    }
    const [, area, , resource, ...path] = pathname.split('/')
    if (area === 'uat') {
      return { status: 200, body: outcomes.get(resource ?? '') ?? { outcome: 'print' } }
    }
    if (area === 'files') return serveFile(request, pathname)
    const isCurrent = request.headers.authorization === `Bearer token ${tokens}`
    if (!isCurrent || request.headers['x-api-key'] !== 'key') return { status: 401 }
    const key = String(request.headers['idempotency-key'])
    const call = { method: request.method ?? '', path, query, key, body }
    switch (resource) {
      case 'heartbeat':
        heartbeats.push(body)
        return { status: 200, body: {} }
      case 'work-summary':
        return { status: 200, body: { streams: [] } }
      case 'recall-requests':
        return answerRecalls(call)
      case 'postings':
        return answerPosting(call)
      case 'returns':
        return answerReturns(body)
      default:
        return path.length === 0 ? listRuns(query) : answerRun(call)
    }
  }

  function serveFile({ headers }: IncomingMessage, path: string): Answer {
    const file = files.get(path)
    if (!file) return { status: 404 }
    file.credentials.push(headers.authorization ?? headers['x-api-key'])
    return { status: 200, body: file.content, headers: { 'content-type': 'application/pdf' } }
  }

  function listRuns(query: URLSearchParams): Answer {
    const place = query.get('printLocation')
    const printRuns = [...runs.values()]
      .filter(
        ({ state, manifest }) =>
          state === 'RELEASED' && manifest.printLocation === (place ?? manifest.printLocation),
      )
      .map(({ manifest }) => ({
        batchNumber: manifest.batchNumber,
        releasedAt: '2026-01-05T10:00:00Z',
        documentCount: manifest.totals.documentCount,
        sheetCount: manifest.totals.sheetCount,
      }))
    return { status: 200, body: { printRuns } }
  }

  function answerRun({ method, path, query, key, body }: Call): Answer {
    const [batchNumber = '', part, documentId] = path
    const run = runs.get(batchNumber)
    if (!run) return { status: 404 }
    switch (part) {
      case 'claim':
        return run.claim(key, body)
      case 'lease':
        run.renewals += 1
        return { status: 200, body: {} }
      case 'manifest':
        return { status: 200, body: run.manifest }
      case 'documents':
        return { status: 303, headers: { location: `${url}/files/${documentId}` } }
      case 'acknowledgement':
        return run.acknowledge(body as Parameters<FakeRun['acknowledge']>[0])
      case 'events':
        return run.tell((body as { events: Parameters<FakeRun['tell']>[0] }).events)
      case 'reprints': {
        if (method === 'GET') return run.listReprints(query.get('state'))
        const { documents } = body as { documents: Parameters<FakeRun['askForReprints']>[0] }
        return run.askForReprints(documents)
      }
      case 'reconciliation':
        return run.reconcile()
      default:
        return run.close()
    }
  }

  function answerPosting({ path, key, body }: Call): Answer {
    const [postingId] = path
    if (!postingId) {
      const posting = body as Parameters<FakeRun['post']>[1]
      return runs.get(posting.batchNumber)?.post(key, posting) ?? { status: 404 }
    }
    const isKnown = [...runs.values()].some((run) => run.confirm(postingId))
    return { status: isKnown ? 200 : 404, body: {} }
  }

  function answerReturns(body: unknown): Answer {
    const { returns: told } = body as {
      returns: { returnId: string; documentId: string; reasonCode: string; scannedAt: string }[]
    }
    const results = told.map(({ returnId, ...letter }) => {
      const known = returns.get(returnId)
      returns.set(returnId, letter)
      return { returnId, result: known ? 'DUPLICATE' : 'RECORDED' }
    })
    return { status: 200, body: { results } }
  }

  function answerRecalls({ path, body }: Call): Answer {
    const [recallId, verb] = path
    if (!recallId) {
      const recallRequests = recalls.filter(({ state }) => state === 'OPEN')
      return { status: 200, body: { recallRequests } }
    }
    const recall = recalls.find((each) => each.recallId === recallId)!
    const { tooLate = [] } = (body ?? {}) as { tooLate?: string[] }
    recall.state = verb === 'reject' ? 'REJECTED' : 'ACCEPTED'
    for (const document of recall.documents) {
      const isLate = verb === 'reject' || tooLate.includes(document.documentId)
      document.state = isLate ? 'TOO_LATE' : 'RECALLED'
      const standing = runs.get(recall.batchNumber)!.standings.get(document.documentId)!
      if (!isLate) standing.outcome = 'RECALLED'
    }
    return { status: 200, body: {} }
  }

  return {
    url,
    files,
    logins,
    heartbeats,
    outcomes,
    faults,
    runs,
    returns,
    /** Every call, as METHOD path. */
    paths,
    release(
      batchNumber: string,
      letters: Record<string, string>,
      { leaseMs = 3_600_000, reprintsFreeMax = 10 } = {},
    ): FakeRun {
      for (const [documentId, content] of Object.entries(letters)) {
        files.set(`/files/${documentId}`, { content, credentials: [] })
      }
      const run = makeRun(makeManifest(batchNumber, letters), { leaseMs, reprintsFreeMax })
      runs.set(batchNumber, run)
      return run
    },
    /** Adds an operator's recall. */
    recall(batchNumber: string, ...documentIds: string[]): FakeRecall {
      const documents = documentIds.map((documentId) => ({ documentId, state: 'ASKED' }))
      const recall = { recallId: randomUUID(), batchNumber, state: 'OPEN', documents }
      recalls.push(recall)
      return recall
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const content = typeof body === 'string' ? body : JSON.stringify(body ?? {})
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(content)
}
