// Changes the sources of an area in many small ways, and shows which changes no test finds. `npm run mutate` does all
// areas, `npm run mutate -- domain/callback work` these, and `npm run mutate -- --shard 2/3` the second of three parts.
// `--write` writes the scores to docs/promises.md.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { root, runStep } from '../run-step.mjs'
import { type Area, chooseAreas, listAreas } from './areas.ts'
import { percentOf, type Score, scoreOf, withRow } from './score.ts'

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

const cache = 'node_modules/.cache/mutation'
const page = 'docs/promises.md'

process.chdir(root)
const { isWritten, ...which } = readArguments()
let isShort = false
for (const area of chooseAreas(listAreas(root), which)) {
  const { statuses, notFound } = await remembered(area)
  for (const line of notFound) console.log(line)
  const score = scoreOf(statuses)
  if (percentOf(score) < area.target) isShort = true
  console.log(lineOf(area, score))
  if (isWritten) await write(area, score)
}
process.exitCode = isShort ? 1 : 0

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        shard: { type: 'string', default: '1/1' },
        write: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const [, part, parts] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.shard) ?? []
    if (!(Number(part) <= Number(parts))) throw new Error('--shard is a part of all, such as 1/3')
    return {
      chosen: positionals,
      part: Number(part),
      parts: Number(parts),
      isWritten: values.write,
    }
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

async function write(area: Area, score: Score): Promise<void> {
  writeFileSync(page, withRow(readFileSync(page, 'utf8'), area, score))
  await runStep({ name: 'format', command: ['biome', 'format', '--write', page] })
}

type Outcome = { statuses: string[]; notFound: string[] }

/** Returns the outcome of an area, which is kept until one of its sources or tests changes. */
async function remembered(area: Area): Promise<Outcome> {
  const file = `${cache}/${area.name.replace('/', '-')}.json`
  const key = contentOf(area)
  if (existsSync(file)) {
    const { key: known, ...outcome } = JSON.parse(readFileSync(file, 'utf8'))
    if (known === key) return outcome
  }
  const results = await mutate(area)
  const outcome = {
    statuses: results.map(({ status }) => status),
    notFound: results.filter(isNotFound).map(inOneLine),
  }
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, JSON.stringify({ key, ...outcome }))
  return outcome
}

function contentOf({ sources, tests }: Area): string {
  const files = globSync([...sources, ...tests, 'scripts/mutation/*'])
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

function packagesOf(sources: readonly string[]): string[] {
  return [...new Set(sources.map((source) => source.split('/').slice(0, 2).join('/')))]
}

/**
 * The settings name no tsconfig, because StrykerJS would rewrite it with an interface that this version of TypeScript does
 * not have. They do not let it reuse results: it does not notice a new test of what runs when a module is loaded.
 */
function mutate({ sources, tests }: Area): Promise<MutantResult[]> {
  process.env.MUTATED_TESTS = tests.join(' ')
  process.env.TEST_EFFORT = 'least'
  return new Stryker({
    configFile: 'scripts/mutation/stryker.config.json',
    mutate: [...sources, '!**/*.test.ts'],
    reporters: [process.stdout.isTTY ? 'progress' : 'json'],
    concurrency: availableParallelism(),
    ignorePatterns: [
      '**/*',
      ...packagesOf(sources).map((folder) => `!${folder}/**`),
      '!package.json',
      '!scripts/**',
    ],
  }).runMutationTest()
}

function isNotFound({ status }: MutantResult): boolean {
  return status === 'Survived' || status === 'NoCoverage' || status === 'Timeout'
}

function inOneLine({ status, fileName, location, mutatorName, replacement }: MutantResult): string {
  const { start, end } = location
  const place = `${relative(root, fileName)}:${start.line}:${start.column + 1}-${end.line}:${end.column + 1}`
  const text = replacement?.replace(/\s+/g, ' ').slice(0, 100)
  return `  ${status} ${place} ${mutatorName} ${text}`
}

function lineOf({ name, target }: Area, score: Score): string {
  const { killed, survived, uncovered, hung } = score
  return (
    `${name}: ${percentOf(score)} % (target ${target}): ${killed} killed, ${survived} survived, ` +
    `${uncovered} not reached, ${hung} hung`
  )
}
