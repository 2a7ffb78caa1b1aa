import { DespatchError } from './despatch-error.ts'
import { pagesOf } from './pages.ts'
import type {
  ListedPrintJob,
  PrintJob,
  PrintJobFilter,
  PrintJobRequest,
  PrintJobStatus,
  Validation,
  Warning,
} from './print-job.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Method,
  openSession,
  type Request,
  requireTimeout,
  type Session,
} from './session.ts'
import { hasReached, isFinal } from './status.ts'
import { type FileSource, type UploadOptions, uploadFile } from './upload-file.ts'
import { pause, within } from './waiting.ts'
import { hexOf, webCrypto } from './web-crypto.ts'

const jobs = '/print-request/v1/print/jobs'
const firstPollMs = 1_000
const pollMsMax = 30_000

/** Submits print jobs as a consumer, and follows them. Every method throws a DespatchError if it fails. */
export class ConsumerClient {
  readonly #session: Session

  constructor(options: ClientOptions) {
    this.#session = openSession(options)
  }

  /** Uploads a file, and returns its upload id for `fileParams`. It is valid for a while, and for one print job. */
  uploadFile(file: FileSource, options?: UploadOptions): Promise<string> {
    return uploadFile(this.#session, file, options)
  }

  /**
   * Submits a print job and returns its id. A lost answer does no harm: all attempts have one `Idempotency-Key`, so that
   * Despatch creates one print job. To repeat a submission after a crash of your program, choose the key yourself and
   * store it with the request beforehand.
   *
   * `onWarnings` gets what is probably a mistake in the request although the print job is accepted, such as a misspelt
   * member. It is not called if there is nothing.
   */
  async submitPrintJob(
    request: PrintJobRequest,
    {
      onWarnings,
      ...options
    }: CallOptions & {
      idempotencyKey?: string | undefined
      onWarnings?: ((warnings: Warning[]) => void) | undefined
    } = {},
  ): Promise<string> {
    const idempotencyKey = options.idempotencyKey ?? (await newKey())
    const sent = { ...options, idempotencyKey, body: request }
    type Created = { id: string; warnings?: Warning[] }
    const { id, warnings } = await this.#session.call<Created>('POST', jobs, sent, ['id'])
    if (warnings) onWarnings?.(warnings)
    return id
  }

  /** Returns what would happen to a print job. Nothing is saved. */
  validatePrintJob(request: PrintJobRequest, options: CallOptions = {}): Promise<Validation> {
    const sent = { ...options, body: request, isRepeatable: true }
    return this.#session.call('POST', `${jobs}/validate`, sent, ['verdict'])
  }

  /** The extended view also says when the letter will be printed and what it waits for. */
  getPrintJob(
    id: string,
    { view, ...options }: CallOptions & { view?: 'extended' | undefined } = {},
  ): Promise<PrintJob> {
    return this.#session.call('GET', jobPath(id), { ...options, query: { view } }, ['status'])
  }

  /** Yields print jobs, newest first. `limit` is the size of the pages that are fetched, at most 100. */
  listPrintJobs(
    filter: PrintJobFilter & { limit?: number | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListedPrintJob, void, undefined> {
    return pagesOf(this.#session, { path: jobs, member: 'printJobs', query: filter, options })
  }

  /**
   * Deletes a print job that is PENDING. Once a provider has claimed it, the error has status 409. A 404 with
   * `mayHaveTakenEffect`: either an attempt without an answer has deleted it, or there is no print job with the id.
   */
  async deletePrintJob(id: string, options?: CallOptions): Promise<void> {
    await this.#session.call('DELETE', jobPath(id), options)
  }

  /**
   * Waits until a print job has reached a status, DESPATCHED by default, or is REJECTED, and returns it: look at its
   * status. Asks every second at first, later every half minute. Throws a DespatchError of the kind `timeout` after
   * `timeoutMs`, 10 minutes by default. A letter may take days: have a callback sent rather than wait for so long.
   */
  async waitForStatus(
    id: string,
    options: CallOptions & {
      status?: PrintJobStatus | undefined
      timeoutMs?: number | undefined
    } = {},
  ): Promise<PrintJob> {
    const {
      status = 'DESPATCHED',
      timeoutMs = 600_000,
      signal = this.#session.signal,
      ...call
    } = options
    requireTimeout(timeoutMs)
    let last = 'of an unknown status'
    const late = () => {
      const message = `print job ${id} is ${last} after ${timeoutMs} ms, not yet ${status}`
      return new DespatchError(message, { kind: 'timeout' })
    }
    return within({ ms: timeoutMs, signal, reason: late }, async (ending) => {
      for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.5, pollMsMax)) {
        const job = await this.getPrintJob(id, { ...call, signal: ending })
        if (hasReached(job.status, status) || isFinal(job.status)) return job
        last = job.status
        await pause(pollMs, ending)
      }
    })
  }

  /** Calls an operation that has no method here, such as `POST /print-request/v1/callbacks/test`. */
  call<Body>(method: Method, path: string, request?: Request): Promise<Body> {
    return this.#session.call(method, path, request)
  }

  /** Gets an answer that is not JSON, such as a proof. The signal does not end the reading of its body. */
  open(path: string, options?: CallOptions): Promise<Response> {
    return this.#session.open(path, options)
  }
}

function jobPath(id: string): string {
  return `${jobs}/${encodeURIComponent(id)}`
}

async function newKey(): Promise<string> {
  return hexOf((await webCrypto()).getRandomValues(new Uint8Array(16)))
}
