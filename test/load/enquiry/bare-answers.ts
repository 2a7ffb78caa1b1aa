import { writeFile } from 'node:fs/promises'
import type { Database } from '@despatch/store/database'
import { shuffled } from '../shuffled.ts'

export type BareAnswersOptions<Row> = {
  /** The table in which the bare route finds the answers by `number`. */
  table: string
  /** The file for the requests, one line for each record, in random order. */
  bodiesPath: string
  /** The member of the request that contains the number. */
  member: string
  numberOf: (record: Row) => string
  answerOf: (record: Row) => object
}

export type BareAnswers<Row> = {
  keep(records: readonly Row[]): Promise<void>
  /** Must be called after all records were kept. */
  finish(): Promise<void>
}

/** Creates the bare route's table, and the requests for both sides, from the loaded records. */
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
