import { storeGrants } from '@despatch/store/grants'
import { expect, test } from 'vitest'
import { schema } from './sql.ts'
import { paths } from './tree.ts'

type Table = { name: string; comment: string }

const relations: Record<string, Partial<Record<string, string>>> = storeGrants.relations
const tables = schema.flatMap(({ text }) => tablesOf(text))

test('every file of the schema is applied, and begins with its contents', () => {
  const found = paths.filter((path) => path.startsWith('packages/store/schema/'))

  expect(schema.map(({ path }) => path).sort()).toEqual(found.sort())
  expect(schema.filter(({ text }) => !/^-- \S/.test(text)).map(({ path }) => path)).toEqual([])
})

test('the comment of each table says who writes it, who reads it and when a row ends', () => {
  const silent = tables.filter(
    ({ comment }) =>
      !/(?:Written|Read|writes) /.test(comment) || !/\brows?\b/i.test(endOf(comment)),
  )

  expect(tables.length).toBeGreaterThan(50)
  expect(silent).toEqual([])
})

test('the services in the comment of a table equal those in packages/store/src/grants.ts', () => {
  const wrong = tables
    .filter(({ name }) => Object.keys(relations[name] ?? {}).length > 0)
    .filter(({ name, comment }) => !comment.includes(sentencesOf(name)))
    .map(({ name }) => `${name}: ${sentencesOf(name)}`)

  expect(wrong).toEqual([])
})

/** Returns the tables of a file with the comments above them. */
function tablesOf(text: string): Table[] {
  const table = /((?:^--.*\n)*)^create (?:unlogged )?table (\w+) \(/gm
  return [...text.matchAll(table)].map(([, comment, name]) => ({
    name: name!,
    comment: comment!.replaceAll(/^-- ?/gm, '').replaceAll('\n', ' '),
  }))
}

/** Returns what follows the services. */
function endOf(comment: string): string {
  return comment.slice(comment.search(/(?:Written|Read|writes) /))
}

/** Returns the sentences for the services that may write and read a table. */
function sentencesOf(name: string): string {
  const services = Object.entries(relations[name] ?? {})
  const those = (privilege: RegExp) =>
    services
      .filter(([, privileges]) => privilege.test(privileges ?? ''))
      .map(([service]) => service)
      .sort()
  const writers = listed(those(/insert|update|delete/))
  const readers = listed(those(/select/))
  if (writers === readers) return `Written and read by ${writers}.`
  return [writers && `Written by ${writers}.`, readers && `Read by ${readers}.`]
    .filter(Boolean)
    .join(' ')
}

function listed(names: readonly string[]): string {
  const [last, ...others] = names.toReversed()
  return others.length === 0 ? (last ?? '') : `${others.toReversed().join(', ')} and ${last}`
}
