import { readFile } from 'node:fs/promises'

const sampleMs = 100
const mebibyte = 1024 * 1024
const kibibyte = 1024

/** Watches resident memory. Figures are undefined on a system without /proc. */
export type MemoryWatch = { stop(): { mebibytesMax: number | undefined } }

/** Watches the memory of a process, as `read` reads it. */
export function watchMemory(
  pid: number,
  { read = readMemory, everyMs = sampleMs }: { read?: typeof readMemory; everyMs?: number } = {},
): MemoryWatch {
  let mebibytesMax: number | undefined
  const timer = setInterval(() => {
    void read(pid).then((mebibytes) => {
      if (mebibytes !== undefined) mebibytesMax = Math.max(mebibytesMax ?? 0, mebibytes)
    })
  }, everyMs)
  return {
    stop: () => {
      clearInterval(timer)
      return { mebibytesMax }
    },
  }
}

/** Returns the resident memory of a process in MiB, or undefined if it is unknown. */
export async function readMemory(pid: number): Promise<number | undefined> {
  return (await readStatus(pid))('VmRSS')
}

/** Returns the peak of the resident memory of a running process in MiB, or undefined if it is unknown. */
export async function readPeakMemory(pid: number): Promise<number | undefined> {
  return (await readStatus(pid))('VmHWM')
}

/**
 * Returns the resident memory of a process and its children in MiB, or undefined if it is unknown. Memory and files
 * that they share count once.
 */
export async function readFamilyMemory(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const pids = [pid, ...children.split(' ').filter(Boolean).map(Number)]
  const statuses = await Promise.all(pids.map(readStatus))
  const figures = (name: string) => statuses.map((status) => status(name) ?? 0)
  const own = figures('RssAnon').reduce((sum, mebibytes) => sum + mebibytes, 0)
  if (own === 0) return undefined
  return own + Math.max(...figures('RssShmem')) + Math.max(...figures('RssFile'))
}

async function readStatus(pid: number): Promise<(name: string) => number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return (name) => {
    const [, kibibytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status) ?? []
    return kibibytes === undefined ? undefined : (Number(kibibytes) * kibibyte) / mebibyte
  }
}

export function reportMemory(mebibytes: number | undefined): string {
  return mebibytes === undefined ? 'unknown' : `${Math.round(mebibytes)} MiB`
}
