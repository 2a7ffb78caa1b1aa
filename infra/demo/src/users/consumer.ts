import type { PrintJobEventsResponse } from '@despatch/contracts/print-request/print-job-events'
import type { PrintJobResponse } from '@despatch/contracts/print-request/print-job-response'
import type { PrintError } from '@despatch/contracts/print-request/problems'
import type { ValidationResponse } from '@despatch/contracts/print-request/validation-response'
import { fetchOrExplain } from '../fetch-or-explain.ts'
import type { SampleLetter } from '../letters/sample-letters.ts'
import type { Session } from './session.ts'

export type PrintJobEvent = Omit<PrintJobEventsResponse['events'][number], 'actor'>
export type CallbackParams = { target: string; authenticationHeader: string }

export const printJobsPath = '/print-request/v1/print/jobs'
const uploadDeadlineMs = 15_000

/** Requests an upload address and uploads the file. Returns the id to use in the print job. */
export async function uploadFile(
  session: Session,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string> {
  const { body } = await session.expect(200, {
    path: '/print-request/v1/print/files/upload-url',
  })
  const { uploadId, url } = body as { uploadId: string; url: string }
  const stored = await fetchOrExplain('uploading a file', url, {
    method: 'PUT',
    body: bytes as Uint8Array<ArrayBuffer>,
    signal: AbortSignal.any([signal, AbortSignal.timeout(uploadDeadlineMs)]),
  })
  if (!stored.ok) throw new Error(`the object store answered ${stored.status} to the upload`)
  return uploadId
}

/** Requests a dry run of a print job, which does not post it. */
export async function dryRunLetter(session: Session, job: object): Promise<ValidationResponse> {
  const path = `${printJobsPath}/validate`
  return (await session.expect(200, { method: 'POST', path, body: job })).body as ValidationResponse
}

/** Posts the letter's print job, which must be accepted. */
export async function postLetter(
  session: Session,
  letter: SampleLetter,
  job: object,
): Promise<void> {
  const { body } = await session.expect(202, { method: 'POST', path: printJobsPath, body: job })
  const { id } = body as { id: string }
  if (id !== letter.id) throw new Error(`letter ${letter.number} was accepted under another id`)
}

/** Posts a print job that must be refused with this status, and returns the response's details. */
export async function postRefused(
  session: Session,
  status: number,
  job: object,
): Promise<PrintError[]> {
  const { body } = await session.expect(status, { method: 'POST', path: printJobsPath, body: job })
  return (body as { errors: PrintError[] }).errors
}

export function makePrintJob(
  { id, contract, recipientName, address, inline, upload }: SampleLetter,
  { uploadId, callbackParams }: { uploadId?: string | undefined; callbackParams: CallbackParams },
): object {
  return {
    id,
    standardParams: { ...contract, recipientName, address },
    ...(inline && { customParams: [inline] }),
    ...(upload && { fileParams: [{ fileId: upload.fileId, uploadId }] }),
    callbackParams: { ...callbackParams, retryParams: { enabled: true, maxRetryWindow: 60 } },
  }
}

/** Reads a print job, including the plan for its print run. */
export async function readPrintJob(session: Session, id: string): Promise<PrintJobResponse> {
  const { body } = await session.expect(200, { path: `${printJobsPath}/${id}?view=extended` })
  return body as PrintJobResponse
}

export async function readPrintJobEvents(session: Session, id: string): Promise<PrintJobEvent[]> {
  const { body } = await session.expect(200, { path: `${printJobsPath}/${id}/events` })
  return (body as PrintJobEventsResponse).events
}

/** Returns the whole proof of a letter, or the picture of one page. */
export async function readProof(session: Session, id: string, page?: number): Promise<Uint8Array> {
  const name = page === undefined ? 'proof.pdf' : `proof/${page}.png`
  const { body } = await session.expect(200, { path: `${printJobsPath}/${id}/${name}` })
  if (!(body instanceof Uint8Array)) throw new Error(`${name} is neither a PDF nor a picture`)
  return body
}
