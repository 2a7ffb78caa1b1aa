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
const looksPerSign = 50
/** The parent reads the limit from it, and before that a sign of life every second. */
const watchPipe = 3

let looks = 0
let watched: (Taking & { from: NodeJS.CpuUsage }) | undefined

parentPort?.on('message', (message) => {
  watched = message
})
setInterval(look, lookEveryMs)

/** Ends the process if its letter exceeds a limit, after saying which. */
function look(): void {
  if (!watched) return
  looks += 1
  if (looks % looksPerSign === 0) tell('.')
  const { user, system } = process.cpuUsage(watched.from)
  if ((user + system) / 1000 > watched.processorMs) end('time')
  else if (process.memoryUsage.rss() > watched.memoryBytes) end('memory')
}

function end(limit: ExceededLimit): void {
  tell(limit)
  process.kill(process.pid, 'SIGKILL')
}

/** Ends the process if the parent has ended: a letter that is under way would keep it busy, and no one watch it. */
function tell(text: string): void {
  try {
    writeSync(watchPipe, text)
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}
