import { type DestinationStream, pino } from 'pino'

/** Appends log lines to a file, readable by its owner only. Lines are written as they come, so a crash loses none. */
export function fileDestination(path: string): DestinationStream {
  return pino.destination({ dest: path, append: true, mkdir: true, mode: 0o600, sync: true })
}
