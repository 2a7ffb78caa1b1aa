import { workQueues } from '@despatch/domain/work/lane'
import { queueNames } from '@despatch/queue/queues'
import { expect, test } from 'vitest'
import { programs, readText } from './tree.ts'

const pipeline = 'services/pipeline/src/work/start-letters.ts'

/** The files that consume each queue. They name it in the call, except for the pipeline, which consumes all of letters. */
const consumers = [
  ...programs.flatMap(({ path, text }) =>
    [...text.matchAll(/\.consume\(\s*'([\w-]+)'/g)].map(([, queue]) => ({ queue: queue!, path })),
  ),
  ...workQueues.map((queue) => ({ queue, path: pipeline })),
]

test.each(queueNames)('the queue %s has one consumer, which the journey names', (name) => {
  const files = consumers.filter(({ queue }) => queue === name).map(({ path }) => path)

  expect(files).toHaveLength(1)
  const item = new RegExp(`^- \`${name}\`: (?:(?!\\n-)[^])*?\\]\\(\\.\\./${files[0]}\\)`, 'm')
  expect(item.test(readText('docs/journey.md'))).toBe(true)
})

test('every consumer names an existing queue', () => {
  const unknown = consumers.filter(({ queue }) => !queueNames.some((name) => name === queue))

  expect(unknown).toEqual([])
})

test('only the pipeline consumes queues without naming them: all work queues', () => {
  const unnamed = programs
    .filter(({ text }) => /\.consume\(\s*[^'\s)]/.test(text))
    .map(({ path }) => path)

  expect(unnamed).toEqual([pipeline])
  expect(readText(pipeline)).toContain('queueWorkers = workQueues.map((queue) =>')
})

test('every stage has a file with its name, which the pipeline uses', () => {
  const stages = programs.filter(({ path }) => path.startsWith('services/pipeline/src/stages/'))
  const names = stages.flatMap(({ path, text }) =>
    [...text.matchAll(/^ {2}name: '(\w+)',\n {2}status:/gm)].map(([, name]) => ({ path, name })),
  )
  const [, used] = /^const stages = \{([^}]*)\}/m.exec(readText(pipeline)) ?? []

  expect(names.length).toBeGreaterThan(1)
  for (const { path, name } of names) {
    expect(path).toBe(`services/pipeline/src/stages/${name}.ts`)
    expect(used).toContain(`: ${name}`)
  }
})
