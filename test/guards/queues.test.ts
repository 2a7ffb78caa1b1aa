import { queueNames } from '@despatch/queue/queues'
import { expect, test } from 'vitest'
import { programs, readText } from './tree.ts'

const pipeline = 'services/pipeline/src/service.ts'

/** The files that consume each queue: a stage declares its queue, other consumers name it in the call. */
const consumers = programs.flatMap(({ path, text }) => {
  const pattern = path.startsWith('services/pipeline/src/stages/')
    ? /^ {2}queue: '([\w-]+)',$/gm
    : /\.consume\(\s*'([\w-]+)'/g
  return [...text.matchAll(pattern)].map(([, queue]) => ({ queue: queue!, path }))
})

test.each(queueNames)('the queue %s has one consumer, which the journey names', (name) => {
  const files = consumers.filter(({ queue }) => queue === name).map(({ path }) => path)

  expect(files).toHaveLength(1)
  const item = new RegExp(`^- \`${name}\`: .*\\]\\(\\.\\./${files[0]}\\)`, 'm')
  expect(item.test(readText('docs/journey.md'))).toBe(true)
})

test('no consumer waits at a queue that does not exist', () => {
  const unknown = consumers.filter(({ queue }) => !queueNames.some((name) => name === queue))

  expect(unknown).toEqual([])
})

test('every stage has a file of its name and is consumed and swept by the pipeline', () => {
  const stages = consumers.filter(({ path }) => path.includes('/stages/'))
  const service = readText(pipeline)

  for (const { queue, path } of stages) {
    expect(path).toBe(`services/pipeline/src/stages/${queue}.ts`)
    expect(service.match(new RegExp(`consumeStage\\(${queue}\\)`, 'g'))).toHaveLength(1)
    expect(service).toMatch(new RegExp(`const stages = \\[[^\\]]*\\b${queue}\\b`))
  }
})

test('only the pipeline consumes a queue without naming it', () => {
  const unnamed = programs
    .filter(({ text }) => /\.consume\(\s*[^'\s)]/.test(text))
    .map(({ path }) => path)

  expect(unnamed).toEqual([pipeline])
})
