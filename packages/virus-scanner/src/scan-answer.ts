import { ScanFailed } from './scan-failed.ts'

export type ScanResult = { kind: 'clean' } | { kind: 'infected'; signature: string }

/** With `AlertExceedsMax`, clamd reports content over its limits as if it were a signature. */
const limitSignature = /^Heuristics\.Limits\.Exceeded/

/** Parses clamd's answer to a scan. Only two answers are verdicts; throws ScanFailed for any other. */
export function readScanAnswer(answer: string): ScanResult {
  if (answer === 'stream: OK') return { kind: 'clean' }
  const signature = /^stream: (\S.*) FOUND$/.exec(answer)?.[1]
  if (signature && !limitSignature.test(signature)) return { kind: 'infected', signature }
  if (signature || answer.startsWith('INSTREAM size limit exceeded')) {
    throw new ScanFailed('limit', 'The file is over a limit of the virus scanner')
  }
  throw new ScanFailed('broken', 'The virus scanner gave no verdict')
}
