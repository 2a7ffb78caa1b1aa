import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Database } from '@despatch/store/database'
import { listColumns } from './columns.ts'

/** Two made-up names of one thing: what is personal about it, and how its sender names it. */
export type Mark = { personal: string; id: string }

/** Makes made-up names that occur nowhere else, and finds what holds them. */
export function createMarks() {
  const unique = randomBytes(3).toString('hex')
  const things: string[] = []
  const prefixes = { personal: `qx${unique}`, id: `zy${unique}` }
  /** Returns the names of another thing. */
  const of = (thing: string): Mark => {
    const number = String(things.push(thing) - 1).padStart(3, '0')
    return { personal: `${prefixes.personal}${number}`, id: `${prefixes.id}${number}` }
  }

  /** Lists the columns of all tables, also those of the queues, that hold a name of this kind, each with the things that are named. */
  async function findRows(pool: Database['pool'], kind: keyof Mark): Promise<string[]> {
    const forms = formsOf(prefixes[kind])
    const found: string[] = []
    for (const { schema, table, columns } of await listColumns(pool, ['public', 'bullmq'])) {
      const texts = columns.map(({ name }) => `('${name}', "${name}"::text)`)
      const { rows } = await pool.query<{ name: string; text: string }>(
        `select held.name, held.text from "${schema}"."${table}", lateral (values ${texts.join(', ')}) as held (name, text)
         where held.text ilike any ($1)`,
        [forms.map((form) => `%${form}%`)],
      )
      for (const name of new Set(rows.map((row) => row.name))) {
        const texts = rows.filter((row) => row.name === name).map(({ text }) => text)
        const named = new Set(texts.flatMap((text) => namesIn(text, prefixes[kind])))
        found.push(`${table}.${name}: ${[...named].join(', ')}`)
      }
    }
    return found.toSorted()
  }

  function namesIn(text: string, prefix: string): string[] {
    const texts = [text, Buffer.from(text.replace(/^\\x/, ''), 'hex').toString('latin1')]
    const numbers = texts.flatMap((each) => [
      ...each.matchAll(new RegExp(`${prefix}(\\d{3})`, 'gi')),
    ])
    return numbers.map(([, number]) => things[Number(number)] ?? number!)
  }

  /** Lists the objects, of those that came since then, that hold a name. All tests share the bucket. */
  async function findObjects(objects: ObjectStore, since: Date): Promise<string[]> {
    const prefixed = Object.values(prefixes)
    const listed = await Promise.all(
      ['uploads/', 'files/', 'documents/', 'evidence/'].map((prefix) =>
        objects.listWithTimes(prefix, { keysMax: 10_000 }),
      ),
    )
    const recent = listed.flat().filter(({ changedAt }) => changedAt >= since)
    const found = await Promise.all(
      recent.map(async ({ key }) => {
        const object = await objects.getStream(key)
        const text = object && (await buffer(object.stream)).toString('latin1')
        return prefixed.some((prefix) => text?.includes(prefix)) ? [key] : []
      }),
    )
    return found.flat()
  }

  const isInText = (text: string) => text.includes(prefixes.personal)

  return { of, findRows, findObjects, isInText, things }
}

/** A name as text, and as the text of its bytes in hexadecimal. */
function formsOf(name: string): string[] {
  return [name, Buffer.from(name).toString('hex')]
}
