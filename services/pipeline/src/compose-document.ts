import type { PrintableAddress } from '@despatch/domain/address/address'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import { Piscina } from 'piscina'

export type DocumentFile = { fileId: string; mediaType: string; bytes: Uint8Array }

export type DocumentRequest = {
  at: Date
  plex: 'simplex' | 'duplex'
  pagesMax: number
} & (
  | {
      production: 'letter'
      title: string
      printableAddress: PrintableAddress
      handlingInstruction?: HandlingInstruction
      files: readonly DocumentFile[]
    }
  | { production: 'as-supplied'; file: DocumentFile }
)

/** A refusal is the caller's business: its reason may be shown to them. */
export type DocumentResult =
  | { kind: 'composed'; pdf: Uint8Array; sha256: string; pages: number; sheets: number }
  | { kind: 'refused'; reason: string }

/** Checks the files and makes the print-ready document, in a thread of its own that is ended when it takes too long. */
export type ComposeDocument = (
  request: DocumentRequest,
  signal: AbortSignal,
) => Promise<DocumentResult>

const composeTimeoutMs = 60_000
const threadMemoryMiBMax = 512
const threadIdleMs = 30_000

/** Threads that compose. They start when there is work and end when there is none. */
export function startComposers(threadsMax: number): {
  composeDocument: ComposeDocument
  close(): Promise<void>
} {
  const pool = new Piscina<DocumentRequest, DocumentResult>({
    filename: new URL('./compose-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threadsMax,
    idleTimeout: threadIdleMs,
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMiBMax },
  })
  return {
    composeDocument: (request, signal) =>
      pool.run(request, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(composeTimeoutMs)]),
      }),
    close: () => pool.destroy(),
  }
}
