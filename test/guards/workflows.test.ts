import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { paths, readText } from './tree.ts'

const workflows = paths.filter((path) => path.startsWith('.github/workflows/'))

type Step = { uses?: string; run?: string }
type Workflow = { permissions: unknown; jobs: Record<string, { steps: Step[] }> }

test.for(workflows)('%s runs only .ci/run, and has only read permissions', (path) => {
  const { permissions, jobs }: Workflow = parse(readText(path))
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

  expect(permissions).toEqual({ contents: 'read' })
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    expect(command).toMatch(/^bash \.ci\/run(?: --slow| --shard \$\{\{ matrix\.part \}\}\/3)?$/)
  }
})
