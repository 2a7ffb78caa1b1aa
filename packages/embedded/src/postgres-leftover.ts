import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const signals = [
  { signal: 'SIGINT', deadlineMs: 15_000 },
  { signal: 'SIGQUIT', deadlineMs: 5_000 },
] as const
const orphanDeadlineMs = 5_000
const pollMs = 10

/**
 * Stops a server that outlived the process that started it. The caller must have claimed the directory, so that no
 * living process owns that server. Throws if the server does not stop.
 */
export async function stopLeftoverServer(data: string, log: (line: string) => void): Promise<void> {
  const { pid } = await readStatus(data)
  if (!(pid > 0)) return
  if (!(await isServer(pid, data))) {
    await endOrphans(data)
    // The id may have been reused by another program, which PostgreSQL would mistake for its server.
    await rm(join(data, 'postmaster.pid'), { force: true })
    return
  }
  log(`PostgreSQL of an earlier start is still running (process ${pid}). Stopping it`)
  for (const { signal, deadlineMs } of signals) {
    const deadline = Date.now() + deadlineMs
    process.kill(pid, signal)
    while (Date.now() < deadline) {
      if (!(await isServer(pid, data))) return
      await pause(pollMs)
    }
  }
  throw new Error(`PostgreSQL of an earlier start does not stop. Stop process ${pid} yourself`)
}

/**
 * Ends sessions whose server was killed. A busy session does not notice, and no server starts while it uses the shared
 * memory. On a system other than Linux they are not found, and the next start reports them.
 */
async function endOrphans(data: string): Promise<void> {
  if (process.platform !== 'linux') return
  const deadline = Date.now() + orphanDeadlineMs
  for (let signal: NodeJS.Signals = 'SIGQUIT'; ; ) {
    const orphans = await processesIn(data)
    if (orphans.length === 0) return
    for (const pid of orphans) endProcess(pid, signal)
    if (Date.now() > deadline) signal = 'SIGKILL'
    await pause(pollMs)
  }
}

async function processesIn(data: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(pids.map((pid) => isServer(pid, data)))
  return pids.filter((_, index) => found[index])
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It may have ended since the processes were listed.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Reads the first and the eighth line of postmaster.pid: the server's process id, and whether it is ready. */
export async function readStatus(
  data: string,
): Promise<{ pid: number; state: string | undefined }> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = file.split('\n')
  return { pid: Number(lines[0]), state: lines[7]?.trim() }
}

/** Whether a process is the server of this data. The data is its working directory, and one of its arguments. */
async function isServer(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    return directory === (await realpath(data))
  }
  const ps = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => null)
  return ps?.stdout.includes(data) ?? false
}
