import { webcrypto } from 'node:crypto'
import { TaskLimitExceeded } from './task-limits.ts'

type Limit = TaskLimitExceeded['limit']
type FileBytes = { bytes: Uint8Array }

/** Files that exceeded a resource limit, by the hash of their content. */
type KnownRefusals = {
  /** Throws TaskLimitExceeded if one of the files is known to exceed a limit. Hashes no file while none is known. */
  check(files: readonly FileBytes[]): Promise<void>
  /** Remembers the file whose processing exceeded the limit, if there is one. */
  remember(exceeded: TaskLimitExceeded, files: readonly FileBytes[]): Promise<void>
}

/** After this time a file is checked again: it may have been measured on a busy machine. */
const rememberedMs = 60 * 60 * 1000
const refusalsMax = 10_000

/** Remembers which files exceed a limit, so that the same file costs nothing when it is sent again. */
export function createKnownRefusals({ now = () => performance.now() } = {}): KnownRefusals {
  /** The oldest first. */
  const known = new Map<string, { limit: Limit; untilMs: number }>()

  function forgetOld(): void {
    for (const [hash, { untilMs }] of known) {
      if (untilMs > now() && known.size <= refusalsMax) return
      known.delete(hash)
    }
  }

  return {
    async check(files) {
      forgetOld()
      if (known.size === 0) return
      for (const [index, { bytes }] of files.entries()) {
        const refusal = known.get(await hashOf(bytes))
        if (refusal) throw new TaskLimitExceeded(refusal.limit, index)
      }
    },

    async remember({ limit, fileIndex }, files) {
      const file = fileIndex === undefined ? undefined : files[fileIndex]
      if (!file) return
      const hash = await hashOf(file.bytes)
      known.delete(hash)
      known.set(hash, { limit, untilMs: now() + rememberedMs })
      forgetOld()
    },
  }
}

/** SHA-256, calculated outside this thread. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Buffer.from(digest).toString('base64')
}
