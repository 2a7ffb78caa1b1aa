import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { LoadPlan } from '../intake/load.ts'
import { type Extent, type Sender, serveLoads } from '../load-generator.ts'
import type { Statement } from './bare-statement.ts'

/** Sends statements directly to PostgreSQL, over as many connections as the service has clients. */
const { DATABASE_URL } = process.env
const statementsOfFiles = new Map<string, Statement[]>()

serveLoads(openSender)

async function openSender({ body }: Extent & Pick<LoadPlan, 'body'>): Promise<Sender> {
  if (typeof body === 'string') throw new Error('Statements come in a file')
  const statements = statementsOf(body.path)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  return {
    async send(number) {
      await client.query(statements[number % statements.length]!)
      return 200
    },
    close: () => client.end(),
  }
}

function statementsOf(path: string): Statement[] {
  let statements = statementsOfFiles.get(path)
  if (!statements) {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    statements = lines.map((line) => JSON.parse(line) as Statement)
    statementsOfFiles.set(path, statements)
  }
  return statements
}
