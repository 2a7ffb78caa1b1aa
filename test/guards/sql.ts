import { baselineFiles } from '@despatch/store/migration/baseline'
import { textFiles } from './tree.ts'

/** The files of the baseline, in the order in which they are applied. */
export const schema = baselineFiles.map((name) => {
  const path = `packages/store/schema/${name}`
  const file = textFiles.find((each) => each.path === path)
  if (!file) throw new Error(`${path} does not exist`)
  return file
})

export const migrations = textFiles.filter(({ path }) =>
  /^packages\/store\/migrations\/.*\.sql$/.test(path),
)

/** The baseline and then the migrations: what makes a database. */
export const statements = [...schema, ...migrations]

/** Returns the values that the newest CHECK of the baseline and the migrations allows for a column. */
export function checkedValues(table: string, column: string): string[] {
  const check = new RegExp(`check \\(${column} in \\(([^)]*)\\)\\)`, 'gi')
  const ofTable = new RegExp(`^(create|alter) table ${table}\\b`, 'im')
  const checks = statements
    .flatMap(({ text }) => text.split(/;\s*$/m))
    .filter((statement) => ofTable.test(statement))
    .flatMap((statement) => [...statement.matchAll(check)].map(([, list]) => quotedIn(list!)))
  return checks.at(-1) ?? []
}

export function quotedIn(sql: string): string[] {
  return [...sql.matchAll(/'([^']*)'/g)].map(([, value]) => value!)
}
