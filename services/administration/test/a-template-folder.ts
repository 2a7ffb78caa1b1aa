import { fileURLToPath } from 'node:url'
import { readFolder } from '@despatch/templates/read-folder'

export type GivenFile = { path: string; content: string }

/** The files of the template that `templates init` makes, as a request gives them. */
export async function aTemplateFolder() {
  const starter = await readFolder(
    fileURLToPath(import.meta.resolve('@despatch/templates/starter')),
  )
  return {
    /** Returns the files by path, with the given texts instead of their own. */
    files: (changes: Readonly<Record<string, string>> = {}): GivenFile[] => {
      const texts = Object.entries(changes).map(
        ([path, text]) => [path, Buffer.from(text)] as const,
      )
      const all = new Map([...starter.map(({ path, bytes }) => [path, bytes] as const), ...texts])
      return [...all].map(([path, bytes]) => ({
        path,
        content: Buffer.from(bytes).toString('base64'),
      }))
    },
  }
}
