import { expect, test } from 'vitest'
import { createLimit, QueueFull } from './limit.ts'

/** Calls that end when the test says, limited to two at once with one waiting. */
function limited() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const call = createLimit({ callsMax: 2, waitingMax: 1 }, (name: string) => {
    started.push(name)
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return end.promise
  })
  return { call, started, end: (name: string) => ends.get(name)! }
}

test('a call beyond the limit starts when another has succeeded or failed', async () => {
  const { call, started, end } = limited()
  const one = call('one')
  const two = call('two')
  const three = call('three')
  expect(started).toEqual(['one', 'two'])

  end('one').reject(new Error('failed'))
  await expect(one).rejects.toThrow('failed')
  await Promise.resolve()

  expect(started).toEqual(['one', 'two', 'three'])
  end('two').resolve('2')
  end('three').resolve('3')
  expect(await Promise.all([two, three])).toEqual(['2', '3'])
})

test('refuses a call when the waiting list is full', async () => {
  const { call } = limited()
  for (const name of ['one', 'two', 'three']) void call(name)

  await expect(call('four')).rejects.toThrow(QueueFull)
})

test('freed slots are used again', async () => {
  const { call, started, end } = limited()
  for (const name of ['one', 'two']) {
    const ended = call(name)
    end(name).resolve(name)
    await ended
  }

  void call('three')
  void call('four')

  expect(started).toEqual(['one', 'two', 'three', 'four'])
})
