import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Which files of the tree a file loads, directly and through others. Paths are relative to the root of the tree. */
export type ImportGraph = {
  importsOf(path: string): readonly string[]
  /** The file and everything it loads, nearest first. */
  reachedFrom(path: string): readonly string[]
  /** A hash of the file and of everything it loads. */
  hashOf(path: string): string
}

/** Reads the imports of the files below `root` when they are first asked for. */
export function createImportGraph(root: string): ImportGraph {
  const imports = new Map<string, readonly string[]>()
  const hashes = new Map<string, string>()

  function importsOf(path: string): readonly string[] {
    const known = imports.get(path)
    if (known) return known
    const named = /(?:\bfrom|\bimport|\bresolve)\s*\(?\s*'([^'\n]+)'/g
    const modules = [...readFileSync(join(root, path), 'utf8').matchAll(named)]
    const found = modules.flatMap(([, module]) => pathOf(path, module!) ?? [])
    imports.set(path, found)
    return found
  }

  function pathOf(importer: string, module: string): string | undefined {
    if (module.startsWith('.')) return existing(join(dirname(importer), module))
    const [, name, rest] = /^@despatch\/([^/]+)\/(.+)$/.exec(module) ?? []
    if (!name) return undefined
    const folders = ['packages', 'services', 'infra'].map((folder) => `${folder}/${name}`)
    const folder = folders.find((each) => existsSync(join(root, each)))
    return folder && existing(`${folder}/src/${rest}.ts`)
  }

  const existing = (path: string) => (existsSync(join(root, path)) ? path : undefined)

  function reachedFrom(path: string): readonly string[] {
    const found = new Set([path])
    for (const each of found) {
      if (!/\.(ts|mjs)$/.test(each)) continue
      for (const next of importsOf(each)) found.add(next)
    }
    return [...found]
  }

  function hashOf(path: string): string {
    const known = hashes.get(path)
    if (known) return known
    const hash = createHash('sha256')
    for (const each of [...reachedFrom(path)].sort()) {
      hash
        .update(`${each}\0`)
        .update(readFileSync(join(root, each)))
        .update('\0')
    }
    const digest = hash.digest('hex')
    hashes.set(path, digest)
    return digest
  }

  return { importsOf, reachedFrom, hashOf }
}
