import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Qpdf = {
  version: string
  countPages(path: string): Promise<number>
  /** Merges all pages of the files, in their order, into one PDF. */
  merge(paths: readonly string[], outputPath: string): Promise<void>
}

/** Returns undefined if qpdf is not on the PATH. */
export async function findQpdf(signal: AbortSignal): Promise<Qpdf | undefined> {
  const version = await run('qpdf', ['--version'], { signal }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )
  if (!version) return undefined
  return {
    version: /version (\S+)/.exec(version.stdout)?.[1] ?? 'unknown',
    countPages: async (path) => {
      const { stdout } = await run('qpdf', ['--show-npages', path], { signal })
      return Number(stdout)
    },
    merge: async (paths, outputPath) => {
      await run('qpdf', ['--empty', '--pages', ...paths, '--', outputPath], { signal })
    },
  }
}
