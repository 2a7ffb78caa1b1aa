import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Returns the files of the tree, as sorted paths from the root: those that git tracks. In a downloaded archive, which
 * git does not know, they are all files except those that .gitignore excludes. Symbolic links are left out.
 */
export function listFiles(): string[] {
  const listed = existsSync(join(root, '.git')) ? listTracked() : listBelow('', readIgnored())
  return listed.sort()
}

function listTracked(): string[] {
  try {
    const entries = execFileSync('git', ['ls-files', '--stage', '-z'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: 'pipe',
    })
    return entries
      .split('\0')
      .filter((entry) => entry.startsWith('100'))
      .map((entry) => entry.slice(entry.indexOf('\t') + 1))
      .filter((path) => existsSync(join(root, path)))
  } catch (cause) {
    const { message } = cause as Error
    throw new Error(`git cannot list the files of ${root}: ${message}`, { cause })
  }
}

type Ignored = { directories: Set<string>; files: Set<string>; endings: string[] }

function listBelow(directory: string, ignored: Ignored): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true })
    .filter((entry) => !isIgnored(entry.name, entry.isDirectory(), ignored))
    .flatMap((entry) => {
      const path = directory ? `${directory}/${entry.name}` : entry.name
      if (entry.isDirectory()) return listBelow(path, ignored)
      return entry.isFile() ? [path] : []
    })
}

function isIgnored(name: string, isDirectory: boolean, ignored: Ignored): boolean {
  if (isDirectory) return ignored.directories.has(name)
  return ignored.files.has(name) || ignored.endings.some((ending) => name.endsWith(ending))
}

function readIgnored(): Ignored {
  const directories = new Set<string>()
  const files = new Set<string>()
  const endings: string[] = []
  for (const line of readFileSync(join(root, '.gitignore'), 'utf8').split('\n')) {
    const [, directory, ending, file] = /^(?:([\w.-]+)\/|\*([\w.-]+)|([\w.-]+))$/.exec(line) ?? []
    if (directory) directories.add(directory)
    else if (ending) endings.push(ending)
    else if (file) files.add(file)
    else if (line !== '') throw new Error(`scripts/list-files.ts cannot read ${line} in .gitignore`)
  }
  return { directories, files, endings }
}
