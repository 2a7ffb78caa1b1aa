import type { HealthCheck } from '@despatch/http/health'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'
import { ScanFailed, type ScanFailure } from '@despatch/virus-scanner/conversation'
import type { VirusScanner } from '@despatch/virus-scanner/virus-scanner'

/** Identifies a file for a security officer. */
type ScannedFile = { printJobKey: string; position: number; uploadId: string | null }

/** `none`: the scanner is down or could not scan the whole file. The file is then neither passed nor refused. */
type Verdict = 'clean' | 'infected' | 'none'

/** The virus scanner with metrics, a health check and logs. */
export type WatchedScanner = {
  /** Call it before reading a file, so that no file is read while none can be scanned. */
  isUp(): Promise<boolean>
  /** Throws any error of reading the content, and the signal's reason. */
  scan(
    content: AsyncIterable<Uint8Array>,
    file: ScannedFile & { bytes: number },
    signal: AbortSignal,
  ): Promise<Verdict>
  health(): Promise<HealthCheck>
}

/** A failure of the scanner, with the size of the file on which it occurred. */
type Trouble = { reason: ScanFailure; bytes: number; seenAtMs: number }

/** A failure is forgotten after this time, because its file may be gone and no other file may be of its size. */
const troubleMsMax = 600_000

export function watchScanner({
  scanner,
  log,
  registry,
  now,
}: {
  scanner: VirusScanner
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  registry: Registry
  now: () => Date
}): WatchedScanner {
  const outcomes = new Counter({
    name: 'virus_scans_total',
    help: 'Files sent to the virus scanner, by its verdict or by the class of failure',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const up = new Gauge({
    name: 'virus_scanner_up',
    help: '0 while files wait for the virus scanner',
    registers: [registry],
  })
  up.set(1)
  let trouble: Trouble | undefined

  const report = (reason: ScanFailure, bytes: number) => {
    if (trouble?.reason !== reason) log.error({ reason }, 'virus-scanner.down')
    trouble = { reason, bytes, seenAtMs: now().getTime() }
    up.set(0)
  }
  const clear = () => {
    if (trouble) log.info({ reason: trouble.reason }, 'virus-scanner.up')
    trouble = undefined
    up.set(1)
  }
  /** An answer shows that the scanner is reachable, not that it can scan files. */
  const ping = async (): Promise<ScanFailure | undefined> => {
    try {
      await scanner.check()
    } catch (error) {
      const { reason } = asFailure(error)
      report(reason, 0)
      return reason
    }
    const isOld = trouble && now().getTime() - trouble.seenAtMs > troubleMsMax
    if (trouble?.bytes === 0 || isOld) clear()
    return undefined
  }

  return {
    isUp: async () => {
      const reason = await ping()
      if (reason) outcomes.inc({ outcome: reason })
      return reason === undefined
    },
    scan: async (content, { bytes, ...file }, signal) => {
      try {
        const result = await scanner.scan(content, { signal })
        outcomes.inc({ outcome: result.kind })
        // a file of at least the size of the one without a verdict got a verdict
        if (trouble && bytes >= trouble.bytes) clear()
        if (result.kind === 'infected') {
          log.warn({ ...file, signature: result.signature }, 'file.infected')
        }
        return result.kind
      } catch (error) {
        const { reason } = asFailure(error)
        outcomes.inc({ outcome: reason })
        report(reason, bytes)
        return 'none'
      }
    },
    health: async () => {
      const name = 'virus-scanner'
      const reason = (await ping()) ?? trouble?.reason
      return reason ? { name, ok: false, reason } : { name, ok: true }
    },
  }
}

/** Rethrows every error that is not the scanner's. */
function asFailure(error: unknown): ScanFailed {
  if (error instanceof ScanFailed) return error
  throw error
}
