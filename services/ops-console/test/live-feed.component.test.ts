import { countQueries } from '@despatch/testing/count-queries'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { aConsoleStage } from './a-console.ts'

const pagesOpen = 50

const stage = await shared(aConsoleStage())
const cookie = await stage.signedIn('operator')

test('fifty open pages get the same facts, and cost no more queries than one page', async () => {
  const url = await stage.listening({ DESPATCH_SOURCE_REQUESTS_PER_SECOND: 1_000 })
  const queries = countQueries()

  const first = await anOpenPage(url)
  await first.next(4)
  const queriesOfOne = queries.count()
  const others = await Promise.all(Array.from({ length: pagesOpen - 1 }, () => anOpenPage(url)))
  await Promise.all(others.map((page) => page.next(1)))
  await first.next(1)
  queries.restart()
  const times = await first.next(3)
  const queriesOfAll = queries.count()

  expect(queriesOfOne).toBeGreaterThan(0)
  expect(queriesOfAll).toBeLessThanOrEqual(queriesOfOne)
  for (const page of others)
    expect(await page.until(times.at(-1)!)).toEqual(expect.arrayContaining(times))
})

/** Opens the event stream, as a page of the console does. */
async function anOpenPage(url: string) {
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(60_000)])
  const answer = await fetch(`${url}/events`, { headers: { cookie }, signal })
  expect(answer.status).toBe(200)
  // fetch cancels a body that nothing has begun to read once its response is collected as garbage
  const times = timesOf(answer.body!.pipeThrough(new TextDecoderStream()))
  const next = async () => (await times.next()).value!
  return {
    /** Returns the times of this many further facts. */
    next: async (count: number): Promise<string[]> => {
      const read: string[] = []
      while (read.length < count) read.push(await next())
      return read
    },
    /** Returns the times of further facts, up to the facts of a time. */
    until: async (last: string): Promise<string[]> => {
      const read: string[] = []
      while (read.at(-1) !== last) read.push(await next())
      return read
    },
  }
}

async function* timesOf(body: ReadableStream<string>): AsyncGenerator<string, never> {
  let rest = ''
  for await (const part of body) {
    const events = (rest + part).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const data = /^event: facts\ndata: (.*)$/.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data).at
    }
  }
  throw new Error('the stream has ended')
}
