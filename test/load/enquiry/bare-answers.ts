import { writeFile } from 'node:fs/promises'
import type { Database } from '@despatch/store/database'
import { shuffled } from '../shuffled.ts'

export type BareAnswersOptions<Row> = {
  /** Where the bare route finds the answers, under `number`. */
  table: string
  /** Is given a request for each on a line of its own, in no order. */
  bodiesPath: string
  /** The member of the request that has the number. */
  member: string
  numberOf: (record: Row) => string
  answerOf: (record: Row) => object
}

export type BareAnswers<Row> = {
  keep(records: readonly Row[]): Promise<void>
  /** To be called when all records were kept. */
  finish(): Promise<void>
}

/** Makes the table of the bare route, and the requests for both sides, from the records that are loaded. */
export async function makeBareAnswers<Row>(
  { pool }: Database,
  { table, bodiesPath, member, numberOf, answerOf }: BareAnswersOptions<Row>,
): Promise<BareAnswers<Row>> {
  await pool.query(`create table ${table} (number text primary key, answer json not null)`)
  const numbers: string[] = []
  return {
    async keep(records) {
      const kept = records.map(numberOf)
      const answers = records.map((record) => JSON.stringify(answerOf(record)))
      await pool.query(
        `insert into ${table} (number, answer) select * from unnest($1::text[], $2::json[])`,
        [kept, answers],
      )
      numbers.push(...kept)
    },
    async finish() {
      const lines = shuffled(numbers).map((number) => `${JSON.stringify({ [member]: number })}\n`)
      await writeFile(bodiesPath, lines.join(''))
      await pool.query(`vacuum (analyze) ${table}`)
    },
  }
}
