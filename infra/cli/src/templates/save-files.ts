import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import type { TemplateFile } from '@despatch/templates/read-template'
import { Failure } from '../failure.ts'

/** Writes the files of a template to a new folder. Throws a Failure if it exists or cannot be written. */
export async function saveFiles(folder: string, files: readonly TemplateFile[]): Promise<void> {
  const outside = files.find(({ path }) => isAbsolute(path) || normalize(path).startsWith('..'))
  if (outside) throw new Failure(`${outside.path} is outside the template`, { exitCode: 1 })
  try {
    await mkdir(dirname(folder), { recursive: true })
    await mkdir(folder)
    for (const { path, bytes } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), bytes)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    throw new Failure(`${folder} ${why}`, { exitCode: 1, cause: error })
  }
}
