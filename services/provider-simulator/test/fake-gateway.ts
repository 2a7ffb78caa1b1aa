import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { digestOf, type Manifest } from '../src/manifest.ts'

type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

export type FakeRun = {
  manifest: Manifest
  state: 'RELEASED' | 'CLAIMED' | 'ACCEPTED' | 'POSTED'
  claimKeys: string[]
  postingKeys: string[]
  /** The documents of each posting that names some. */
  posted: string[][]
  acknowledgement?: { refusals?: { documentId: string; reasonCode: string }[] }
}

/** The part of Despatch that a factory sees, with letters instead of PDF files, and faults to order. */
export async function startFakeGateway() {
  const runs = new Map<string, FakeRun>()
  const files = new Map<string, { content: string; credentials: unknown[] }>()
  const logins: unknown[] = []
  /** What the test environment has in store for documents; the others are printed. */
  const outcomes = new Map<string, object>()
  let tokens = 0
  /** Answers that are sent instead of the right one, by the end of the path; the work is done all the same. */
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
    const { pathname } = new URL(request.url ?? '/', url)
    const body = request.method === 'POST' ? await json(request).catch(() => undefined) : undefined
    if (pathname === '/thirdparty-access/v1/authenticate') {
      logins.push(body)
      tokens += 1
      return { status: 200, body: { 'id-token': `token ${tokens}` } }
    }
    const [, area, , ...rest] = pathname.split('/')
    if (area === 'uat') {
      return { status: 200, body: outcomes.get(rest[0] ?? '') ?? { outcome: 'print' } }
    }
    if (area === 'files') return serveFile(request, pathname)
    const isCurrent = request.headers.authorization === `token ${tokens}`
    if (!isCurrent || request.headers['x-api-key'] !== 'key') return { status: 401 }
    const key = String(request.headers['idempotency-key'])
    return rest[0] === 'postings' ? answerPosting(rest, key, body) : answerRun(rest, key, body)
  }

  function serveFile({ headers }: IncomingMessage, path: string): Answer {
    const file = files.get(path)
    if (!file) return { status: 404 }
    file.credentials.push(headers.authorization ?? headers['x-api-key'])
    return { status: 200, body: file.content, headers: { 'content-type': 'application/pdf' } }
  }

  function answerRun(
    [, batchNumber, part, documentId]: string[],
    key: string,
    body: unknown,
  ): Answer {
    if (!batchNumber) {
      const released = [...runs].filter(([, { state }]) => state === 'RELEASED')
      return { status: 200, body: { printRuns: released.map(([name]) => ({ batchNumber: name })) } }
    }
    const run = runs.get(batchNumber)
    if (!run) return { status: 404 }
    switch (part) {
      case 'claim':
        if (run.state === 'RELEASED') run.state = 'CLAIMED'
        else if (!run.claimKeys.includes(key)) return { status: 409 }
        run.claimKeys.push(key)
        return { status: 200, body: run.manifest.totals }
      case 'manifest':
        return { status: 200, body: run.manifest }
      case 'documents':
        return { status: 303, headers: { location: `${url}/files/${documentId}` } }
      default:
        run.acknowledgement = body as NonNullable<FakeRun['acknowledgement']>
        run.state = 'ACCEPTED'
        return { status: 200, body: {} }
    }
  }

  function answerPosting([, postingId]: string[], key: string, body: unknown): Answer {
    if (!postingId) {
      const { batchNumber, documentIds } = body as { batchNumber: string; documentIds?: string[] }
      runs.get(batchNumber)?.postingKeys.push(key)
      if (documentIds) runs.get(batchNumber)?.posted.push(documentIds)
      return { status: 201, body: { postingId: batchNumber } }
    }
    const run = runs.get(postingId)
    if (run) run.state = 'POSTED'
    return { status: 200, body: {} }
  }

  return {
    url,
    files,
    logins,
    outcomes,
    faults,
    runs,
    /** Every token given so far stops working. */
    expireTokens: () => {
      tokens += 1
    },
    release(batchNumber: string, letters: Record<string, string>): FakeRun {
      for (const [documentId, content] of Object.entries(letters)) {
        files.set(`/files/${documentId}`, { content, credentials: [] })
      }
      const run = {
        manifest: aManifest(batchNumber, letters),
        claimKeys: [],
        postingKeys: [],
        posted: [],
      }
      const released: FakeRun = { ...run, state: 'RELEASED' }
      runs.set(batchNumber, released)
      return released
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function aManifest(batchNumber: string, letters: Record<string, string>): Manifest {
  const documents = Object.entries(letters).map(([documentId, content], index) => ({
    sequence: index + 1,
    documentId,
    fulfilmentJobId: `${batchNumber}-001`,
    attempt: 1,
    sheets: 2,
    pages: 3,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    content: `/print-fulfilment/v1/print-runs/${batchNumber}/documents/${documentId}/content`,
  }))
  const manifest: Manifest = {
    batchNumber,
    manifestVersion: 1,
    manifestDigest: '',
    printLocation: 'NORTH',
    despatchMethod: 'SECOND',
    stationery: 'A4-PLAIN',
    plex: 'duplex',
    colour: true,
    totals: {
      documentCount: documents.length,
      sheetCount: documents.length * 2,
      pageCount: documents.length * 3,
      byteCount: documents.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    documents,
  }
  return { ...manifest, manifestDigest: digestOf(manifest) }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const content = typeof body === 'string' ? body : JSON.stringify(body ?? {})
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(content)
}
