import { Readable } from 'node:stream'
import { chunksOf } from '@despatch/documents/chunks-of'
import { infectedFinding } from '@despatch/documents/file-findings'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { Logger } from '@despatch/telemetry/logger'
import { ScanFailed } from '@despatch/virus-scanner/conversation'
import type { VirusScanner } from '@despatch/virus-scanner/virus-scanner'
import type { SubmittedBytes } from './read-submitted-files.ts'

/** `scanned` is false if some file has no verdict: no scanner is configured, or the scanner is down. */
export type ScanFiles = (
  files: readonly SubmittedBytes[],
  signal: AbortSignal,
) => Promise<{ findings: readonly Finding[]; scanned: boolean }>

/** Returns a function that sends the files to the virus scanner, one after the other. */
export function scanFilesWith(scanner: VirusScanner | undefined, log: Logger): ScanFiles {
  return async (files, signal) => {
    if (!scanner) return { findings: [], scanned: false }
    const findings: Finding[] = []
    try {
      for (const { fileId, bytes } of files) {
        const { kind } = await scanner.scan(Readable.from(chunksOf(bytes)), { signal })
        if (kind === 'infected') findings.push(infectedFinding(fileId))
      }
      return { findings, scanned: true }
    } catch (error) {
      if (!(error instanceof ScanFailed)) throw error
      log.warn({ reason: error.reason }, 'print-request.not-scanned')
      return { findings, scanned: false }
    }
  }
}
