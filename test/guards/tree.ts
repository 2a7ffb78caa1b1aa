import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export type SourceFile = { path: string; text: string }

const ignored = readIgnored()

/** Every file of the tree except those that .gitignore excludes, as paths from the root. */
export const paths: readonly string[] = listBelow('')

/** Files that a program or a person reads as text. */
export const textFiles: readonly SourceFile[] = paths
  .map((path) => ({ path, text: readText(path) }))
  .filter(({ text }) => !text.includes('\0'))

export const sources = textFiles.filter(({ path }) => /\.(ts|mjs)$/.test(path))

/** The sources that are not tests. */
export const programs = sources.filter(({ path }) => !isTest(path))

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function isTest(path: string): boolean {
  return /(^|\/)test\/|\.test\.ts$|^packages\/testing\//.test(path)
}

/** Returns the modules that a file names in `import`, `export … from`, `import()` and `import.meta.resolve()`. */
export function importsOf({ text }: SourceFile): string[] {
  const named = /(?:\bfrom|\bimport|\bresolve)\s*\(?\s*'([^'\n]+)'/g
  return [...text.matchAll(named)].map(([, module]) => module!)
}

/** Returns `path:line` of each match. The pattern must have the flag g. */
export function placesOf(pattern: RegExp, files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ index }) => `${path}:${text.slice(0, index).split('\n').length}`,
    ),
  )
}

function listBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true })
    .filter((entry) => !isIgnored(entry.name, entry.isDirectory()))
    .flatMap((entry) => {
      const path = directory ? `${directory}/${entry.name}` : entry.name
      if (entry.isDirectory()) return listBelow(path)
      return entry.isFile() ? [path] : []
    })
    .sort()
}

function isIgnored(name: string, isDirectory: boolean): boolean {
  if (name === '.git') return true
  if (isDirectory) return ignored.directories.has(name)
  return ignored.files.has(name) || ignored.endings.some((ending) => name.endsWith(ending))
}

function readIgnored() {
  const directories = new Set<string>()
  const files = new Set<string>()
  const endings: string[] = []
  for (const line of readText('.gitignore').split('\n')) {
    const [, directory, ending, file] = /^(?:([\w.-]+)\/|\*([\w.-]+)|([\w.-]+))$/.exec(line) ?? []
    if (directory) directories.add(directory)
    else if (ending) endings.push(ending)
    else if (file) files.add(file)
    else if (line !== '') throw new Error(`test/guards/tree.ts cannot read ${line} in .gitignore`)
  }
  return { directories, files, endings }
}
