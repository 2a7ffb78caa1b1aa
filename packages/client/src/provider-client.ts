import { DespatchError } from './despatch-error.ts'
import { faultOfManifest, sha256Of } from './manifest-digest.ts'
import { pagesOf } from './pages.ts'
import type {
  AcknowledgedRun,
  Acknowledgement,
  Claim,
  ClosedRun,
  ItemEvent,
  ItemEventResult,
  Lease,
  Manifest,
  ManifestDocument,
  Posting,
  PostingRequest,
  PrintRun,
  PrintRunFilter,
  Provider,
  RecallRequest,
  RecallState,
  Reconciliation,
  Reprint,
  ReprintState,
  ReturnedLetter,
  ReturnResult,
} from './print-run.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Method,
  openSession,
  type Request,
  type Session,
} from './session.ts'
import { type TransferOptions, transferFile } from './transfer.ts'

const prefix = '/print-fulfilment/v1'

/** `limit` is the size of the pages that are fetched. */
type Page = { limit?: number | undefined }

/**
 * Fetches print runs as a print provider, and reports the outcome of their documents. Every method can be repeated
 * without harm, and throws a DespatchError if it fails. A method that takes an `idempotencyKey` requires you to write
 * it down with the request before the call, so that you can repeat the call after a crash of your program.
 */
export class ProviderClient {
  readonly #session: Session

  constructor(options: ClientOptions) {
    this.#session = openSession(options)
  }

  whoami(options?: CallOptions): Promise<Provider> {
    return this.#get('/whoami', options)
  }

  /** Send one about once a minute. Listing print runs counts as one. */
  sendHeartbeat(options?: CallOptions): Promise<{ receivedAt: string; clockSkewSeconds?: number }> {
    return this.#post('/heartbeat', { sentAt: new Date().toISOString() }, options)
  }

  /** Yields print runs, the most urgent first. Use `{ state: 'RELEASED' }` for those that you can claim. */
  listPrintRuns(
    filter: PrintRunFilter & Page = {},
    options: CallOptions = {},
  ): AsyncGenerator<PrintRun, void, undefined> {
    return this.#pages('/print-runs', 'printRuns', filter, options)
  }

  /** Claims a print run and freezes it. The same key always has the same answer. */
  claimPrintRun(
    batchNumber: string,
    options: CallOptions & { idempotencyKey: string; leaseSeconds?: number | undefined },
  ): Promise<Claim> {
    const { leaseSeconds, ...call } = options
    return this.#post(`${runPath(batchNumber)}/claim`, { leaseSeconds }, call)
  }

  /** Extends the lease from now on. It never becomes shorter. */
  renewLease(
    batchNumber: string,
    { leaseSeconds, ...call }: CallOptions & { leaseSeconds?: number | undefined } = {},
  ): Promise<Lease> {
    return this.#post(`${runPath(batchNumber)}/lease`, { leaseSeconds }, call)
  }

  /** Returns the manifest of a claimed run, once its digest and its totals are found to be those of its content. */
  async getManifest(batchNumber: string, options?: CallOptions): Promise<Manifest> {
    const path = `${runPath(batchNumber)}/manifest`
    const manifest = await this.#get<Manifest>(path, options, ['totals', 'documents'])
    const fault = await faultOfManifest(manifest)
    if (!fault) return manifest
    throw new DespatchError(`the manifest of ${batchNumber} ${fault}`, { kind: 'not-verified' })
  }

