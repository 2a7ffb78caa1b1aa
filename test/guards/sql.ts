import { textFiles } from './tree.ts'

export const migrations = textFiles.filter(({ path }) =>
  /^packages\/store\/migrations\/.*\.sql$/.test(path),
)

/** Returns the values that the newest CHECK in the migrations allows for a column. */
export function checkedValues(table: string, column: string): string[] {
  const check = new RegExp(`check \\(${column} in \\(([^)]*)\\)\\)`, 'gi')
  const statements = migrations.flatMap(({ text }) => text.split(/;\s*$/m))
  const ofTable = new RegExp(`^(create|alter) table ${table}\\b`, 'im')
  const checks = statements
    .filter((statement) => ofTable.test(statement))
    .flatMap((statement) => [...statement.matchAll(check)].map(([, list]) => quotedIn(list!)))
  return checks.at(-1) ?? []
}

export function quotedIn(sql: string): string[] {
  return [...sql.matchAll(/'([^']*)'/g)].map(([, value]) => value!)
}
