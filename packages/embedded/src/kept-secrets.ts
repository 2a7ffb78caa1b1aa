import { readFile, rename, writeFile } from 'node:fs/promises'

/**
 * Reads the secrets in a file, or creates the file once. Only its owner can read it. The file is always complete or
 * absent, even if the process dies.
 */
export async function readOrMakeSecrets<Secrets>(
  file: string,
  make: () => Secrets,
): Promise<Secrets> {
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`cannot read ${file}: ${error.code}`, { cause: error })
  })
  if (kept !== undefined) return JSON.parse(kept) as Secrets

  const made = make()
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, `${JSON.stringify(made)}\n`, { mode: 0o600, flush: true })
  await rename(unfinished, file)
  return made
}
