import { open, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { Failure } from '../failure.ts'

/**
 * Takes the lock of a file for this process and returns the function that gives it up. A lock whose process was killed
 * is taken over. Throws a Failure if another process has it. Two processes that take over one lock at the same moment
 * may both get it: their rows have the same ids, so that no letter is sent twice.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  if (!(await create(path))) {
    const owner = await readFile(path, 'utf8').catch(() => '')
    if (isAlive(owner)) throw alreadyRunning(path, owner)
    await rm(path, { force: true })
    if (!(await create(path))) throw alreadyRunning(path, await readFile(path, 'utf8'))
  }
  return () => rm(path, { force: true })
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(`${process.pid} ${hostname()}`).finally(() => file.close())
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw new Failure(`${path} cannot be written (${code})`, { exitCode: 1, cause: error })
  }
}

/** A process of another machine may be alive. One that has this id on this machine is this one, so its owner is not. */
function isAlive(owner: string): boolean {
  const [pid = '', host] = owner.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid)) return true
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function alreadyRunning(path: string, owner: string): Failure {
  const [pid, host] = owner.split(' ')
  const by = host ? `process ${pid} of ${host}` : 'another process'
  return new Failure(
    `${by} is working on this file. If it is not running any more, delete ${path}`,
    { exitCode: 1 },
  )
}
