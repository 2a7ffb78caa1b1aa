import { ScanFailed } from './scan-failed.ts'

export type ScanResult = { kind: 'clean' } | { kind: 'infected'; signature: string }

/** With `AlertExceedsMax`, clamd reports what it did not look at as if it were a signature. */
const limitSignature = /^Heuristics\.Limits\.Exceeded/

/** Reads clamd's answer to a scan. Only the two answers that are a verdict are one; throws ScanFailed for any other. */
export function readScanAnswer(answer: string): ScanResult {
  if (answer === 'stream: OK') return { kind: 'clean' }
  const signature = /^stream: (\S.*) FOUND$/.exec(answer)?.[1]
  if (signature && !limitSignature.test(signature)) return { kind: 'infected', signature }
  if (signature || answer.startsWith('INSTREAM size limit exceeded')) {
    throw new ScanFailed('limit', 'The file is over a limit of the virus scanner')
  }
  throw new ScanFailed('broken', 'The virus scanner gave no verdict')
}
