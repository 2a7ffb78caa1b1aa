import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type DirectoryLock = { release(): Promise<void> }

/**
 * Claims a directory for this process until it releases the directory or dies. Throws if a living process has claimed
 * it, with the id of that process.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const file = join(directory, 'in-use-by')
  const self = await identityOf(process.pid)
  const holder = await readFile(file, 'utf8').catch(() => '')
  const holderPid = Number.parseInt(holder, 10)
  if (holderPid > 0 && (await identityOf(holderPid)) === holder.trim()) {
    throw new Error(`${directory} is in use by process ${holderPid}. Stop that process first`)
  }
  await rm(file, { force: true })
  // If two processes start at once, the second finds the first one's file here and fails.
  await writeFile(file, `${self}\n`, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'EEXIST' ? 'another process has just taken it' : cause.message
    throw new Error(`cannot use ${directory}: ${reason}`, { cause })
  })
  return { release: () => rm(file, { force: true }) }
}

/**
 * The process id, with the start time if the system provides it, since ids are reused. Empty if there is no such
 * process.
 */
async function identityOf(pid: number): Promise<string> {
  if (!isAlive(pid)) return ''
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is the program's name in brackets. It may contain blanks, so count from its end.
  const startedTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return startedTicks ? `${pid} ${startedTicks}` : `${pid}`
}

/** Whether a process with this id is running, under any account. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
