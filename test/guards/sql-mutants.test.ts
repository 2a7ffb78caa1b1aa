import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './tree.ts'

type Mutant = { kind: string; line: number; column: number; original: string; replacement: string }

// By its path: it belongs to no workspace.
const { findMutants, applyMutant } = (await import(
  join(root, 'scripts/mutation/find-mutants.ts')
)) as {
  findMutants(source: string): Mutant[]
  applyMutant(source: string, mutant: Mutant): string
}

const mutantsOf = (source: string) =>
  findMutants(source).map(
    ({ kind, original, replacement }) => `${kind}: ${original} -> ${replacement}`,
  )
const inSql = (text: string) => mutantsOf(`sql\`${text}\``)

test.each([
  ['select a from t where a = 1', ['condition: a = 1 -> true']],
  [
    `update t set a = 2 where id = \${id} and epoch = \${epoch} returning a`,
    [`condition: id = \${id} -> true`, `version: epoch = \${epoch} -> true`],
  ],
  [
    'select a from t join u on t.id = u.id where u.consumer_id = 1 order by a',
    ['condition: t.id = u.id -> true', 'consumer: u.consumer_id = 1 -> true'],
  ],
  [
    'delete from t where (a = 1 or b = 2) and c = 3',
    [
      'condition: (a = 1 or b = 2) -> true',
      'alternative: b = 2 -> false',
      'condition: c = 3 -> true',
    ],
  ],
  [
    'select from t where a between 1 and 2 and b = 3 limit 1',
    ['condition: a between 1 and 2 -> true', 'condition: b = 3 -> true'],
  ],
  [
    'select from t where a is distinct from b and left(c, 1) = $1',
    [
      'condition: a is distinct from b -> true',
      'condition: left(c, 1) = $1 -> (true or (left(c, 1) = $1))',
    ],
  ],
  [
    'select case when a = 1 and b = 2 then 3 end from t where case when c then d end and e',
    [
      'condition: b = 2 -> true',
      'condition: case when c then d end -> true',
      'condition: e -> true',
    ],
  ],
  ['select count(*) filter (where a = 1), b from t', ['condition: a = 1 -> true']],
])('drops conditions of %s', (text, expected) => expect(inSql(text)).toEqual(expected))

test.each([
  ['select a <= 1, b < 2, c > 3, d >= 4, e <> 5', ['<= -> <', '< -> <=', '> -> >=', '>= -> >']],
  [`select a -> 'b' ->> 'c', d @> e, due_at <= now(), now() > due_at`, []],
])('swaps the comparisons of %s', (text, expected) =>
  expect(inSql(text)).toEqual(expected.map((each) => `comparison: ${each}`)),
)

test.each([
  [
    'select a is null, b is not null',
    ['null: is null -> is not null', 'null: is not null -> is null'],
  ],
  [
    'select exists (select from t), not exists (select from u)',
    ['exists: exists -> not exists', 'exists: not exists -> exists'],
  ],
  ['update t set epoch = epoch + 1, n = n + 10', ['increment: + 1 -> + 0']],
  ['select a from t for update', ['lock: for update -> ']],
  ['select a from t for no key update of t, u', ['lock: for no key update of t, u -> ']],
  [
    'select a from t for no key update skip locked',
    ['lock: for no key update skip locked -> ', 'lock: skip locked -> '],
  ],
  [`insert into t (a) values (1) on conflict (a) do nothing`, []],
  [`select 1 -- where a = 1 and b is null\n/* for update */`, []],
  [`select 'where a = 1 and b is null'`, []],
  ['select a from t where true', []],
])('finds in %s', (text, expected) => expect(inSql(text)).toEqual(expected))

test('breaks SQL of pg, parts of conditions and templates in holes, and nothing else', () => {
  const source = `
    const query = { name: 'one', text: \`select a from t where b = $1\` }
    const isLive = \`ended_at is null and state = 'DUE'\`
    const nested = sql\`select \${a < b && sql\`x where c = 1\`} from t\`
    throw new Error(\`where \${a} is null and b > 1\`)
    const words = \`\${a} and \${b}\``

  expect(mutantsOf(source)).toEqual([
    'condition: b = $1 -> (true or (b = $1))',
    'condition: ended_at is null -> true',
    'null: is null -> is not null',
    `condition: state = 'DUE' -> true`,
    'condition: c = 1 -> true',
  ])
})

test('names the place of a mutant, and replaces nothing else', () => {
  const source = `const é = sql<Row>\`\n  select a from t\n  where a = \${b} and c = 1\``
  const [, mutant] = findMutants(source)

  expect(mutant).toMatchObject({ line: 3, column: 22, original: 'c = 1' })
  expect(applyMutant(source, mutant!)).toBe(source.replace('c = 1', 'true'))
})
