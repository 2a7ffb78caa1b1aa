import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateApiKey } from '@despatch/access/api-keys'
import { createSearchHasher, searchKeyBox } from '@despatch/access/search-terms'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { findFreePort } from '@despatch/embedded/free-port'
import { startPostgres } from '@despatch/embedded/postgres'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { insertSearchKey } from '@despatch/store/access/search-key'
import { type Database, openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { describeMachine } from '../machine.ts'
import { answersTcp, startProgram } from '../program.ts'
import { fillSearchedLetters, type SearchedLetter } from './fill-searched-letters.ts'

// Measures searches of operators, over HTTP: right after a restart of the database, then again and again.
const { values } = parseArgs({ options: { letters: { type: 'string', default: '1000000' } } })
const count = Number(values.letters)
const secretKeyHex = 'ab'.repeat(32)
const searchKeyHex = 'cd'.repeat(32)
const repeats = 20

const directory = await mkdtemp(join(tmpdir(), 'despatch-search-'))
// Under root, the account of PostgreSQL must be able to enter the directory.
await chmod(directory, 0o711)
const start = () => startPostgres({ directory: join(directory, 'postgres') })
// The server does not keep this process alive.
const hold = setInterval(() => {}, 60_000)
const say = (line: string) => process.stdout.write(`${line}\n`)
try {
  const filled = await fill()
  const postgres = await start()
  const database = openDatabase(postgres.url, { name: 'bench', connectionsMax: 2 })
  const { cores, processor, postgres: version, loadBefore } = await describeMachine(postgres.url)
  say(
    `${count} letters on ${cores} cores of ${processor}, PostgreSQL ${version}, load ${loadBefore}`,
  )
  say(filled.sizes)
  try {
    await measure(postgres.url, database, filled.letter)
  } finally {
    await database.close()
    await postgres.stop()
  }
} finally {
  clearInterval(hold)
  await rm(directory, { recursive: true, force: true })
}

async function fill(): Promise<{ letter: SearchedLetter; sizes: string }> {
  const postgres = await start()
  await migrate(postgres.url)
  await prepareQueues(postgres.url)
  const database = openDatabase(postgres.url, { name: 'bench', connectionsMax: 2 })
  const { db, pool } = database
  try {
    await seedConsumer(db, {
      ...{ userName: 'bench', name: 'Bench', password: 'Pa$$word1', apiKey: generateApiKey() },
      roles: ['consumer'],
      contracts: [{ jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' }],
    })
    await insertSearchKey(db, searchKeyBox(secretKeyHex).seal(searchKeyHex))
    const letter = await fillSearchedLetters(pool, {
      count,
      hasher: createSearchHasher(searchKeyHex),
    })
    const { rows } = await pool.query<{ perLetter: number; terms: number }>(
      `select (select sum(pg_total_relation_size(relid)) from pg_partition_tree('search_term'))::float8 / $1 as "perLetter", count(*)::float8 / $1 as terms
       from search_term`,
      [count],
    )
    const { perLetter, terms } = rows[0]!
    return {
      letter,
      sizes: `${terms.toFixed(1)} terms and ${Math.round(perLetter)} bytes for each letter`,
    }
  } finally {
    await database.close()
    await postgres.stop()
  }
}

async function measure(databaseUrl: string, { db }: Database, letter: SearchedLetter) {
  const port = await findFreePort()
  const program = await startProgram({
    script: 'services/administration/src/main.ts',
    environment: {
      DATABASE_URL: databaseUrl,
      DESPATCH_SECRET_KEY: secretKeyHex,
      PORT: String(port),
      ...{ S3_ENDPOINT: 'http://127.0.0.1:9', S3_BUCKET: 'none' },
      ...{ S3_ACCESS_KEY_ID: 'none', S3_SECRET_ACCESS_KEY: 'none' },
    },
    isReady: () => answersTcp(port),
    nodeFlags: [],
    directory,
  })
  try {
    const headers = await signIn(db)
    for (const [name, find] of searchesFor(letter)) {
      const times: number[] = []
      let found = ''
      for (let number = 0; number <= repeats; number++) {
        const startedAt = performance.now()
        const answer = await fetch(`http://127.0.0.1:${port}/administration/v1/print-jobs/search`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ find }),
        })
        const page = (await answer.json()) as { printJobs: unknown[]; nextCursor?: string }
        times.push(performance.now() - startedAt)
        found = `${page.printJobs.length}${page.nextCursor === undefined ? '' : ' and more'}`
      }
      const [first, ...others] = times
      const [median, most] = [0.5, 0.95].map(
        (part) => others.toSorted((a, b) => a - b)[repeats * part],
      )
      const ms = [first, median, most].map((value) => value!.toFixed(1))
      say(`${name}: ${found}; ms at first ${ms[0]}, then p50 ${ms[1]}, p95 ${ms[2]}`)
    }
  } finally {
    await program.stop()
  }
}

function searchesFor(letter: SearchedLetter): [string, string][] {
  const { reference, correlationId, postcode, rareName } = letter
  const { commonFirstName, commonLastName, commonPostcode } = letter
  return [
    ['nothing', 'nobody'],
    ['postcode', postcode],
    ['postcode of 10 %', commonPostcode],
    ['business identifier', reference],
    ['correlation id', correlationId],
    ['rare name', rareName],
    ['name of 1 %', commonLastName],
    ['two names of 1 %', `${commonFirstName} ${commonLastName}`],
    ['name of 1 % and its postcode of 10 %', `${commonLastName} ${commonPostcode}`],
  ]
}

async function signIn(db: Database['db']): Promise<Record<string, string>> {
  const apiKey = generateApiKey()
  const roles = ['operator'] as const
  const user = { userName: 'operator', name: 'Operator', password: 'Pa$$word1', apiKey }
  const consumerId = await seedConsumer(db, { ...user, roles, contracts: [] })
  const signingKey = await openSigningKey({ db, secretKeyHex })
  const authorization = await issueToken(await signingKey(), { consumerId, roles }, new Date())
  return { authorization, 'x-api-key': apiKey, 'content-type': 'application/json' }
}
