import { createLogger, type Logger } from '@despatch/telemetry/logger'

/** A log that keeps its lines. */
export function aKeptLog(
  service: string,
  { level }: { level?: 'trace' } = {},
): { log: Logger; lines: string[] } {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { log: createLogger({ service, ...(level && { level }), destination: { write } }), lines }
}
