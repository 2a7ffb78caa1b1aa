import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '../..')
const directory = join(root, '.github/workflows')

type Step = { uses?: string; run?: string }
type Workflow = { permissions: unknown; jobs: Record<string, { steps: Step[] }> }

test.for(await readdir(directory))('%s runs only .ci/run, and may only read', async (name) => {
  const { permissions, jobs }: Workflow = parse(await readFile(join(directory, name), 'utf8'))
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

  expect(permissions).toEqual({ contents: 'read' })
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    expect(command).toMatch(/^bash \.ci\/run(?: --slow| --shard \$\{\{ matrix\.part \}\}\/3)?$/)
  }
})
