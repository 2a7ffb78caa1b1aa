import { mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DestinationStream } from 'pino'

/**
 * Appends log lines to a file, readable by its owner only. Lines are written as they come, so a crash loses none. Throws
 * when the file cannot be opened. A line that finds no room on the disk is lost: the process goes on. (The destination of
 * pino either ends the process then, or waits in a loop for room.)
 */
export function fileDestination(path: string): DestinationStream {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'a', 0o600)
  return {
    write(line) {
      try {
        writeSync(file, line)
      } catch {
        // There is nowhere left to report it.
      }
    },
  }
}
