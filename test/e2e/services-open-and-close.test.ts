import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paths, root } from '../guards/tree.ts'
import { type Environment, environmentOfServices, loadService } from '../stack/open-service.ts'
import { recordParts } from '../stack/recorded-parts.ts'

type Opened = { close(): Promise<void> }

const services = paths
  .map((path) => /^services\/([^/]+)\/src\/main\.ts$/.exec(path)?.[1])
  .filter((name) => name !== undefined)
const programs: [
  workspace: string,
  load: (given: Environment) => Promise<() => Promise<Opened>>,
][] = [
  ...services.map((name): (typeof programs)[number] => [
    `services/${name}`,
    (given) => loadService(name, given),
  ]),
  ['infra/standalone', loadStack],
]

let environment: Environment
let directory: string
let dropDatabase: () => Promise<void>

beforeAll(async () => {
  const database = await cloneDatabase()
  dropDatabase = database.drop
  directory = await mkdtemp(join(tmpdir(), 'despatch-parts-'))
  environment = environmentOfServices(database.url, directory)
})
afterAll(async () => {
  await rm(directory, { recursive: true })
  await dropDatabase()
})

describe.each(programs)('%s', (workspace, load) => {
  test('closes its parts in reverse order, when it closes and when any part fails to open', async () => {
    const isService = workspace.startsWith('services/')
    const parts = recordParts(workspace, ...(isService ? ['packages/enquiry'] : []))
    // The services of one process open and close at the same time, so their parts have no order.
    const ordered = (names: readonly string[]) => (isService ? names : names.toSorted())
    const reversed = (names: readonly string[]) => ordered(names.toReversed())
    const open = await load(environment)

    const service = await open()
    // Used only while it opens, such as a connection to prepare the database.
    const closedEarly = [...parts.closed]
    const kept = (names: readonly string[]) => names.filter((name) => !closedEarly.includes(name))
    await service.close()

    const { opened, closed } = parts
    expect(kept(opened)).not.toEqual([])
    expect(ordered(kept(closed))).toEqual(reversed(kept(opened)))
    for (const failing of opened) {
      parts.begin(failing)
      await expect(open(), failing).rejects.toThrow(`cannot open: ${failing}`)
      expect({ failing, closed: ordered(kept(parts.closed)) }).toEqual({
        failing,
        closed: reversed(kept(parts.opened)),
      })
      expect([...parts.closed].sort()).toEqual([...parts.opened].sort())
    }
  })
})

async function loadStack(given: Environment): Promise<() => Promise<Opened>> {
  const { startStack } = await import(join(root, 'infra/standalone/src/stack.ts'))
  const { makeUsers, writeCredentials } = await import(
    join(root, 'infra/standalone/src/credentials.ts')
  )
  // a later start: a first one opens another connection, to find the users
  await writeCredentials(given.DESPATCH_DATA_DIR!, makeUsers())
  return () => startStack({ environment: given, log: { write: () => {} } })
}
