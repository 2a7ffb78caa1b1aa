import { mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DestinationStream } from 'pino'

/**
 * Appends log lines to a file that only its owner can read. Each line is written immediately, so a crash loses none.
 * Throws if the file cannot be opened. When the disk is full, lines are lost and the process continues; pino's own
 * destination would end the process or wait in a loop for space.
 */
export function fileDestination(path: string): DestinationStream {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'a', 0o600)
  return {
    write(line) {
      try {
        writeSync(file, line)
      } catch {
        // There is nowhere left to report the error.
      }
    },
  }
}
