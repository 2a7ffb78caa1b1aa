import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { TemplateFile } from './read-template.ts'

/** More are refused later. The limits keep a wrong folder, such as a home, from being read. */
const entriesMax = 1_000
const fileBytesMax = 16 * 1024 * 1024

/**
 * Reads the files below a folder, in the order of their paths. Names that begin with a dot are left out. Throws if the
 * folder does not exist or is not one of a template.
 */
export async function readFolder(folder: string): Promise<TemplateFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .sort()
  if (paths.length > entriesMax) throw new Error(`${folder} has more than ${entriesMax} files`)
  const files: TemplateFile[] = []
  for (const path of paths) {
    const { size } = await stat(join(folder, path))
    if (size > fileBytesMax) throw new Error(`${path} has more than 16 MiB`)
    files.push({ path, bytes: await readFile(join(folder, path)) })
  }
  return files
}
