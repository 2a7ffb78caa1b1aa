import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { type StaticFile, staticFile } from './static-files.ts'

const below = '/console'
const javaScript = 'text/javascript; charset=utf-8'
/** The rules of the domain run in the browser too, so that a page offers what the API accepts. */
const domain = '@despatch/domain/'
/** Import and export statements, in our own modules and in minified ones. */
const imports = /^(?:import|export|\})[^'"\n]*?from '([^']+)'/gm
const importsOfLibrary = /\b(?:from|import)\s*"([@\w./-]+)"/g

/** Libraries whose manifest names no module for browsers. */
const entries: Readonly<Record<string, string>> = { uplot: 'uplot/dist/uPlot.esm.js' }

export type BrowserModules = {
  files: readonly StaticFile[]
  /** Returns the paths of the module and of everything that it imports. */
  pathsOf(script: string): readonly string[]
}

/**
 * Reads the modules of the pages and what they import: their parts, the domain and the view library. Types are
 * stripped, and each import is rewritten to a relative path, so that the browser needs no import map and the modules may
 * be below any path.
 */
export async function readBrowserModules(
  folder: URL,
  scripts: readonly string[],
): Promise<BrowserModules> {
  const known = new Map<string, { file: StaticFile; imported: string[] }>()

  async function read({ path, url }: Module): Promise<void> {
    if (known.has(path)) return
    const imported: Module[] = []
    const source = await readFile(url, 'utf8')
    const isOurs = url.pathname.endsWith('.ts')
    const text = isOurs ? withoutTypes(source) : source.replace(/^\/\/# sourceMappingURL.*$/m, '')
    const content = text.replace(isOurs ? imports : importsOfLibrary, (statement, name: string) => {
      const module = resolve(name, { path, url })
      imported.push(module)
      return statement.replace(name, fromTo(path, module.path))
    })
    const file = staticFile(path, javaScript, content)
    known.set(path, { file, imported: imported.map((module) => module.path) })
    await Promise.all(imported.map(read))
  }

  await Promise.all(
    scripts.map((script) => read({ path: `${below}/${script}`, url: new URL(script, folder) })),
  )
  return {
    files: [...known.values()].map(({ file }) => file),
    pathsOf: (script) => {
      const paths = new Set([`${below}/${script}`])
      for (const path of paths) for (const next of known.get(path)!.imported) paths.add(next)
      return [...paths]
    },
  }
}

type Module = { path: string; url: URL }

/** Returns the relative path from one module to another. */
function fromTo(path: string, target: string): string {
  const steps = posix.relative(posix.dirname(path), target)
  return steps.startsWith('.') ? steps : `./${steps}`
}

function resolve(name: string, { path, url }: Module): Module {
  if (name.startsWith('.')) {
    return { path: new URL(name, `http://console${path}`).pathname, url: new URL(name, url) }
  }
  const found = new URL(import.meta.resolve(entries[name] ?? name))
  return name.startsWith(domain)
    ? { path: `${below}/domain/${name.slice(domain.length)}.ts`, url: found }
    : { path: `${below}/lib/${name}.js`, url: found }
}

/** Node warns of this function at its first use, although it strips the types of this program in the same way. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}
