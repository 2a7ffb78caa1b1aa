import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@despatch/embedded/postgres'
import { likenessMin, likenessMinOfFew } from '@despatch/store/enquiry/driver-search'
import { migrate } from '@despatch/store/migrate'
import pg from 'pg'
import { type Example, fitWeights, scoreOf } from './logistic-regression.ts'
import { isHeldOut, type Pair, partOf, readPairs } from './pairs.ts'

// Fits the weights with which driver find compares names, and measures them on pairs that took no part in the fit. The
// comparisons are those of the database.
const usage = `npm run fit-names -- --last FILE --first FILE [--write]

  --last FILE    pairs of last names: lines of same,a,b under a heading, where same is 1 or 0
  --first FILE   pairs of first names
  --write        replace packages/store/src/enquiry/name-weights.ts; then run npm run format
`
const folds = 10

const { values } = parseArgs({
  options: { last: { type: 'string' }, first: { type: 'string' }, write: { type: 'boolean' } },
})
if (!values.last || !values.first) {
  process.stderr.write(usage)
  process.exit(1)
}

type Judged = Pair & Example & { isShort: boolean; soundex: boolean; metaphone: boolean }

const directory = await mkdtemp(join(tmpdir(), 'despatch-names-'))
// Under root, the account of PostgreSQL must be able to enter the directory.
await chmod(directory, 0o711)
const postgres = await startPostgres({ directory: join(directory, 'postgres'), durable: false })
// The server does not keep this process alive.
const hold = setInterval(() => {}, 60_000)
const client = new pg.Client({ connectionString: postgres.url })
try {
  await migrate(postgres.url)
  await client.connect()
  const lastNameWeights = fitAndMeasure('last names', await compare(await readPairs(values.last)))
  const firstNames = await compare(await readPairs(values.first))
  const firstNameWeights = fitAndMeasure('first names', firstNames, ({ isShort }) => isShort)
  if (values.write) {
    await writeFile(
      new URL('../../../packages/store/src/enquiry/name-weights.ts', import.meta.url),
      moduleOf({ lastNameWeights, firstNameWeights }),
    )
  }
} finally {
  await client.end()
  clearInterval(hold)
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

async function compare(pairs: readonly Pair[]): Promise<Judged[]> {
  const { rows } = await client.query<Omit<Judged, keyof Pair>>(
    `select name_comparisons(a, name_said(a), b, name_said(b)) as row, b = any (short_forms(a)) as "isShort",
       soundex(a) = soundex(b) as soundex,
       array[dmetaphone(a), dmetaphone_alt(a)] && array[dmetaphone(b), dmetaphone_alt(b)] as metaphone
     from unnest($1::text[], $2::text[]) with ordinality as pair (a, b, place) order by place`,
    [pairs.map(({ a }) => a), pairs.map(({ b }) => b)],
  )
  return rows.map((row, index) => ({ ...row, ...pairs[index]! }))
}

/** Prints the quality on pairs outside each fit. Returns the weights fitted without the held-out pairs. */
function fitAndMeasure(
  name: string,
  pairs: readonly Judged[],
  isFoundAnyway: (pair: Judged) => boolean = () => false,
): number[] {
  const heldOut = pairs.filter(isHeldOut)
  const fitted = pairs.filter((pair) => !isHeldOut(pair))
  const weights = fitWeights(fitted).map((weight) => Number(weight.toFixed(4)))
  const foldWeights = Array.from({ length: folds }, (_, fold) =>
    fitWeights(pairs.filter((pair) => partOf(pair, folds) !== fold)),
  )
  const ofFold = (pair: Judged) => scoreOf(pair.row, foldWeights[partOf(pair, folds)]!)
  const scored = (score: (pair: Judged) => number, least: number) => (pair: Judged) =>
    score(pair) >= least || isFoundAnyway(pair)
  const lines: [string, readonly Judged[], (pair: Judged) => boolean][] = [
    ['soundex', pairs, ({ soundex }) => soundex],
    ['double metaphone, either code', pairs, ({ metaphone }) => metaphone],
    ['both', pairs, ({ soundex, metaphone }) => soundex || metaphone],
    ...[likenessMin, likenessMinOfFew].flatMap((least): typeof lines => [
      [`from ${least}, each tenth by the others`, pairs, scored(ofFold, least)],
      [`from ${least}, held out`, heldOut, scored(({ row }) => scoreOf(row, weights), least)],
    ]),
  ]
  process.stdout.write(`\n${name}: ${pairs.length} pairs, ${heldOut.length} of them held out\n`)
  for (const [rule, measured, isFound] of lines) {
    const { precision, recall } = qualityOf(measured, isFound)
    process.stdout.write(`${rule.padEnd(36)} precision ${precision} %, recall ${recall} %\n`)
  }
  return weights
}

/** In percent, with one decimal. */
function qualityOf(pairs: readonly Judged[], isFound: (pair: Judged) => boolean) {
  const found = pairs.filter(isFound)
  const right = found.filter(({ isSame }) => isSame).length
  return {
    precision: percentage(right, found.length),
    recall: percentage(right, pairs.filter(({ isSame }) => isSame).length),
  }
}

function percentage(part: number, whole: number): number {
  return Math.round((1000 * part) / whole) / 10
}

function moduleOf(tables: Record<string, number[]>): string {
  const constants = Object.entries(tables).map(
    ([name, weights]) =>
      `export const ${name}: readonly number[] = [\n  ${weights.join(', ')},\n]\n`,
  )
  return `// Written by npm run fit-names. One weight for each of the name_comparisons of migration 0039, in their order.\n\n${constants.join('\n')}`
}
