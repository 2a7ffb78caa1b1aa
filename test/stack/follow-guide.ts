import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Fence, fencesOf, outputsOf, scriptOf } from './runnable-guide.ts'
import { environmentOfTools } from './start-despatch.ts'

const root = resolve(import.meta.dirname, '../..')

/** The output of each block, by its place, and the folder to which the guide wrote its files. */
export type Followed = { outputs: Map<string, string>; work: string }

/**
 * Reads the fenced blocks of a guide. Its pages are in the order in which the first page links the pages of its folder.
 */
export async function readFences(firstPage: string): Promise<Fence[]> {
  const folder = basename(firstPage, '.md')
  const first = await readFile(join(root, firstPage), 'utf8')
  const links = first.matchAll(new RegExp(`\\]\\((${folder}/[\\w-]+\\.md)\\)`, 'g'))
  const paths = [...new Set([...links].map(([, link]) => join(dirname(firstPage), link!)))]
  const pages = paths.map(async (path) => fencesOf(path, await readFile(join(root, path), 'utf8')))
  return [...fencesOf(firstPage, first), ...(await Promise.all(pages)).flat()]
}

/**
 * Runs a guide's commands with bash, as a user who started Despatch in the directory would. Kills them after `withinMs`
 * milliseconds. Its `npx despatch` skips npx unless `hasRealNpx`.
 */
export async function followGuide(
  fences: readonly Fence[],
  directory: string,
  withinMs: number,
  { hasRealNpx = false }: { hasRealNpx?: boolean } = {},
): Promise<Followed> {
  const tools = environmentOfTools()
  const quickNpx = join(import.meta.dirname, 'quick-npx')
  const last: Fence = { language: 'sh', text: 'echo "$work"', place: 'its end', isRun: true }
  const child = spawn('bash', ['-s'], {
    cwd: root,
    env: {
      ...tools,
      ...(!hasRealNpx && { PATH: `${quickNpx}:${tools.PATH}` }),
      DESPATCH_DATA_DIR: directory,
      TMPDIR: directory,
      npm_config_update_notifier: 'false',
      // for a guide that writes no files
      work: '',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: withinMs,
  })
  child.stdin.end(scriptOf([...fences, last]))
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code, signal] = await once(child, 'close')
  const outputs = outputsOf(stdout)
  const place = [...outputs.keys()].at(-1)
  if (code !== 0) {
    throw new Error(
      `The block of ${place} ended with ${code ?? signal}: ${outputs.get(place!)}${stderr}`,
    )
  }
  return { outputs, work: outputs.get(last.place)!.trim() }
}
