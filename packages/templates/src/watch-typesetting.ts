import { writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What one letter may take of its process. */
export type Taking = {
  /** Processor time, in milliseconds. */
  processorMs: number
  /** Memory of the whole process, in bytes. */
  memoryBytes: number
}

/** A limit that a letter has exceeded. */
export type ExceededLimit = 'time' | 'memory'

const lookEveryMs = 20
/** The parent reads the limit from it. */
const limitPipe = 3

let watched: (Taking & { from: NodeJS.CpuUsage }) | undefined

parentPort?.on('message', (message) => {
  watched = message
})
setInterval(look, lookEveryMs)

/** Ends the process if its letter exceeds a limit, after saying which. */
function look(): void {
  if (!watched) return
  const { user, system } = process.cpuUsage(watched.from)
  if ((user + system) / 1000 > watched.processorMs) end('time')
  else if (process.memoryUsage.rss() > watched.memoryBytes) end('memory')
}

function end(limit: ExceededLimit): void {
  writeSync(limitPipe, limit)
  process.kill(process.pid, 'SIGKILL')
}
