import { readFile } from 'node:fs/promises'

const sampleMs = 100
const mebibyte = 1024 * 1024
const kibibyte = 1024

/** Watches the resident memory of a process. Figures are undefined on a system without /proc. */
export type MemoryWatch = { stop(): { mebibytesMax: number | undefined } }

export function watchMemory(pid: number): MemoryWatch {
  let mebibytesMax: number | undefined
  const timer = setInterval(() => {
    void readMemory(pid).then((mebibytes) => {
      if (mebibytes !== undefined) mebibytesMax = Math.max(mebibytesMax ?? 0, mebibytes)
    })
  }, sampleMs)
  return {
    stop: () => {
      clearInterval(timer)
      return { mebibytesMax }
    },
  }
}

/** Returns the resident memory of a process in MiB, or undefined if it is unknown. */
export async function readMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, kibibytes] = /^VmRSS:\s*(\d+) kB$/m.exec(status) ?? []
  return kibibytes === undefined ? undefined : (Number(kibibytes) * kibibyte) / mebibyte
}

export function reportMemory(mebibytes: number | undefined): string {
  return mebibytes === undefined ? 'unknown' : `${Math.round(mebibytes)} MiB`
}
