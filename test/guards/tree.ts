import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export type SourceFile = { path: string; text: string }

// By its path: it belongs to no workspace.
const { listFiles } = await import(join(root, 'scripts/list-files.ts'))

/** Every file that git tracks, as paths from the root. */
export const paths: readonly string[] = listFiles()

/** Files that a program or a person reads as text. */
export const textFiles: readonly SourceFile[] = paths
  .map((path) => ({ path, text: readText(path) }))
  .filter(({ text }) => !text.includes('\0'))

export const sources = textFiles.filter(({ path }) => /\.(tsx?|mjs)$/.test(path))

/** The sources that are not tests. */
export const programs = sources.filter(({ path }) => !isTest(path))

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function isTest(path: string): boolean {
  return /(^|\/)test\/|\.test\.ts$|^packages\/testing\//.test(path)
}

/** Returns the modules that a file names in `import`, `export … from`, `import()` and `import.meta.resolve()`. */
export function importsOf(file: SourceFile): readonly string[] {
  const known = imports.get(file)
  if (known) return known
  const named = /(?:\bfrom|\bimport|\bresolve)\s*\(?\s*'([^'\n]+)'/g
  const found = [...file.text.matchAll(named)].map(([, module]) => module!)
  imports.set(file, found)
  return found
}

/** What files import: many guards ask for it. */
const imports = new WeakMap<SourceFile, readonly string[]>()

/** Returns `path:line` of each match. The pattern must have the flag g. */
export function placesOf(pattern: RegExp, files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ index }) => `${path}:${text.slice(0, index).split('\n').length}`,
    ),
  )
}