  /**
   * Returns the file of a document, once its SHA-256 is found to be that of the manifest. If it is another, the error has
   * the kind `not-verified`.
   */
  async getDocument(
    document: Pick<ManifestDocument, 'documentId' | 'content' | 'sha256'>,
    { signal = this.#session.signal, timeoutMs, correlationId }: CallOptions & TransferOptions = {},
  ): Promise<Uint8Array> {
    const { documentId, content, sha256 } = document
    const file = await transferFile({
      signal,
      timeoutMs,
      getAddress: async (ending) => {
        const call = { signal: ending, correlationId }
        const { status, headers } = await this.#session.open(content, call)
        const address = headers.get('location')
        if (status === 303 && address) return address
        const message = `no address of the file of ${documentId} was given`
        throw new DespatchError(message, { kind: 'refused', status })
      },
      transfer: (address, ending) =>
        this.#session.outside(address, {
          signal: ending.signal,
          timeoutMs: ending.timeoutMs,
          init: () => ({}),
          read: async (response) => new Uint8Array(await response.arrayBuffer()),
        }),
    })
    if ((await sha256Of(file)) === sha256) return file
    const message = `the file of ${documentId} does not have the SHA-256 of the manifest`
    throw new DespatchError(message, { kind: 'not-verified' })
  }

  /**
   * Opens a file of a fulfilment job: its ZIP, its print stream or its template data. Its body is a stream. A file that
   * breaks off is not valid: open it again.
   */
  openFile(path: string, options?: CallOptions): Promise<Response> {
    return this.#session.open(path, options)
  }

  /** Confirms that everything has arrived. Repeat it with the same content only. */
  acknowledge(
    batchNumber: string,
    acknowledgement: Acknowledgement,
    options?: CallOptions,
  ): Promise<AcknowledgedRun> {
    return this.#post(`${runPath(batchNumber)}/acknowledgement`, acknowledgement, options)
  }

  /** Reports up to 2,500 events, and returns the result of each. A refused one does not affect the others. */
  async reportEvents(
    batchNumber: string,
    events: readonly ItemEvent[],
    options?: CallOptions,
  ): Promise<ItemEventResult[]> {
    type Answer = { results: ItemEventResult[] }
    const path = `${runPath(batchNumber)}/events`
    return (await this.#post<Answer>(path, { events }, options, ['results'])).results
  }

  /** Requests another attempt for documents that you have reported as SPOILED. */
  async requestReprints(
    batchNumber: string,
    documents: readonly { documentId: string; reasonCode: string; reason?: string | undefined }[],
    options?: CallOptions,
  ): Promise<Reprint[]> {
    type Answer = { reprints: Reprint[] }
    const path = `${runPath(batchNumber)}/reprints`
    return (await this.#post<Answer>(path, { documents }, options, ['reprints'])).reprints
  }

  listReprints(
    batchNumber: string,
    filter: Page & { state?: ReprintState | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<Reprint, void, undefined> {
    return this.#pages(`${runPath(batchNumber)}/reprints`, 'reprints', filter, options)
  }

  /** Look for OPEN ones before you post. */
  listRecallRequests(
    filter: Page & { state?: RecallState | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<RecallRequest, void, undefined> {
    return this.#pages('/recall-requests', 'recallRequests', filter, options)
  }

  /** Reports that the documents were stopped, except those that have left. */
  acceptRecall(
    recallId: string,
    { tooLate, ...call }: CallOptions & { tooLate?: readonly string[] | undefined } = {},
  ): Promise<RecallRequest> {
    return this.#post(`/recall-requests/${encodeURIComponent(recallId)}/accept`, { tooLate }, call)
  }

  /** Reports that it is too late for all documents. */
  rejectRecall(recallId: string, reason: string, options?: CallOptions): Promise<RecallRequest> {
    return this.#post(
      `/recall-requests/${encodeURIComponent(recallId)}/reject`,
      { reason },
      options,
    )
  }

  /** Saves what was handed to a carrier. Nothing is despatched until it is confirmed. */
  createPosting(
    posting: PostingRequest,
    options: CallOptions & { idempotencyKey: string },
  ): Promise<Posting> {
    return this.#post('/postings', posting, options)
  }

  /** The letters of the posting are DESPATCHED. */
  confirmPosting(postingId: string, options?: CallOptions): Promise<Posting> {
    return this.#post(`/postings/${encodeURIComponent(postingId)}/confirm`, undefined, options)
  }

  getPosting(postingId: string, options?: CallOptions): Promise<Posting> {
    return this.#get(`/postings/${encodeURIComponent(postingId)}`, options)
  }

  getReconciliation(
    batchNumber: string,
    { cursor, limit, ...call }: CallOptions & Page & { cursor?: string | undefined } = {},
  ): Promise<Reconciliation> {
    const path = `${runPath(batchNumber)}/reconciliation`
    return this.#get(path, { ...call, query: { cursor, limit } })
  }

  /** Closes a run. While a document has no outcome, the error has status 409 and a problem for each. */
  closePrintRun(batchNumber: string, options?: CallOptions): Promise<ClosedRun> {
    return this.#post(`${runPath(batchNumber)}/close`, undefined, options)
  }

  /** Reports up to 2,500 letters that came back, and returns the result of each. */
  async reportReturns(
    returns: readonly ReturnedLetter[],
    options?: CallOptions,
  ): Promise<ReturnResult[]> {
    type Answer = { results: ReturnResult[] }
    return (await this.#post<Answer>('/returns', { returns }, options, ['results'])).results
  }

  /** Calls an operation that has no method here, such as `PUT /print-fulfilment/v1/capabilities/leeds`. */
  call<Body>(method: Method, path: string, request?: Request): Promise<Body> {
    return this.#session.call(method, path, request)
  }

  #get<Body>(path: string, options?: Request, members: readonly string[] = []): Promise<Body> {
    return this.#session.call('GET', prefix + path, options, members)
  }

  #post<Body>(
    path: string,
    body: unknown,
    options: Request = {},
    members: readonly string[] = [],
  ): Promise<Body> {
    const request = { ...options, body, isRepeatable: true }
    return this.#session.call('POST', prefix + path, request, members)
  }

  #pages<Item>(path: string, member: string, query: Request['query'], options: CallOptions) {
    return pagesOf<Item>(this.#session, { path: prefix + path, member, query, options })
  }
}

function runPath(batchNumber: string): string {
  return `/print-runs/${encodeURIComponent(batchNumber)}`
}
